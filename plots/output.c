/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are there whole or not at all: FILE.part takes what is written, and becomes FILE at the end. The first
 * failure is kept with its cause: the stream itself would forget it.
 */
#include <plots/output.h>

#include <base/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum ddbsim_status output_check(const char *path, bool force, struct ddbsim_error *error) {
    struct stat status;
    if (stat(path, &status) != 0) return DDBSIM_OK;
    if (S_ISDIR(status.st_mode))
        return error_set(error, DDBSIM_INPUT, "'%.300s' is a directory", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, DDBSIM_INPUT, "'%.300s' is a device or a pipe, not a file", path);
    if (force) return DDBSIM_OK;
    error_hint(error, "--force replaces it");
    return error_set(error, DDBSIM_INPUT, "'%.300s' exists", path);
}

static char *temporary_of(const char *path) {
    size_t size = strlen(path) + sizeof ".part";
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s.part", path);
    return text;
}

static void forget(struct output *output) {
    free(output->path);
    free(output->temporary);
    *output = (struct output){.file = -1};
}

static ssize_t take_bytes(void *self, const char *bytes, size_t length) {
    struct output *output = self;
    for (size_t done = 0; done < length;) {
        ssize_t count = write(output->file, bytes + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && !output->cause) output->cause = errno;
        if (count < 0) return 0; /* what fopencookie wants of a failed write */
        done += (size_t)count;
    }
    return (ssize_t)length;
}

static enum ddbsim_status fail(struct output *output, struct ddbsim_error *error) {
    if (output->file >= 0) (void)unlink(output->temporary);
    (void)error_set(error, DDBSIM_ENVIRONMENT, "cannot write '%.300s': %s", output->path,
                    strerror(output->cause));
    forget(output);
    return DDBSIM_ENVIRONMENT;
}

enum ddbsim_status output_open(const char *path, struct output *out, struct ddbsim_error *error) {
    const cookie_io_functions_t functions = {.write = take_bytes};
    *out = (struct output){.path = strdup(path), .temporary = temporary_of(path), .file = -1};
    if (!out->path || !out->temporary) {
        forget(out);
        return error_memory(error);
    }
    out->file = open(out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    out->cause = out->file < 0 ? errno : 0;
    if (out->file < 0) return fail(out, error);
    out->stream = fopencookie(out, "w", functions);
    if (out->stream) return DDBSIM_OK;
    (void)close(out->file);
    (void)unlink(out->temporary);
    forget(out);
    return error_memory(error);
}

/* Everything but the rename; remembers what failed. */
static void finish(struct output *output) {
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    if (fclose(output->stream) != 0) failed = true;
    if (close(output->file) != 0 && !output->cause) output->cause = errno;
    if (failed && !output->cause) output->cause = EIO; /* the stream's own failure */
}

enum ddbsim_status output_close(struct output *output, struct ddbsim_error *error) {
    finish(output);
    if (!output->cause && rename(output->temporary, output->path) != 0) output->cause = errno;
    if (output->cause) return fail(output, error);
    forget(output);
    return DDBSIM_OK;
}

void output_abandon(struct output *output) {
    if (!output->stream) return;
    finish(output);
    (void)unlink(output->temporary);
    forget(output);
}

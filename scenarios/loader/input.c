/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading whole texts with a cap, and the gallery.
 * Invariant: no environment variable decides what is read.
 */
#include <loader/input.h>

#include <loader/loader.h>
#include <loader/suggest.h>
#include <loader/yaml_tree.h>
#include <base/vector.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".yaml"
#define NAME_BYTES 256

/* Folders that hold the gallery, best first. Both are set by the build. */
static const char *const gallery_folders[] = {
#ifdef DDBSIM_DATA_DIR
    DDBSIM_DATA_DIR "/scenarios",
#endif
#ifdef DDBSIM_SOURCE_DIR
    DDBSIM_SOURCE_DIR "/scenarios",
#endif
    NULL};

/* ---- the gallery ---- */

static bool is_scenario(const char *file) {
    size_t length = strlen(file), ending = strlen(ENDING);
    return length > ending && length < NAME_BYTES && !strcmp(file + length - ending, ENDING) &&
           file[0] != '.';
}

/* The number-th name of a folder in byte order, without its ending: the smallest name that exceeds
 * so many others. */
static bool name_in_folder(const char *folder, int number, char out[NAME_BYTES],
                           struct ddbsim_error *error) {
    char last[NAME_BYTES] = "", name[NAME_BYTES];
    bool found = false;
    for (int i = 0; i <= number; i++) {
        DIR *open_folder = opendir(folder);
        if (!open_folder && errno == ENOMEM) (void)error_memory(error);
        if (!open_folder) return false;
        found = false;
        for (const struct dirent *entry; (entry = readdir(open_folder));) {
            if (!is_scenario(entry->d_name)) continue;
            snprintf(name, sizeof name, "%.*s", (int)(strlen(entry->d_name) - strlen(ENDING)),
                     entry->d_name);
            if ((i && strcmp(name, last) <= 0) || (found && strcmp(name, out) >= 0)) continue;
            memcpy(out, name, NAME_BYTES);
            found = true;
        }
        closedir(open_folder);
        if (!found) return false;
        memcpy(last, out, NAME_BYTES);
    }
    return found;
}

static const char *gallery_folder(struct ddbsim_error *error) {
    for (size_t i = 0; gallery_folders[i]; i++) {
        char name[NAME_BYTES];
        if (name_in_folder(gallery_folders[i], 0, name, error)) return gallery_folders[i];
    }
    return NULL;
}

/* A file that is no scenario is called by its name. */
static enum ddbsim_status read_title(const char *path, const char *name, char *title, size_t size,
                                     struct ddbsim_error *error) {
    snprintf(title, size, "%s", name);
    struct arena *arena = arena_create(0);
    struct input_text source = {0};
    struct yaml_node *root = NULL;
    if (!arena) return error_memory(error);
    enum ddbsim_status status = input_read_file(arena, path, &source, NULL);
    if (!status) status = yaml_parse(arena, source.text, source.length, path, &root, NULL);
    if (!status && root) {
        const struct yaml_node *node = yaml_child(root, "title");
        const char *text =
            node && node->kind == YAML_MAPPING ? yaml_text(node, "en") : yaml_text(root, "title");
        if (text) snprintf(title, size, "%s", text);
    }
    arena_destroy(arena);
    return status == DDBSIM_ENVIRONMENT ? error_memory(error) : DDBSIM_OK;
}

bool loader_gallery(int number, char *name, size_t name_size, char *title, size_t title_size,
                    struct ddbsim_error *error) {
    const char *folder = gallery_folder(error);
    char file[NAME_BYTES], path[4096];
    if (number < 0 || !folder || !name_in_folder(folder, number, file, error)) return false;
    snprintf(path, sizeof path, "%s/%s%s", folder, file, ENDING);
    snprintf(name, name_size, "%s", file);
    return read_title(path, file, title, title_size, error) == DDBSIM_OK;
}

/* The gallery's names that begin with a word, in one line; "" where there are none. */
static void names_beginning(const char *word, char *out, size_t size) {
    char file[NAME_BYTES];
    const char *folder = gallery_folder(NULL);
    out[0] = '\0';
    for (int i = 0; *word && folder && name_in_folder(folder, i, file, NULL); i++) {
        size_t used = strlen(out);
        if (!strncmp(file, word, strlen(word)) && used + strlen(file) + 3 < size)
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", file);
    }
}

static void suggest_gallery(const char *word, struct ddbsim_error *error) {
    char file[NAME_BYTES], best[NAME_BYTES] = "", names[NAME_BYTES - 24];
    const char *folder = gallery_folder(NULL);
    struct suggest suggest;
    names_beginning(word, names, sizeof names);
    if (*names) {
        error_hint(error, "the gallery has %s", names);
        return;
    }
    suggest_start(&suggest, word);
    for (int i = 0; folder && name_in_folder(folder, i, file, NULL); i++) {
        const char *before = suggest_best(&suggest);
        suggest_offer(&suggest, file);
        /* The offered text lives in a buffer that the next name overwrites. */
        if (suggest_best(&suggest) == before) continue;
        memcpy(best, file, sizeof best);
        suggest.best = best;
    }
    suggest_hint(&suggest, error, "`ddbsim list scenarios` shows the gallery");
}

static bool is_file(const char *path) {
    struct stat status;
    return !stat(path, &status) && !S_ISDIR(status.st_mode);
}

/* The path that a name stands for. */
static const char *resolve(struct arena *arena, const char *name) {
    size_t length = strlen(name);
    bool plain = length && length < NAME_BYTES && !strchr(name, '/') && !is_scenario(name);
    if (!plain || is_file(name)) return name;
    for (size_t i = 0; gallery_folders[i]; i++) {
        const char *path = arena_printf(arena, "%s/%s%s", gallery_folders[i], name, ENDING);
        if (!path || is_file(path)) return path;
    }
    return name;
}

/* ---- texts ---- */

static enum ddbsim_status fail_open(const char *path, const char *name, int code,
                                    struct ddbsim_error *error) {
    if (code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP) {
        error_set(error, DDBSIM_INPUT, "there is no file \"%.200s\"", path);
        suggest_gallery(name, error);
        return DDBSIM_INPUT;
    }
    if (code == EISDIR) {
        error_set(error, DDBSIM_INPUT, "\"%.200s\" is a directory", path);
        error_hint(error, "name a scenario file, or one of the gallery");
        return DDBSIM_INPUT;
    }
    return error_set(error, DDBSIM_ENVIRONMENT, "\"%.200s\" cannot be read: %s", path,
                     strerror(code));
}

/* The whole of a descriptor, one byte beyond the cap at most: the parser refuses what is too long.
 */
static int read_all(int descriptor, char **text, size_t *length) {
    void *buffer = NULL;
    size_t capacity = 0;
    *length = 0;
    for (;;) {
        if (!vector_reserve(&buffer, &capacity, *length + 65536, 1)) {
            free(buffer);
            return ENOMEM;
        }
        ssize_t got = read(descriptor, (char *)buffer + *length, 65536);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int code = errno;
            free(buffer);
            return code;
        }
        *length += (size_t)got;
        if (got == 0 || *length > YAML_BYTES_MAX) break;
    }
    *text = buffer;
    return 0;
}

/* Reads an open file, which is closed, unless it is standard input. */
static enum ddbsim_status read_open(struct arena *arena, int descriptor, const char *path,
                                    const char *name, struct input_text *out,
                                    struct ddbsim_error *error) {
    char *text = NULL;
    int code = read_all(descriptor, &text, &out->length);
    if (descriptor != STDIN_FILENO) close(descriptor);
    if (code == ENOMEM) return error_memory(error);
    if (code) return fail_open(path, name, code, error);
    out->file = arena_copy(arena, path, strlen(path));
    out->text = arena_copy(arena, text, out->length);
    free(text);
    return out->file && out->text ? DDBSIM_OK : error_memory(error);
}

enum ddbsim_status input_read(struct arena *arena, const char *name, struct input_text *out,
                              struct ddbsim_error *error) {
    if (!strcmp(name, "-")) return read_open(arena, STDIN_FILENO, name, name, out, error);
    const char *path = resolve(arena, name);
    if (!path) return error_memory(error);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return fail_open(path, name, errno, error);
    return read_open(arena, descriptor, path, name, out, error);
}

static enum ddbsim_status refuse_special(const char *path, struct ddbsim_error *error) {
    error_set(error, DDBSIM_INPUT, "\"%.200s\" is a pipe or a device", path);
    error_hint(error, "a file may extend none but files");
    return DDBSIM_INPUT;
}

enum ddbsim_status input_read_file(struct arena *arena, const char *name, struct input_text *out,
                                   struct ddbsim_error *error) {
    struct stat about;
    const char *path = resolve(arena, name);
    if (!path) return error_memory(error);
    bool known = !stat(path, &about);
    if (known && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return refuse_special(path, error);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail_open(path, name, errno, error);
    return read_open(arena, descriptor, path, name, out, error);
}

const char *input_beside(struct arena *arena, const char *file, const char *path) {
    const char *slash = strrchr(file, '/');
    if (*path == '/' || !slash) return path;
    return arena_printf(arena, "%.*s/%s", (int)(slash - file), file, path);
}

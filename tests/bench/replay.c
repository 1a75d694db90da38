/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a trace: rows through recording_next, beside libcsv alone over the same file with calls that count rows and
 * the bytes of keys. One file is plain, one a zstd archive of the same rows, which the bare loop unpacks in pieces.
 */
#include "bench.h"

#include <csv.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <workloads/replay/recording.h>
#include <zstd.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define KEY_COLUMN 1

static struct {
    char path[64];
    char *piece, *packed;
} files;

static void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(descriptor, bytes, length);
        if (count <= 0) bench_fail("cannot write the trace");
        bytes += count;
        length -= (size_t)count;
    }
}

/* Rows in the shape of Twitter's: a time, a key, sizes, a client, an operation, a time to live. */
static size_t put_rows(char *text, uint64_t rows) {
    static const char *const operations[] = {"get", "get", "get", "set", "gets", "incr"};
    struct rng rng;
    size_t used = 0;
    rng_seed(&rng, 8);
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t draw = rng_next(&rng);
        used += (size_t)sprintf(
            text + used, "%llu,nz:u:%013llx,18,%llu,%llu,%s,%d\n", (unsigned long long)(i / 5000),
            (unsigned long long)(draw >> 40), (unsigned long long)(draw % 1500),
            (unsigned long long)(draw / 64 % 100), operations[draw % 6], draw % 6 == 3 ? 86400 : 0);
    }
    return used;
}

static bool prepare(const struct bench_case *self, bool is_packed) {
    size_t room = self->size * 80, length;
    char *text = malloc(room);
    files.piece = malloc(PIECE_BYTES);
    files.packed = malloc(PIECE_BYTES);
    snprintf(files.path, sizeof files.path, "/tmp/ddbsim-bench-XXXXXX");
    int descriptor = mkstemp(files.path);
    if (!text || !files.piece || !files.packed || descriptor < 0) return false;
    length = put_rows(text, self->size);
    if (is_packed) {
        char *packed = malloc(ZSTD_compressBound(length));
        if (!packed) return false;
        size_t size = ZSTD_compress(packed, ZSTD_compressBound(length), text, length, 3);
        write_all(descriptor, packed, size);
        free(packed);
    } else {
        write_all(descriptor, text, length);
    }
    close(descriptor);
    free(text);
    return true;
}

static bool prepare_plain(const struct bench_case *self) { return prepare(self, false); }
static bool prepare_packed(const struct bench_case *self) { return prepare(self, true); }

static void release(void) {
    unlink(files.path);
    free(files.piece);
    free(files.packed);
}

static void ours(const struct bench_case *self, struct bench_side *out) {
    struct recording *recording;
    struct recorded row;
    bool more = true;
    (void)self;
    int64_t start = bench_cpu_ns();
    if (recording_create(&(struct recording_options){.file = files.path}, &recording, NULL))
        bench_fail("the trace is not read");
    for (;;) {
        if (recording_next(recording, &row, &more, NULL)) bench_fail("the trace is not read");
        if (!more) break;
        out->ops++;
        out->check += row.key_bytes;
    }
    recording_destroy(recording);
    out->cpu_ns = bench_cpu_ns() - start;
}

struct bare {
    struct bench_side *out;
    int column;
};

static void on_field(void *bytes, size_t length, void *context) {
    struct bare *bare = context;
    (void)bytes;
    if (bare->column++ == KEY_COLUMN) bare->out->check += length;
}

static void on_row(int unused, void *context) {
    struct bare *bare = context;
    (void)unused;
    bare->column = 0;
    bare->out->ops++;
}

static void parse(struct csv_parser *parser, const char *bytes, size_t length, struct bare *bare) {
    if (csv_parse(parser, bytes, length, on_field, on_row, bare) != length)
        bench_fail("libcsv does not read the trace");
}

static void unpack(struct csv_parser *parser, ZSTD_DStream *stream, size_t length,
                   struct bare *bare) {
    ZSTD_inBuffer in = {files.packed, length, 0};
    size_t code;
    do {
        ZSTD_outBuffer piece = {files.piece, PIECE_BYTES, 0};
        code = ZSTD_decompressStream(stream, &piece, &in);
        if (ZSTD_isError(code)) bench_fail("zstd does not read the trace");
        parse(parser, files.piece, piece.pos, bare);
        if (piece.pos < PIECE_BYTES && in.pos == in.size) return;
    } while (code != 0);
}

static void bare_loop(struct bench_side *out, bool is_packed) {
    struct csv_parser parser;
    struct bare bare = {.out = out};
    int64_t start = bench_cpu_ns();
    int descriptor = open(files.path, O_RDONLY | O_CLOEXEC);
    ZSTD_DStream *stream = is_packed ? ZSTD_createDStream() : NULL;
    char *into = is_packed ? files.packed : files.piece;
    ssize_t count;
    if (descriptor < 0 || csv_init(&parser, CSV_STRICT)) bench_fail("the bare loop cannot start");
    while ((count = read(descriptor, into, PIECE_BYTES)) > 0) {
        if (is_packed)
            unpack(&parser, stream, (size_t)count, &bare);
        else
            parse(&parser, into, (size_t)count, &bare);
    }
    csv_fini(&parser, on_field, on_row, &bare);
    csv_free(&parser);
    ZSTD_freeDStream(stream);
    close(descriptor);
    out->cpu_ns = bench_cpu_ns() - start;
}

static void bare_plain(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    bare_loop(out, false);
}

static void bare_packed(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    bare_loop(out, true);
}

/* ---- a trace of any length ---- */

static void write_stream(int into, uint64_t rows) {
    char *text = malloc(80 * 1000);
    if (!text) bench_fail("memory");
    size_t length = put_rows(text, 1000); /* all of one second, over and over */
    for (uint64_t done = 0; done < rows; done += 1000)
        write_all(into, text, length);
    free(text);
}

int bench_stream(uint64_t rows) {
    int ends[2];
    struct recording *recording;
    struct recorded row;
    uint64_t count = 0;
    bool more = true;
    if (pipe(ends) != 0) bench_fail("there is no pipe");
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_stream(ends[1], rows);
        _exit(0);
    }
    close(ends[1]);
    snprintf(files.path, sizeof files.path, "/proc/self/fd/%d", ends[0]);
    int64_t start = bench_cpu_ns();
    if (recording_create(&(struct recording_options){.file = files.path}, &recording, NULL))
        bench_fail("the trace is not read");
    for (; more; count += more)
        if (recording_next(recording, &row, &more, NULL)) bench_fail("the trace is not read");
    recording_destroy(recording);
    int64_t cpu_ns = bench_cpu_ns() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    waitpid(writer, NULL, 0);
    printf("{\"name\":\"stream\",\"rows\":%llu,\"ns_per_op\":%.2f,\"peak_kb\":%ld}\n",
           (unsigned long long)count, (double)cpu_ns / (double)count, usage.ru_maxrss);
    return 0;
}

const struct bench_case bench_replays[2] = {
    {"replay-csv", "row", 1000000, true, prepare_plain, ours, bare_plain, release},
    {"replay-zst", "row", 1000000, true, prepare_packed, ours, bare_packed, release},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes out of files, pipes and archives; archives that are damaged; memory that does not grow. */
#include "recording_fixture.h"

#include <base/rng.h>
#include <workloads/replay/feed.h>
#include <zlib.h>
#include <zstd.h>

#define PLAIN_LINES 40000

struct bytes {
    unsigned char *bytes;
    size_t length;
};

static struct bytes plain_text(void) {
    struct bytes out = {malloc(PLAIN_LINES * 32), 0};
    assert_non_null(out.bytes);
    for (int i = 0; i < PLAIN_LINES; i++)
        out.length += (size_t)sprintf((char *)out.bytes + out.length, "line %d of many%s", i,
                                      i % 3 ? "\n" : "\r\n");
    return out;
}

static struct bytes gzip_of(const void *bytes, size_t length) {
    z_stream stream = {0};
    struct bytes out = {malloc(length + 1024), 0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = out.bytes;
    stream.avail_out = (uInt)(length + 1024);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.length = stream.total_out;
    deflateEnd(&stream);
    return out;
}

static struct bytes zstd_of(const void *bytes, size_t length) {
    size_t room = ZSTD_compressBound(length);
    struct bytes out = {malloc(room), 0};
    out.length = ZSTD_compress(out.bytes, room, bytes, length, 3);
    assert_false(ZSTD_isError(out.length));
    return out;
}

/* One behind the other. */
static struct bytes joined(struct bytes a, struct bytes b) {
    struct bytes out = {malloc(a.length + b.length), a.length + b.length};
    memcpy(out.bytes, a.bytes, a.length);
    memcpy(out.bytes + a.length, b.bytes, b.length);
    return out;
}

static struct feed *feed_of(struct bytes bytes) {
    struct ddbsim_error error = {0};
    struct feed *feed;
    struct recording_file file = recording_file_of(bytes.bytes, bytes.length);
    if (feed_create(file.path, &feed, &error)) fail_msg("%s", error.message);
    close(file.descriptor);
    return feed;
}

static void expect_lines(struct feed *feed, int copies) {
    struct ddbsim_error error = {0};
    struct feed_line line;
    char expected[32];
    bool more;
    for (int i = 0; i < copies * PLAIN_LINES; i++) {
        assert_int_equal(feed_line(feed, &line, &more, &error), DDBSIM_OK);
        assert_true(more);
        snprintf(expected, sizeof expected, "line %d of many", i % PLAIN_LINES);
        assert_int_equal(line.length, strlen(expected));
        assert_memory_equal(line.text, expected, line.length);
        assert_int_equal(line.text[line.whole - 1], '\n');
        assert_int_equal(line.number, i + 1);
    }
    assert_int_equal(feed_line(feed, &line, &more, &error), DDBSIM_OK);
    assert_false(more);
}

/* Read, and read again from the beginning. */
static void expect_twice(struct bytes bytes, int copies) {
    struct ddbsim_error error = {0};
    struct feed *feed = feed_of(bytes);
    expect_lines(feed, copies);
    assert_int_equal(feed_rewind(feed, &error), DDBSIM_OK);
    expect_lines(feed, copies);
    feed_destroy(feed);
}

static void archives(void **state) {
    (void)state;
    struct bytes plain = plain_text();
    struct bytes gzip = gzip_of(plain.bytes, plain.length);
    struct bytes zstd = zstd_of(plain.bytes, plain.length);
    struct bytes two_gzip = joined(gzip, gzip), two_zstd = joined(zstd, zstd);
    expect_twice(plain, 1);
    expect_twice(gzip, 1);
    expect_twice(zstd, 1);
    expect_twice(two_gzip, 2);
    expect_twice(two_zstd, 2);
    free(plain.bytes);
    free(gzip.bytes);
    free(zstd.bytes);
    free(two_gzip.bytes);
    free(two_zstd.bytes);
}

/* Reads to the end; the status, with the error filled. */
static enum ddbsim_status drain(struct bytes bytes, struct ddbsim_error *error) {
    struct feed *feed;
    struct recording_file file = recording_file_of(bytes.bytes, bytes.length);
    enum ddbsim_status status = feed_create(file.path, &feed, error);
    struct feed_line line;
    bool more = true;
    while (!status && more)
        status = feed_line(feed, &line, &more, error);
    close(file.descriptor);
    feed_destroy(feed);
    return status;
}

static void expect_damage(struct bytes bytes, const char *words) {
    struct ddbsim_error error = {0};
    assert_int_equal(drain(bytes, &error), DDBSIM_INPUT);
    if (!strstr(error.message, words)) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    assert_true(error.file[0] && error.hint[0]);
}

/* Cut anywhere, an archive is refused, but where nothing of it is left to tell; so is one with bytes behind it. */
static void truncated(struct bytes archive, const char *words) {
    char garbage[] = "garbage behind the archive's end";
    for (size_t length = 8; length < archive.length; length += length < 64 ? 1 : 997)
        expect_damage((struct bytes){archive.bytes, length}, words);
    expect_damage((struct bytes){archive.bytes, archive.length - 1}, words);
    struct bytes longer = joined(archive, (struct bytes){(unsigned char *)garbage, 32});
    expect_damage(longer, "is damaged at its byte");
    free(longer.bytes);
}

static void truncated_archives(void **state) {
    (void)state;
    struct bytes plain = plain_text();
    struct bytes gzip = gzip_of(plain.bytes, plain.length);
    struct bytes zstd = zstd_of(plain.bytes, plain.length);
    truncated(gzip, "the gzip archive ends in the middle, at its byte");
    truncated(zstd, "the zstd archive ends in the middle, at its byte");
    free(plain.bytes);
    free(gzip.bytes);
    free(zstd.bytes);
}

/* A byte changed: refused in words, or read to its end; gzip's checksum leaves no second way. */
static void damaged_archives(void **state) {
    (void)state;
    struct bytes plain = plain_text(), gzip = gzip_of(plain.bytes, plain.length);
    struct bytes zstd = zstd_of(plain.bytes, plain.length);
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < 60; i++) {
        struct ddbsim_error error = {0};
        size_t at = 10 + draw_below(rng_next(&rng), gzip.length - 14); /* the header may vary */
        gzip.bytes[at] ^= 0x20;
        assert_int_equal(drain(gzip, &error), DDBSIM_INPUT);
        gzip.bytes[at] ^= 0x20;
        at = 4 + draw_below(rng_next(&rng), zstd.length - 4);
        zstd.bytes[at] ^= 0x20;
        error = (struct ddbsim_error){0};
        enum ddbsim_status status = drain(zstd, &error);
        assert_true(status == DDBSIM_OK || status == DDBSIM_INPUT);
        zstd.bytes[at] ^= 0x20;
    }
    free(plain.bytes);
    free(gzip.bytes);
    free(zstd.bytes);
}

static void foreign_archives(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *hint;
    } archives[] = {{"BZh91AY", "bzip2"},
                    {"\xfd"
                     "7zXZ  ",
                     "xz"},
                    {"PK\x03\x04 and more", "unzip"},
                    {"\x04\x22\x4d\x18 and more", "lz4"}};
    for (size_t i = 0; i < sizeof archives / sizeof archives[0]; i++) {
        struct ddbsim_error error = {0};
        struct bytes bytes = {(unsigned char *)(uintptr_t)archives[i].bytes,
                              strlen(archives[i].bytes)};
        assert_int_equal(drain(bytes, &error), DDBSIM_INPUT);
        assert_non_null(strstr(error.hint, archives[i].hint));
    }
}

/* An archive whose window is larger than what a reader may hold. */
static void wide_window(void **state) {
    (void)state;
    struct bytes out = {malloc(1 << 20), 0};
    ZSTD_CStream *stream = ZSTD_createCStream();
    ZSTD_CCtx_setParameter(stream, ZSTD_c_windowLog, 27);
    char zeros[4096] = {0};
    ZSTD_inBuffer in = {zeros, sizeof zeros, 0};
    ZSTD_outBuffer to = {out.bytes, 1 << 20, 0};
    while (in.pos < in.size)
        assert_false(ZSTD_isError(ZSTD_compressStream(stream, &to, &in)));
    assert_false(ZSTD_isError(ZSTD_endStream(stream, &to)));
    out.length = to.pos;
    ZSTD_freeCStream(stream);
    expect_damage(out, "needs over 64 MB");
    free(out.bytes);
}

static void no_file(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct feed *feed;
    assert_int_equal(feed_create("/no/such/file", &feed, &error), DDBSIM_INPUT);
    assert_string_equal(error.message, "there is no file \"/no/such/file\"");
    error = (struct ddbsim_error){0};
    assert_int_equal(feed_create("/", &feed, &error), DDBSIM_INPUT);
    assert_string_equal(error.message, "\"/\" is a directory: name a file in it");
}

/* A pipe, fed in pieces: rewound as long as its beginning is held. */
static void pipes(void **state) {
    (void)state;
    int ends[2];
    char path[64];
    struct ddbsim_error error = {0};
    struct feed *feed;
    struct feed_line line;
    bool more;
    struct bytes plain = plain_text();
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], plain.bytes, 3),
                     3); /* it is smaller than what tells an archive */
    pid_t writer = fork();
    if (writer == 0) {
        for (size_t done = 3; done < plain.length;) {
            ssize_t count = write(ends[1], plain.bytes + done, plain.length - done);
            if (count <= 0) _exit(1);
            done += (size_t)count;
        }
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(feed_create(path, &feed, &error), DDBSIM_OK);
    close(ends[0]);
    for (int i = 0; i < 100; i++)
        assert_int_equal(feed_line(feed, &line, &more, &error), DDBSIM_OK);
    assert_int_equal(feed_rewind(feed, &error), DDBSIM_OK);
    expect_lines(feed, 1);
    assert_int_equal(feed_rewind(feed, &error), DDBSIM_INPUT);
    assert_string_equal(error.message, "a pipe cannot be read twice");
    feed_destroy(feed);
    free(plain.bytes);
}

static void bytes_and_head(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct bytes plain = plain_text(), copy = {malloc(plain.length + 1), 0};
    struct feed *feed = feed_of(plain);
    const char *head;
    size_t length;
    assert_int_equal(feed_head(feed, &head, &length, &error), DDBSIM_OK);
    assert_int_equal(length, FEED_HEAD_BYTES);
    assert_memory_equal(head, plain.bytes, length);
    assert_int_equal(feed_bytes(feed, copy.bytes, plain.length + 1, &copy.length, &error),
                     DDBSIM_OK);
    assert_int_equal(copy.length, plain.length);
    assert_memory_equal(copy.bytes, plain.bytes, plain.length);
    feed_destroy(feed);
    free(plain.bytes);
    free(copy.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives),
        cmocka_unit_test(truncated_archives),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(foreign_archives),
        cmocka_unit_test(wide_window),
        cmocka_unit_test(no_file),
        cmocka_unit_test(pipes),
        cmocka_unit_test(bytes_and_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

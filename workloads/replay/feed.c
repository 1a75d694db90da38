/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a recording. Whether they come out of an archive is told by their beginning (RFC 1952, RFC 8878),
 * not by a name. An archive that ends early or is damaged is an error, with the place in the archive; several
 * archives one behind the other are one text, as their own programs have it.
 *
 * Invariants: bytes[at..end) are unread; bytes[end] may be written, for the LF behind a last line; origin is how
 * many bytes came before bytes[0]; memory does not grow with the file.
 */
#include <workloads/replay/feed.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <workloads/replay/recording.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BLOCK_BYTES ((size_t)256 << 10)
#define PACKED_BYTES ((size_t)64 << 10)
#define ZSTD_WINDOW_LOG 26 /* 64 MB of memory; --long archives may ask for gigabytes */
#define GZIP_WINDOW_BITS (15 + 16)

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

struct feed {
    char *path;
    int descriptor;
    bool is_pipe;
    off_t start;  /* where the file began: standard input may have been read from */
    bool ended;   /* the file gave its last byte */
    bool drained; /* and so did the archive in it */
    enum packing packing;
    char *bytes;
    size_t at, end, capacity; /* capacity leaves out the byte for the LF */
    uint64_t origin;
    uint64_t lines;
    /* An archive's bytes, and what unpacks them. */
    unsigned char *packed;
    size_t packed_at, packed_end;
    uint64_t packed_origin;
    bool within; /* an archive was begun and has not ended */
    z_stream gzip;
    bool has_gzip;
    ZSTD_DStream *zstd;
};

const char *feed_path(const struct feed *feed) { return feed->path; }

/* ---- the file ---- */

static enum ddbsim_status fail(const struct feed *feed, enum ddbsim_status status,
                               struct ddbsim_error *error, const char *message, const char *hint) {
    error_set(error, status, "%s", message);
    error_place(error, feed->path, 0, 0);
    if (hint) error_hint(error, "%s", hint);
    return status;
}

/* Without a place: the message names the file, and a scenario that named it has a line of its own. */
static enum ddbsim_status fail_open(const struct feed *feed, int code, struct ddbsim_error *error) {
    if (code == ENOMEM) return error_memory(error);
    if (code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP)
        return error_set(error, DDBSIM_INPUT, "there is no file \"%.200s\"", feed->path);
    if (code == EISDIR)
        return error_set(error, DDBSIM_INPUT, "\"%.200s\" is a directory: name a file in it",
                         feed->path);
    return error_set(error, DDBSIM_ENVIRONMENT, "\"%.200s\" cannot be read: %s", feed->path,
                     strerror(code));
}

/* What the file has next; 0 bytes at its end. */
static enum ddbsim_status read_file(struct feed *feed, void *bytes, size_t length, size_t *got,
                                    struct ddbsim_error *error) {
    ssize_t count;
    *got = 0;
    if (feed->ended) return DDBSIM_OK;
    do {
        count = read(feed->descriptor, bytes, length);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return fail_open(feed, errno, error);
    feed->ended = count == 0;
    *got = (size_t)count;
    return DDBSIM_OK;
}

/* ---- archives ---- */

static uint64_t packed_place(const struct feed *feed) {
    return feed->packed_origin + feed->packed_at;
}

static enum ddbsim_status fail_packed(const struct feed *feed, const char *what,
                                      struct ddbsim_error *error) {
    const char *kind = feed->packing == PACKING_GZIP ? "gzip" : "zstd";
    error_set(error, DDBSIM_INPUT, "the %s archive %s at its byte %llu", kind, what,
              (unsigned long long)packed_place(feed));
    error_place(error, feed->path, 0, 0);
    error_hint(error, "`%s -t' tests an archive; fetch this one again", kind);
    return DDBSIM_INPUT;
}

static enum ddbsim_status fill_packed(struct feed *feed, struct ddbsim_error *error) {
    feed->packed_origin += feed->packed_end;
    feed->packed_at = feed->packed_end = 0;
    return read_file(feed, feed->packed, PACKED_BYTES, &feed->packed_end, error);
}

/* A step of zlib's. */
static enum ddbsim_status unpack_gzip(struct feed *feed, char *bytes, size_t length, size_t *got,
                                      struct ddbsim_error *error) {
    z_stream *gzip = &feed->gzip;
    if (!feed->within && inflateReset(gzip) != Z_OK) return error_memory(error);
    feed->within = true;
    gzip->next_in = feed->packed + feed->packed_at;
    gzip->avail_in = (uInt)(feed->packed_end - feed->packed_at);
    gzip->next_out = (Bytef *)bytes;
    gzip->avail_out = (uInt)length;
    int code = inflate(gzip, Z_NO_FLUSH);
    feed->packed_at = feed->packed_end - gzip->avail_in;
    *got = length - gzip->avail_out;
    if (code == Z_MEM_ERROR) return error_memory(error);
    if (code == Z_STREAM_END) feed->within = false;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return fail_packed(feed, "is damaged", error);
    return DDBSIM_OK;
}

/* A step of zstd's. */
static enum ddbsim_status unpack_zstd(struct feed *feed, char *bytes, size_t length, size_t *got,
                                      struct ddbsim_error *error) {
    ZSTD_inBuffer in = {feed->packed, feed->packed_end, feed->packed_at};
    ZSTD_outBuffer out = {bytes, length, 0};
    size_t code = ZSTD_decompressStream(feed->zstd, &out, &in);
    feed->packed_at = in.pos;
    *got = out.pos;
    if (!ZSTD_isError(code)) {
        feed->within = code != 0;
        return DDBSIM_OK;
    }
    ZSTD_ErrorCode reason = ZSTD_getErrorCode(code);
    if (reason == ZSTD_error_memory_allocation) return error_memory(error);
    if (reason == ZSTD_error_frameParameter_windowTooLarge)
        return fail(feed, DDBSIM_INPUT, error, "this zstd archive needs over 64 MB to be unpacked",
                    "pack it without --long, or unpack it: `zstd -d --long=31'");
    return fail_packed(feed, "is damaged", error);
}

/* At least one byte out of the archive, or its end. */
static enum ddbsim_status unpack(struct feed *feed, char *bytes, size_t length, size_t *got,
                                 struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    *got = 0;
    while (!status && *got == 0 && !feed->drained) {
        /* zstd may hold bytes that found no room, though its input is used up: it is asked first. */
        if (feed->within || feed->packed_at < feed->packed_end)
            status = feed->packing == PACKING_GZIP ? unpack_gzip(feed, bytes, length, got, error)
                                                   : unpack_zstd(feed, bytes, length, got, error);
        if (status || *got > 0 || feed->packed_at < feed->packed_end) continue;
        status = fill_packed(feed, error);
        if (status || feed->packed_end > 0) continue;
        feed->drained = true;
        if (feed->within) status = fail_packed(feed, "ends in the middle,", error);
    }
    return status;
}

/* Prepares for archives of this kind, which the bytes at hand begin. */
static enum ddbsim_status begin_archive(struct feed *feed, enum packing packing,
                                        struct ddbsim_error *error) {
    feed->packing = packing;
    if (!feed->packed) feed->packed = malloc(PACKED_BYTES);
    if (!feed->packed) return error_memory(error);
    feed->packed_at = feed->packed_end = 0;
    feed->packed_origin = 0;
    feed->within = feed->drained = false;
    if (packing == PACKING_ZSTD) {
        if (!feed->zstd) feed->zstd = ZSTD_createDStream();
        if (!feed->zstd || ZSTD_isError(ZSTD_initDStream(feed->zstd)) ||
            ZSTD_isError(ZSTD_DCtx_setParameter(feed->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
            return error_memory(error);
    } else if (!feed->has_gzip) {
        if (inflateInit2(&feed->gzip, GZIP_WINDOW_BITS) != Z_OK) return error_memory(error);
        feed->has_gzip = true;
    }
    return DDBSIM_OK;
}

/* What other archives begin with: they are named rather than read as text. */
static const char *foreign_archive(const unsigned char *bytes, size_t length) {
    static const struct {
        const char *bytes;
        size_t length;
        const char *hint;
    } archives[] = {
        {"BZh", 3, "this is bzip2's: unpack it with `bzip2 -d' first"},
        {"\xfd"
         "7zXZ",
         5, "this is xz's: unpack it with `xz -d' first"},
        {"PK\x03\x04", 4, "this is zip's: unpack it with `unzip' first"},
        {"\x04\x22\x4d\x18", 4, "this is lz4's: unpack it with `lz4 -d' first"},
    };
    for (size_t i = 0; i < sizeof archives / sizeof archives[0]; i++)
        if (length >= archives[i].length && !memcmp(bytes, archives[i].bytes, archives[i].length))
            return archives[i].hint;
    return NULL;
}

static enum packing packing_of(const unsigned char *bytes, size_t length) {
    if (length >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8) return PACKING_GZIP;
    bool magic = length >= 4 && bytes[1] == 0xb5 && bytes[2] == 0x2f && bytes[3] == 0xfd;
    return magic && bytes[0] == 0x28 ? PACKING_ZSTD : PACKING_NONE;
}

/* Looks at the file's first bytes: an archive's go where they are unpacked, others stay. */
static enum ddbsim_status begin(struct feed *feed, struct ddbsim_error *error) {
    size_t got = 0;
    do { /* a pipe may give them in pieces */
        enum ddbsim_status status =
            read_file(feed, feed->bytes + feed->end, PACKED_BYTES - feed->end, &got, error);
        if (status) return status;
        feed->end += got;
    } while (got > 0 && feed->end < 8);
    const unsigned char *head = (const unsigned char *)feed->bytes;
    const char *foreign = foreign_archive(head, feed->end);
    if (foreign)
        return fail(feed, DDBSIM_INPUT, error, "archives are read of gzip and zstd alone", foreign);
    enum packing packing = packing_of(head, feed->end);
    feed->packing = PACKING_NONE;
    if (packing == PACKING_NONE) return DDBSIM_OK;
    enum ddbsim_status status = begin_archive(feed, packing, error);
    if (status) return status;
    memcpy(feed->packed, feed->bytes, feed->end);
    feed->packed_end = feed->end;
    feed->end = 0;
    return DDBSIM_OK;
}

/* ---- the block ---- */

static enum ddbsim_status grow(struct feed *feed, struct ddbsim_error *error) {
    size_t capacity = feed->capacity * 2;
    char *bytes = realloc(feed->bytes, capacity + 1);
    if (!bytes) return error_memory(error);
    feed->bytes = bytes;
    feed->capacity = capacity;
    return DDBSIM_OK;
}

/* Reads on behind what is unread, for which it makes room; *got is 0 at the end. The block's beginning is given up
 * only where there is no other room. */
static enum ddbsim_status fill(struct feed *feed, size_t *got, struct ddbsim_error *error) {
    if (feed->end == feed->capacity && feed->at > 0) {
        memmove(feed->bytes, feed->bytes + feed->at, feed->end - feed->at);
        feed->origin += feed->at;
        feed->end -= feed->at;
        feed->at = 0;
    }
    enum ddbsim_status status = DDBSIM_OK;
    if (feed->end == feed->capacity) status = grow(feed, error);
    if (status) return status;
    size_t room = feed->capacity - feed->end;
    status = feed->packing == PACKING_NONE
                 ? read_file(feed, feed->bytes + feed->end, room, got, error)
                 : unpack(feed, feed->bytes + feed->end, room, got, error);
    feed->end += *got;
    CHECK(feed->at <= feed->end && feed->end <= feed->capacity);
    return status;
}

enum ddbsim_status feed_head(struct feed *feed, const char **bytes, size_t *length,
                             struct ddbsim_error *error) {
    size_t got = 1;
    CHECK(feed->origin == 0 && feed->at == 0);
    while (got > 0 && feed->end < FEED_HEAD_BYTES) {
        enum ddbsim_status status = fill(feed, &got, error);
        if (status) return status;
    }
    *bytes = feed->bytes;
    *length = feed->end < FEED_HEAD_BYTES ? feed->end : FEED_HEAD_BYTES;
    return DDBSIM_OK;
}

enum ddbsim_status feed_bytes(struct feed *feed, void *bytes, size_t length, size_t *got,
                              struct ddbsim_error *error) {
    *got = 0;
    while (*got < length) {
        size_t left = feed->end - feed->at, more = 0;
        size_t step = left < length - *got ? left : length - *got;
        memcpy((char *)bytes + *got, feed->bytes + feed->at, step);
        feed->at += step;
        *got += step;
        if (*got == length) break;
        enum ddbsim_status status = fill(feed, &more, error);
        if (status) return status;
        if (more == 0) break;
    }
    return DDBSIM_OK;
}

/* ---- lines ---- */

static void skip_mark(struct feed *feed) {
    if (feed->end - feed->at >= 3 && !memcmp(feed->bytes + feed->at, "\xef\xbb\xbf", 3))
        feed->at += 3;
}

/* Passes over the rest of a line that is longer than any may be, holding none of it. */
static enum ddbsim_status skip_line(struct feed *feed, struct ddbsim_error *error) {
    for (;;) {
        const char *end = memchr(feed->bytes + feed->at, '\n', feed->end - feed->at);
        if (end) {
            feed->at = (size_t)(end - feed->bytes) + 1;
            return DDBSIM_OK;
        }
        size_t got;
        feed->origin += feed->end;
        feed->at = feed->end = 0;
        enum ddbsim_status status = fill(feed, &got, error);
        if (status || got == 0) return status;
    }
}

/* Reads until there is a line's end behind `at`, or none will come. */
static enum ddbsim_status find_end(struct feed *feed, char **end, struct ddbsim_error *error) {
    size_t searched = 0;
    for (;;) {
        size_t got;
        *end = memchr(feed->bytes + feed->at + searched, '\n', feed->end - feed->at - searched);
        searched = feed->end - feed->at;
        if (*end || searched > RECORDING_LINE_MAX) return DDBSIM_OK;
        enum ddbsim_status status = fill(feed, &got, error);
        if (status || got == 0) return status;
    }
}

enum ddbsim_status feed_line(struct feed *feed, struct feed_line *line, bool *more,
                             struct ddbsim_error *error) {
    char *end;
    enum ddbsim_status status = find_end(feed, &end, error);
    if (status) return status;
    if (feed->lines == 0) skip_mark(feed);
    *more = feed->at < feed->end;
    if (!*more) return DDBSIM_OK;
    line->text = feed->bytes + feed->at;
    line->number = ++feed->lines;
    line->length = end ? (size_t)(end - line->text) : feed->end - feed->at;
    if (line->length > RECORDING_LINE_MAX) {
        line->text = NULL;
        return skip_line(feed, error);
    }
    feed->at += line->length + (end != NULL);
    line->text[line->length] = '\n';
    line->whole = line->length + 1;
    if (line->length > 0 && line->text[line->length - 1] == '\r') line->length--;
    return DDBSIM_OK;
}

/* ---- both ends ---- */

static enum ddbsim_status open_file(struct feed *feed, struct ddbsim_error *error) {
    struct stat about;
    bool is_standard = strcmp(feed->path, "-") == 0;
    feed->descriptor = is_standard ? STDIN_FILENO : open(feed->path, O_RDONLY | O_CLOEXEC);
    if (feed->descriptor < 0) return fail_open(feed, errno, error);
    if (fstat(feed->descriptor, &about) != 0) return fail_open(feed, errno, error);
    if (S_ISDIR(about.st_mode)) return fail_open(feed, EISDIR, error);
    feed->start = S_ISREG(about.st_mode) ? lseek(feed->descriptor, 0, SEEK_CUR) : -1;
    feed->is_pipe = feed->start < 0;
    return DDBSIM_OK;
}

enum ddbsim_status feed_create(const char *path, struct feed **out, struct ddbsim_error *error) {
    struct feed *feed = calloc(1, sizeof *feed);
    *out = NULL;
    if (!feed) return error_memory(error);
    feed->descriptor = -1;
    feed->capacity = BLOCK_BYTES;
    feed->path = strdup(path);
    feed->bytes = malloc(feed->capacity + 1);
    enum ddbsim_status status =
        feed->path && feed->bytes ? open_file(feed, error) : error_memory(error);
    if (!status) status = begin(feed, error);
    if (status)
        feed_destroy(feed);
    else
        *out = feed;
    return status;
}

void feed_destroy(struct feed *feed) {
    if (!feed) return;
    if (feed->descriptor > STDIN_FILENO) close(feed->descriptor);
    if (feed->has_gzip) inflateEnd(&feed->gzip);
    ZSTD_freeDStream(feed->zstd);
    free(feed->packed);
    free(feed->bytes);
    free(feed->path);
    free(feed);
}

enum ddbsim_status feed_rewind(struct feed *feed, struct ddbsim_error *error) {
    feed->lines = 0;
    if (feed->origin == 0) {
        feed->at = 0;
        return DDBSIM_OK;
    }
    if (feed->is_pipe)
        return fail(feed, DDBSIM_INPUT, error, "a pipe cannot be read twice",
                    "write it into a file first");
    if (lseek(feed->descriptor, feed->start, SEEK_SET) < 0) return fail_open(feed, errno, error);
    feed->at = feed->end = 0;
    feed->origin = 0;
    feed->ended = false;
    return begin(feed, error);
}

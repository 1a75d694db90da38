/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What makes fuzz_database fast. SQLite has memory of its own, which costs no sanitizer; and at the
 * link (-Wl,--wrap) SQL comes to be compiled once and its statements kept, and pictures are drawn onto
 * a surface of one pixel, which clips what they draw, in a font whose characters are all of one width,
 * and are written nowhere. The replay of the corpus goes without all of this.
 */
#include "fuzz.h"

#include <jansson.h>
#include <plots/canvas.h>
#include <plots/text.h>
#include <sqlite3.h>

/* ---- memory ---- */

#define MEMORY_BYTES ((size_t)128 << 20) /* a reader that has SQLite ask for more is a finding */
#define CLASSES 28                       /* blocks of 16 bytes, 32, 64 ... */

struct block {
    size_t class;
    struct block *next; /* while it is free; a block in use begins here */
};

static unsigned char *memory;
static size_t memory_used;
static struct block *free_blocks[CLASSES];

static size_t class_bytes(size_t class) { return (size_t)16 << class; }

static struct block *block_of(void *memory_of_it) {
    return (struct block *)(void *)((unsigned char *)memory_of_it - 16);
}

static void *memory_take(int bytes) {
    size_t class = 0;
    while (class_bytes(class) < (size_t)bytes)
        class ++;
    struct block *block = free_blocks[class];
    if (block) {
        free_blocks[class] = block->next;
    } else {
        if (MEMORY_BYTES - memory_used < class_bytes(class) + 16) return NULL;
        block = (struct block *)(void *)(memory + memory_used);
        memory_used += class_bytes(class) + 16;
    }
    block->class = class;
    return (unsigned char *)block + 16;
}

static void memory_give(void *bytes) {
    struct block *block = block_of(bytes);
    block->next = free_blocks[block->class];
    free_blocks[block->class] = block;
}

static int memory_size(void *bytes) { return bytes ? (int)class_bytes(block_of(bytes)->class) : 0; }

static void *memory_grow(void *bytes, int size) {
    if (size <= memory_size(bytes)) return bytes;
    void *larger = memory_take(size);
    if (!larger) return NULL;
    memcpy(larger, bytes, (size_t)memory_size(bytes));
    memory_give(bytes);
    return larger;
}

static int memory_roundup(int size) { return (size + 15) & ~15; }

static int memory_start(void *unused) {
    (void)unused;
    memory = malloc(MEMORY_BYTES);
    return memory ? SQLITE_OK : SQLITE_NOMEM;
}

static void memory_end(void *unused) {
    (void)unused;
    free(memory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static const sqlite3_mem_methods methods = {
        memory_take,    memory_give,  memory_grow, memory_size,
        memory_roundup, memory_start, memory_end,  NULL,
    };
    (void)argc, (void)argv;
    FUZZ_PROMISE(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    FUZZ_PROMISE(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
    FUZZ_PROMISE(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
    return 0;
}

/* ---- statements ---- */

#define SLOTS 4096 /* of all edits and queries a few hundred; a power of two */

static struct {
    sqlite3_stmt *statement;
    bool busy;
} slots[SLOTS];

int __real_sqlite3_prepare_v2(sqlite3 *database, const char *sql, int length, sqlite3_stmt **out,
                              const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *database, const char *sql, int length, sqlite3_stmt **out,
                              const char **tail);
int __real_sqlite3_finalize(sqlite3_stmt *statement);
int __wrap_sqlite3_finalize(sqlite3_stmt *statement);
int __real_sqlite3_close(sqlite3 *database);
int __wrap_sqlite3_close(sqlite3 *database);

static size_t first_slot(const char *sql) {
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *sql; sql++)
        hash = (hash ^ (unsigned char)*sql) * 16777619U;
    return hash % SLOTS;
}

static bool is_kept(size_t slot, const sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = slots[slot].statement;
    return !slots[slot].busy && sqlite3_db_handle(statement) == database &&
           strcmp(sqlite3_sql(statement), sql) == 0;
}

int __wrap_sqlite3_prepare_v2(sqlite3 *database, const char *sql, int length, sqlite3_stmt **out,
                              const char **tail) {
    size_t slot = first_slot(sql);
    while (slots[slot].statement && !is_kept(slot, database, sql))
        slot = (slot + 1) % SLOTS;
    int code = SQLITE_OK;
    if (!slots[slot].statement)
        code = __real_sqlite3_prepare_v2(database, sql, length, &slots[slot].statement, tail);
    *out = slots[slot].statement;
    slots[slot].busy = *out != NULL;
    return code;
}

int __wrap_sqlite3_finalize(sqlite3_stmt *statement) {
    if (!statement) return SQLITE_OK;
    size_t slot = first_slot(sqlite3_sql(statement));
    while (slots[slot].statement && slots[slot].statement != statement)
        slot = (slot + 1) % SLOTS;
    if (!slots[slot].statement)
        return __real_sqlite3_finalize(statement); /* made by another call */
    slots[slot].busy = false;
    (void)sqlite3_clear_bindings(statement);
    return sqlite3_reset(statement);
}

int __wrap_sqlite3_close(sqlite3 *database) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (!slots[i].statement || sqlite3_db_handle(slots[i].statement) != database) continue;
        FUZZ_PROMISE(!slots[i].busy);
        (void)__real_sqlite3_finalize(slots[i].statement);
        slots[i].statement = NULL;
    }
    return __real_sqlite3_close(database);
}

/* ---- pictures ---- */

struct canvas {
    cairo_surface_t *surface;
    cairo_t *cr;
};

enum ddbsim_status __wrap_canvas_create(const char *path, bool force, int width, int height,
                                        struct canvas **out, struct ddbsim_error *error);
cairo_t *__wrap_canvas_cairo(struct canvas *canvas);
enum ddbsim_status __wrap_canvas_finish(struct canvas *canvas, const char *title,
                                        const char *description, struct ddbsim_error *error);
void __wrap_canvas_destroy(struct canvas *canvas);

enum ddbsim_status __wrap_canvas_create(const char *path, bool force, int width, int height,
                                        struct canvas **out, struct ddbsim_error *error) {
    (void)path, (void)force, (void)width, (void)height, (void)error;
    struct canvas *canvas = malloc(sizeof *canvas);
    FUZZ_PROMISE(canvas != NULL);
    canvas->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    canvas->cr = cairo_create(canvas->surface);
    *out = canvas;
    return DDBSIM_OK;
}

cairo_t *__wrap_canvas_cairo(struct canvas *canvas) { return canvas->cr; }

/* A drawing that cairo could not take, as canvas_finish finds it. */
enum ddbsim_status __wrap_canvas_finish(struct canvas *canvas, const char *title,
                                        const char *description, struct ddbsim_error *error) {
    (void)error;
    FUZZ_PROMISE(title && description);
    FUZZ_PROMISE(cairo_status(canvas->cr) == CAIRO_STATUS_SUCCESS);
    return DDBSIM_OK;
}

void __wrap_canvas_destroy(struct canvas *canvas) {
    if (!canvas) return;
    cairo_destroy(canvas->cr);
    cairo_surface_destroy(canvas->surface);
    free(canvas);
}

/* ---- text ---- */

enum ddbsim_status __wrap_text_fonts_load(struct text_fonts *fonts, struct ddbsim_error *error);
void __wrap_cairo_text_extents(cairo_t *cr, const char *text, cairo_text_extents_t *extents);
void __wrap_cairo_show_text(cairo_t *cr, const char *text);

enum ddbsim_status __wrap_text_fonts_load(struct text_fonts *fonts, struct ddbsim_error *error) {
    (void)error;
    *fonts = (struct text_fonts){NULL, NULL};
    return DDBSIM_OK;
}

void __wrap_cairo_text_extents(cairo_t *cr, const char *text, cairo_text_extents_t *extents) {
    cairo_matrix_t matrix;
    cairo_get_font_matrix(cr, &matrix);
    *extents = (cairo_text_extents_t){.x_advance = 0.6 * matrix.xx * (double)strlen(text)};
}

/* cairo takes nothing but valid UTF-8, and jansson knows what that is. */
void __wrap_cairo_show_text(cairo_t *cr, const char *text) {
    (void)cr;
    json_t *valid = json_string(text);
    FUZZ_PROMISE(valid != NULL);
    json_decref(valid);
}

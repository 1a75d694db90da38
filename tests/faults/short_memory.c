/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * malloc and its relatives as counters before the real ones: glibc's own, or the sanitizer's, which
 * then sees every block as ever. free is not in the way.
 *
 * What libpixman asks for is given and not counted: cairo 1.16 goes on with an image that pixman could not make, and
 * crashes in it, which no program that draws through cairo can prevent.
 */
#include "short_memory.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REAL(name) __interceptor_##name
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REAL(name) __interceptor_##name
#endif
#endif
#ifndef REAL
#define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void *REAL(memalign)(size_t alignment, size_t size);

static struct {
    bool counting, on;
    uint64_t failing, count, refused;
} memory;

/* Where the code of libpixman stands; nowhere until it is looked for. */
static struct { uintptr_t low, high; } spared;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    if (!strstr(info->dlpi_name, "libpixman")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        spared.low = info->dlpi_addr + part->p_vaddr;
        spared.high = spared.low + part->p_memsz;
    }
    return 1;
}

void short_memory_start(uint64_t n, bool on) {
    if (spared.high == 0) dl_iterate_phdr(look_at, NULL);
    memory.failing = n;
    memory.on = on;
    memory.count = memory.refused = 0;
    memory.counting = true;
}

uint64_t short_memory_stop(void) {
    memory.counting = false;
    return memory.count;
}

uint64_t short_memory_refused(void) { return memory.refused; }

static bool refuses(const void *caller) {
    if (!memory.counting) return false;
    if ((uintptr_t)caller >= spared.low && (uintptr_t)caller < spared.high) return false;
    memory.count++;
    bool now = memory.failing != 0 &&
               (memory.on ? memory.count >= memory.failing : memory.count == memory.failing);
    if (!now) return false;
    memory.refused++;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return refuses(__builtin_return_address(0)) ? NULL : REAL(malloc)(size);
}

void *calloc(size_t count, size_t size) {
    return refuses(__builtin_return_address(0)) ? NULL : REAL(calloc)(count, size);
}

void *realloc(void *old, size_t size) {
    return refuses(__builtin_return_address(0)) ? NULL : REAL(realloc)(old, size);
}

void *memalign(size_t alignment, size_t size);

void *memalign(size_t alignment, size_t size) {
    return refuses(__builtin_return_address(0)) ? NULL : REAL(memalign)(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

/* A sanitizer's strdup would not ask malloc. */
char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *strndup(const char *text, size_t most) {
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* cairo drops blocks of its own when memory is short; what the project allocates stays under watch. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void) { return "leak:libcairo.so\n"; }

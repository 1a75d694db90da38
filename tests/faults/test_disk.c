/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disk that fails at the n-th operation, for every n of a tiny run and a sample of a long one. What
 * SQLite does goes through a VFS of the test's own that counts writes, reads, opens, sizes,
 * truncations, locks and deletions; what the writer does itself through functions of the same names as
 * libc's. Each time the run says that the machine refused and names the file, and no database stands
 * under its name; a reader that fails says so too.
 */
#include "phases.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/syscall.h>

#define LARGE_SAMPLES 6

/* ---- the count ---- */

static struct {
    bool counting;
    uint64_t count, failing, refused;
    int code;     /* what a failing operation of SQLite's returns */
    int whatever; /* errno of a failing call of libc's */
} disk;

static bool refuses(void) {
    if (!disk.counting || ++disk.count != disk.failing) return false;
    disk.refused++;
    errno = disk.whatever;
    return true;
}

/* ---- SQLite's side: a file that stands before the real one ---- */

struct shim {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct, in the same block */
};

static sqlite3_vfs *real_vfs;

static sqlite3_file *real_of(sqlite3_file *file) { return ((struct shim *)(void *)file)->real; }

#define FORWARD(call, file, ...) \
    (refuses() ? disk.code : real_of(file)->pMethods->call(real_of(file), __VA_ARGS__))

static int shim_close(sqlite3_file *file) { return real_of(file)->pMethods->xClose(real_of(file)); }
static int shim_read(sqlite3_file *file, void *to, int count, sqlite3_int64 at) {
    return FORWARD(xRead, file, to, count, at);
}
static int shim_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 at) {
    return FORWARD(xWrite, file, from, count, at);
}
static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return FORWARD(xTruncate, file, size);
}
static int shim_sync(sqlite3_file *file, int flags) { return FORWARD(xSync, file, flags); }
static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
    return FORWARD(xFileSize, file, size);
}
static int shim_lock(sqlite3_file *file, int level) { return FORWARD(xLock, file, level); }
static int shim_unlock(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int shim_reserved(sqlite3_file *file, int *out) {
    return FORWARD(xCheckReservedLock, file, out);
}
static int shim_control(sqlite3_file *file, int what, void *argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}
static int shim_sector(sqlite3_file *file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int shim_traits(sqlite3_file *file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 1, /* no shared memory and no mapping: every byte comes by xRead */
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got) {
    struct shim *shim = (struct shim *)(void *)file;
    (void)vfs;
    shim->base.pMethods = NULL;
    if (refuses()) return SQLITE_CANTOPEN;
    shim->real = (sqlite3_file *)(void *)(shim + 1);
    int code = real_vfs->xOpen(real_vfs, name, shim->real, flags, got);
    if (code == SQLITE_OK) shim->base.pMethods = &shim_methods;
    return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    return refuses() ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync);
}

static int shim_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
    (void)vfs;
    return refuses() ? SQLITE_IOERR_ACCESS : real_vfs->xAccess(real_vfs, name, flags, out);
}

static void install(void) {
    static sqlite3_vfs shim;
    real_vfs = sqlite3_vfs_find(NULL);
    assert_non_null(real_vfs);
    shim = *real_vfs;
    shim.pNext = NULL;
    shim.zName = "failing";
    shim.szOsFile = (int)sizeof(struct shim) + real_vfs->szOsFile;
    shim.xOpen = shim_open;
    shim.xDelete = shim_delete;
    shim.xAccess = shim_access;
    assert_int_equal(sqlite3_vfs_register(&shim, 1), SQLITE_OK);
}

/* ---- the writer's side: what it calls itself ---- */

int fsync(int file) { return refuses() ? -1 : (int)syscall(SYS_fsync, file); }

int ftruncate(int file, off_t size) {
    return refuses() ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int flock(int file, int operation) {
    return refuses() ? -1 : (int)syscall(SYS_flock, file, operation);
}

int renameat2(int from_in, const char *from, int to_in, const char *to, unsigned flags) {
    return refuses() ? -1 : (int)syscall(SYS_renameat2, from_in, from, to_in, to, flags);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* ---- sweeps ---- */

static const struct fault {
    const char *name;
    int code, whatever;
} faults[] = {{"I/O error", SQLITE_IOERR_WRITE, EIO}, {"disk full", SQLITE_FULL, ENOSPC}};

struct sweep {
    const char *name;
    phase_fn *run;
    uint64_t step;
};

static enum ddbsim_status attempt(struct phases *phases, phase_fn *run, uint64_t n,
                                  struct ddbsim_error *error) {
    *error = (struct ddbsim_error){0};
    disk.count = disk.refused = 0;
    disk.failing = n;
    disk.counting = true;
    enum ddbsim_status status = run(phases, error);
    disk.counting = false;
    return status;
}

/* True while there was an operation left to fail. */
static bool fails_at(struct phases *phases, const struct sweep *sweep, const struct fault *fault,
                     uint64_t n, uint64_t faultless, uint64_t *survived) {
    struct ddbsim_error error;
    disk.code = fault->code;
    disk.whatever = fault->whatever;
    const char *file = sweep->run == phase_run ? phases->database : phases->finished;
    enum ddbsim_status status = attempt(phases, sweep->run, n, &error);
    bool refused = disk.refused > 0;
    if (sweep->run == phase_run) phases_check_files(phases, status);
    if (status == DDBSIM_OK) {
        *survived += refused;
        if (phases->hash != faultless) fail_msg("%s, n %ju: survives, wrongly", sweep->name, n);
    } else if (status != DDBSIM_ENVIRONMENT || !refused || !strstr(error.file, file)) {
        fail_msg("%s, %s, n %ju: status %d: %s: %s", sweep->name, fault->name, n, (int)status,
                 error.file, error.message);
    }
    return refused;
}

static void sweep(struct phases *phases, const struct sweep *sweep) {
    struct ddbsim_error error;
    uint64_t survived = 0, tried = 0;
    assert_int_equal(attempt(phases, sweep->run, 0, &error), DDBSIM_OK);
    uint64_t count = disk.count, faultless = phases->hash;
    if (sweep->run == phase_run) phases_check_files(phases, DDBSIM_OK);
    size_t kinds =
        sweep->run == phase_run ? sizeof faults / sizeof faults[0] : 1; /* reads fill no disk */
    for (size_t i = 0; i < kinds; i++)
        for (uint64_t n = 1; fails_at(phases, sweep, &faults[i], n, faultless, &survived);
             n += sweep->step)
            tried++;
    print_message("%s: %ju operations, %ju failed in turn, %ju of them to no effect\n", sweep->name,
                  count, tried, survived);
    assert_true(tried > 0);
}

static void tiny(void **state) {
    struct phases phases;
    (void)state;
    phases_setup(&phases, small_scenario, sizeof small_scenario - 1);
    sweep(&phases, &(struct sweep){"run", phase_run, 1});
    sweep(&phases, &(struct sweep){"explain", phase_explain, 1});
    phases_teardown(&phases);
}

/* A gallery scenario, whose buffers fill and spill in the middle of the run. */
static void large(void **state) {
    struct phases phases;
    struct ddbsim_error error;
    char *text = phases_read(SOURCE_ROOT "/scenarios/friday-1820.yaml");
    (void)state;
    phases_setup(&phases, text, strlen(text));
    assert_int_equal(attempt(&phases, phase_run, 0, &error), DDBSIM_OK);
    phases_check_files(&phases, DDBSIM_OK);
    sweep(&phases, &(struct sweep){"large run", phase_run, disk.count / LARGE_SAMPLES + 1});
    phases_teardown(&phases);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiny), cmocka_unit_test(large)};
    install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

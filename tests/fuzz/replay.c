/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a target over the files named, and over those of the folders named: the corpus as a test. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static int replayed;

static void replay_file(const char *path) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    FUZZ_PROMISE(file != NULL && fstat(fileno(file), &about) == 0);
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size + 1);
    FUZZ_PROMISE(data != NULL && fread(data, 1, size, file) == size);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that failed */
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void replay_folder(const char *path) {
    struct dirent **entries;
    char name[4096];
    int count = scandir(path, &entries, is_visible, alphasort);
    FUZZ_PROMISE(count >= 0);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        replay_file(name);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    struct stat about;
    for (int i = 1; i < argc; i++) {
        FUZZ_PROMISE(stat(argv[i], &about) == 0);
        if (S_ISDIR(about.st_mode))
            replay_folder(argv[i]);
        else
            replay_file(argv[i]);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target once on each file named, or in a directory named: corpora as a test under any compiler.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

static long replayed;

/* The file's bytes in a block of exactly their size, so that a sanitizer sees each byte read beyond. */
static int replay_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return 1;
    }
    struct stat st;
    uint8_t *data = NULL;
    int failed =
        fstat(fileno(f), &st) != 0 || (data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1)) == NULL;
    if (!failed) {
        size_t len = fread(data, 1, (size_t)st.st_size, f);
        (void)LLVMFuzzerTestOneInput(data, len);
        replayed++;
    }
    free(data);
    fclose(f);
    return failed;
}

static int replay_directory(const char *path) {
    DIR *dir = opendir(path);
    int failed = 0;
    if (dir == NULL) {
        perror(path);
        return 1;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char file[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed |= replay_file(file);
    }
    closedir(dir);
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        bool directory = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        failed |= directory ? replay_directory(argv[i]) : replay_file(argv[i]);
    }
    printf("%ld inputs\n", replayed);
    return failed || replayed == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

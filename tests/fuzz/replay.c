/* Gives files to a fuzz harness, one after the other: what was found once stays mended. Arguments:
 * files, and folders whose files are all taken. No sanitizer and no libFuzzer are needed. */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

/** 1 when the file could be read and given to the harness. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file != NULL) fclose(file);
        return 0;
    }
    /* Exactly as large as the file: what is read behind its end is seen by a sanitizer. */
    const size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size > 0 ? size : 1);
    const bool whole = data != NULL && fread(data, 1, size, file) == size;
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    if (whole) LLVMFuzzerTestOneInput(data, size);
    free(data);
    return whole;
}

/** Number of files of a folder that were replayed; -1: one could not be. */
static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    int n = 0;
    if (folder == NULL) return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL && n >= 0;
         entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        n = replay_file(name) ? n + 1 : -1;
    }
    closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    int n_file = 0;
    for (int i = 1; i < argc; i++) {
        struct stat about;
        const bool folder = stat(argv[i], &about) == 0 && S_ISDIR(about.st_mode);
        const int n = folder ? replay_folder(argv[i]) : replay_file(argv[i]);
        if (n <= 0) {
            fprintf(stderr, "%s: nothing was replayed\n", argv[i]);
            return 1;
        }
        n_file += n;
    }
    printf("%d files\n", n_file);
    return n_file > 0 ? 0 : 1;
}

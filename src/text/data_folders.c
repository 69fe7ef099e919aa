/* Where the files that belong to hf are: named by the user, beside the program, installed. */
#define _GNU_SOURCE /* dladdr1 */
#include "text/data_folders.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static void add_folder(struct hf_data_folders *folders, const char *path, size_t length)
{
    if (length == 0 || length >= HF_MAX_PATH || folders->n == HF_MAX_DATA_FOLDER) return;
    char *slot = folders->path[folders->n];
    memcpy(slot, path, length);
    slot[length] = '\0';
    if (!is_folder(slot)) return;
    for (int i = 0; i < folders->n; i++)
        if (strcmp(folders->path[i], slot) == 0) return;
    folders->n++;
}

/** Folders beside the library (or the program it is linked into): in the build tree
 *  <folder>/<beside>, in an installed tree that was moved <prefix>/share/hf/<name>, some levels up. */
static void add_relative_folders(struct hf_data_folders *folders, const char *beside,
                                 const char *name)
{
    static const char anchor = 0;
    Dl_info about;
    char here[PATH_MAX], candidate[PATH_MAX + 64];
    void *found = NULL;
    if (dladdr1(&anchor, &about, &found, RTLD_DL_LINKMAP) == 0 || found == NULL) return;
    const struct link_map *object = found;
    /* The program itself has no name there, and the name it was called by is not where it is. */
    const char *file = object->l_name[0] != '\0' ? object->l_name : "/proc/self/exe";
    if (realpath(file, here) == NULL) return;
    for (int level = 0; level < 4; level++) {
        char *slash = strrchr(here, '/');
        if (slash == NULL || slash == here) return;
        *slash = '\0';
        if (level == 0) {
            snprintf(candidate, sizeof candidate, "%s/%s", here, beside);
            add_folder(folders, candidate, strlen(candidate));
        }
        snprintf(candidate, sizeof candidate, "%s/share/hf/%s", here, name);
        add_folder(folders, candidate, strlen(candidate));
    }
}

struct hf_data_folders *hf_data_folders_find(const char *variable, const char *beside,
                                             const char *name)
{
    char installed[HF_MAX_PATH];
    struct hf_data_folders *folders = calloc(1, sizeof *folders);
    if (folders == NULL) return NULL;
    const char *own = getenv(variable);
    while (own != NULL && *own != '\0') {
        const size_t length = strcspn(own, ":");
        add_folder(folders, own, length);
        own += length + (own[length] == ':');
    }
    add_relative_folders(folders, beside, name);
    snprintf(installed, sizeof installed, "%s/%s", HF_DATA_DIRECTORY, name);
    add_folder(folders, installed, strlen(installed));
    return folders;
}

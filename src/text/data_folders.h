/* Where the files that belong to hf are: basis sets, reference energies. */
#ifndef HF_DATA_FOLDERS_H
#define HF_DATA_FOLDERS_H

enum { HF_MAX_PATH = 4096, HF_MAX_DATA_FOLDER = 32 };

/** Folders to search, in this order; each exists. */
struct hf_data_folders {
    int n;
    char path[HF_MAX_DATA_FOLDER][HF_MAX_PATH];
};

/** Finds the folders of one kind of data: those in the environment variable `variable` (colons between
 *  them); `beside` next to the program or library, as in the build tree; share/hf/`name` of the tree
 *  that the program or library is in, also if that was moved; share/hf/`name` of the prefix that hf
 *  was built for. Not collective. The caller frees the result. NULL: no memory. */
struct hf_data_folders *hf_data_folders_find(const char *variable, const char *beside,
                                             const char *name);

#endif

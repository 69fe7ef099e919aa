/* Files .CHRG and .UHF beside an input, as xtb writes and reads them: charge and number of unpaired electrons. */
#include "comment_words.h"
#include "draft.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/** Reads a file that contains only one whole number; false: it does not. */
static bool read_number(const char *path, int *value)
{
    char text[64] = "";
    struct hf_word word;
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n' || text[i] == '\r') text[i] = ' ';
    const char *position = text;
    return hf_next_word(&position, &word) && hf_comment_whole_number(word, value) &&
           hf_rest_of_line(position).length == 0;
}

/** Looks for FOLDER/STEM.NAME, then for FOLDER/.NAME. */
static void find(const char *path, const char *name, struct hf_companion *found)
{
    struct stat about;
    const char *file = hf_file_name(path);
    const char *dot = strrchr(file, '.');
    const int stem = (int)(dot != NULL && dot > file ? dot - path : (long)strlen(path));
    const int length[2] = {stem, (int)(file - path)};
    for (int i = 0; i < 2 && !found->there; i++) {
        const int n = snprintf(found->path, sizeof found->path, "%.*s.%s", length[i], path, name);
        found->there = n < (int)sizeof found->path && stat(found->path, &about) == 0 &&
                       S_ISREG(about.st_mode) && strcmp(found->path, path) != 0;
    }
    if (found->there) found->understood = read_number(found->path, &found->value);
}

void hf_companions_find(const char *path, struct hf_companions *companions)
{
    memset(companions, 0, sizeof *companions); /* it will be sent as bytes */
    find(path, "CHRG", &companions->charge);
    find(path, "UHF", &companions->unpaired);
    if (companions->unpaired.value < 0) companions->unpaired.understood = false;
}

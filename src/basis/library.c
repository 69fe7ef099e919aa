/* The library of basis sets: its directories, their files, and spellings of names. */
#include "basis_private.h"

#include "base/growing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MAX_NAME = 128 };

static struct hf_data_folders *find_folders(void)
{
    return hf_data_folders_find("HF_BASIS_PATH", "basis", "basis");
}

/** A spelling of diffuse or polarisation functions, and its form in a key. A name may have stars or parentheses for
 *  polarisation; together they do not mean the same set. cc-pV(T+d)Z is also published as cc-pvt+dz. */
struct spelling {
    const char *text, *key;
    bool is_polarisation;
};
static const struct spelling spellings[] = {{"(d,p)", "ss", true},
                                            {"(d)", "s", true},
                                            {"*", "s", true},
                                            {"vd+dz", "v(dpd)z", false},
                                            {"vt+dz", "v(tpd)z", false},
                                            {"vq+dz", "v(qpd)z", false},
                                            {"+", "p", false}};
enum { LONGEST_KEY = 7 };

/** The spelling at the beginning of `text`; NULL: none. `last` is the polarisation that was written before it. */
static const struct spelling *find_spelling(const char *text, const struct spelling *last)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const struct spelling *spelling = &spellings[i];
        if (strncasecmp(text, spelling->text, strlen(spelling->text)) != 0) continue;
        const bool is_second = spelling->is_polarisation && last != NULL;
        return is_second && (spelling->text[0] == '(' || last->text[0] == '(') ? NULL : spelling;
    }
    return NULL;
}

void hf_basis_name_key(const char *name, size_t size, char *key)
{
    char dense[MAX_NAME] = "";
    size_t n = 0, length = 0;
    const struct spelling *polarisation = NULL;
    for (; *name != '\0' && n < sizeof dense - 1; name++)
        if (!isspace((unsigned char)*name) && *name != '-' && *name != '_') dense[n++] = *name;
    dense[n] = '\0'; /* other parentheses stay: def2-SV(P) is not def2-SVP */
    for (const char *at = dense; *at != '\0' && length + LONGEST_KEY < size;) {
        const struct spelling *spelling = find_spelling(at, polarisation);
        if (spelling == NULL) {
            key[length++] = (char)tolower((unsigned char)*at++);
            continue;
        }
        for (const char *written = spelling->key; *written != '\0';) key[length++] = *written++;
        at += strlen(spelling->text);
        if (spelling->is_polarisation) polarisation = spelling;
    }
    key[length] = '\0';
}

/** The key of a file name: "_x_" in it means "(x)", which some file systems do not allow. */
static void file_key(const char *stem, size_t size, char *key)
{
    char name[MAX_NAME];
    snprintf(name, sizeof name, "%s", stem);
    char *first = strchr(name, '_');
    char *second = first != NULL ? strchr(first + 1, '_') : NULL;
    if (second != NULL) {
        *first = '(';
        *second = ')';
    }
    hf_basis_name_key(name, size, key);
}

/** Name of the set in a file: its "! name:" line if there is one near the top, otherwise the file's name. */
static char *read_name(const char *path, const char *stem, size_t stem_length)
{
    char line[512], *name = NULL;
    FILE *file = fopen(path, "r");
    for (int i = 0; file != NULL && name == NULL && i < 20 && fgets(line, sizeof line, file); i++) {
        const char *position = line;
        struct hf_word mark, key;
        if (!hf_next_word(&position, &mark) || !hf_word_is(mark, "!")) continue;
        if (!hf_next_word(&position, &key) || !hf_word_is(key, "name:")) continue;
        const struct hf_word rest = hf_rest_of_line(position);
        if (rest.length > 0) name = strndup(rest.begin, (size_t)rest.length);
    }
    if (file != NULL) fclose(file);
    return name != NULL ? name : strndup(stem, stem_length);
}

static void free_entry(struct hf_basis_entry *entry)
{
    free(entry->name);
    free(entry->path);
}

/** Length of a file's name without ".gbs"; 0: it is another file. */
static size_t stem_length(const char *file)
{
    const size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".gbs") == 0 ? length - 4 : 0;
}

/** The set with a key; NULL: not in the list. */
static const struct hf_basis_entry *find_entry(const struct hf_basis_list *list, const char *wanted)
{
    for (int i = 0; i < list->n; i++) {
        char key[MAX_NAME];
        hf_basis_name_key(list->entry[i].name, sizeof key, key);
        if (strcmp(key, wanted) == 0) return &list->entry[i];
    }
    return NULL;
}

/** Adds a file, unless the list already has a set with its name. */
static hf_status add_entry(struct hf_basis_list *list, int64_t *capacity, const char *directory,
                           const char *file, struct hf_error *error)
{
    const size_t length = stem_length(file);
    char path[HF_MAX_PATH], key[MAX_NAME];
    if (length == 0) return HF_OK;
    const int n = snprintf(path, sizeof path, "%s/%s", directory, file);
    if (n < 0 || (size_t)n >= sizeof path) return HF_OK;
    struct hf_basis_entry entry = {.name = read_name(path, file, length), .path = strdup(path)};
    if (entry.name == NULL || entry.path == NULL ||
        !hf_grow(&list->entry, list->n + 1, capacity, sizeof *list->entry)) {
        free_entry(&entry);
        return hf_fail(error, HF_NO_RESOURCE, "out of memory listing basis sets");
    }
    hf_basis_name_key(entry.name, sizeof key, key);
    if (find_entry(list, key) != NULL)
        free_entry(&entry);
    else
        list->entry[list->n++] = entry;
    return HF_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const struct hf_basis_entry *left = a, *right = b;
    const int order = strcasecmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->path, right->path);
}

/** Adds the files of one directory. */
static hf_status list_directory(struct hf_basis_list *list, int64_t *capacity,
                                const char *directory, struct hf_error *error)
{
    hf_status status = HF_OK;
    DIR *stream = opendir(directory);
    for (const struct dirent *file; stream != NULL && (file = readdir(stream)) != NULL;)
        HF_TRY(add_entry(list, capacity, directory, file->d_name, error));
cleanup:
    if (stream != NULL) closedir(stream);
    return status;
}

hf_status hf_basis_list_create(struct hf_basis_list *list, struct hf_error *error)
{
    hf_status status = HF_OK;
    int64_t capacity = 0;
    *list = (struct hf_basis_list){0};
    struct hf_data_folders *folders = find_folders();
    if (folders == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory listing basis sets");
    for (int i = 0; i < folders->n; i++)
        HF_TRY(list_directory(list, &capacity, folders->path[i], error));
    if (list->n > 1) qsort(list->entry, (size_t)list->n, sizeof *list->entry, compare_entries);
cleanup:
    free(folders);
    if (status != HF_OK) hf_basis_list_done(list);
    return status;
}

void hf_basis_list_done(struct hf_basis_list *list)
{
    if (list == NULL) return;
    for (int i = 0; i < list->n; i++) free_entry(&list->entry[i]);
    free(list->entry);
    *list = (struct hf_basis_list){0};
}

/** Appends to a string of limited size, with ", " between entries; if there is no room, appends "...". */
static void append_name(const char *name, size_t size, char *names)
{
    static const char more[] = ", ...";
    const size_t length = strlen(names);
    if (length > 3 && strcmp(names + length - 3, "...") == 0) return;
    const bool fits = length + strlen(name) + 2 + sizeof more <= size;
    snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", fits ? name : "...");
}

/** Number of equal characters at the beginnings and at the ends of two keys. */
static size_t likeness(const char *a, const char *b)
{
    const size_t n_a = strlen(a), n_b = strlen(b), n = n_a < n_b ? n_a : n_b;
    size_t begin = 0, end = 0;
    while (begin < n && a[begin] == b[begin]) begin++;
    while (begin + end < n && a[n_a - 1 - end] == b[n_b - 1 - end]) end++;
    return begin + end;
}

/** Finds the most similar name that is not taken yet, and marks it as taken; -1: none is similar. */
static int take_nearest(const char *wanted, const struct hf_basis_list *list, bool taken[])
{
    enum { LEAST = 3 };
    int nearest = -1;
    size_t best = LEAST - 1;
    for (int i = 0; i < list->n; i++) {
        char key[MAX_NAME];
        hf_basis_name_key(list->entry[i].name, sizeof key, key);
        const size_t found = taken[i] ? 0 : likeness(wanted, key);
        if (found <= best) continue;
        best = found;
        nearest = i;
    }
    if (nearest >= 0) taken[nearest] = true;
    return nearest;
}

static hf_status fail_unknown(const char *name, const struct hf_basis_list *list,
                              struct hf_error *error)
{
    enum { N_NEAREST = 5 };
    char wanted[MAX_NAME], near[300] = "";
    if (strchr(name, '[') != NULL)
        return hf_fail(error, HF_BAD_INPUT,
                       "basis set \"%.60s\": only the program extrapolates two basis sets, those "
                       "of one molecule",
                       name);
    bool *taken = calloc((size_t)list->n + 1, sizeof *taken);
    if (list->n == 0 || taken == NULL) {
        free(taken);
        return hf_fail(error, HF_BAD_INPUT,
                       "basis set \"%.60s\": no library of basis sets was found; set HF_BASIS_PATH "
                       "to its directory",
                       name);
    }
    hf_basis_name_key(name, sizeof wanted, wanted);
    for (int i = 0, k; i < N_NEAREST && (k = take_nearest(wanted, list, taken)) >= 0; i++)
        append_name(list->entry[k].name, sizeof near, near);
    free(taken);
    return hf_fail(error, HF_BAD_INPUT,
                   "unknown basis set \"%.60s\"; %s%s%shf --list-basis shows all", name,
                   near[0] != '\0' ? "the nearest are " : "", near, near[0] != '\0' ? "; " : "");
}

/** Whether `name` is a path: it has a slash, or is an existing file ending in ".gbs". */
static bool is_path(const char *name)
{
    struct stat about;
    return strchr(name, '/') != NULL || (stem_length(name) > 0 && stat(name, &about) == 0);
}

/** Whether the set in a file has the key `wanted`. */
static bool file_has_key(const char *path, const char *stem, const char *wanted)
{
    char key[MAX_NAME] = "";
    char *name = read_name(path, stem, strlen(stem));
    if (name != NULL) hf_basis_name_key(name, sizeof key, key);
    free(name);
    return strcmp(key, wanted) == 0;
}

/** Looks in a directory for a file with the name of the set, such as 6-31gs.gbs. Opens no other files. */
static bool find_by_file_name(const char *directory, const char *wanted, char path[HF_MAX_PATH])
{
    bool found = false;
    DIR *stream = opendir(directory);
    for (const struct dirent *file; stream != NULL && !found && (file = readdir(stream)) != NULL;) {
        char stem[MAX_NAME], key[MAX_NAME];
        const size_t length = stem_length(file->d_name);
        if (length == 0 || length >= sizeof stem) continue;
        snprintf(stem, sizeof stem, "%.*s", (int)length, file->d_name);
        file_key(stem, sizeof key, key);
        if (strcmp(key, wanted) != 0) continue;
        const int n = snprintf(path, HF_MAX_PATH, "%s/%s", directory, file->d_name);
        found = n > 0 && n < HF_MAX_PATH && file_has_key(path, stem, wanted);
    }
    if (stream != NULL) closedir(stream);
    return found;
}

/** Finds the set in the first directory that has it; path = "": in none. Opens the other files of a directory only if
 *  none has the name of the set. */
static hf_status find_in_library(const char *wanted, char path[HF_MAX_PATH], struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_data_folders *folders = find_folders();
    path[0] = '\0';
    if (folders == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory looking for a basis set");
    for (int d = 0; status == HF_OK && path[0] == '\0' && d < folders->n; d++) {
        struct hf_basis_list list = {0};
        int64_t capacity = 0;
        if (find_by_file_name(folders->path[d], wanted, path)) break;
        path[0] = '\0';
        status = list_directory(&list, &capacity, folders->path[d], error);
        const struct hf_basis_entry *entry = find_entry(&list, wanted);
        if (entry != NULL) snprintf(path, HF_MAX_PATH, "%s", entry->path);
        hf_basis_list_done(&list);
    }
    free(folders);
    return status;
}

hf_status hf_basis_find(const char *name, char path[HF_MAX_PATH], struct hf_error *error)
{
    char wanted[MAX_NAME];
    struct hf_basis_list list;
    if (name == NULL || name[strspn(name, " \t")] == '\0')
        return hf_fail(error, HF_BAD_INPUT, "the name of the basis set is missing");
    if (is_path(name)) {
        if (strlen(name) >= HF_MAX_PATH)
            return hf_fail(error, HF_BAD_INPUT, "the path of the basis set is too long");
        snprintf(path, HF_MAX_PATH, "%s", name);
        return HF_OK;
    }
    hf_basis_name_key(name, sizeof wanted, wanted);
    HF_CHECK(find_in_library(wanted, path, error));
    if (path[0] != '\0') return HF_OK;
    HF_CHECK(hf_basis_list_create(&list, error));
    const hf_status status = fail_unknown(name, &list, error);
    hf_basis_list_done(&list);
    return status;
}

/** Whether a file has shells for an element: a line "C 0" not followed by "C-ECP". */
static bool file_has_element(const char *path, const char *symbol)
{
    char line[512];
    bool pending = false;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *position = line;
        struct hf_word first, second;
        if (!hf_next_word(&position, &first)) continue;
        if (pending && !(first.length > 4 && first.begin[first.length - 4] == '-')) break;
        pending = hf_word_is(first, symbol) && hf_next_word(&position, &second) &&
                  hf_word_is(second, "0");
    }
    if (file != NULL) fclose(file);
    return pending;
}

void hf_basis_sets_with_element(int atomic_number, size_t size, char *names)
{
    struct hf_basis_list list;
    struct hf_error none;
    names[0] = '\0';
    if (hf_basis_list_create(&list, &none) != HF_OK) return;
    for (int i = 0; i < list.n; i++)
        if (file_has_element(list.entry[i].path, hf_element_symbol(atomic_number)))
            append_name(list.entry[i].name, size, names);
    hf_basis_list_done(&list);
}

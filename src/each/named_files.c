/* Files that options and lists name; see each_private.h. */
#include "each_private.h"

#include "hf/version.h"
#include "text/output_file.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

char *hf_each_name_file(struct hf_arena *arena, const char *path, const char *ending)
{
    const char *name = strcmp(path, "-") == 0 ? "hf" : hf_file_name(path + (path[0] == '@'));
    const char *dot = strrchr(name, '.');
    const int stem = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
    const size_t size = (size_t)stem + strlen(ending) + 1;
    char *made = HF_TAKE(arena, made, size);
    if (made != NULL) snprintf(made, size, "%.*s%s", stem, name, ending);
    return made;
}

enum { MOST_PATH = 4096, PIECE_OF_FILE = 1 << 16 };

/** Options with a value FILE, WHERE=FILE, or FILE,FILE,... */
static const char *const keys_of_files[] = {"basis", "guess", "point_charges_file", "domains",
                                            NULL};

typedef hf_status visit_named(void *data, const struct hf_option_value *value, const char *path,
                              struct hf_error *error);

static hf_status visit_value(const struct hf_option_value *value, visit_named *visit, void *data,
                             struct hf_error *error)
{
    char path[MOST_PATH];
    const char *equals = strchr(value->text, '=');
    const char *at = equals != NULL ? equals + 1 : value->text;
    for (;;) {
        const int n = (int)strcspn(at, ",");
        snprintf(path, sizeof path, "%.*s", n, at);
        HF_CHECK(visit(data, value, path, error));
        if (at[n] == '\0') return HF_OK;
        at += n + 1;
    }
}

/** Visits what may be files; a word such as STO-3G may be one, too. */
static hf_status visit_all(const struct hf_options *options, visit_named *visit, void *data,
                           struct hf_error *error)
{
    for (int i = 0; i < options->n_value; i++)
        for (int k = 0; keys_of_files[k] != NULL; k++)
            if (strcmp(options->value[i].option->key, keys_of_files[k]) == 0)
                HF_CHECK(visit_value(&options->value[i], visit, data, error));
    return HF_OK;
}

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/** Refuses a file to read that is one of the files to write. */
static hf_status check_input(const struct hf_results_files *files, const char *where,
                             const char *path, struct hf_error *error)
{
    const struct {
        const char *option, *path;
    } output[] = {{"--json", files->json}, {"--xyz", files->xyz}, {"--csv", files->csv}};
    for (int i = 0; i < 3; i++)
        if (output[i].path != NULL && hf_same_file(output[i].path, path))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %.400s is an input file of %.400s as well; expected another file",
                           output[i].option, output[i].path, where);
    return HF_OK;
}

static hf_status check_named(void *data, const struct hf_option_value *value, const char *path,
                             struct hf_error *error)
{
    return is_regular(path) ? check_input(data, value->where, path, error) : HF_OK;
}

static hf_status check_list(const char *path, const struct hf_results_files *files,
                            struct hf_error *error)
{
    hf_status status = HF_OK;
    const char *name;
    char *line = NULL;
    size_t room = 0;
    FILE *list = fopen(path, "r");
    if (list == NULL) return HF_OK; /* the reader says why */
    for (;;) {
        HF_TRY(hf_record_list_next(list, path, &line, &room, &name, error));
        if (name == NULL) break;
        HF_TRY(check_input(files, path, name, error));
    }
cleanup:
    free(line);
    fclose(list);
    return status;
}

hf_status hf_each_check_named(const struct hf_options *options, int n_path,
                              const char *const path[], const struct hf_results_files *files,
                              struct hf_error *error)
{
    struct hf_results_files outputs = *files;
    for (int i = 0; i < n_path; i++)
        if (path[i][0] == '@' && is_regular(path[i] + 1)) /* a pipe can be read only once */
            HF_CHECK(check_list(path[i] + 1, files, error));
    return visit_all(options, check_named, &outputs, error);
}

/** Adds size and bytes of a file to a hash. What cannot be read fails later. */
static hf_status hash_named(void *data, const struct hf_option_value *value, const char *path,
                            struct hf_error *error)
{
    uint64_t *hash = data, size = 0;
    char piece[PIECE_OF_FILE];
    size_t n;
    FILE *file = is_regular(path) ? fopen(path, "r") : NULL;
    (void)value;
    (void)error;
    if (file == NULL) return HF_OK;
    for (; (n = fread(piece, 1, sizeof piece, file)) > 0; size += n)
        *hash = hf_hash_add(*hash, n, piece);
    *hash = hf_hash_add(*hash, sizeof size, &size);
    fclose(file);
    return HF_OK;
}

/** Whether what follows the word "basis" is the name of a set of the library. */
static bool is_library_name(const char *value)
{
    char path[MOST_PATH];
    value += strspn(value, " \t\":=");
    const int n = (int)strcspn(value, " \t\r\n\",;");
    snprintf(path, sizeof path, "%.*s", n, value);
    return strpbrk(path, "={[") == NULL && !is_regular(path);
}

/** Whether a record may name a file. Its settings are read only then, since rank 0 hashes all records. */
static bool may_name_files(const char *text)
{
    static const char *const words[] = {"basis", "guess", "domains", "point", NULL};
    for (const char *at = text; (at = strpbrk(at, "bBgGdDpP")) != NULL; at++)
        for (int k = 0; words[k] != NULL; k++) {
            const size_t length = strlen(words[k]);
            if (strncasecmp(at, words[k], length) == 0 && (k > 0 || !is_library_name(at + length)))
                return true;
        }
    return false;
}

uint64_t hf_each_hash_named_in_record(const struct hf_molecule_record *record, uint64_t hash)
{
    struct hf_options options;
    struct hf_input input = {0};
    struct hf_error error;
    if (record->problem != NULL || !may_name_files(record->text)) return hash;
    hf_options_init(&options, hf_option_table());
    hf_status status = hf_input_from_string(record->name, record->text, &options, &input, &error);
    if (status == HF_OK) status = visit_all(&options, hash_named, &hash, &error);
    (void)status; /* a record that cannot be read fails later */
    hf_input_done(&input);
    hf_options_done(&options);
    return hash;
}

uint64_t hf_each_hash_named(const struct hf_options *options, uint64_t hash)
{
    struct hf_error error;
    hash = hf_hash_add_text(hash, hf_version());
    const hf_status status = visit_all(options, hash_named, &hash, &error);
    (void)status; /* nothing fails */
    return hash;
}

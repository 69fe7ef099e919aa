/* Files of displaced points: a head line with the checksum of the calculation, then a line for each point, which
 * ends with a word, for a line that was cut off does not count. */
#include "vibrations/differences.h"

#include "correlation/mp2_derivatives.h"
#include "text/output_file.h"
#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

static void name_file(const char *stem, int number, char path[MOST_PATH])
{
    snprintf(path, MOST_PATH, "%s-%d", stem, number);
}

static uint64_t add_basis(uint64_t sum, const struct hf_basis *basis)
{
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        const int kind[3] = {shell->l, shell->spherical, shell->n_primitive};
        const size_t n_bytes = (size_t)shell->n_primitive * sizeof *shell->exponent;
        sum = hf_hash_add(sum, sizeof kind, kind);
        sum = hf_hash_add(sum, n_bytes, shell->exponent);
        sum = hf_hash_add(sum, n_bytes, shell->coefficient);
    }
    return sum;
}

uint64_t hf_differences_checksum(const struct hf_differences *differences)
{
    const struct hf_quantity_source *of = differences->of;
    const struct hf_environment *around = &of->molecule->environment;
    const double numbers[] = {HF_VIBRATIONS_STEP,
                              of->molecule->charge,
                              of->molecule->multiplicity,
                              of->settings->smearing,
                              of->settings->commutator_tolerance,
                              of->settings->screening_threshold,
                              of->settings->linear_dependence_threshold};
    uint64_t sum = hf_hash_add_text(HF_HASH_EMPTY, of->settings->method);
    sum = hf_hash_add(sum, sizeof numbers, numbers);
    if (of->correlation != NULL) { /* what MP2 energies depend on */
        const struct hf_mp2_derivatives *factors = of->correlation->derivatives;
        const double correlation[] = {of->correlation->n_frozen, of->correlation->n_frozen_virtual,
                                      of->correlation->threshold, factors->opposite, factors->same};
        sum = hf_hash_add(sum, sizeof correlation, correlation);
    }
    for (int i = 0; i < of->molecule->n_atom; i++) { /* not the mass: isotopes may be changed */
        const struct hf_atom *atom = &of->molecule->atom[i];
        const int kind[2] = {atom->atomic_number, atom->n_core};
        sum = hf_hash_add(sum, sizeof kind, kind);
        sum = hf_hash_add(sum, sizeof atom->position_bohr, atom->position_bohr);
    }
    sum = hf_hash_add(sum, sizeof around->field, around->field);
    for (int i = 0; i < around->n_charge; i++) {
        sum = hf_hash_add(sum, sizeof around->charge[i].charge, &around->charge[i].charge);
        sum = hf_hash_add(sum, sizeof around->charge[i].position_bohr,
                          around->charge[i].position_bohr);
    }
    return add_basis(sum, of->basis);
}

/** Numbers of a line and the word behind them. */
static bool read_point(FILE *file, int width, double point[])
{
    char word[5] = "";
    for (int k = 0; k < width; k++)
        if (fscanf(file, "%lf", &point[k]) != 1) return false;
    return fscanf(file, "%4s", word) == 1 && strcmp(word, "end") == 0;
}

static void read_file(struct hf_differences *differences, FILE *file)
{
    uint64_t sum;
    int n, i;
    double *point = malloc((size_t)differences->width * sizeof *point);
    if (point != NULL && fscanf(file, "hf displacements %" SCNx64 " %d", &sum, &n) == 2 &&
        sum == hf_differences_checksum(differences) && n == differences->n)
        while (fscanf(file, "%d", &i) == 1 && i >= 0 && i < n &&
               read_point(file, differences->width, point)) {
            memcpy(differences->point + (size_t)i * (size_t)differences->width, point,
                   (size_t)differences->width * sizeof *point);
            differences->n_found += !differences->known[i];
            differences->known[i] = true;
        }
    free(point);
}

static bool print_head(const struct hf_differences *differences, FILE *file)
{
    return fprintf(file, "hf displacements %" PRIx64 " %d\n", hf_differences_checksum(differences),
                   differences->n) > 0 &&
           fflush(file) == 0;
}

bool hf_points_append(const struct hf_differences *differences, int i, FILE *file)
{
    const double *point = differences->point + (size_t)i * (size_t)differences->width;
    fprintf(file, "%d", i);
    for (int k = 0; k < differences->width; k++) fprintf(file, " %.17g", point[k]);
    return fprintf(file, " end\n") > 0 && fflush(file) == 0;
}

int hf_points_read(struct hf_differences *differences, const char *stem)
{
    char path[MOST_PATH];
    FILE *file;
    int n_file = 0;
    for (name_file(stem, 1, path); (file = fopen(path, "r")) != NULL;
         name_file(stem, n_file + 1, path)) {
        read_file(differences, file);
        fclose(file);
        n_file++;
    }
    return n_file;
}

hf_status hf_points_collect(struct hf_differences *differences, const char *stem,
                            struct hf_error *error)
{
    char path[MOST_PATH];
    struct hf_output_file one;
    int n_file = hf_points_read(differences, stem);
    name_file(stem, 1, path);
    if (!hf_output_file_begin(path, &one))
        return hf_fail(error, HF_NO_RESOURCE, "%s cannot be written: %s", path, strerror(errno));
    bool good = print_head(differences, one.stream);
    for (int i = 0; i < differences->n; i++)
        if (differences->known[i]) good = good && hf_points_append(differences, i, one.stream);
    if (!hf_output_file_end(&one, good))
        return hf_fail(error, HF_NO_RESOURCE, "%s cannot be written: %s", path, strerror(errno));
    for (; n_file > 1; n_file--) { /* they are in the first one now */
        name_file(stem, n_file, path);
        (void)unlink(path);
    }
    return HF_OK;
}

FILE *hf_points_open(const struct hf_differences *differences, const char *stem, int group)
{
    char path[MOST_PATH];
    name_file(stem, group + 1, path);
    FILE *file = fopen(path, group == 0 ? "a" : "w");
    if (file != NULL && group > 0 && !print_head(differences, file)) {
        fclose(file);
        return NULL;
    }
    return file;
}

void hf_points_remove(const char *stem)
{
    char path[MOST_PATH];
    int number = 1;
    do name_file(stem, number++, path);
    while (unlink(path) == 0);
}

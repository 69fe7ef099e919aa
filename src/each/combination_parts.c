/* The calculations of a combination, and their inputs; see combination_private.h. */
#include "combination_private.h"

#include "each_private.h"

#include <stdlib.h>

hf_status hf_parts_plan(struct hf_combination *self, struct hf_error *error)
{
    const bool apart = self->gradient && self->correlated && self->limit.n > 1;
    const int64_t most = (int64_t)self->clusters.n * HF_N_FUNCTIONS * self->limit.n * 2;
    HF_TAKE(&self->arena, self->part, (size_t)most);
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int c = 0; c < self->clusters.n; c++)
        for (int f = 0; f <= (int)self->last; f++)
            for (int set = 0; set < self->limit.n; set++)
                for (int scf = 0; scf <= (int)apart; scf++) {
                    if (f > 0 && self->clusters.cluster[c].n == self->fragments.n) continue;
                    self->part[self->n_part++] = (struct hf_part){
                        .cluster = c, .functions = f, .set = set, .scf_only = scf != 0, .line = -1};
                }
    for (int f = 0; f <= (int)self->last; f++) {
        struct hf_interaction *sums = &self->interaction[f];
        HF_TAKE(&self->arena, sums->energy, (size_t)self->clusters.n);
        HF_TAKE(&self->arena, sums->contribution, (size_t)self->clusters.n);
        if (!self->gradient) continue;
        HF_TAKE(&self->arena, sums->gradient, 3 * (size_t)self->molecule->n_atom);
        HF_TAKE(&self->arena, sums->gradient_of_interaction, 3 * (size_t)self->molecule->n_atom);
    }
    return hf_arena_check(&self->arena, error);
}

bool hf_part_has_atom(const struct hf_combination *self, const struct hf_part *part, int atom,
                      bool *ghost)
{
    const struct hf_cluster *cluster = &self->clusters.cluster[part->cluster];
    const bool is_real = hf_cluster_has(&self->fragments, cluster, self->fragments.of_atom[atom]);
    *ghost = !is_real || self->molecule->atom[atom].ghost;
    return is_real || part->functions == HF_ALL_FUNCTIONS;
}

/** Whether a later choice is for the same atoms. */
static bool is_replaced(const struct hf_calculation *of, int i)
{
    const struct hf_basis_choice *choice = &of->choice[i];
    for (int k = i + 1; k < of->n_choice; k++)
        if (of->choice[k].atom == choice->atom &&
            of->choice[k].atomic_number == choice->atomic_number)
            return true;
    return false;
}

/** Keys of basis sets; atoms are counted anew. */
static void print_basis(const struct hf_combination *self, const struct hf_part *part, FILE *record)
{
    const struct hf_calculation *of = self->settings->calculation;
    for (int i = 0; i < of->n_choice; i++) {
        const struct hf_basis_choice *choice = &of->choice[i];
        int number = 0;
        bool ghost, is_there = false;
        for (int a = 0; a <= choice->atom; a++) {
            is_there = hf_part_has_atom(self, part, a, &ghost);
            number += is_there;
        }
        if ((choice->atom >= 0 && !is_there) || is_replaced(of, i)) continue;
        fprintf(record, "basis ");
        if (choice->atom >= 0)
            fprintf(record, "%d ", number);
        else if (choice->atomic_number > 0)
            fprintf(record, "%s ", hf_element_symbol(choice->atomic_number));
        fprintf(record, "%s\n", self->limit.n > 1 ? self->limit.name[part->set] : choice->name);
    }
}

static void print_environment(const struct hf_environment *environment, FILE *record)
{
    const double *field = environment->field;
    if (field[0] != 0.0 || field[1] != 0.0 || field[2] != 0.0)
        fprintf(record, "field %.17g %.17g %.17g\n", field[0], field[1], field[2]);
    if (environment->n_charge == 0) return;
    fprintf(record, "point_charges\n");
    for (int i = 0; i < environment->n_charge; i++) {
        const struct hf_point_charge *charge = &environment->charge[i];
        const double *x = charge->position_bohr;
        fprintf(record, "%.17g %.17g %.17g %.17g\n", charge->charge, x[0], x[1], x[2]);
    }
    fprintf(record, "end\n");
}

/** The native input of a part. */
static void print_record(const struct hf_combination *self, const struct hf_part *part,
                         FILE *record)
{
    const struct hf_cluster *cluster = &self->clusters.cluster[part->cluster];
    int charge, multiplicity;
    hf_cluster_state(&self->fragments, self->molecule, cluster, &charge, &multiplicity);
    fprintf(record, "title %s\ncharge %d\nmultiplicity %d\nunits bohr\n", self->name, charge,
            multiplicity);
    if (part->scf_only) { /* as well converged as the orbitals of the correlated method */
        fprintf(record, "method %s\n", self->settings->calculation->settings.method);
        if (hf_options_given(&self->options, "commutator_tolerance") == NULL)
            fprintf(record, "commutator_tolerance 1e-8\n");
    }
    print_basis(self, part, record);
    print_environment(&self->molecule->environment, record);
    fprintf(record, "geometry\n");
    for (int i = 0; i < self->molecule->n_atom; i++) {
        const struct hf_atom *atom = &self->molecule->atom[i];
        const double *x = atom->position_bohr;
        bool ghost;
        if (hf_part_has_atom(self, part, i, &ghost))
            fprintf(record, "%s%s %.17g %.17g %.17g\n", ghost ? "@" : "",
                    hf_element_symbol(atom->atomic_number), x[0], x[1], x[2]);
    }
    fprintf(record, "end\n");
}

const char *hf_part_name(const struct hf_combination *self, const struct hf_part *part, size_t size,
                         char text[])
{
    char name[80];
    const bool several = self->limit.n > 1;
    snprintf(text, size, "%s%s%s%s%.200s",
             hf_cluster_name(&self->fragments, &self->clusters.cluster[part->cluster], sizeof name,
                             name),
             part->functions == HF_ALL_FUNCTIONS ? " with all functions" : "",
             part->scf_only ? " without correlation" : "", several ? " in " : "",
             several ? self->limit.name[part->set] : "");
    return text;
}

hf_status hf_parts_make_record(void *data, int64_t i, struct hf_molecule_record *record,
                               struct hf_error *error)
{
    struct hf_combination *self = data;
    struct hf_part *part = &self->part[i];
    size_t size;
    free(self->text);
    self->text = NULL;
    hf_part_name(self, part, sizeof self->name, self->name);
    FILE *stream = open_memstream(&self->text, &size);
    if (stream != NULL) print_record(self, part, stream);
    if (stream == NULL || fclose(stream) != 0)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the input of %s", self->name);
    *record = (struct hf_molecule_record){self->name, self->text, size, NULL};
    part->hash = hf_each_hash_record(self->settings_hash, record);
    return HF_OK;
}

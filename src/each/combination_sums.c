/* Reads the results of the calculations and adds them up; see combination_private.h. */
#include "combination_private.h"

#include "finished.h"
#include "text/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Place of the record with a hash. */
struct place {
    uint64_t hash;
    int64_t part;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/** Finds the lines of the results. Local, on rank 0. */
static hf_status find_lines(struct hf_combination *self, FILE *file, struct hf_error *error)
{
    struct place *place = HF_TAKE(&self->arena, place, (size_t)self->n_part);
    char *line = NULL;
    size_t room = 0;
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int64_t i = 0; i < self->n_part; i++) place[i] = (struct place){self->part[i].hash, i};
    qsort(place, (size_t)self->n_part, sizeof *place, compare);
    for (long at = ftell(file); getline(&line, &room, file) > 0; at = ftell(file)) {
        struct place wanted;
        if (!hf_finished_find_hash(line, &wanted.hash)) continue;
        const struct place *found =
            bsearch(&wanted, place, (size_t)self->n_part, sizeof *place, compare);
        if (found != NULL) self->part[found->part].line = at;
    }
    free(line);
    return HF_OK;
}

/** Adds the gradient of a part to the sums. `weight` [n_cluster] is that of interactions. */
static void add_gradient(struct hf_combination *self, const struct hf_part *part,
                         const double weight[], const cJSON *gradient)
{
    const struct hf_cluster *cluster = &self->clusters.cluster[part->cluster];
    const struct hf_basis_limit *limit = &self->limit;
    const double scf = limit->scf[part->set], correlation = limit->correlation[part->set];
    const double factor = part->scf_only                          ? scf - correlation
                          : self->correlated && self->limit.n > 1 ? correlation
                                                                  : scf;
    for (int f = 0; f <= (int)self->last; f++) {
        struct hf_interaction *sums = &self->interaction[f];
        const bool counts = (int)part->functions == f || cluster->n == self->fragments.n;
        const double here = counts ? weight[part->cluster] : 0.0;
        const double alone = cluster->n == 1 && part->functions == HF_OWN_FUNCTIONS ? 1.0 : 0.0;
        const cJSON *value = gradient->child;
        for (int i = 0; i < self->molecule->n_atom; i++) {
            bool ghost;
            if (!hf_part_has_atom(self, part, i, &ghost)) continue;
            for (int k = 0; k < 3 && value != NULL; k++, value = value->next) {
                sums->gradient_of_interaction[3 * i + k] += factor * here * value->valuedouble;
                sums->gradient[3 * i + k] += factor * (here + alone) * value->valuedouble;
            }
        }
    }
}

/** The failure of a part as that of the combination. */
static hf_status fail(const struct hf_combination *self, const struct hf_part *part,
                      const cJSON *result, struct hf_error *error)
{
    char name[400];
    const cJSON *failure = hf_json_find(result, "error");
    const char *type = hf_json_find_text(failure, "error_type");
    const hf_status status = strcmp(type, "convergence_error") == 0 ? HF_NOT_CONVERGED
                             : strcmp(type, "input_error") == 0     ? HF_BAD_INPUT
                                                                    : HF_NO_RESOURCE;
    return hf_fail(error, status, "%s: %.800s", hf_part_name(self, part, sizeof name, name),
                   failure != NULL ? hf_json_find_text(failure, "error_message")
                                   : "there is no result");
}

/** Takes the result of a part. */
static hf_status take(struct hf_combination *self, struct hf_part *part, const double weight[],
                      const cJSON *result, struct hf_error *error)
{
    const struct hf_basis_limit *limit = &self->limit;
    const cJSON *properties = hf_json_find(result, "properties");
    const cJSON *scf = hf_json_find(properties, "scf_total_energy"),
                *total = hf_json_find(properties, "return_energy"),
                *gradient = hf_json_find(result, "return_result");
    if (!cJSON_IsTrue(hf_json_find(result, "success")) || !cJSON_IsNumber(scf) ||
        !cJSON_IsNumber(total) || (self->gradient && !cJSON_IsArray(gradient)))
        return fail(self, part, result, error);
    part->scf = scf->valuedouble;
    part->total = total->valuedouble;
    if (self->gradient) add_gradient(self, part, weight, gradient);
    if (part->scf_only) return HF_OK;
    const double energy = limit->scf[part->set] * part->scf +
                          limit->correlation[part->set] * (part->total - part->scf);
    for (int f = 0; f <= (int)self->last; f++) {
        struct hf_interaction *sums = &self->interaction[f];
        if ((int)part->functions != f &&
            self->clusters.cluster[part->cluster].n < self->fragments.n)
            continue;
        sums->energy[part->cluster] += energy;
        sums->scf_of_interaction += weight[part->cluster] * limit->scf[part->set] * part->scf;
    }
    return HF_OK;
}

/** Whether a result says that the solution is no minimum (--stability). */
static bool is_unstable(const cJSON *result)
{
    const cJSON *extras = hf_json_find(hf_json_find(result, "extras"), "hf");
    const cJSON *stability = hf_json_find(extras, "stability");
    return cJSON_IsFalse(hf_json_find(hf_json_find(stability, "internal"), "stable")) ||
           cJSON_IsFalse(hf_json_find(hf_json_find(stability, "external"), "stable"));
}

/** Reads all results in the order of the parts, so that sums have the same bits. Local, on rank 0. */
static hf_status read_results(struct hf_combination *self, FILE *file, struct hf_error *error)
{
    double *weight = HF_TAKE(&self->arena, weight, (size_t)self->clusters.n);
    char *line = NULL, name[400];
    size_t room = 0;
    int64_t n_unstable = 0, first = 0;
    hf_status status = hf_arena_check(&self->arena, error);
    for (int c = 0; c < self->clusters.n && status == HF_OK; c++)
        if (self->clusters.cluster[c].n > 1)
            hf_cluster_add_weights(&self->clusters, c, 1.0, weight);
    for (int64_t i = 0; i < self->n_part && status == HF_OK; i++) {
        struct hf_part *part = &self->part[i];
        const bool there = part->line >= 0 && fseek(file, part->line, SEEK_SET) == 0 &&
                           getline(&line, &room, file) > 0;
        cJSON *result = there ? cJSON_Parse(line) : NULL;
        status = take(self, part, weight, result, error);
        if (is_unstable(result) && n_unstable++ == 0) first = i;
        cJSON_Delete(result);
    }
    free(line);
    if (status != HF_OK || n_unstable == 0) return status;
    return hf_input_warn(&self->settings->calculation->input, error,
                         "%" PRId64 " calculations have unstable solutions, the first one: %s",
                         n_unstable, hf_part_name(self, &self->part[first], sizeof name, name));
}

/** Contributions and sums from energies. */
static void add_up(struct hf_combination *self)
{
    const struct hf_clusters *clusters = &self->clusters;
    for (int f = 0; f <= (int)self->last; f++) {
        struct hf_interaction *sums = &self->interaction[f];
        memcpy(sums->contribution, sums->energy, (size_t)clusters->n * sizeof *sums->energy);
        for (int c = 0; c < clusters->n; c++) {
            const int n = clusters->cluster[c].n;
            hf_cluster_subtract(clusters, c, sums->contribution);
            if (n <= 2 || n <= self->most) sums->of_bodies[n] += sums->contribution[c];
            if (n > 1) sums->energy_of_interaction += sums->contribution[c];
        }
        sums->total = self->interaction[HF_OWN_FUNCTIONS].of_bodies[1];
        sums->total += sums->energy_of_interaction;
    }
}

hf_status hf_parts_add_up(struct hf_combination *self, struct hf_error *error)
{
    FILE *file = fopen(self->path, "r");
    if (file == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "%.400s: it cannot be read", self->path);
    hf_status status = find_lines(self, file, error);
    if (status == HF_OK) status = read_results(self, file, error);
    fclose(file);
    if (status == HF_OK) add_up(self);
    return status;
}

/* Plans a combination, has its parts computed, and adds them up; see combination.h. */
#include "each/combination.h"

#include "combination_private.h"
#include "each_private.h"
#include "hf/units.h"
#include "localise/frozen_core.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What the source of records and the reader of results need. */
struct plan {
    struct hf_combination self;
    const struct hf_combination_settings *settings; /**< borrowed */
    struct hf_options options;                      /**< of the job */
    struct hf_calculation smaller;                  /**< has the choice of the smaller basis set */
    const struct hf_calculation *of_set[2];
    char *path; /**< of the JSON lines */
    char name[400];
    char *text; /**< of the last record */
};

/** Whether an option of the input or the command line is given. */
static bool is_given(const struct hf_options *options, const char *key)
{
    const struct hf_option_value *value = hf_options_given(options, key);
    return value != NULL && value->level >= HF_OPTION_FILE;
}

static bool asks_for_fragments(const struct hf_options *options)
{
    return is_given(options, "fragments") || is_given(options, "many_body") ||
           (is_given(options, "counterpoise") && hf_options_flag(options, "counterpoise"));
}

bool hf_combination_is_asked(const struct hf_options *options)
{
    return asks_for_fragments(options) || hf_basis_limit_is_asked(options);
}

/** Whether an option is for the parts as well, and not of the combination or in their records. */
static bool is_for_parts(const char *key)
{
    static const char *const keys[] = {"fragments",
                                       "fragment_charges",
                                       "fragment_multiplicities",
                                       "counterpoise",
                                       "many_body",
                                       "fragment_distance",
                                       "extrapolation",
                                       "charge", /* records have this one and all below */
                                       "multiplicity",
                                       "units",
                                       "title",
                                       "record",
                                       "field",
                                       "point_charges_file",
                                       "json",
                                       NULL};
    for (int i = 0; keys[i] != NULL; i++)
        if (strcmp(key, keys[i]) == 0) return false;
    return true;
}

/** Refuses what has no meaning for several calculations. */
static hf_status check_options(const struct hf_options *options, int n_fragment,
                               struct hf_error *error)
{
    static const char *const files[] = {"guess", "domains"};
    static const char *const counts[] = {"frozen_core", "frozen_virtuals"};
    const char *task = hf_options_text(options, "task");
    int number;
    if (strcmp(task, "energy") != 0 && strcmp(task, "gradient") != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: task %s; expected energy or gradient with fragments or two basis sets",
                       hf_options_given(options, "task")->where, task);
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *value = &options->value[i];
        if (value->level >= HF_OPTION_FILE && is_for_parts(value->option->key) &&
            hf_each_refuses(value->option))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %s is of one calculation; expected none of it with fragments or "
                           "two basis sets, which need several",
                           value->where, value->option->key);
    }
    for (int i = 0; i < 2; i++) {
        const struct hf_option_value *file = hf_options_given(options, files[i]),
                                     *count = hf_options_given(options, counts[i]);
        if (file != NULL && hf_option_is_path(hf_rest_of_line(file->text)))
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %.200s is of one calculation; expected no file with fragments or "
                           "two basis sets, which need several",
                           file->where, file->text);
        if (count != NULL && n_fragment > 1 &&
            hf_word_integer(hf_rest_of_line(count->text), &number) == HF_NUMBER_OK && number > 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %d orbitals cannot be left out of each fragment; expected default "
                           "or none",
                           count->where, number);
    }
    return HF_OK;
}

/** Fragments, clusters and formulas. Local, the same on all ranks. */
static hf_status plan_clusters(struct plan *plan, struct hf_error *error)
{
    struct hf_combination *self = &plan->self;
    struct hf_calculation *calculation = plan->settings->calculation;
    const struct hf_options *options = plan->settings->options;
    const bool is_expansion = hf_options_given(options, "many_body") != NULL,
               is_cut = hf_options_given(options, "fragment_distance") != NULL;
    HF_CHECK(hf_options_check_effect(options, error));
    HF_CHECK(hf_basis_limit_read(options, &self->limit, error));
    HF_CHECK(hf_fragments_read(asks_for_fragments(options) ? options : NULL, &calculation->input,
                               &self->fragments, error));
    HF_CHECK(check_options(options, self->fragments.n, error));
    if (self->fragments.n == 1 && asks_for_fragments(options))
        return hf_fail(error, HF_BAD_INPUT,
                       "%s has one fragment; expected two or more, as in --fragments 1-3,4-6",
                       plan->settings->path);
    self->molecule = &calculation->input.molecule;
    self->most = is_expansion ? hf_options_integer(options, "many_body") : 0;
    self->distance = is_cut ? hf_options_real(options, "fragment_distance") / HF_BOHR_IN_ANGSTROM
                            : (double)INFINITY;
    self->last = hf_options_flag(options, "counterpoise") ? HF_ALL_FUNCTIONS : HF_OWN_FUNCTIONS;
    self->gradient = hf_options_include(options, "task", "gradient");
    self->correlated = strstr(hf_options_choice(options, "method"), "mp2") != NULL;
    return hf_clusters_make(&self->fragments, self->molecule, self->most, self->distance,
                            &self->clusters, error);
}

/** The list of calculations. */
static hf_status plan_parts(struct hf_combination *self, struct hf_error *error)
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

/** Options of the calculation that are not in records. */
static hf_status copy_options(const struct hf_options *from, struct hf_options *to,
                              struct hf_error *error)
{
    for (int i = 0; i < from->n_value; i++) {
        const struct hf_option_value *value = &from->value[i];
        const char *key = value->option->key;
        const bool counts = value->option->repeatable || value == hf_options_given(from, key);
        if (counts && is_for_parts(key))
            HF_CHECK(hf_options_add(to, value->option, hf_rest_of_line(value->text),
                                    HF_OPTION_COMMAND_LINE, value->where, error));
    }
    return HF_OK;
}

static hf_status add_option(struct hf_options *options, const char *key, const char *text,
                            struct hf_error *error)
{
    return hf_options_add(options, hf_option_find(options->table, hf_word_of(key)),
                          hf_word_of(text), HF_OPTION_COMMAND_LINE, key, error);
}

/** Options of the job. */
static hf_status plan_options(struct plan *plan, struct hf_error *error)
{
    const char *json = hf_options_text(plan->settings->options, "json");
    plan->path = hf_each_name_file(&plan->self.arena, plan->settings->path, ".parts.jsonl");
    HF_CHECK(hf_arena_check(&plan->self.arena, error));
    plan->settings->calculation->json_is_closed = json != NULL && strcmp(json, plan->path) == 0;
    if (plan->settings->calculation->json_is_closed) /* also for a failure */
        return hf_fail(error, HF_BAD_INPUT,
                       "--json: %s is the file of single results; expected another one", json);
    HF_CHECK(copy_options(plan->settings->options, &plan->options, error));
    HF_CHECK(add_option(&plan->options, "each", "yes", error));
    HF_CHECK(add_option(&plan->options, "retry_failed", "yes", error));
    return add_option(&plan->options, "json", plan->path, error);
}

/** Puts one of two basis sets in the place of both. Local. */
static hf_status choose_set(const struct plan *plan, int set, struct hf_error *error)
{
    struct hf_options *options = plan->settings->options;
    char *name = hf_copy_string(&options->arena, plan->self.limit.name[set]);
    if (name == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for a basis set");
    options->value[plan->self.limit.value].text = name;
    return HF_OK;
}

/** Prepares the calculation of the whole molecule, which checks settings; basis sets of both. Collective. */
static hf_status prepare(struct plan *plan, struct hf_error *error)
{
    struct hf_calculation *calculation = plan->settings->calculation;
    MPI_Comm comm = calculation->context->comm;
    const int last = plan->self.limit.n - 1;
    plan->of_set[last] = calculation;
    if (last > 0) {
        plan->of_set[0] = &plan->smaller;
        plan->smaller.context = calculation->context;
        plan->smaller.input.molecule = calculation->input.molecule; /* lent */
        HF_CHECK(hf_agree(comm, choose_set(plan, 0, error), error));
        const hf_status status =
            hf_calculation_make_basis(&plan->smaller, plan->settings->options, error);
        plan->smaller.input.molecule = (struct hf_molecule){.n_atom = 0};
        if (status != HF_OK) return status;
        HF_CHECK(hf_agree(comm, choose_set(plan, last, error), error));
    }
    return hf_calculation_prepare(calculation, plan->settings->options, true, error);
}

/** Whether a part has an atom, and whether it is a ghost. */
static bool has_atom(const struct hf_combination *self, const struct hf_part *part, int atom,
                     bool *ghost)
{
    const struct hf_cluster *cluster = &self->clusters.cluster[part->cluster];
    const bool is_real = hf_cluster_has(&self->fragments, cluster, self->fragments.of_atom[atom]);
    *ghost = !is_real || self->molecule->atom[atom].ghost;
    return is_real || part->functions == HF_ALL_FUNCTIONS;
}

/** Keys of basis sets; atoms are counted anew. */
static void print_basis(const struct plan *plan, const struct hf_part *part, FILE *record)
{
    const struct hf_calculation *of = plan->of_set[part->set];
    for (int i = 0; i < of->n_choice; i++) {
        const struct hf_basis_choice *choice = &of->choice[i];
        int number = 0;
        bool ghost, is_there = false;
        for (int a = 0; a <= choice->atom; a++) {
            is_there = has_atom(&plan->self, part, a, &ghost);
            number += is_there;
        }
        if (choice->atom >= 0 && !is_there) continue;
        fprintf(record, "basis ");
        if (choice->atom >= 0)
            fprintf(record, "%d ", number);
        else if (choice->atomic_number > 0)
            fprintf(record, "%s ", hf_element_symbol(choice->atomic_number));
        fprintf(record, "%s\n", choice->name);
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
static void print_record(const struct plan *plan, const struct hf_part *part, FILE *record)
{
    const struct hf_combination *self = &plan->self;
    const struct hf_cluster *cluster = &self->clusters.cluster[part->cluster];
    int charge, multiplicity;
    hf_cluster_state(&self->fragments, self->molecule, cluster, &charge, &multiplicity);
    fprintf(record, "title %s\ncharge %d\nmultiplicity %d\nunits bohr\n", plan->name, charge,
            multiplicity);
    if (part->scf_only) { /* as well converged as the orbitals of the correlated method */
        fprintf(record, "method %s\n", plan->settings->calculation->settings.method);
        if (hf_options_given(&plan->options, "commutator_tolerance") == NULL)
            fprintf(record, "commutator_tolerance 1e-8\n");
    }
    print_basis(plan, part, record);
    print_environment(&self->molecule->environment, record);
    fprintf(record, "geometry\n");
    for (int i = 0; i < self->molecule->n_atom; i++) {
        const struct hf_atom *atom = &self->molecule->atom[i];
        const double *x = atom->position_bohr;
        bool ghost;
        if (has_atom(self, part, i, &ghost))
            fprintf(record, "%s%s %.17g %.17g %.17g\n", ghost ? "@" : "",
                    hf_element_symbol(atom->atomic_number), x[0], x[1], x[2]);
    }
    fprintf(record, "end\n");
}

/** Makes record i, as of struct hf_record_source. */
static hf_status make_record(void *data, int64_t i, struct hf_molecule_record *record,
                             struct hf_error *error)
{
    struct plan *plan = data;
    const struct hf_combination *self = &plan->self;
    const struct hf_part *part = &self->part[i];
    char name[80];
    size_t size;
    free(plan->text);
    plan->text = NULL;
    snprintf(plan->name, sizeof plan->name, "%s%s%s%s%.200s",
             hf_cluster_name(&self->fragments, &self->clusters.cluster[part->cluster], sizeof name,
                             name),
             part->functions == HF_ALL_FUNCTIONS ? " with all functions" : "",
             part->scf_only ? " without correlation" : "", self->limit.n > 1 ? " in " : "",
             self->limit.n > 1 ? self->limit.name[part->set] : "");
    FILE *stream = open_memstream(&plan->text, &size);
    if (stream != NULL) print_record(plan, part, stream);
    if (stream == NULL || fclose(stream) != 0)
        return hf_fail(error, HF_NO_RESOURCE, "out of memory for the input of %s", plan->name);
    *record = (struct hf_molecule_record){plan->name, plan->text, size, NULL};
    return HF_OK;
}

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
static hf_status find_lines(struct plan *plan, FILE *file, struct hf_error *error)
{
    struct hf_combination *self = &plan->self;
    const uint64_t settings =
        hf_each_hash_named(&plan->options, hf_each_hash_settings(&plan->options));
    struct hf_molecule_record record;
    struct place *place = HF_TAKE(&self->arena, place, (size_t)self->n_part);
    char *line = NULL;
    size_t room = 0;
    HF_CHECK(hf_arena_check(&self->arena, error));
    for (int64_t i = 0; i < self->n_part; i++) {
        HF_CHECK(make_record(plan, i, &record, error));
        place[i] = (struct place){hf_each_hash_record(settings, &record), i};
    }
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
            if (!has_atom(self, part, i, &ghost)) continue;
            for (int k = 0; k < 3 && value != NULL; k++, value = value->next) {
                sums->gradient_of_interaction[3 * i + k] += factor * here * value->valuedouble;
                sums->gradient[3 * i + k] += factor * (here + alone) * value->valuedouble;
            }
        }
    }
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = hf_json_find(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/** The failure of a part as that of the combination. */
static hf_status fail(const struct plan *plan, const cJSON *result, struct hf_error *error)
{
    const cJSON *failure = hf_json_find(result, "error");
    const char *type = text_of(failure, "error_type");
    const hf_status status = strcmp(type, "convergence_error") == 0 ? HF_NOT_CONVERGED
                             : strcmp(type, "input_error") == 0     ? HF_BAD_INPUT
                                                                    : HF_NO_RESOURCE;
    return hf_fail(error, status, "%s: %.800s", plan->name,
                   failure != NULL ? text_of(failure, "error_message") : "there is no result");
}

/** Takes the result of a part. */
static hf_status take(struct plan *plan, struct hf_part *part, const double weight[],
                      const cJSON *result, struct hf_error *error)
{
    struct hf_combination *self = &plan->self;
    const struct hf_basis_limit *limit = &self->limit;
    const cJSON *properties = hf_json_find(result, "properties");
    const cJSON *scf = hf_json_find(properties, "scf_total_energy"),
                *total = hf_json_find(properties, "return_energy"),
                *gradient = hf_json_find(result, "return_result");
    if (!cJSON_IsTrue(hf_json_find(result, "success")) || !cJSON_IsNumber(scf) ||
        !cJSON_IsNumber(total) || (self->gradient && !cJSON_IsArray(gradient)))
        return fail(plan, result, error);
    part->scf = scf->valuedouble;
    part->total = total->valuedouble;
    if (self->gradient) add_gradient(self, part, weight, gradient);
    if (part->scf_only) return HF_OK;
    const double energy = limit->scf[part->set] * part->scf +
                          limit->correlation[part->set] * (part->total - part->scf);
    for (int f = 0; f <= (int)self->last; f++)
        if ((int)part->functions == f ||
            self->clusters.cluster[part->cluster].n == self->fragments.n)
            self->interaction[f].energy[part->cluster] += energy;
    return HF_OK;
}

/** Reads all results in the order of the parts, so that sums have the same bits. Local, on rank 0. */
static hf_status read_results(struct plan *plan, FILE *file, struct hf_error *error)
{
    struct hf_combination *self = &plan->self;
    struct hf_molecule_record record;
    double *weight = HF_TAKE(&self->arena, weight, (size_t)self->clusters.n);
    char *line = NULL;
    size_t room = 0;
    hf_status status = hf_arena_check(&self->arena, error);
    for (int c = 0; c < self->clusters.n && status == HF_OK; c++)
        if (self->clusters.cluster[c].n > 1)
            hf_cluster_add_weights(&self->clusters, c, 1.0, weight);
    for (int64_t i = 0; i < self->n_part && status == HF_OK; i++) {
        struct hf_part *part = &self->part[i];
        HF_TRY(make_record(plan, i, &record, error)); /* its name, for messages */
        const bool there = part->line >= 0 && fseek(file, part->line, SEEK_SET) == 0 &&
                           getline(&line, &room, file) > 0;
        cJSON *result = there ? cJSON_Parse(line) : NULL;
        status = take(plan, part, weight, result, error);
        cJSON_Delete(result);
    }
cleanup:
    free(line);
    return status;
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
            if (n <= HF_MOST_BODIES) sums->of_bodies[n] += sums->contribution[c];
            if (n > 1) sums->energy_of_interaction += sums->contribution[c];
        }
        sums->total = self->interaction[HF_OWN_FUNCTIONS].of_bodies[1];
        sums->total += sums->energy_of_interaction;
    }
}

/** What rank 0 does when all parts are computed. */
static hf_status finish(struct plan *plan, struct hf_error *error)
{
    const struct hf_calculation *calculation = plan->settings->calculation;
    FILE *file = fopen(plan->path, "r");
    if (file == NULL)
        return hf_fail(error, HF_NO_RESOURCE, "%.400s: it cannot be read", plan->path);
    hf_status status = find_lines(plan, file, error);
    if (status == HF_OK) status = read_results(plan, file, error);
    fclose(file);
    if (status != HF_OK) return status;
    add_up(&plan->self);
    if (plan->settings->each.out != NULL)
        hf_combination_report(plan->settings->each.out, &plan->self, calculation);
    if (calculation->json_path == NULL) return HF_OK;
    return hf_combination_save(&plan->self, calculation, calculation->json_path, error);
}

hf_status hf_combine(struct hf_context *context, const struct hf_combination_settings *settings,
                     struct hf_error *error)
{
    struct plan plan = {
        .settings = settings,
        .self = {.fragments.arena.label = "fragments", .arena.label = "a combination"},
        .smaller.arena.label = "a smaller basis set",
    };
    struct hf_each_settings each = settings->each;
    bool all_good;
    hf_options_init(&plan.options, settings->options->table);
    hf_status status = plan_clusters(&plan, error);
    if (status == HF_OK) status = plan_parts(&plan.self, error);
    if (status == HF_OK) status = plan_options(&plan, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(prepare(&plan, error));
    each.options = &plan.options;
    each.source =
        (struct hf_record_source){.n_made = plan.self.n_part, .make = make_record, .data = &plan};
    HF_TRY(hf_each(context, &each, &all_good, error));
    if (settings->each.rehearsal) goto cleanup;
    if (context->rank == 0) status = finish(&plan, error);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    free(plan.text);
    hf_calculation_done(&plan.smaller);
    hf_options_done(&plan.options);
    hf_arena_done(&plan.self.fragments.arena);
    hf_arena_done(&plan.self.arena);
    return status;
}

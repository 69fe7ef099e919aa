/* Plans a combination and has its parts computed; see combination.h. */
#include "each/combination.h"

#include "combination_private.h"
#include "each_private.h"
#include "hf/units.h"
#include "text/output_file.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    return asks_for_fragments(options) || hf_basis_limit_is_asked(options) ||
           is_given(options, "extrapolation");
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
    const char *task = hf_options_text(options, "task");
    int number;
    if (strcmp(task, "energy") != 0 && strcmp(task, "gradient") != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%s: task %s; expected energy or gradient with fragments or two basis sets",
                       hf_options_given(options, "task")->where, task);
    for (int i = 0; i < options->n_value; i++) {
        const struct hf_option_value *value = &options->value[i];
        const char *key = value->option->key;
        const struct hf_word text = hf_rest_of_line(value->text);
        const bool is_file = value->option->or_path && hf_option_is_path(text);
        if (value->level < HF_OPTION_FILE || value != hf_options_given(options, key) ||
            !is_for_parts(key))
            continue;
        if (hf_each_refuses(value->option) || is_file || strcmp(key, "serve") == 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %s is of one calculation; expected %s with fragments or two basis "
                           "sets, which need several",
                           value->where, key, is_file ? "no file" : "none of it");
        if (n_fragment > 1 && strncmp(key, "frozen_", strlen("frozen_")) == 0 &&
            hf_word_integer(text, &number) == HF_NUMBER_OK && number > 0)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: %d orbitals cannot be left out of each fragment; expected default "
                           "or none",
                           value->where, number);
    }
    return HF_OK;
}

/** Fragments, clusters and formulas. Local, the same on all ranks. */
static hf_status plan_clusters(struct hf_combination *self, struct hf_error *error)
{
    struct hf_calculation *calculation = self->settings->calculation;
    const struct hf_options *options = self->settings->options;
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
                       self->settings->path);
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

/** Options of the calculation that are not in records. */
static hf_status copy_options(const struct hf_options *from, struct hf_options *to,
                              struct hf_error *error)
{
    for (int i = 0; i < from->n_value; i++) {
        const struct hf_option_value *value = &from->value[i];
        const char *key = value->option->key;
        const bool counts = value->option->repeatable ? !hf_basis_limit_is_named(value->text)
                                                      : value == hf_options_given(from, key);
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

/** Names the file of results of the parts. */
static hf_status choose_file(struct hf_combination *self, struct hf_error *error)
{
    const char *json = hf_options_text(self->settings->options, "json");
    if (self->settings->path == NULL)
        return hf_fail(error, HF_BAD_INPUT, "fragments and two basis sets need an input file");
    self->path = hf_each_name_file(&self->arena, self->settings->path, ".parts.jsonl");
    HF_CHECK(hf_arena_check(&self->arena, error));
    self->settings->calculation->json_is_closed = json != NULL && hf_same_file(json, self->path);
    if (self->settings->calculation->json_is_closed) /* also for a failure */
        return hf_fail(error, HF_BAD_INPUT,
                       "--json: %s is the file of single results; expected another one", json);
    return HF_OK;
}

/** Refuses fragments with open shells if a method for closed shells was asked for, and not hf. */
static hf_status check_shells(const struct hf_combination *self, struct hf_error *error)
{
    const char *method = hf_options_choice(self->settings->options, "method");
    const bool closed = strcmp(self->settings->calculation->settings.method, "rhf") == 0;
    for (int i = 0; i < self->fragments.n && closed && strcmp(method, "hf") != 0; i++)
        if (self->fragments.multiplicity[i] > 1)
            return hf_fail(error, HF_BAD_INPUT,
                           "fragment %d has multiplicity %d, method %s needs multiplicity 1; "
                           "expected e.g. uhf or ump2",
                           i + 1, self->fragments.multiplicity[i], method);
    return HF_OK;
}

/** Options of the job. */
static hf_status plan_options(struct hf_combination *self, struct hf_error *error)
{
    const struct hf_calculation *calculation = self->settings->calculation;
    for (int i = 0; i < calculation->n_choice; i++)
        if (calculation->choice[i].text != NULL)
            return hf_fail(error, HF_BAD_INPUT,
                           "%s: a basis set that stands in the input itself; expected the name of "
                           "a set or a file with fragments",
                           calculation->choice[i].where);
    HF_CHECK(check_shells(self, error));
    HF_CHECK(copy_options(self->settings->options, &self->options, error));
    HF_CHECK(add_option(&self->options, "each", "yes", error));
    HF_CHECK(add_option(&self->options, "retry_failed", "yes", error));
    return add_option(&self->options, "json", self->path, error);
}

/** Replaces two basis sets by the larger one. The library has them for the same elements. Local. */
static hf_status choose_larger_set(const struct hf_combination *self, struct hf_error *error)
{
    struct hf_options *options = self->settings->options;
    if (self->limit.n == 1) return HF_OK;
    char *name = hf_copy_string(&options->arena, self->limit.name[1]);
    if (name == NULL) return hf_fail(error, HF_NO_RESOURCE, "out of memory for a basis set");
    options->value[self->limit.value].text = name;
    return HF_OK;
}

/** What rank 0 does when all parts are computed. */
static hf_status finish(struct hf_combination *self, struct hf_error *error)
{
    struct hf_calculation *calculation = self->settings->calculation;
    HF_CHECK(hf_parts_add_up(self, error));
    hf_calculation_describe_warnings(calculation);
    if (self->settings->each.out != NULL)
        hf_combination_report(self->settings->each.out, self, calculation);
    if (calculation->json_path == NULL) return HF_OK;
    return hf_combination_save(self, calculation, calculation->json_path, error);
}

hf_status hf_combine(struct hf_context *context, const struct hf_combination_settings *settings,
                     struct hf_error *error)
{
    struct hf_combination self = {
        .settings = settings,
        .fragments.arena.label = "fragments",
        .arena.label = "a combination",
    };
    struct hf_each_settings each = settings->each;
    bool all_good;
    hf_options_init(&self.options, settings->options->table);
    hf_status status = choose_file(&self, error);
    if (status == HF_OK) status = plan_clusters(&self, error);
    if (status == HF_OK) status = hf_parts_plan(&self, error);
    if (status == HF_OK) status = choose_larger_set(&self, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_calculation_prepare(settings->calculation, settings->options, true, error));
    HF_TRY(hf_agree(context->comm, plan_options(&self, error), error));
    if (context->rank == 0)
        self.settings_hash =
            hf_each_hash_named(&self.options, hf_each_hash_settings(&self.options));
    each.options = &self.options;
    each.source = (struct hf_record_source){
        .n_made = self.n_part, .make = hf_parts_make_record, .data = &self};
    HF_TRY(hf_each(context, &each, &all_good, error));
    if (settings->each.rehearsal) goto cleanup;
    if (context->rank == 0) status = finish(&self, error);
    HF_TRY(hf_agree(context->comm, status, error));
cleanup:
    free(self.text);
    hf_options_done(&self.options);
    hf_arena_done(&self.fragments.arena);
    hf_arena_done(&self.arena);
    return status;
}

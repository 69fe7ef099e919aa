/* Reads the molecule of a kernel as hf would; see molecule.h. */
#include "bench_molecule.h"

#include <string.h>

/** Copies the options about the molecule to options of hf. Local. */
static hf_status pass_options(const struct hf_bench *bench, struct hf_options *options,
                              struct hf_error *error)
{
    static const char *const passed_on[] = {"basis", "screening", "fock"};
    const struct hf_options *given = bench->options;
    for (int i = 0; i < given->n_value; i++) {
        const struct hf_option_value *value = &given->value[i];
        const char *key = value->option->key;
        bool passes = false;
        for (size_t k = 0; k < sizeof passed_on / sizeof *passed_on; k++)
            passes = passes || strcmp(key, passed_on[k]) == 0;
        if (!passes) continue;
        const struct hf_word name = hf_word_of(key);
        const struct hf_word text = hf_word_of(value->text);
        HF_CHECK(hf_options_add(options, hf_option_find(options->table, name), text,
                                HF_OPTION_COMMAND_LINE, value->where, error));
    }
    return HF_OK;
}

hf_status hf_bench_molecule_prepare(struct hf_bench *bench, struct hf_error *error)
{
    struct hf_bench_molecule *molecule = HF_NEW(molecule, NULL, "the molecule");
    hf_status status = hf_arena_check_new(molecule, error);
    bench->data = molecule;
    if (molecule != NULL) {
        hf_options_init(&molecule->options, hf_option_table());
        hf_calculation_begin(&molecule->calculation, bench->context);
        status = pass_options(bench, &molecule->options, error);
    }
    HF_TRY(hf_agree(bench->context->comm, status, error));
    HF_TRY(hf_input_read(bench->context, bench->input, &molecule->options,
                         &molecule->calculation.input, error));
    HF_TRY(hf_calculation_prepare(&molecule->calculation, &molecule->options, true, error));
cleanup:
    return status;
}

void hf_bench_molecule_done(struct hf_bench *bench)
{
    struct hf_bench_molecule *molecule = bench->data;
    if (molecule == NULL) return;
    hf_calculation_done(&molecule->calculation);
    hf_options_done(&molecule->options);
    hf_arena_free(&bench->data);
}

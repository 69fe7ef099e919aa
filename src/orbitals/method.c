/* The list of methods; search in lists by name. */
#include "orbitals/orbitals.h"

#include <stdio.h>
#include <string.h>

hf_status hf_find_named(const char *kind, const char *name, const char *(*name_of)(int i),
                        int *place, struct hf_error *error)
{
    char names[256] = "";
    for (int i = 0; name_of(i) != NULL; i++) {
        if (name != NULL && strcmp(name_of(i), name) == 0) {
            *place = i;
            return HF_OK;
        }
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", name_of(i));
    }
    return hf_fail(error, HF_BAD_INPUT, "there is no %s \"%s\"; there are: %s", kind,
                   name != NULL ? name : "", names);
}

const struct hf_method_ops *const hf_method_list[] = {&hf_method_rhf, &hf_method_uhf,
                                                      &hf_method_rohf, NULL};

HF_DEFINE_NAMED_LIST(method)

const char *hf_method_convention(const char *name)
{
    const struct hf_method_ops *method = NULL;
    struct hf_error ignored;
    if (hf_method_find(name, &method, &ignored) != HF_OK || method->convention == NULL) return "";
    return method->convention;
}

hf_status hf_method_check(const char *name, const struct hf_molecule *molecule,
                          struct hf_error *error)
{
    const struct hf_method_ops *method = NULL;
    struct hf_spin_count n_electron;
    hf_status status = hf_method_find(name, &method, error);
    if (status == HF_OK) status = hf_spin_count_of(molecule, &n_electron, error);
    if (status == HF_OK && method->check != NULL)
        status = method->check(molecule, n_electron, error);
    return status;
}

hf_status hf_spin_count_of(const struct hf_molecule *molecule, struct hf_spin_count *n_electron,
                           struct hf_error *error)
{
    const int n = hf_molecule_n_electron(molecule), unpaired = molecule->multiplicity - 1;
    const int n_core = hf_molecule_n_core(molecule);
    char cores[64] = "";
    if (n_core > 0) snprintf(cores, sizeof cores, ", %d more in core potentials", n_core);
    /* nuclei without electrons are allowed here, cores without valence electrons are not */
    if (n < 0 || (n == 0 && n_core > 0))
        return hf_fail(error, HF_BAD_INPUT, "charge %+d leaves %d electrons%s", molecule->charge, n,
                       cores);
    if (unpaired < 0 || unpaired > n || (n - unpaired) % 2 != 0)
        return hf_fail(error, HF_BAD_INPUT,
                       "%d electrons (charge %+d%s) cannot have multiplicity %d", n,
                       molecule->charge, cores, molecule->multiplicity);
    n_electron->beta = (n - unpaired) / 2;
    n_electron->alpha = n_electron->beta + unpaired;
    return HF_OK;
}

const char *hf_method_for(const char *name, const struct hf_molecule *molecule)
{
    if (strcmp(name, "hf") != 0) return name;
    return molecule->multiplicity == 1 ? hf_method_rhf.name : hf_method_uhf.name;
}

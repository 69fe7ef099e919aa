/* Domains from a file that hf wrote: a checkpoint, or a JSON file with orbitals in extras.hf.local_mp2, each with
 * populations and a domain. */
#include "local/local_row.h"

#include "checkpoint/checkpoint.h"
#include "text/text.h"

#include <string.h>

static const char populations[] = HF_CHECKPOINT_LOCAL_MP2 "/populations",
                  domains[] = HF_CHECKPOINT_LOCAL_MP2 "/domains";

static hf_status wrong(const char *path, const char *what, struct hf_error *error)
{
    return hf_fail(
        error, HF_BAD_INPUT,
        "%s: %s; expected a JSON file or a checkpoint of hf --method lmp2 of the same atoms", path,
        what);
}

static const cJSON *find_part(const cJSON *root)
{
    const cJSON *extras = hf_json_find(root, "extras");
    const cJSON *ours = hf_json_find(extras, "hf");
    return hf_json_find(ours, "local_mp2");
}

/** The atom of a number counted from 1; -1: there is none. */
static int atom_of(const cJSON *number, int n_atom)
{
    const bool good = cJSON_IsNumber(number) && number->valuedouble >= 1.0 &&
                      number->valuedouble <= n_atom &&
                      number->valuedouble == (double)number->valueint;
    return good ? number->valueint - 1 : -1;
}

/** Marks the atoms of an array. False: something is wrong. */
static bool read_atoms(const cJSON *array, int n_atom, bool member[])
{
    if (!cJSON_IsArray(array) || array->child == NULL) return false;
    for (const cJSON *number = array->child; number != NULL; number = number->next) {
        const int a = atom_of(number, n_atom);
        if (a < 0) return false;
        member[a] = true;
    }
    return true;
}

/** Populations and domains of orbital i. False: something is wrong. */
static bool read_orbital(const cJSON *orbital, int i, struct hf_local_given *given)
{
    const size_t first = (size_t)i * (size_t)given->n_atom;
    const cJSON *atoms = hf_json_find(orbital, "population_atoms");
    const cJSON *values = hf_json_find(orbital, "populations");
    if (!cJSON_IsArray(atoms) || !cJSON_IsArray(values)) return false;
    const cJSON *atom = atoms->child, *value = values->child;
    for (; atom != NULL && value != NULL; atom = atom->next, value = value->next) {
        const int a = atom_of(atom, given->n_atom);
        if (a < 0 || !cJSON_IsNumber(value)) return false;
        given->population[first + (size_t)a] = value->valuedouble;
    }
    const cJSON *outer = hf_json_find(orbital, "correction_domain");
    return atom == NULL && value == NULL &&
           read_atoms(hf_json_find(orbital, "domain"), given->n_atom, given->member + first) &&
           read_atoms(hf_json_find(orbital, "extended_domain"), given->n_atom,
                      given->extended + first) &&
           (!given->has_outer || read_atoms(outer, given->n_atom, given->outer + first));
}

static hf_status make_arrays(struct hf_local_given *given, struct hf_error *error)
{
    const size_t n = (size_t)given->n_orbital * (size_t)given->n_atom;
    given->arena.label = "given domains";
    HF_TAKE(&given->arena, given->population, n);
    HF_TAKE(&given->arena, given->member, n);
    HF_TAKE(&given->arena, given->extended, n);
    HF_TAKE(&given->arena, given->outer, n);
    return hf_arena_check(&given->arena, error);
}

/** Checks that each domain contains the smaller ones of its orbital, as blocks of pairs are taken out of larger ones. */
static hf_status check_nested(const struct hf_local_given *given, const char *path,
                              struct hf_error *error)
{
    const size_t n = (size_t)given->n_orbital * (size_t)given->n_atom;
    for (size_t k = 0; k < n; k++)
        if ((given->member[k] && !given->extended[k]) ||
            (given->has_outer && given->extended[k] && !given->outer[k]))
            return wrong(path, "a larger domain without all atoms of a smaller one", error);
    return HF_OK;
}

/** Arrays of a checkpoint. */
static hf_status read_added(const struct hf_checkpoint *checkpoint, const char *path,
                            struct hf_local_given *given, struct hf_error *error)
{
    const int n_atom = given->n_atom;
    int shape[2][2] = {{0}};
    if (!hf_checkpoint_added(checkpoint, populations, &shape[0][0], &shape[0][1]) ||
        !hf_checkpoint_added(checkpoint, domains, &shape[1][0], &shape[1][1]))
        return wrong(path, "no domains of local MP2 in it", error);
    const int o = given->n_orbital = shape[0][0];
    if (shape[0][1] != n_atom || shape[1][0] != o || shape[1][1] != n_atom)
        return wrong(path, "its domains are of other atoms", error);
    const size_t n = (size_t)o * (size_t)n_atom;
    HF_CHECK(make_arrays(given, error));
    double *domain = HF_TAKE(&given->arena, domain, n);
    HF_CHECK(hf_arena_check(&given->arena, error));
    HF_CHECK(
        hf_checkpoint_added_rows(checkpoint, populations, n_atom, 0, o, given->population, error));
    HF_CHECK(hf_checkpoint_added_rows(checkpoint, domains, n_atom, 0, o, domain, error));
    for (size_t k = 0; k < n; k++) {
        const int bits = domain[k] >= 0.0 && domain[k] < 16.0 ? (int)domain[k] : 0;
        given->member[k] = (bits & 1) != 0;
        given->extended[k] = (bits & 6) != 0;
        given->outer[k] = (bits & 8) != 0;
        given->extends_weak = given->extends_weak || (bits & 4) != 0;
        given->has_outer = given->has_outer || given->outer[k];
    }
    hf_arena_release(&given->arena, domain);
    return check_nested(given, path, error);
}

hf_status hf_local_given_restart(const struct hf_checkpoint *checkpoint, int n_atom,
                                 struct hf_local_given *given, struct hf_error *error)
{
    int n_row, n_col;
    *given = (struct hf_local_given){.n_atom = n_atom};
    if (!hf_checkpoint_added(checkpoint, domains, &n_row, &n_col)) return HF_OK;
    const hf_status status = read_added(checkpoint, checkpoint->path, given, error);
    if (status != HF_OK) hf_local_given_done(given);
    return status;
}

static hf_status read_checkpoint(const char *path, struct hf_local_given *given,
                                 struct hf_error *error)
{
    struct hf_checkpoint checkpoint;
    hf_status status = hf_checkpoint_read(path, &checkpoint, error);
    if (status == HF_OK) status = read_added(&checkpoint, path, given, error);
    hf_checkpoint_done(&checkpoint);
    if (status != HF_OK) hf_local_given_done(given);
    return status;
}

hf_status hf_local_given_read(const char *path, int n_atom, struct hf_local_given *given,
                              struct hf_error *error)
{
    struct hf_text text = {0};
    cJSON *root;
    *given = (struct hf_local_given){.n_atom = n_atom};
    if (hf_checkpoint_is_file(path)) return read_checkpoint(path, given, error);
    hf_status status = hf_text_read_alone(path, &text, error);
    if (status != HF_OK) return status;
    status = hf_json_parse(&text, &root, error);
    hf_text_done(&text);
    if (status == HF_NO_RESOURCE) return status;
    const cJSON *part = find_part(root);
    const cJSON *orbitals = hf_json_find(part, "orbitals");
    if (!cJSON_IsArray(orbitals)) {
        status = wrong(path, "no domains of local MP2 in it", error);
    } else {
        given->n_orbital = cJSON_GetArraySize(orbitals);
        given->extends_weak = cJSON_IsTrue(hf_json_find(part, "extended_weak_pairs"));
        const cJSON *bonds = hf_json_find(part, "correction_bonds");
        given->has_outer = cJSON_IsNumber(bonds) && bonds->valueint > 0;
        status = make_arrays(given, error);
        const cJSON *orbital = orbitals->child;
        for (int i = 0; status == HF_OK && orbital != NULL; i++, orbital = orbital->next)
            if (!read_orbital(orbital, i, given))
                status = wrong(path, "an orbital without populations or domain", error);
        if (status == HF_OK) status = check_nested(given, path, error);
    }
    cJSON_Delete(root);
    if (status != HF_OK) hf_local_given_done(given);
    return status;
}

hf_status hf_local_given_share(struct hf_context *context, struct hf_local_given *given,
                               struct hf_error *error)
{
    hf_status status = HF_OK;
    int n[4] = {given->n_orbital, given->n_atom, given->extends_weak, given->has_outer};
    MPI_Bcast(n, 4, MPI_INT, 0, context->comm);
    if (context->rank != 0) {
        *given = (struct hf_local_given){
            .n_orbital = n[0], .n_atom = n[1], .extends_weak = n[2] != 0, .has_outer = n[3] != 0};
        status = make_arrays(given, error);
    }
    HF_TRY(hf_agree(context->comm, status, error));
    const size_t size = (size_t)n[0] * (size_t)n[1];
    hf_broadcast_bytes(context->comm, 0, size * sizeof *given->population, given->population);
    hf_broadcast_bytes(context->comm, 0, size * sizeof *given->member, given->member);
    hf_broadcast_bytes(context->comm, 0, size * sizeof *given->extended, given->extended);
    hf_broadcast_bytes(context->comm, 0, size * sizeof *given->outer, given->outer);
cleanup:
    if (status != HF_OK) hf_local_given_done(given);
    return status;
}

void hf_local_given_done(struct hf_local_given *given)
{
    hf_arena_done(&given->arena);
    *given = (struct hf_local_given){0};
}

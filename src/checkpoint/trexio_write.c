/* TREXIO files: their tables, and how these are written. */
#include "trexio_layout.h"

#include "base/arena.h"
#include "hf/version.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define INDEX(path, owner, member)                                                                 \
    {                                                                                              \
        path, HF_FIELD_INTEGER, 1, offsetof(struct owner, member), 0, INT_MAX, NULL, NULL          \
    }
#define REAL(path, owner, member)                                                                  \
    {                                                                                              \
        path, HF_FIELD_REAL, 1, offsetof(struct owner, member), 0, 0, NULL, NULL                   \
    }
#define TABLE(name, owner, ...)                                                                    \
    static const struct hf_field trexio_##name##_field[] = {__VA_ARGS__};                          \
    const struct hf_fields hf_trexio_##name##_fields = {                                           \
        trexio_##name##_field, sizeof trexio_##name##_field / sizeof *trexio_##name##_field,       \
        sizeof(owner)};

TABLE(nucleus, struct hf_trexio_nucleus, REAL("/nucleus/nucleus_charge", hf_trexio_nucleus, charge),
      {"/nucleus/nucleus_coord", HF_FIELD_REAL, 3, offsetof(struct hf_trexio_nucleus, place), -1e6,
       1e6, NULL, NULL})
TABLE(core, struct hf_trexio_core, INDEX("/ecp/ecp_z_core", hf_trexio_core, n_core))
TABLE(local, struct hf_trexio_core, INDEX("/ecp/ecp_max_ang_mom_plus_1", hf_trexio_core, max_l))
TABLE(shell, struct hf_trexio_shell, INDEX("/basis/basis_nucleus_index", hf_trexio_shell, atom),
      INDEX("/basis/basis_shell_ang_mom", hf_trexio_shell, l),
      REAL("/basis/basis_shell_factor", hf_trexio_shell, factor))
TABLE(primitive, struct hf_trexio_primitive,
      INDEX("/basis/basis_shell_index", hf_trexio_primitive, shell),
      REAL("/basis/basis_exponent", hf_trexio_primitive, exponent),
      REAL("/basis/basis_coefficient", hf_trexio_primitive, coefficient),
      REAL("/basis/basis_prim_factor", hf_trexio_primitive, norm))
TABLE(function, struct hf_trexio_function, INDEX("/ao/ao_shell", hf_trexio_function, shell),
      REAL("/ao/ao_normalization", hf_trexio_function, norm))
/* powers of r do not count the r^2 of the volume element */
TABLE(core_term, struct hf_core_term, INDEX("/ecp/ecp_ang_mom", hf_core_term, l),
      INDEX("/ecp/ecp_power", hf_core_term, power),
      REAL("/ecp/ecp_exponent", hf_core_term, exponent),
      REAL("/ecp/ecp_coefficient", hf_core_term, coefficient))
TABLE(core_atom, int, {"/ecp/ecp_nucleus_index", HF_FIELD_INTEGER, 1, 0, 0, INT_MAX, NULL, NULL})
TABLE(occupation, struct hf_trexio_orbital,
      REAL("/mo/mo_occupation", hf_trexio_orbital, occupation))
TABLE(spin, struct hf_trexio_orbital,
      {"/mo/mo_spin", HF_FIELD_INTEGER, 1, offsetof(struct hf_trexio_orbital, spin), 0, 1, NULL,
       NULL})
TABLE(energy, struct hf_trexio_orbital, REAL("/mo/mo_energy", hf_trexio_orbital, energy))

static void put_system(struct hf_hdf5_writer *writer, const struct hf_trexio_content *content,
                       struct hf_arena *arena)
{
    const struct hf_molecule *molecule = content->molecule;
    const int n = molecule->n_atom, n_electron = hf_molecule_n_electron(molecule);
    const int n_single = molecule->multiplicity - 1;
    struct hf_trexio_nucleus *nucleus = HF_TAKE(arena, nucleus, (size_t)n);
    const char **label = HF_TAKE(arena, label, (size_t)n);
    char code[64];
    const char *const codes[] = {code};
    if (arena->failed) return;
    for (int i = 0; i < n; i++) {
        const double *x = molecule->atom[i].position_bohr;
        nucleus[i] =
            (struct hf_trexio_nucleus){hf_molecule_nuclear_charge(molecule, i), {x[0], x[1], x[2]}};
        label[i] = hf_element_symbol(molecule->atom[i].atomic_number);
    }
    snprintf(code, sizeof code, "hf %s", hf_version());
    hf_hdf5_put_group_text(writer, "/metadata", "metadata_package_version", "2.2.3");
    hf_hdf5_put_group_text(writer, "/metadata", "metadata_description", molecule->title);
    hf_hdf5_put_group_integer(writer, "/metadata", "metadata_code_num", 1);
    hf_hdf5_put_texts(writer, "/metadata/metadata_code", 1, codes);
    hf_hdf5_put_group_integer(writer, "/nucleus", "nucleus_num", n);
    hf_hdf5_put_fields(writer, &hf_trexio_nucleus_fields, n, nucleus);
    hf_hdf5_put_texts(writer, "/nucleus/nucleus_label", n, label);
    hf_hdf5_put_group_real(writer, "/nucleus", "nucleus_repulsion", content->nuclear_repulsion);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_num", n_electron);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_up_num", (n_electron + n_single) / 2);
    hf_hdf5_put_group_integer(writer, "/electron", "electron_dn_num", (n_electron - n_single) / 2);
    hf_hdf5_put_group_integer(writer, "/state", "state_id", 0);
    hf_hdf5_put_group_real(writer, "/state", "state_energy", content->energy);
}

static void put_functions(struct hf_hdf5_writer *writer, const struct hf_trexio_content *content,
                          struct hf_arena *arena)
{
    const struct hf_basis *basis = content->basis;
    const int n_shell = basis->n_shell, n = basis->n_function;
    int at = 0;
    struct hf_trexio_shell *shell = HF_TAKE(arena, shell, (size_t)n_shell);
    struct hf_trexio_function *function = HF_TAKE(arena, function, (size_t)n);
    struct hf_trexio_primitive *primitive = HF_TAKE(arena, primitive, (size_t)basis->n_primitive);
    if (arena->failed) return;
    for (int s = 0; s < n_shell; s++) {
        const struct hf_shell *of = &basis->shell[s];
        shell[s] = (struct hf_trexio_shell){of->atom, of->l, 1.0};
        for (int k = 0; k < of->n_primitive; k++) {
            const double norm = hf_primitive_norm(of->l, of->exponent[k]);
            primitive[at++] =
                (struct hf_trexio_primitive){s, of->exponent[k], of->coefficient[k] / norm, norm};
        }
        for (int i = of->first_function; i < of->first_function + of->n_function; i++)
            function[i] = (struct hf_trexio_function){s, content->factor[i]};
    }
    hf_hdf5_put_group_text(writer, "/basis", "basis_type", "Gaussian");
    hf_hdf5_put_group_integer(writer, "/basis", "basis_shell_num", n_shell);
    hf_hdf5_put_fields(writer, &hf_trexio_shell_fields, n_shell, shell);
    hf_hdf5_put_group_integer(writer, "/basis", "basis_prim_num", at);
    hf_hdf5_put_fields(writer, &hf_trexio_primitive_fields, at, primitive);
    hf_hdf5_put_group_integer(writer, "/ao", "ao_cartesian", content->cartesian);
    hf_hdf5_put_group_integer(writer, "/ao", "ao_num", n);
    hf_hdf5_put_fields(writer, &hf_trexio_function_fields, n, function);
}

static void put_core_potentials(struct hf_hdf5_writer *writer, const struct hf_basis *basis,
                                struct hf_arena *arena)
{
    int n = 0, at = 0;
    for (int i = 0; i < basis->n_core_potential; i++) n += basis->core_potential[i].n_term;
    struct hf_trexio_core *core = HF_TAKE(arena, core, (size_t)basis->n_atom);
    int *atom = HF_TAKE(arena, atom, (size_t)n);
    if (arena->failed || n == 0) return;
    for (int i = 0; i < basis->n_core_potential; i++) {
        const struct hf_core_potential *of = &basis->core_potential[i];
        core[of->atom] = (struct hf_trexio_core){of->n_core, of->max_l};
        for (int k = 0; k < of->n_term; k++) atom[at++] = of->atom;
    }
    hf_hdf5_put_group_integer(writer, "/ecp", "ecp_num", n);
    hf_hdf5_put_fields(writer, &hf_trexio_core_fields, basis->n_atom, core);
    hf_hdf5_put_fields(writer, &hf_trexio_local_fields, basis->n_atom, core);
    hf_hdf5_put_fields(writer, &hf_trexio_core_atom_fields, n, atom);
    hf_hdf5_put_fields(writer, &hf_trexio_core_term_fields, n, basis->core_term);
}

void hf_trexio_put(struct hf_hdf5_writer *writer, const struct hf_trexio_content *content)
{
    static const char *const groups[] = {"/metadata", "/nucleus", "/electron",
                                         "/state",    "/basis",   "/ao",
                                         "/mo",       "/ecp",     "/ao_1e_int"};
    struct hf_arena arena = {.label = "a TREXIO file"};
    writer->trexio = true;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        hf_hdf5_put_group(writer, groups[i], NULL);
    put_system(writer, content, &arena);
    put_functions(writer, content, &arena);
    put_core_potentials(writer, content->basis, &arena);
    hf_hdf5_put_group_text(writer, "/mo", "mo_type", content->kind);
    hf_hdf5_put_group_integer(writer, "/mo", "mo_num", content->n_orbital);
    hf_hdf5_put_fields(writer, &hf_trexio_occupation_fields, content->n_orbital, content->orbital);
    hf_hdf5_put_fields(writer, &hf_trexio_spin_fields, content->n_orbital, content->orbital);
    if (content->has_energies)
        hf_hdf5_put_fields(writer, &hf_trexio_energy_fields, content->n_orbital, content->orbital);
    if (arena.failed && !writer->failed)
        *writer = (struct hf_hdf5_writer){writer->file, true, true, ENOMEM};
    hf_arena_done(&arena);
}

/* The list of terms, and their matrices over all ranks. */
#include "base/arena.h"
#include "hamiltonian_private.h"
#include "linalg/matrix_blocks.h"

#include <stdlib.h>
#include <string.h>

const struct hf_term_ops *const hf_term_list[] = {
    &hf_term_kinetic,       &hf_term_nuclei, &hf_term_core_potential,
    &hf_term_point_charges, &hf_term_field,  NULL,
};

_Static_assert(sizeof hf_term_list / sizeof *hf_term_list <= HF_MAX_TERM + 1,
               "results have no room for all terms");

struct hf_hamiltonian {
    struct hf_context *context;
    struct hf_linalg *linalg;
    const struct hf_basis *basis;
    const struct hf_molecule *molecule;
    struct hf_block_layout *layout;
};

bool hf_is_held(const struct hf_molecule *molecule)
{
    bool held = false;
    for (int i = 0; hf_term_list[i] != NULL; i++)
        held |= hf_term_list[i]->describe != NULL && hf_term_list[i]->present(molecule);
    return held;
}

double hf_nuclear_energy_of(const struct hf_context *context, const struct hf_molecule *molecule,
                            const struct hf_term_ops *term)
{
    enum { AT_ONCE = 1 << 10 };
    double energy = 0.0;
    if (term->nuclear_energy == NULL || !term->present(molecule)) return 0.0;
    for (int first = 0; first < molecule->n_atom; first += AT_ONCE) {
        const int left = molecule->n_atom - first, n = left < AT_ONCE ? left : AT_ONCE;
        double of_nucleus[AT_ONCE] = {0.0};
        for (int i = context->rank; i < n; i += context->n_rank)
            of_nucleus[i] = term->nuclear_energy(molecule, first + i);
        /* each from one rank, zero from all others: nothing is rounded */
        MPI_Allreduce(MPI_IN_PLACE, of_nucleus, n, MPI_DOUBLE, MPI_SUM, context->comm);
        for (int i = 0; i < n; i++) energy += of_nucleus[i];
    }
    return energy;
}

double hf_nuclear_energy(const struct hf_context *context, const struct hf_molecule *molecule)
{
    double energy = 0.0;
    for (int i = 0; hf_term_list[i] != NULL; i++)
        energy += hf_nuclear_energy_of(context, molecule, hf_term_list[i]);
    return energy;
}

hf_status hf_hamiltonian_create(struct hf_context *context, struct hf_linalg *linalg,
                                const struct hf_basis *basis, const struct hf_molecule *molecule,
                                struct hf_hamiltonian **hamiltonian, struct hf_error *error)
{
    hf_status status = HF_OK;
    struct hf_hamiltonian *self = *hamiltonian = calloc(1, sizeof *self);
    if (self == NULL) status = hf_fail(error, HF_NO_RESOURCE, "out of memory for the Hamiltonian");
    HF_TRY(hf_agree(context->comm, status, error));
    *self = (struct hf_hamiltonian){
        .context = context, .linalg = linalg, .basis = basis, .molecule = molecule};
    HF_TRY(hf_atom_layout_create(context, basis, &self->layout, error));
cleanup:
    if (status != HF_OK) hf_hamiltonian_destroy(hamiltonian);
    return status;
}

void hf_hamiltonian_destroy(struct hf_hamiltonian **hamiltonian)
{
    if (*hamiltonian != NULL) hf_block_layout_destroy(&(*hamiltonian)->layout);
    free(*hamiltonian);
    *hamiltonian = NULL;
}

/** What is summed into a matrix: terms, or charges, or one operator. */
struct content {
    int n_term;
    const struct hf_term_ops *const *term; /**< [n_term]; those that are not present are left out */
    int n_charge;
    const struct hf_spread_charge *charge; /**< [n_charge] without terms */
    enum hf_operator which;                /**< without terms and charges */
};

/** hf_charge_of: of an array. */
static struct hf_spread_charge given_charge(const void *data, int i)
{
    return ((const struct hf_spread_charge *)data)[i];
}

/** Local part of make_matrix: adds to blocks that are zero. */
static hf_status fill(const struct content *content, const struct hf_term_blocks *blocks,
                      struct hf_error *error)
{
    hf_status status = HF_OK;
    if (content->n_charge > 0)
        return hf_add_charges(blocks, content->n_charge, given_charge, content->charge, error);
    if (content->n_term == 0) return hf_add_operator(blocks, content->which, 1.0, error);
    for (int i = 0; i < content->n_term && status == HF_OK; i++)
        if (content->term[i]->present(blocks->molecule))
            status = content->term[i]->add_matrix(blocks, error);
    return status;
}

static hf_status make_matrix(struct hf_hamiltonian *self, const struct content *content,
                             struct hf_matrix *matrix, struct hf_error *error)
{
    struct hf_context *context = self->context;
    struct hf_arena arena = {
        .memory = context->memory, .kind = HF_MEMORY_MATRIX, .label = "the one-electron integrals"};
    struct hf_term_blocks blocks = {
        .molecule = self->molecule,
        .basis = self->basis,
        .layout = self->layout,
        .interruption = context->interruption,
        .rank = context->rank,
        .n_thread = context->n_thread,
    };
    HF_TAKE(&arena, blocks.block, hf_block_layout_local_size(self->layout));
    hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) status = fill(content, &blocks, error);
    status = hf_matrix_set_blocks(matrix, self->layout, blocks.block, 1.0, status, error);
    hf_arena_done(&arena);
    return status;
}

hf_status hf_hamiltonian_core(struct hf_hamiltonian *hamiltonian, struct hf_matrix *matrix,
                              struct hf_error *error)
{
    struct content content = {.term = hf_term_list};
    while (hf_term_list[content.n_term] != NULL) content.n_term++;
    return make_matrix(hamiltonian, &content, matrix, error);
}

hf_status hf_hamiltonian_term(struct hf_hamiltonian *hamiltonian, const struct hf_term_ops *term,
                              struct hf_matrix *matrix, struct hf_error *error)
{
    return make_matrix(hamiltonian, &(struct content){.n_term = 1, .term = &term}, matrix, error);
}

hf_status hf_hamiltonian_charges(struct hf_hamiltonian *hamiltonian, int n_charge,
                                 const struct hf_spread_charge charge[], struct hf_matrix *matrix,
                                 struct hf_error *error)
{
    return make_matrix(hamiltonian, &(struct content){.n_charge = n_charge, .charge = charge},
                       matrix, error);
}

hf_status hf_operator_matrix(struct hf_hamiltonian *hamiltonian, enum hf_operator which,
                             struct hf_matrix *matrix, struct hf_error *error)
{
    return make_matrix(hamiltonian, &(struct content){.which = which}, matrix, error);
}

static hf_status create_square(struct hf_hamiltonian *self, struct hf_matrix **matrix,
                               struct hf_error *error)
{
    const int n = self->basis->n_function;
    return hf_matrix_create(self->linalg, "one-electron integrals", n, n, matrix, error);
}

/** sum_mn D_mn <m|matrix|n>. */
static double expectation(const struct hf_matrix *density, const struct hf_matrix *matrix)
{
    double value;
    hf_matrix_dot(density, matrix, &value);
    return value;
}

hf_status hf_hamiltonian_energies(struct hf_hamiltonian *hamiltonian,
                                  const struct hf_matrix *density, double one_electron, int *n_term,
                                  struct hf_energy_term term[HF_MAX_TERM], struct hf_error *error)
{
    hf_status status = HF_OK;
    const struct hf_molecule *molecule = hamiltonian->molecule;
    const struct hf_term_ops *ops[HF_MAX_TERM];
    struct hf_matrix *matrix = NULL;
    int n = 0, costliest = 0;
    for (int i = 0; hf_term_list[i] != NULL; i++)
        if (hf_term_list[i]->present(molecule)) ops[n++] = hf_term_list[i];
    for (int i = 1; i < n; i++)
        if (ops[i]->cost(molecule) > ops[costliest]->cost(molecule)) costliest = i;

    double left = one_electron;
    HF_TRY(create_square(hamiltonian, &matrix, error));
    for (int i = 0; i < n; i++) {
        term[i] = (struct hf_energy_term){
            .name = ops[i]->name,
            .nuclei = hf_nuclear_energy_of(hamiltonian->context, molecule, ops[i])};
        if (i == costliest) continue;
        HF_TRY(hf_hamiltonian_term(hamiltonian, ops[i], matrix, error));
        term[i].electrons = expectation(density, matrix);
        left -= term[i].electrons;
    }
    term[costliest].electrons = left;
    *n_term = n;
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

double hf_electrons_of_term(int n_term, const struct hf_energy_term term[],
                            const struct hf_term_ops *which)
{
    for (int i = 0; i < n_term; i++)
        if (strcmp(term[i].name, which->name) == 0) return term[i].electrons;
    return 0.0;
}

hf_status hf_hamiltonian_dipole(struct hf_hamiltonian *hamiltonian, const struct hf_matrix *density,
                                double dipole[3], struct hf_error *error)
{
    static const enum hf_operator along[] = {HF_DIPOLE_X, HF_DIPOLE_Y, HF_DIPOLE_Z};
    hf_status status = HF_OK;
    const struct hf_molecule *molecule = hamiltonian->molecule;
    struct hf_matrix *matrix = NULL;
    HF_TRY(create_square(hamiltonian, &matrix, error));
    for (int x = 0; x < 3; x++) {
        HF_TRY(hf_operator_matrix(hamiltonian, along[x], matrix, error));
        dipole[x] = -hf_matrix_dot_here(density, matrix);
    }
    hf_linalg_reduce(hamiltonian->linalg, 3, 0, dipole);
    for (int a = 0; a < molecule->n_atom; a++)
        for (int x = 0; x < 3; x++)
            dipole[x] +=
                hf_molecule_nuclear_charge(molecule, a) * molecule->atom[a].position_bohr[x];
cleanup:
    hf_matrix_destroy(&matrix);
    return status;
}

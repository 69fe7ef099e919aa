/* Moments of the charges and the potential at the nuclei, pair of shells by pair of shells: no matrix of
 * an operator is made. */
#include "properties_private.h"

#include "base/arena.h"
#include "linalg/matrix_blocks.h"
#include "one_electron/hermite.h"

/** Primitive pairs with less charge are left out: some 1e5 of them stay below 1e-8. */
static const double SMALLEST = 1e-13;

/** What a rank adds up. */
struct sums {
    const struct hf_electron_sums *wanted;
    struct hf_hermite_products *products;
    struct hf_hermite_points *points;
    const struct hf_basis *basis;
};

/** The block [of atom i][of atom j] of the density. */
static void add_atoms(const struct sums *sums, int i, int j, const double *density)
{
    const struct hf_basis *basis = sums->basis;
    const int *first = basis->first_shell_of_atom;
    const size_t stride = (size_t)hf_atom_n_function(basis, j);
    for (int m = first[i]; m < first[i + 1]; m++) {
        const int end = i == j ? m + 1 : first[j + 1];
        for (int l = first[j]; l < end; l++) {
            const struct hf_shell *a = &basis->shell[m], *b = &basis->shell[l];
            const struct hf_hermite_gaussian *list;
            const double *block = density + hf_place_in_atom_block(basis, a, b);
            const int n = hf_hermite_expand(sums->products, a, b, m == l ? 1.0 : 2.0, block, stride,
                                            SMALLEST, &list);
            if (sums->wanted->moment != NULL)
                hf_hermite_add_moments(n, list, sums->wanted->origin, sums->wanted->moment);
            hf_hermite_add_potential(sums->points, n, list, sums->wanted->potential);
        }
    }
}

/** What the electrons of this rank's blocks do at the nuclei, with the sign of their charge, and for the nuclei
 *  dealt to this rank what the others do, each with all: 0.4 s for 10,000 of them on one rank. */
static void add_potential_of_nuclei(const struct hf_context *context,
                                    const struct hf_molecule *molecule, double potential[])
{
    const int n_atom = molecule->n_atom;
    for (int a = 0; a < n_atom; a++) potential[a] = -potential[a];
    for (int a = context->rank; a < n_atom; a += context->n_rank)
        potential[a] += hf_molecule_potential_of_nuclei(molecule, n_atom, a);
}

/** Moments of the nuclei, to those of electrons with the sign of their charge. */
static void add_nuclei(const struct hf_molecule *molecule, struct hf_properties *properties,
                       const double moment[])
{
    static const int axis[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    double *second = properties->second_moment;
    for (int d = 0; d < 3; d++) properties->dipole[d] = -moment[1 + d];
    for (int m = 0; m < 6; m++) second[m] = -moment[4 + m];
    for (int a = 0; a < molecule->n_atom; a++) {
        const double charge = hf_molecule_nuclear_charge(molecule, a);
        const double *position = molecule->atom[a].position_bohr, *origin = properties->origin;
        for (int d = 0; d < 3; d++) properties->dipole[d] += charge * (position[d] - origin[d]);
        for (int m = 0; m < 6; m++)
            second[m] += charge * (position[axis[m][0]] - origin[axis[m][0]]) *
                         (position[axis[m][1]] - origin[axis[m][1]]);
    }
    const double trace = second[0] + second[3] + second[5];
    for (int m = 0; m < 6; m++)
        properties->quadrupole[m] =
            0.5 * (3.0 * second[m] - (axis[m][0] == axis[m][1] ? trace : 0.0));
}

/** Local: this rank's blocks, all of them. */
static void add_own_blocks(const struct hf_block_layout *layout, const double *block,
                           const struct sums *sums)
{
    struct hf_own_blocks own = hf_own_blocks_begin(layout);
    struct hf_own_block here;
    while (hf_own_blocks_next(&own, &here)) add_atoms(sums, here.i, here.j, block + here.offset);
}

hf_status hf_sum_electrons(struct hf_context *context, const struct hf_wavefunction *wavefunction,
                           const struct hf_electron_sums *wanted, struct hf_error *error)
{
    const int n = wanted->n_point;
    const double *place = wanted->place;
    struct hf_block_layout *layout = NULL;
    struct sums sums = {.wanted = wanted, .basis = wavefunction->basis};
    struct hf_arena arena = {.memory = context->memory, .label = "the density in blocks"};
    hf_status status;
    HF_TRY(hf_atom_layout_create_for_sums(context, wavefunction->basis, &layout, error));
    double *block = hf_arena_take_class(&arena, HF_MEMORY_MATRIX, "the density in blocks",
                                        hf_block_layout_local_size(layout), sizeof *block);
    status = hf_arena_check(&arena, error);
    if (status == HF_OK)
        status = hf_hermite_products_create(wavefunction->basis, &sums.products, error);
    if (status == HF_OK)
        status = hf_hermite_points_create(wavefunction->basis, n, place, place + n,
                                          place + 2 * (size_t)n, &sums.points, error);
    HF_TRY(hf_agree(context->comm, status, error));
    HF_TRY(hf_matrix_get_blocks(wavefunction->density, layout, block, error));
    add_own_blocks(layout, block, &sums);
cleanup:
    hf_hermite_points_destroy(&sums.points);
    hf_hermite_products_destroy(&sums.products);
    hf_arena_done(&arena);
    hf_block_layout_destroy(&layout);
    return status;
}

/** Where the nuclei are, as the integrals want it: x, y, z [3][n_atom]. Local. */
static void list_points(const struct hf_molecule *molecule, double *place)
{
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < molecule->n_atom; a++)
            place[d * molecule->n_atom + a] = molecule->atom[a].position_bohr[d];
}

hf_status hf_add_distribution(struct hf_context *context,
                              const struct hf_wavefunction *wavefunction,
                              struct hf_properties *properties, struct hf_error *error)
{
    const struct hf_molecule *molecule = wavefunction->molecule;
    const int n_atom = molecule->n_atom;
    double moment[HF_N_MOMENT] = {0.0};
    struct hf_arena arena = {.memory = context->memory, .label = "the places of nuclei"};
    hf_status status;
    double *place = HF_TAKE(&arena, place, 3 * (size_t)n_atom);
    HF_TRY(hf_agree(context->comm, hf_arena_check(&arena, error), error));
    list_points(molecule, place);
    const struct hf_electron_sums wanted = {properties->origin, moment, n_atom, place,
                                            properties->potential};
    HF_TRY(hf_sum_electrons(context, wavefunction, &wanted, error));
    MPI_Allreduce(MPI_IN_PLACE, moment, HF_N_MOMENT, MPI_DOUBLE, MPI_SUM, context->comm);
    add_potential_of_nuclei(context, molecule, properties->potential);
    MPI_Allreduce(MPI_IN_PLACE, properties->potential, n_atom, MPI_DOUBLE, MPI_SUM, context->comm);
    add_nuclei(molecule, properties, moment);
cleanup:
    hf_arena_done(&arena);
    return status;
}

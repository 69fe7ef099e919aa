#include "checkpoint_fixture.h"

#include <stdio.h>
#include <unistd.h>

char folder[] = "/tmp/hf-checkpoint-XXXXXX", path[80];

static struct hf_atom atoms[] = {
    {.atomic_number = 8, .position_bohr = {0.0, 0.0, 0.22166487}},
    {.atomic_number = 1, .position_bohr = {0.0, 1.43090062, -0.88665950}},
    {.atomic_number = 1, .position_bohr = {0.0, -1.43090062, -0.88665950}},
    {.atomic_number = 1, .ghost = true, .position_bohr = {3.0, 0.0, 0.0}},
};
static struct hf_point_charge charges[] = {{0.25, {0.0, 0.0, 9.0}}, {-0.25, {0.0, 0.0, 12.0}}};
static char title[] = "water, \303\244 ghost";
const struct hf_molecule molecule = {
    .n_atom = 4,
    .atom = atoms,
    .multiplicity = 1,
    .title = title,
    .environment = {.n_charge = 2, .charge = charges, .field = {0.0, 1e-3, 0.0}},
};

struct hf_basis *make_basis(struct hf_context *context)
{
    struct hf_basis *basis = NULL;
    const struct hf_basis_choice choice[] = {{.atom = -1, .name = "6-31G*"},
                                             {.atom = 1, .name = "cc-pVDZ"}};
    assert_ok(
        hf_basis_create(context, &molecule, 2, choice, HF_CONVENTION_AS_DEFINED, &basis, &error));
    return basis;
}

int make_folder(void **state)
{
    if (rank_here() == 0 && mkdtemp(folder) == NULL) return -1;
    MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/water.hf.h5", folder);
    return 0;
}

int remove_folder(void **state)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_here() == 0) unlink(path);
    return rank_here() == 0 ? rmdir(folder) : 0;
}

/* Kinetic energy of the electrons. */
#include "hamiltonian_private.h"

static bool present(const struct hf_molecule *molecule)
{
    (void)molecule;
    return true;
}

static double cost(const struct hf_molecule *molecule)
{
    (void)molecule;
    return 1.0;
}

static hf_status add_matrix(const struct hf_term_blocks *blocks, struct hf_error *error)
{
    return hf_add_operator(blocks, HF_KINETIC, 1.0, error);
}

static hf_status add_gradient(const struct hf_term_gradient *gradient, struct hf_error *error)
{
    return hf_add_operator_slopes(gradient, HF_KINETIC, 1.0, error);
}

const struct hf_term_ops hf_term_kinetic = {
    .name = "kinetic",
    .about = "-1/2 nabla^2; nuclei stand still",
    .cite = "McMurchie, Davidson, J. Comput. Phys. 26, 218 (1978)",
    .present = present,
    .cost = cost,
    .add_matrix = add_matrix,
    .add_gradient = add_gradient,
};

/* ELPA: reduction to tridiagonal form in one step with blocks for the network, divide and conquer, back
 * transformation of the requested vectors. On two ranks it takes 0.8 of ScaLAPACK's time at n = 2,000, and half if
 * other programs run (docs/measurements/performance.md). On one rank LAPACK is faster. Debian's ELPA uses Open MPI.
 *
 * Source   Marek et al., J. Phys.: Condens. Matter 26, 213201 (2014). */
#include "linalg_private.h"

#include <elpa/elpa.h>

enum { API = 20221109 }; /* of ELPA 2022.11, the oldest version that the build accepts */

/** Without vectors ScaLAPACK is as fast. */
static bool serves(const struct hf_linalg *grid, int n, int n_vector)
{
    return grid->parallel && n_vector > 0 && n >= grid->block * grid->n_grid_col;
}

/** Copies elements below the diagonal to those above, using `scratch`, because ELPA reads both. Collective over the
 *  grid. */
static void mirror(struct hf_matrix *a, struct hf_matrix *scratch)
{
    hf_matrix_add_transposed(1.0, a, 0.0, scratch);
    for (int j = 0; j < a->local_col; j++) {
        const int column = hf_global_col(a, j);
        const size_t first = (size_t)j * (size_t)a->local_row;
        for (int i = 0; i < a->local_row && hf_global_row(a, i) < column; i++)
            a->data[first + (size_t)i] = scratch->data[first + (size_t)i];
    }
}

/** Describes the matrix and the grid to ELPA. Returns ELPA_OK or the error of ELPA. */
static int describe(elpa_t solver, const struct hf_matrix *a, int n_vector)
{
    const struct hf_linalg *grid = a->linalg;
    const struct {
        const char *name;
        int value;
    } settings[] = {
        {"na", a->n_row},
        {"nev", n_vector},
        {"local_nrows", a->local_row},
        {"local_ncols", a->local_col},
        {"nblk", grid->block},
        {"mpi_comm_parent", MPI_Comm_c2f(grid->members)},
        {"process_row", grid->grid_row},
        {"process_col", grid->grid_col},
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        int answer;
        elpa_set_integer(solver, settings[k].name, settings[k].value, &answer);
        if (answer != ELPA_OK) return answer;
    }
    int answer = elpa_setup(solver);
    if (answer == ELPA_OK) elpa_set_integer(solver, "solver", ELPA_SOLVER_1STAGE, &answer);
    return answer;
}

/** Collective over the grid; each rank returns its own status. */
static hf_status solve_inside(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z,
                              int n_vector, struct hf_error *error)
{
    struct hf_memory *memory = a->linalg->context->memory;
    const size_t work_bytes = 2 * hf_local_size(a) * sizeof *a->data; /* of divide and conquer */
    int answer = ELPA_ERROR, unheard;
    mirror(a, z);
    hf_memory_count(memory, HF_MEMORY_MATRIX, "diagonalisation", work_bytes);
    elpa_t solver = elpa_init(API) == ELPA_OK ? elpa_allocate(&answer) : NULL;
    if (answer == ELPA_OK) answer = describe(solver, a, n_vector);
    if (answer == ELPA_OK) elpa_eigenvectors_double(solver, a->data, eigenvalue, z->data, &answer);
    if (solver != NULL) elpa_deallocate(solver, &unheard);
    hf_memory_discount(memory, HF_MEMORY_MATRIX, work_bytes);
    if (answer == ELPA_OK) return HF_OK;
    return hf_fail(error, HF_NO_RESOURCE,
                   "ELPA could not diagonalise a matrix of order %d (answer %d)", a->n_row, answer);
}

/** Results of ELPA may differ from rank to rank, so the status is agreed. */
static hf_status solve(struct hf_matrix *a, double eigenvalue[], struct hf_matrix *z, int n_vector,
                       struct hf_error *error)
{
    hf_status status = HF_OK;
    if (a->linalg->inside) status = solve_inside(a, eigenvalue, z, n_vector, error);
    return hf_agree(a->linalg->context->comm, status, error);
}

const struct hf_eigensolver hf_eigensolver_elpa = {
    .name = "ELPA", .smallest_order = 1000, .serves = serves, .solve = solve};

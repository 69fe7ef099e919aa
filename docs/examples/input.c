/* Energy, dipole moment and orbital energies of an input file, on as many ranks as mpiexec starts.
 * Build: cc input.c $(pkg-config --cflags --libs hf) */
#include <hf/hf.h>
#include <stdio.h>

static void print(const struct hf_run_outcome *outcome)
{
    const struct hf_scf_result *result = &outcome->result;
    const struct hf_orbitals *orbitals = &outcome->wavefunction.spin[0];
    for (int i = 0; i < outcome->n_warning; i++) printf("Warning: %s\n", outcome->warning[i]);
    printf("%s, %d functions, %d iterations, %s\n", outcome->basis->name, result->n_function,
           outcome->record->n_iteration, result->converged ? "converged" : "NOT CONVERGED");
    printf("Energy %.10f hartree\n", result->energy);
    printf("Dipole %.6f %.6f %.6f e bohr\n", result->dipole[0], result->dipole[1],
           result->dipole[2]);
    for (int i = 0; i < orbitals->n_orbital; i++)
        printf("Orbital %3d %10.6f hartree %2.0f electrons\n", i + 1, orbitals->energy[i],
               orbitals->occupation[i]);
}

int main(int argc, char **argv)
{
    struct hf_run_settings settings = {0};
    struct hf_run_outcome outcome;
    struct hf_error error;
    int level = 0, rank = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    settings.input_path = argc > 1 ? argv[1] : "water.mol";
    hf_status status = hf_run(MPI_COMM_WORLD, &settings, &outcome, &error);
    if (rank == 0 && status == HF_OK) print(&outcome);
    if (rank == 0 && status != HF_OK) fprintf(stderr, "%s\n", error.message);
    hf_run_done(&outcome);
    hf_leave_mpi(outcome.stuck_in_mpi, status); /* MPI_Finalize, unless that would hang */
    return status;
}

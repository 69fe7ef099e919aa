/* Follows the gradient of a molecule of hydrogen fluoride downhill, on as many ranks as mpiexec starts.
 * Build: cc gradient.c $(pkg-config --cflags --libs hf) */
#include <hf/hf.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static const int atomic_number[2] = {9, 1};
    double place[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.9}}, force = 1.0;
    const struct hf_run_key key[] = {{"basis", "6-31G*"}, {"task", "gradient"}};
    struct hf_error error;
    int level = 0, rank = 0;
    bool stuck = false;
    hf_status status = HF_OK;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 30 && status == HF_OK && fabs(force) > 1e-5; step++) {
        struct hf_run_outcome outcome;
        struct hf_run_settings settings = {0};
        settings.n_atom = 2;
        settings.atomic_number = atomic_number;
        settings.position_bohr = (const double(*)[3])place;
        settings.n_key = 2;
        settings.key = key;
        status = hf_run(MPI_COMM_WORLD, &settings, &outcome, &error);
        if (status == HF_OK && outcome.gradient != NULL) {
            force = -outcome.gradient[1][2];
            if (rank == 0)
                printf("%2d  R %.6f bohr  E %.8f hartree  force %9.6f\n", step, place[1][2],
                       outcome.energy, force);
            place[1][2] += 0.9 * force; /* about 1 over the force constant */
        }
        stuck |= outcome.stuck_in_mpi;
        hf_run_done(&outcome);
    }
    if (rank == 0 && status != HF_OK) fprintf(stderr, "%s\n", error.message);
    hf_leave_mpi(stuck, status);
    return status;
}

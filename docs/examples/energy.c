/* The energy of water with the library. Build: cc energy.c $(pkg-config --cflags --libs hf) */
#include <hf/hf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const int atomic_number[] = {8, 1, 1};
    const double position_bohr[][3] = {
        {0.0, 0.0, 0.22166487}, {0.0, 1.43090062, -0.88665950}, {0.0, -1.43090062, -0.88665950}};
    double energy = 0.0;
    struct hf_error error;
    int rank = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hf_status status = hf_energy(MPI_COMM_WORLD, 3, atomic_number, position_bohr, 0, 1, "cc-pVDZ",
                                 &energy, &error);
    if (rank == 0 && status == HF_OK) printf("%.10f hartree\n", energy);
    if (rank == 0 && status != HF_OK) fprintf(stderr, "%s\n", error.message);
    MPI_Finalize();
    return status;
}

/* Checkpoints as files: those that cannot be written, and what is kept of core potentials and told of
 * damage to them. */
#include "checkpoint_fixture.h"

#include "checkpoint/checkpoint.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

/** Tries to write, with the limit of file sizes that rank 0 has. */
static hf_status write_again(struct hf_context *context, const struct hf_basis *basis,
                             const char *where, struct hf_error *failure)
{
    struct hf_scf_state state = {.method = "rhf",
                                 .n_function = basis->n_function,
                                 .n_orbital = basis->n_function,
                                 .n_spin = 1,
                                 .n_fock = 1,
                                 .n_density = 1,
                                 .threshold = INFINITY};
    double *zeros = calloc((size_t)basis->n_function, sizeof *zeros);
    const struct hf_checkpoint_content content = {
        .molecule = &molecule, .basis = basis, .basis_requested = "x"};
    state.spin[0] = (struct hf_orbitals){
        .n_orbital = basis->n_function, .n_occupied = 5, .energy = zeros, .occupation = zeros};
    const hf_status status =
        hf_checkpoint_write(context, where, &content, &state, HF_KEEP_ITERATION, failure);
    free(zeros);
    return status;
}

TEST_IN(a_file_that_cannot_be_written_stays_as_it_was, make_folder, NULL)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_checkpoint read;
    struct rlimit limit;
    char nowhere[sizeof path + 20], part[sizeof path + 20];
    snprintf(nowhere, sizeof nowhere, "%s/none/x.h5", folder);
    snprintf(part, sizeof part, "%s.part", path);
    assert_ok(write_again(context, basis, path, &error));
    assert_failure(write_again(context, basis, nowhere, &error), HF_NO_RESOURCE, &error,
                   "No such file or directory");

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit low = {.rlim_cur = 4096, .rlim_max = limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const hf_status limited = write_again(context, basis, path, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_failure(limited, HF_NO_RESOURCE, &error, "File too large");

    int other = -1; /* another run that is alive */
    if (rank_here() == 0) {
        assert_int_equal(access(part, F_OK), -1);
        other = open(part, O_RDWR | O_CREAT, 0666);
        assert_int_equal(flock(other, LOCK_EX), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert_failure(write_again(context, basis, path, &error), HF_NO_RESOURCE, &error,
                   "another run is writing it");
    if (other >= 0) close(other); /* it is dead: its file is taken over */
    MPI_Barrier(MPI_COMM_WORLD);
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    hf_checkpoint_done(&read);
    assert_ok(write_again(context, basis, path, &error));
    if (rank_here() == 0) assert_int_equal(access(part, F_OK), -1);
    hf_basis_destroy(&basis);
}

/** Overwrites the only element of an array of integers. */
static void overwrite(const char *name, int value)
{
    if (rank_here() == 0) {
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t dataset = H5Dopen(file, name, H5P_DEFAULT);
        assert_true(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
        H5Dclose(dataset);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** A number of a checkpoint that is changed, what it was, and what the reader says of it. */
struct damage {
    const char *name;
    int value, right;
    const char *message;
};

static void refuse_damage(struct hf_context *context, size_t n, const struct damage damage[])
{
    struct hf_checkpoint read;
    for (size_t i = 0; i < n; i++) {
        overwrite(damage[i].name, damage[i].value);
        assert_int_equal(hf_checkpoint_load(context, path, &read, &error), HF_BAD_INPUT);
        if (strstr(error.message, damage[i].message) == NULL) print_error("%s\n", error.message);
        assert_non_null(strstr(error.message, damage[i].message));
        overwrite(damage[i].name, damage[i].right);
    }
}

TEST(core_potentials_are_kept_and_compared)
{
    static const struct damage damage[] = {
        {"/basis/core_terms", 9, 2, "/basis/core_terms: potential 1 has 9"},
        {"/basis/core_terms", 1, 2, "/basis has 2 terms of core potentials for 1"},
        {"/basis/core_electrons", 3, 2, "atom 1 (O) has a core of 3 electrons"},
        {"/basis/core_electrons", 4, 2, "/basis is not what its hash is of"},
        {"/basis/core_angular_momenta", 9, 1, "goes up to l = 9"},
    };
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_checkpoint read;
    struct hf_core_term term[] = {{1, 0, 3.5, -12.25}, {0, -1, 2.5, 7.0}};
    const struct hf_core_potential potential = {
        .atom = 0, .n_core = 2, .max_l = 1, .n_term = 2, .term = term};
    assert_ok(hf_basis_set_core_potentials(&molecule, 1, &potential, basis, &error));
    assert_ok(write_again(context, basis, path, &error));
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    assert_int_equal(read.basis->n_core_potential, 1);
    assert_int_equal(read.molecule.atom[0].n_core, 2);
    for (int k = 0; k < 2; k++) {
        const struct hf_core_term *kept = &read.basis->core_potential[0].term[k];
        assert_true(kept->l == term[k].l && kept->power == term[k].power &&
                    kept->exponent == term[k].exponent && kept->coefficient == term[k].coefficient);
    }
    assert_ok(hf_checkpoint_compare(&read, "rhf", &molecule, basis, &error));
    term[1].coefficient = 7.5;
    assert_ok(hf_basis_set_core_potentials(&molecule, 1, &potential, basis, &error));
    assert_failure(hf_checkpoint_compare(&read, "rhf", &molecule, basis, &error), HF_BAD_INPUT,
                   &error, "other effective core potentials");
    hf_checkpoint_done(&read);
    refuse_damage(context, sizeof damage / sizeof damage[0], damage);
    hf_basis_destroy(&basis);
}

TEST(numbers_out_of_their_range_are_refused)
{
    static const struct damage damage[] = {
        {"/state/converged", 2, 0, "/state/converged has the number 2; expected 0 to 1"},
        {"/state/n_spin", 3, 1, "/state/n_spin has the number 3; expected 1 to 2"},
        {"/state/n_density", 0, 1, "/state/n_density has the number 0; expected 1 to 2"},
        {"/state/n_diis", -1, 0, "/state/n_diis has the number -1; expected 0 to 1000"},
        {"/state/n_column", 99, 0, "/state: 99 orbitals"},
    };
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_checkpoint read;
    assert_ok(write_again(context, basis, path, &error));
    refuse_damage(context, sizeof damage / sizeof damage[0], damage);
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    hf_checkpoint_done(&read);
    hf_basis_destroy(&basis);
}

/** Layout 1 had one Fock matrix and one density, and did not say so. */
TEST_IN(the_first_layout_is_read, NULL, remove_folder)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_checkpoint read;
    assert_ok(write_again(context, basis, path, &error));
    if (rank_here() == 0) {
        const int version = HF_CHECKPOINT_CLOSED_SHELLS;
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
        assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
        assert_true(H5Ldelete(file, "/state/n_fock", H5P_DEFAULT) >= 0);
        assert_true(H5Ldelete(file, "/state/n_density", H5P_DEFAULT) >= 0);
        H5Aclose(attribute);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    assert_int_equal(read.version, HF_CHECKPOINT_CLOSED_SHELLS);
    assert_true(read.state.n_spin == 1 && read.state.n_fock == 1 && read.state.n_density == 1);
    assert_true(isinf(read.state.threshold));
    hf_checkpoint_done(&read);
    hf_basis_destroy(&basis);
}

int main(int argc, char **argv)
{
    hf_checkpoint_leave_open_at_exit();
    HF_RUN_MPI_TESTS(argc, argv, false);
}

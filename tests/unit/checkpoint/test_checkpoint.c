/* Checkpoints: written by all ranks, read by fewer, gone on from; damaged, cut and foreign ones.
 * argv[1] is the builder of the run that writes. */
#include "checkpoint_fixture.h"

#include "checkpoint/checkpoint.h"
#include "hf/scf.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *builder = "replicated";

/** A run that writes checkpoints. */
struct writer {
    struct hf_context *context;
    struct hf_checkpoint_content content;
    int n_seen, stop_after; /**< no more after so many between iterations */
    int n_written;
    struct hf_error error;
};

static bool is_wanted(void *data, enum hf_keep_reason reason)
{
    struct writer *writer = data;
    return reason == HF_KEEP_FINISHED || writer->n_seen++ < writer->stop_after;
}

static hf_status keep(void *data, const struct hf_scf_state *state, enum hf_keep_reason reason,
                      struct hf_error *failure)
{
    struct writer *writer = data;
    assert_non_null(state);
    const hf_status status =
        hf_checkpoint_write(writer->context, path, &writer->content, state, reason, failure);
    assert_ok(status);
    writer->n_written++;
    return HF_OK;
}

static struct hf_scf_settings settings_of(const char *name, int max_iteration)
{
    struct hf_scf_settings settings = hf_scf_defaults();
    settings.fock.builder = name;
    settings.max_iteration = max_iteration;
    settings.energy_tolerance = 1e-10;
    settings.commutator_tolerance = 1e-7;
    return settings;
}

static const struct hf_checkpoint_setting given[] = {{"diis_size", "8"}, {"fock", "replicated"}};
static const struct hf_scf_iteration earlier[] = {
    {.number = 1, .energy = -70.5, .energy_change = -70.5, .seconds = 0.5}};

/** Runs so many iterations and leaves a checkpoint at `path`. */
static void write_checkpoint(struct hf_context *context, const struct hf_basis *basis,
                             int max_iteration, struct hf_scf_result *result)
{
    struct writer writer = {.context = context,
                            .content = {.molecule = &molecule,
                                        .basis = basis,
                                        .basis_requested = "6-31G*; atom 2 cc-pVDZ",
                                        .n_setting = 2,
                                        .setting = given,
                                        .n_earlier = 1,
                                        .earlier = earlier,
                                        .seconds = 12.5},
                            .stop_after = 100};
    const struct hf_scf_keeper keeper = {.wanted = is_wanted, .keep = keep, .data = &writer};
    struct hf_scf_settings settings = settings_of(builder, max_iteration);
    settings.keeper = &keeper;
    assert_ok(hf_scf_run(context, &molecule, basis, &settings, NULL, result, NULL, &error));
    assert_int_equal(writer.n_written, result->n_iteration);
}

static void check_description(const struct hf_checkpoint *read, const struct hf_basis *basis)
{
    assert_int_equal(read->version, HF_CHECKPOINT_VERSION);
    assert_string_equal(read->molecule.title, molecule.title);
    assert_int_equal(read->molecule.n_atom, 4);
    assert_memory_equal(read->molecule.atom[1].position_bohr, molecule.atom[1].position_bohr,
                        sizeof molecule.atom[1].position_bohr);
    assert_true(read->molecule.atom[3].ghost && !read->molecule.atom[2].ghost);
    assert_int_equal(read->molecule.environment.n_charge, 2);
    assert_true(read->molecule.environment.charge[1].position_bohr[2] == 12.0);
    assert_true(read->molecule.environment.field[1] == 1e-3);
    assert_int_equal(read->basis->n_function, basis->n_function);
    for (int i = 0; i < basis->n_shell; i++) {
        const struct hf_shell *a = &basis->shell[i], *b = &read->basis->shell[i];
        const size_t bytes = (size_t)a->n_primitive * sizeof(double);
        assert_int_equal(a->first_function, b->first_function);
        assert_int_equal(a->spherical, b->spherical);
        assert_memory_equal(a->exponent, b->exponent, bytes);
        assert_memory_equal(a->coefficient, b->coefficient, bytes);
        assert_memory_equal(a->centre_bohr, b->centre_bohr, sizeof a->centre_bohr);
    }
    assert_memory_equal(basis->first_shell_of_atom, read->basis->first_shell_of_atom,
                        5 * sizeof(int));
    assert_string_equal(read->basis->citation, basis->citation);
    assert_string_equal(read->basis_requested, "6-31G*; atom 2 cc-pVDZ");
    assert_string_equal(hf_checkpoint_setting(read, "fock"), "replicated");
    assert_null(hf_checkpoint_setting(read, "guess"));
    assert_int_equal(read->n_iteration, 1);
    assert_true(read->iteration[0].energy == -70.5 && read->seconds == 12.5);
    assert_ok(hf_checkpoint_compare(read, "rhf", &molecule, basis, &error));
}

TEST_IN(a_checkpoint_holds_the_calculation, make_folder, NULL)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_scf_result result;
    struct hf_checkpoint read;
    write_checkpoint(context, basis, 100, &result);
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    check_description(&read, basis);
    assert_true(read.converged && read.reason == HF_KEEP_FINISHED);
    assert_true(read.state.energy == result.energy);
    assert_int_equal(read.state.n_column[0], result.n_orbital);
    assert_int_equal(read.spin[0].n_occupied, 5);
    assert_true(read.spin[0].occupation[4] == 2.0 && read.spin[0].occupation[5] == 0.0);
    assert_true(read.spin[0].energy[0] < -20.0);
    assert_true((read.file != NULL) == (context->rank == 0));
    hf_checkpoint_done(&read);
    hf_basis_destroy(&basis);
}

/** Ranks 0 .. n-1 go on, with the other builder. */
static void go_on(int n, double energy, int n_iteration)
{
    MPI_Comm comm;
    struct hf_context *context = NULL;
    struct hf_checkpoint read;
    struct hf_scf_result result;
    MPI_Comm_split(MPI_COMM_WORLD, rank_here() < n ? 0 : MPI_UNDEFINED, 0, &comm);
    if (comm == MPI_COMM_NULL) return;
    assert_ok(hf_context_create(comm, &context, &error));
    hf_status status = hf_checkpoint_load(context, path, &read, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
    assert_true(read.reason == HF_KEEP_FINISHED && !read.converged);
    struct hf_scf_settings settings =
        settings_of(strcmp(builder, "replicated") == 0 ? "distributed" : "replicated", 100);
    settings.restart = &read.state;
    status =
        hf_scf_run(context, &read.molecule, read.basis, &settings, NULL, &result, NULL, &error);
    if (status != HF_OK) print_error("%s\n", error.message);
    assert_ok(status);
    assert_true(result.converged);
    assert_true(fabs(result.energy - energy) < 1e-10);
    assert_true(abs(result.n_iteration - n_iteration) <= 1);
    hf_checkpoint_done(&read);
    test_context_done(&context);
    MPI_Comm_free(&comm);
}

TEST(other_ranks_go_on)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_scf_settings settings = settings_of("replicated", 100);
    struct hf_scf_result whole, part;
    assert_ok(hf_scf_run(context, &molecule, basis, &settings, NULL, &whole, NULL, &error));
    write_checkpoint(context, basis, 4, &part);
    assert_false(part.converged);
    for (int n = 1; n <= rank_count(); n++) {
        go_on(n, whole.energy, whole.n_iteration);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    hf_basis_destroy(&basis);
}

/** The bytes of the file; to be freed. */
static unsigned char *read_bytes(size_t *n)
{
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    *n = (size_t)file.st_size;
    unsigned char *bytes = malloc(*n);
    FILE *stream = fopen(path, "rb");
    assert_true(bytes != NULL && stream != NULL);
    assert_int_equal(fread(bytes, 1, *n, stream), *n);
    fclose(stream);
    return bytes;
}

/** What a reader of an image says, and what reading its matrices does. */
static hf_status try_image(size_t n, const unsigned char *bytes, struct hf_error *failure)
{
    struct hf_checkpoint read;
    hf_status status = hf_checkpoint_read_image(n, bytes, "image", &read, failure);
    if (status != HF_OK) {
        assert_memory_equal(failure->message, "image: ", 7);
        assert_null(strchr(failure->message, '\n'));
        return status;
    }
    double *rows = calloc((size_t)read.state.n_column[0] + 1, sizeof *rows);
    for (int i = 0; i < read.state.n_function && status == HF_OK; i++)
        status = read.state.read(read.state.data, HF_RESTART_ORBITALS, 0, 0, i, 1, rows, failure);
    free(rows);
    hf_checkpoint_done(&read);
    return status;
}

TEST(damage_is_told_or_does_no_harm)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context);
    struct hf_scf_result result;
    write_checkpoint(context, basis, 2, &result);
    if (rank_here() == 0) {
        size_t n;
        uint32_t seed = 7;
        unsigned char *bytes = read_bytes(&n);
        assert_ok(try_image(n, bytes, &error));
        for (int i = 0; i < 60; i++) /* cut */
            assert_int_equal(try_image(n * (size_t)i / 60, bytes, &error), HF_BAD_INPUT);
        int n_refused = 0;
        for (int i = 0; i < 1500; i++) { /* overwritten, mostly among the headers */
            seed = seed * 1664525u + 1013904223u;
            const size_t at = (seed >> 8) % (i % 2 == 0 ? n : n / 8);
            const unsigned char kept = bytes[at];
            bytes[at] ^= (unsigned char)(1 + seed % 255);
            n_refused += try_image(n, bytes, &error) != HF_OK;
            bytes[at] = kept;
        }
        assert_true(n_refused > 100);
        free(bytes);
    }
    hf_basis_destroy(&basis);
}

TEST(other_files_are_refused)
{
    TEST_CONTEXT(context);
    struct hf_checkpoint read;
    char other[sizeof path];
    snprintf(other, sizeof other, "%s/other", folder);
    assert_failure(hf_checkpoint_load(context, other, &read, &error), HF_BAD_INPUT, &error,
                   "no such checkpoint");
    assert_failure(hf_checkpoint_load(context, folder, &read, &error), HF_BAD_INPUT, &error,
                   "not a file");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_here() == 0) {
        FILE *stream = fopen(other, "w");
        assert_non_null(stream);
        fprintf(stream, "O 0 0 0\n");
        fclose(stream);
        assert_failure(hf_checkpoint_check_target(other, &error), HF_BAD_INPUT, &error,
                       "no checkpoint");
        assert_int_equal(hf_checkpoint_check_target("/dev/null", &error), HF_BAD_INPUT);
        assert_int_equal(hf_checkpoint_check_target(folder, &error), HF_BAD_INPUT);
        assert_ok(hf_checkpoint_check_target(path, &error));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert_failure(hf_checkpoint_load(context, other, &read, &error), HF_BAD_INPUT, &error,
                   "not a checkpoint of hf");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_here() == 0) unlink(other);
}

TEST_IN(differences_are_named, NULL, remove_folder)
{
    TEST_CONTEXT(context);
    struct hf_basis *basis = make_basis(context), *other_basis = NULL;
    struct hf_scf_result result;
    struct hf_checkpoint read;
    struct hf_atom moved[4];
    struct hf_molecule other = molecule;
    const struct hf_basis_choice choice = {.atom = -1, .name = "STO-3G"};
    write_checkpoint(context, basis, 1, &result);
    assert_ok(hf_checkpoint_load(context, path, &read, &error));
    memcpy(moved, molecule.atom, sizeof moved);
    other.atom = moved;
    moved[2].position_bohr[1] += 1e-12;
    assert_ok(hf_checkpoint_compare(&read, "rhf", &other, basis, &error));
    moved[2].position_bohr[1] += 1e-3;
    assert_failure(hf_checkpoint_compare(&read, "rhf", &other, basis, &error), HF_BAD_INPUT, &error,
                   "atom 3 is at");
    assert_non_null(strstr(error.message, "--guess"));
    moved[2].atomic_number = 9;
    assert_failure(hf_checkpoint_compare(&read, "rhf", &other, basis, &error), HF_BAD_INPUT, &error,
                   "atom 3 is H instead of F");
    other = molecule;
    other.charge = 2;
    assert_failure(hf_checkpoint_compare(&read, "rhf", &other, basis, &error), HF_BAD_INPUT, &error,
                   "charge +0 instead of +2");
    other = molecule;
    other.environment.field[0] = 0.1;
    assert_failure(hf_checkpoint_compare(&read, "rhf", &other, basis, &error), HF_BAD_INPUT, &error,
                   "field");
    assert_ok(hf_basis_create(context, &molecule, 1, &choice, HF_CONVENTION_AS_DEFINED,
                              &other_basis, &error));
    assert_failure(hf_checkpoint_compare(&read, "rhf", &molecule, other_basis, &error),
                   HF_BAD_INPUT, &error, "STO-3G");
    assert_failure(hf_checkpoint_compare(&read, "uhf", &molecule, basis, &error), HF_BAD_INPUT,
                   &error, "method rhf instead of uhf");
    assert_non_null(strstr(error.message, "--guess"));
    hf_basis_destroy(&other_basis);
    hf_checkpoint_done(&read);
    hf_basis_destroy(&basis);
}

int main(int argc, char **argv)
{
    hf_checkpoint_leave_open_at_exit();
    if (argc > 1) builder = argv[1];
    HF_RUN_MPI_TESTS(argc, argv, false);
}

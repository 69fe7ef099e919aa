/* Where atoms stand close together as in a liquid: the list of shell pairs lies once on a node, and
 * with distributed data all that its ranks hold together hardly grows with them. argv[1]: waters on
 * the side of a cube. */
#include "scf_test.h"

enum { MOST_SIDE = 3, MOST_ATOM = 3 * MOST_SIDE * MOST_SIDE * MOST_SIDE };

static int n_side;

/** Waters on a cubic lattice, as far from each other as in the liquid. */
static void make_cluster(struct hf_atom atom[MOST_ATOM], struct hf_molecule *molecule)
{
    const double apart = 5.87; /* bohr: 3.1 angstrom */
    struct test_molecule water;
    test_water(&water);
    *molecule = (struct hf_molecule){.atom = atom, .multiplicity = 1};
    for (int k = 0; k < n_side * n_side * n_side; k++) {
        const double shift[3] = {apart * (k % n_side), apart * (k / n_side % n_side),
                                 apart * (k / n_side / n_side)};
        for (int a = 0; a < 3; a++) {
            struct hf_atom *made = &atom[molecule->n_atom++];
            *made = water.atom[a];
            for (int d = 0; d < 3; d++) made->position_bohr[d] += shift[d];
        }
    }
}

/** Peak bytes, sums over the ranks. */
struct memory_found {
    double pairs, matrices;
};

/** Two iterations on the first `n_rank` ranks. */
static struct memory_found run_on(int n_rank, const char *builder)
{
    struct memory_found found = {0.0, 0.0};
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank_here() < n_rank ? 0 : MPI_UNDEFINED, 0, &comm);
    if (comm != MPI_COMM_NULL) {
        struct hf_atom atom[MOST_ATOM];
        struct hf_molecule molecule;
        struct hf_context *context = NULL;
        struct hf_scf_result result;
        struct hf_scf_settings settings = test_settings();
        settings.max_iteration = 2;
        settings.screening_threshold = 1e-8;
        settings.fock.builder = builder;
        settings.fock.onesided.transport = "thread";
        make_cluster(atom, &molecule);
        assert_ok(hf_context_create(comm, &context, &error));
        assert_ok(test_run(context, &molecule, "cc-pVDZ", &settings, &result, &error));
        found.pairs = (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_PAIRS);
        found.matrices = (double)hf_memory_class_peak_bytes(context->memory, HF_MEMORY_MATRIX);
        MPI_Allreduce(MPI_IN_PLACE, &found, 2, MPI_DOUBLE, MPI_SUM, comm);
        if (context->rank == 0)
            print_message("%s on %d: shell pairs %.2f, matrices %.2f MB\n", builder, n_rank,
                          1e-6 * found.pairs, 1e-6 * found.matrices);
        hf_context_destroy(&context);
        MPI_Comm_free(&comm);
    }
    MPI_Bcast(&found, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return found;
}

TEST(the_list_of_pairs_lies_once_on_a_node)
{
    const struct memory_found alone = run_on(1, "replicated");
    for (int n = 2; n <= rank_count(); n *= 2) {
        const struct memory_found shared = run_on(n, "replicated");
        assert_true(alone.pairs > 0.0 && shared.pairs <= 1.02 * alone.pairs);
    }
}

TEST(distributed_memory_of_a_node_hardly_grows_with_its_ranks)
{
    /* Steps under way and work spaces that do not shrink with matrices count less in larger ones. */
    const double most = n_side < 3 ? 1.4 : 1.15;
    const struct memory_found alone = run_on(1, "distributed");
    for (int n = 2; n <= rank_count(); n *= 2) {
        const struct memory_found shared = run_on(n, "distributed");
        assert_true(shared.pairs + shared.matrices < most * (alone.pairs + alone.matrices));
    }
}

int main(int argc, char **argv)
{
    n_side = argc > 1 ? atoi(argv[1]) : 2;
    assert_true(n_side >= 1 && n_side <= MOST_SIDE);
    HF_RUN_MPI_TESTS(argc, argv, false);
}

/* Calculations in memory: sessions and many molecules, with the same answers on any number of ranks. */
#include "../mpi_test.h"

#include "hf/hf.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/** Hydrogen, `apart` bohr from each other, in version 2 of the schema. */
static const char *hydrogen(double apart, const char *basis)
{
    static char text[600];
    snprintf(
        text, sizeof text,
        "{\"schema_name\": \"qcschema_atomic_input\", \"schema_version\": 2, \"id\": \"h2\","
        "\"molecule\": {\"symbols\": [\"H\", \"H\"], \"geometry\": [0, 0, 0, 0, 0, %.4f]},"
        "\"specification\": {\"driver\": \"energy\", \"model\": {\"method\": \"hf\", \"basis\": "
        "\"%s\"}, \"protocols\": {\"stdout\": false}}}",
        apart, basis);
    return text;
}

static double result_of(const char *answer)
{
    const char *key = "\"return_result\":", *at = strstr(answer, key);
    if (at == NULL) fail_msg("no result in %s", answer);
    return atof(at + strlen(key));
}

/** Restricted Hartree-Fock of hydrogen at 1.4 bohr in STO-3G: Szabo and Ostlund, table 3.13. */
static const double at_14 = -1.1167;

TEST(an_answer_is_on_every_rank)
{
    char *answer;
    assert_ok(hf_run_json(MPI_COMM_WORLD, hydrogen(1.4, "STO-3G"), &answer, &error));
    assert_float_equal(result_of(answer), at_14, 1e-4);
    assert_non_null(strstr(answer, "\"id\":\"h2\""));
    assert_null(strstr(answer, "\"stdout\":\"")); /* the report */
    free(answer);
}

TEST(a_session_starts_from_the_last_orbitals)
{
    struct hf_session *session;
    const char *answer;
    char *alone;
    int n_rank, rank, n_all;
    assert_ok(hf_session_create(MPI_COMM_WORLD, &session, &error));
    hf_session_size(session, &n_rank, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_all);
    assert_int_equal(n_rank, n_all);
    assert_ok(hf_session_run(session, hydrogen(1.4, "6-31G"), &answer, &error));
    assert_ok(hf_session_run(session, hydrogen(1.401, "6-31G"), &answer, &error));
    assert_ok(hf_run_json(MPI_COMM_WORLD, hydrogen(1.401, "6-31G"), &alone, &error));
    const char *key = "\"scf_iterations\":";
    assert_true(atoi(strstr(answer, key) + strlen(key)) < atoi(strstr(alone, key) + strlen(key)));
    assert_float_equal(result_of(answer), result_of(alone), 1e-8);
    free(alone);
    hf_session_destroy(&session);
    assert_null(session);
}

TEST(a_failure_is_an_answer)
{
    struct hf_session *session;
    const char *answer;
    assert_ok(hf_session_create(MPI_COMM_WORLD, &session, &error));
    assert_ok(hf_session_run(session, hydrogen(1.4, "nonsense"), &answer, &error));
    assert_non_null(strstr(answer, "unknown basis set \\\"nonsense\\\""));
    assert_non_null(strstr(answer, "\"schema_name\":\"qcschema_failed_operation\""));
    assert_ok(hf_session_run(session, "no input", &answer, &error));
    assert_non_null(strstr(answer, "\"success\":false"));
    assert_int_equal(hf_session_run(session, NULL, &answer, &error), HF_BAD_INPUT);
    assert_ok(hf_session_run(session, hydrogen(1.4, "STO-3G"), &answer, &error));
    assert_float_equal(result_of(answer), at_14, 1e-4);
    hf_session_destroy(&session);
}

TEST(ranks_have_the_same_input)
{
    struct hf_session *session;
    const char *answer;
    int n_rank, rank;
    assert_ok(hf_session_create(MPI_COMM_WORLD, &session, &error));
    hf_session_size(session, &n_rank, &rank);
    const hf_status status =
        hf_session_run(session, hydrogen(1.4 + rank, "STO-3G"), &answer, &error);
    assert_int_equal(status, n_rank > 1 ? HF_BAD_INPUT : HF_OK);
    if (n_rank > 1) assert_non_null(strstr(error.message, "the input"));
    hf_session_destroy(&session);
}

/** Inputs and answers of a test. */
struct many {
    int n, n_next, n_result, n_failed;
    double energy[40];
    int stop_after; /**< answers */
};

static const char *next(void *data)
{
    struct many *self = data;
    if (self->n_next == self->n) return NULL;
    const int i = self->n_next++;
    return i == 3 ? "no input" : hydrogen(1.3 + 0.01 * i, "STO-3G");
}

static void take(void *data, long long i, const char *answer)
{
    struct many *self = data;
    self->n_result++;
    if (strstr(answer, "\"success\":false") != NULL)
        self->n_failed++;
    else
        self->energy[i] = result_of(answer);
}

static int ask(void *data, double fraction)
{
    const struct many *self = data;
    (void)fraction;
    return self->stop_after > 0 && self->n_result >= self->stop_after ? SIGUSR1 : 0;
}

TEST(many_molecules_are_dealt_to_the_ranks)
{
    struct hf_session *session;
    struct many many = {.n = 20};
    const struct hf_run_key key = {"threads", "1"}, wrong = {"thraeds", "1"},
                            unknown_here = {"json", "hf.json"}, basis = {"basis", "6-31G"};
    struct hf_run_each_settings settings = {next, take, ask, &many, 1, &key};
    const char *answer;
    bool good = true;
    int n_rank, rank;
    assert_ok(hf_session_create(MPI_COMM_WORLD, &session, &error));
    hf_session_size(session, &n_rank, &rank);
    assert_ok(hf_run_each(session, &settings, &good, &error));
    assert_false(good);
    assert_int_equal(many.n_result, rank == 0 ? 20 : 0);
    assert_int_equal(many.n_failed, rank == 0 ? 1 : 0);
    if (rank == 0) assert_float_equal(many.energy[10], at_14, 1e-4);
    settings.key = &wrong;
    assert_int_equal(hf_run_each(session, &settings, &good, &error), HF_BAD_INPUT);
    assert_non_null(strstr(error.message, "unknown key 'thraeds'; did you mean threads"));
    settings.key = &unknown_here;
    assert_int_equal(hf_run_each(session, &settings, &good, &error), HF_BAD_INPUT);
    assert_string_equal(error.message, "json is no setting of calculations in memory");
    if (rank > 0) settings.n_key = 0;
    settings.key = &basis;
    many = (struct many){.n = 0};
    assert_int_equal(hf_run_each(session, &settings, &good, &error),
                     n_rank > 1 ? HF_BAD_INPUT : HF_OK);
    settings.n_key = 1;
    many = (struct many){.n = 40, .stop_after = 1};
    settings.key = &key;
    for (int turn = 0; turn < 2; turn++) { /* a request that comes, or may come too late */
        const hf_status status = hf_run_each(session, &settings, &good, &error);
        assert_true(status == HF_INTERRUPTED || status == HF_OK);
        assert_ok(hf_session_run(session, hydrogen(1.4, "STO-3G"), &answer, &error));
        assert_float_equal(result_of(answer), at_14, 1e-4);
    }
    hf_session_destroy(&session);
}

int main(int argc, char **argv)
{
    char *answer; /* before MPI is there */
    const hf_status early = hf_run_json(MPI_COMM_WORLD, "{}", &answer, &error);
    if (early != HF_BAD_INPUT || strstr(error.message, "MPI is not initialised") == NULL) return 1;
    HF_RUN_MPI_TESTS(argc, argv, false);
}

/* What quantities have in the JSON file, the wave function among them. */
#include "fixture.h"

#include "run/calculation.h"

extern const struct hf_quantity_ops hf_quantity_orbitals;

/** A basis that can be written: s, p and spherical d with two primitives on the first atom. */
static void complete_basis(struct fixture *f, int first_shell_of_atom[4])
{
    static const double exponent[2] = {3.0, 0.5}, coefficient[2] = {0.25, 1.5};
    for (int i = 0; i < 3; i++) {
        f->shell[i].exponent = exponent;
        f->shell[i].coefficient = coefficient;
    }
    first_shell_of_atom[0] = 0;
    for (int a = 1; a < 4; a++) first_shell_of_atom[a] = 3;
    f->basis.first_shell_of_atom = first_shell_of_atom;
}

static void check_matrix(const cJSON *wavefunction, const char *name, int n, double factor,
                         int n_row, const double full[])
{
    const cJSON *array = at(wavefunction, at(wavefunction, name)->valuestring), *number = NULL;
    const int n_col = n / n_row;
    int i = 0;
    assert_int_equal(cJSON_GetArraySize(array), n);
    cJSON_ArrayForEach(number, array)
    {
        assert_same_double(number->valuedouble, factor * full[i % n_col * n_row + i / n_col]);
        i++;
    }
}

/** What it means is checked by tests/regression/check_wavefunction.py. */
TEST_IN(the_wave_function_is_there_when_asked_for, fixture_set_up, fixture_tear_down)
{
    enum { N = 9, M = 7 };
    struct fixture *f = *state;
    struct hf_linalg *linalg = NULL;
    struct hf_orbitals *orbitals = &f->wavefunction.spin[0];
    double coefficient[N * M], density[N * N];
    int first_shell_of_atom[4];
    for (int i = 0; i < N * M; i++) coefficient[i] = 1.0 / (1.0 + i);
    for (int i = 0; i < N * N; i++) density[i] = -1.0 / (3.0 + i % N + i / N);
    complete_basis(f, first_shell_of_atom);
    assert_ok(hf_linalg_create_ext(f->context, N, 0, 2, &linalg, &error));
    assert_ok(hf_matrix_create(linalg, "C", N, M, &orbitals->coefficient, &error));
    assert_ok(hf_matrix_create(linalg, "D", N, N, &f->wavefunction.density, &error));
    hf_matrix_set_full(orbitals->coefficient, coefficient);
    hf_matrix_set_full(f->wavefunction.density, density);
    char self[256] = {0};
    const struct hf_quantity_source of = {.context = f->context, .wavefunction = &f->wavefunction};
    struct hf_quantity made = {.ops = &hf_quantity_orbitals, .of = &of, .self = self, .made = true};
    assert_true(made.ops->size <= sizeof self);
    f->run.json_orbitals = true;
    f->run.n_quantity = 1;
    f->run.quantity = &made;
    f->wavefunction.linalg = linalg;
    assert_ok(made.ops->compute(&made, &error));
    cJSON *root = write_and_parse(f, "orbitals.json");
    made.ops->done(&made);
    f->wavefunction.linalg = NULL;
    hf_matrix_destroy(&orbitals->coefficient);
    hf_matrix_destroy(&f->wavefunction.density);
    hf_linalg_destroy(&linalg);
    if (root == NULL) return;
    const cJSON *wavefunction = at(root, "wavefunction"), *basis = at(wavefunction, "basis");
    assert_string_equal(at(at(root, "protocols"), "wavefunction")->valuestring, "all");
    assert_true(cJSON_IsTrue(at(wavefunction, "restricted")));
    check_matrix(wavefunction, "orbitals_a", N * M, 1.0, N, coefficient);
    check_matrix(wavefunction, "density_a", N * N, 0.5, N, density);
    check_matrix(wavefunction, "eigenvalues_a", M, 1.0, M, orbitals->energy);
    check_matrix(wavefunction, "occupations_a", M, 0.5, M, orbitals->occupation);
    assert_string_equal(at(basis, "schema_name")->valuestring, "qcschema_basis");
    assert_int_equal(at(basis, "nbf")->valueint, N);
    assert_string_equal(cJSON_GetArrayItem(at(basis, "atom_map"), 2)->valuestring, "H3");
    const cJSON *shells = at(at(at(basis, "center_data"), "O1"), "electron_shells");
    assert_int_equal(cJSON_GetArraySize(shells), 3);
    const cJSON *d = cJSON_GetArrayItem(shells, 2);
    assert_int_equal(cJSON_GetArrayItem(at(d, "angular_momentum"), 0)->valueint, 2);
    assert_string_equal(at(d, "harmonic_type")->valuestring, "spherical");
    cJSON_Delete(root);
}

/** A hf_quantity_ops.json. */
static void add_everywhere(const struct hf_quantity *quantity, const struct hf_json_places *to)
{
    const double value = *(const double *)quantity->self;
    HF_ADD(to->properties, quantity->ops->name, value);
    HF_ADD(to->extras, quantity->ops->name, value);
    if (to->returned) HF_ADD(to->result, "return_result", value);
}

TEST_IN(what_the_task_returns_is_the_result, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    static const struct hf_quantity_ops one = {.name = "one", .json = add_everywhere},
                                        two = {.name = "two", .json = add_everywhere};
    static const struct hf_run_task task = {
        .name = "gradient", .driver = "gradient", .returns = &two};
    double value[] = {0.5, 1.5};
    struct hf_quantity quantity[] = {{.ops = &one, .self = &value[0], .made = true},
                                     {.ops = &two, .self = &value[1], .made = true}};
    f->run.task = &task;
    f->run.n_quantity = 2;
    f->run.quantity = quantity;
    for (int made = 1; made >= 0; made--) {
        quantity[1].made = made;
        cJSON *root = write_and_parse(f, "task.json");
        if (root == NULL) continue;
        const cJSON *extras = at(at(root, "extras"), "hf");
        assert_string_equal(at(root, "driver")->valuestring, "gradient");
        assert_same_double(at(at(root, "properties"), "one")->valuedouble, 0.5);
        assert_same_double(at(root, "return_result")->valuedouble, made ? 1.5 : f->result.energy);
        assert_int_equal(cJSON_HasObjectItem(extras, "two"), made);
        cJSON_Delete(root);
    }
    f->run.n_quantity = 0;
    f->run.quantity = NULL;
}

TEST_IN(a_wave_function_in_a_json_file_has_a_largest_size, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    const struct hf_quantity_source of = {.basis = &f->basis};
    struct hf_quantity orbitals = {.ops = &hf_quantity_orbitals, .of = &of};
    f->basis.n_function = 4000;
    assert_ok(orbitals.ops->plan(&orbitals, &error));
    f->basis.n_function++;
    assert_failure(orbitals.ops->plan(&orbitals, &error), HF_BAD_INPUT, &error,
                   "4001 basis functions are too many");
}

MPI_TEST_MAIN

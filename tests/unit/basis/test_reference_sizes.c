/* Number of basis functions in every reference calculation. argv[1]: tests/reference/energies.json
 */
#include "../mpi_test.h"
#include "../reference.h"

#include "hf/basis.h"

static const char *reference_path;

static bool has_cartesian_d(const struct hf_basis *basis)
{
    for (int i = 0; i < basis->n_shell; i++)
        if (basis->shell[i].l == 2 && !basis->shell[i].spherical) return true;
    return false;
}

TEST(reference_calculations_have_their_number_of_functions)
{
    TEST_CONTEXT(context);
    cJSON *root = test_read_json(reference_path);
    const cJSON *one;
    int n_case = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(root, "cases"))
    {
        struct hf_molecule molecule = test_read_molecule(one);
        const struct hf_basis_choice choice = {.atom = -1, .name = test_text_of(one, "basis")};
        struct hf_basis *basis = NULL;
        error = (struct hf_error){.message = ""};
        const hf_status status = hf_basis_create(context, &molecule, 1, &choice,
                                                 HF_CONVENTION_AS_DEFINED, &basis, &error);
        assert_string_equal(error.message, "");
        assert_ok(status);
        assert_int_equal(basis->n_function, cJSON_GetObjectItem(one, "basis_functions")->valueint);
        if (basis->max_l >= 2)
            assert_int_equal(has_cartesian_d(basis),
                             cJSON_IsTrue(cJSON_GetObjectItem(one, "cartesian")));
        hf_basis_destroy(&basis);
        hf_molecule_done(&molecule);
        n_case++;
    }
    assert_true(n_case >= 28);
    cJSON_Delete(root);
}

int main(int argc, char **argv)
{
    reference_path = argc > 1 ? argv[1] : "energies.json";
    HF_RUN_MPI_TESTS(argc, argv, false);
}

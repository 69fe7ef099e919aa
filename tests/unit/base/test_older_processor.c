/* A processor that has none of the instruction sets of this build: a message, and no instruction that it lacks. */

#include "../test.h"

#include "base/simd.h"
#include "hf/context.h"

/* In the place of those of the library. */
enum hf_instruction_set hf_instruction_set(void)
{
    return HF_PORTABLE;
}

int hf_n_kernels(void)
{
    return 0;
}

TEST(it_is_refused_in_one_line)
{
    struct hf_context *context = NULL;
    error = (struct hf_error){0};
    assert_int_equal(hf_context_create(MPI_COMM_SELF, &context, &error), HF_NO_RESOURCE);
    assert_null(context);
    assert_non_null(strstr(error.message, "-Dkernels=all"));
    assert_null(strchr(error.message, '\n'));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int n_failed = cmocka_run_group_tests(test_list, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}

/* Fuzz harness of constraints: the bytes are one, of an optimisation or of a scan. */
#include "fuzz.h"

#include "optimise/optimise.h"

#include <math.h>

enum { N_ATOM = 5, MOST = 8 };

static void require_sane(const struct hf_constraint *constraint, bool scan)
{
    static const double x[N_ATOM][3] = {
        {0.0, 0.0, 0.2}, {0.0, 1.4, -0.9}, {0.3, -1.4, -0.9}, {2.0, 0.1, 1.0}, {3.1, 2.0, 0.4}};
    FUZZ_REQUIRE(constraint->kind != HF_LINEAR_BEND);
    for (int k = 0; k < 4; k++)
        FUZZ_REQUIRE(constraint->atom[k] >= 0 && constraint->atom[k] < N_ATOM);
    FUZZ_REQUIRE(isfinite(constraint->value) && isfinite(constraint->end));
    FUZZ_REQUIRE(isfinite(hf_constraint_value(constraint, x)));
    FUZZ_REQUIRE(scan ? constraint->has_value && constraint->n_point >= 2
                      : constraint->n_point == 0 && constraint->end == constraint->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hf_molecule molecule = {.n_atom = N_ATOM, .multiplicity = 1};
    char *text = fuzz_string(data, size, 0);
    for (int scan = 0; scan < 2; scan++) {
        struct hf_constraint constraint[MOST];
        struct hf_error error = {.message = ""};
        int n = -1;
        const hf_status status =
            hf_constraint_read(text, &molecule, 1.9, scan != 0, MOST, constraint, &n, &error);
        fuzz_require_message(status, &error, "expected");
        FUZZ_REQUIRE(n >= 0 && n <= MOST && (status != HF_OK || n > 0));
        for (int i = 0; status == HF_OK && i < n; i++) require_sane(&constraint[i], scan != 0);
    }
    free(text);
    return 0;
}

/* A small made-up run: what the report and the JSON file are shown in the tests of this room. */
#ifndef HF_TEST_OUTPUT_FIXTURE_H
#define HF_TEST_OUTPUT_FIXTURE_H

#include "output/output.h"
#include "run/calculation.h"

#include "../mpi_test.h"

/** A phase that the run is timed by, after the total. */
extern const struct hf_phase fixture_phase;

/** Everything lives in the struct; nothing to free. */
struct fixture {
    struct hf_context *context;
    struct hf_atom atom[3];
    struct hf_molecule molecule;
    struct hf_shell shell[3];
    struct hf_basis basis;
    struct hf_scf_settings settings;
    struct hf_options options; /**< nothing was given; to be freed */
    double orbital_energy[7], occupation[7];
    struct hf_scf_result result;
    struct hf_wavefunction wavefunction;
    struct hf_run_description run;
    struct hf_record *record; /**< of nothing yet, measured once */
    char folder[64];          /**< temporary, the same on every rank */
};

/** A state for cmocka's *state. Collective. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/** Path of `name` in the fixture's folder, in a buffer of the caller. */
const char *fixture_path(const struct fixture *fixture, const char *name, size_t size, char path[]);

/** Whole file as a string to be freed; NULL when it cannot be read. */
char *read_whole_file(const char *path);

/** The JSON file of the run parsed; only on rank 0, elsewhere NULL. Collective. */
cJSON *write_and_parse(const struct fixture *f, const char *name);

/** The member of that name, which must be there. */
const cJSON *at(const cJSON *object, const char *name);

/** The same bits. */
void assert_same_double(double a, double b);

#endif

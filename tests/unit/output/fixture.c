/* The made-up run of fixture.h: water with one ghost in a tiny basis, numbers chosen, not computed.
 */
#include "fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

const struct hf_phase fixture_phase = {.name = "Reading"};

static char title[] = "water and a ghost";
static char basis_name[] = "tiny";
static char citation[] = "First line of the literature.\nSecond line of it.";
static const struct hf_run_task energy = {.name = "energy", .driver = "energy"};
static const char *const warnings[] = {"atoms 1 and 2 are close"};
static const char *const notes[] = {"a neutral singlet is assumed"};

static void fill_molecule(struct fixture *f)
{
    f->atom[0] = (struct hf_atom){
        .atomic_number = 8, .ghost = false, .position_bohr = {0.0, 0.0, 0.22166487}};
    f->atom[1] = (struct hf_atom){
        .atomic_number = 1, .ghost = false, .position_bohr = {0.0, 1.43090062, -0.88665950}};
    f->atom[2] = (struct hf_atom){
        .atomic_number = 1, .ghost = true, .position_bohr = {0.0, -1.43090062, -1.0 / 3.0}};
    f->molecule = (struct hf_molecule){
        .n_atom = 3, .atom = f->atom, .charge = -1, .multiplicity = 1, .title = title};
}

static void fill_basis(struct fixture *f)
{
    for (int i = 0; i < 3; i++)
        f->shell[i] = (struct hf_shell){.l = i, .spherical = i == 2, .n_primitive = 2};
    f->basis = (struct hf_basis){.name = basis_name,
                                 .citation = citation,
                                 .n_atom = 3,
                                 .n_shell = 3,
                                 .n_function = 9,
                                 .n_primitive = 6,
                                 .max_l = 2,
                                 .shell = f->shell};
}

static void fill_result(struct fixture *f)
{
    f->settings =
        (struct hf_scf_settings){.guess = "sad",
                                 .max_iteration = 100,
                                 .energy_tolerance = 1e-8,
                                 .commutator_tolerance = 1e-5,
                                 .linear_dependence_threshold = 1e-6,
                                 .screening_threshold = 1e-10,
                                 .diis_size = 8,
                                 .converger = "diis",
                                 .fock = {.builder = "replicated", .schedule = {.name = "static"}}};
    for (int i = 0; i < 7; i++) {
        f->orbital_energy[i] = -2.0 + 0.7 * i;
        f->occupation[i] = i < 5 ? 2.0 : 0.0;
    }
    f->wavefunction = (struct hf_wavefunction){.method = "rhf",
                                               .n_spin = 1,
                                               .spin[0] = {.n_orbital = 7,
                                                           .n_occupied = 5,
                                                           .energy = f->orbital_energy,
                                                           .occupation = f->occupation},
                                               .basis = &f->basis,
                                               .molecule = &f->molecule};
    f->result = (struct hf_scf_result){
        .converged = true,
        .n_iteration = 2,
        .n_function = 9,
        .n_orbital = 7,
        .n_removed = 2,
        .n_occupied = {5, 5},
        .energy = -75.1 - 1.0 / 3.0,
        .nuclear_repulsion = 4.1,
        .n_term = 2,
        .term = {{"kinetic", 75.0, 0.0}, {"nuclei", -190.0, 4.1}},
        .dipole = {0.1, 0.2, -1.0 / 7.0},
        .imbalance = 1.25,
        .last_build = {.n_quartet_total = 5000000000,
                       .n_quartet_computed = 4000000000,
                       .n_quartet_single = 3000000000,
                       .n_task = 12},
    };
}

static int make_folder(struct fixture *f)
{
    if (f->context->rank == 0) {
        snprintf(f->folder, sizeof f->folder, "hf-output-test-XXXXXX");
        if (mkdtemp(f->folder) == NULL) return -1;
    }
    hf_broadcast_bytes(f->context->comm, 0, sizeof f->folder, f->folder);
    return 0;
}

int fixture_set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL) return -1;
    f->context = test_context();
    hf_timers_declare(&f->context->timers, &hf_phase_total);
    hf_timers_declare(&f->context->timers, &fixture_phase);
    fill_molecule(f);
    fill_basis(f);
    fill_result(f);
    hf_options_init(&f->options, hf_option_table());
    f->run = (struct hf_run_description){.input_path = "water.mol",
                                         .input_format = "native",
                                         .method = "rhf",
                                         .basis_requested = "TINY",
                                         .molecule = &f->molecule,
                                         .nuclear_repulsion = 4.1,
                                         .basis = &f->basis,
                                         .settings = &f->settings,
                                         .task = &energy,
                                         .options = &f->options,
                                         .n_core = 64,
                                         .n_warning = 1,
                                         .warning = warnings,
                                         .n_note = 1,
                                         .note = notes};
    if (hf_record_create(f->context, &f->record, &error) != HF_OK) return -1;
    hf_record_measure(f->record);
    *state = f;
    return make_folder(f);
}

static void remove_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) return;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(directory);
    rmdir(folder);
}

int fixture_tear_down(void **state)
{
    struct fixture *f = *state;
    MPI_Barrier(f->context->comm);
    if (f->context->rank == 0) remove_folder(f->folder);
    hf_record_destroy(&f->record);
    hf_options_done(&f->options);
    test_context_done(&f->context);
    free(f);
    return 0;
}

const char *fixture_path(const struct fixture *fixture, const char *name, size_t size, char path[])
{
    snprintf(path, size, "%s/%s", fixture->folder, name);
    return path;
}

char *read_whole_file(const char *path)
{
    enum { LIMIT = 1 << 20 };
    FILE *file = fopen(path, "r");
    if (file == NULL) return NULL;
    char *text = calloc(LIMIT, 1);
    if (text != NULL) text[fread(text, 1, LIMIT - 1, file)] = '\0';
    fclose(file);
    return text;
}

cJSON *write_and_parse(const struct fixture *f, const char *name)
{
    char path[256];
    fixture_path(f, name, sizeof path, path);
    assert_ok(hf_json_write(path, &f->run, f->record, &f->result, &f->wavefunction, &error));
    if (f->context->rank != 0) return NULL;
    char *text = read_whole_file(path);
    assert_non_null(text);
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    free(text);
    return root;
}

const cJSON *at(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(item);
    return item;
}

void assert_same_double(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

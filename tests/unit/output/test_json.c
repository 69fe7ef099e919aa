/* The QCSchema file: what stands in it, and that it appears whole or not at all. */
#include "fixture.h"

#include "text/json.h"
#include "text/output_file.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct hf_scf_start start = {
    .n_function = 9, .n_orbital = 7, .linalg = "LAPACK on rank 0"};

TEST_IN(numbers_read_back_bit_for_bit, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    const cJSON *properties = at(root, "properties");
    assert_same_double(at(root, "return_result")->valuedouble, f->result.energy);
    assert_same_double(at(properties, "scf_total_energy")->valuedouble, f->result.energy);
    const cJSON *dipole = at(properties, "scf_dipole_moment");
    for (int i = 0; i < 3; i++)
        assert_same_double(cJSON_GetArrayItem(dipole, i)->valuedouble, f->result.dipole[i]);
    const cJSON *geometry = at(at(root, "molecule"), "geometry");
    assert_int_equal(cJSON_GetArraySize(geometry), 9);
    assert_same_double(cJSON_GetArrayItem(geometry, 8)->valuedouble, -1.0 / 3.0);
    const cJSON *hf = at(at(root, "extras"), "hf");
    assert_same_double(at(at(hf, "fock"), "quartets_total")->valuedouble, 5e9);
    assert_same_double(at(at(hf, "fock"), "quartets_single")->valuedouble, 3e9);
    cJSON_Delete(root);
}

TEST_IN(file_has_the_keys_of_an_atomic_result, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    assert_string_equal(at(root, "schema_name")->valuestring, "qcschema_output");
    assert_int_equal(at(root, "schema_version")->valueint, 1);
    assert_true(cJSON_IsTrue(at(root, "success")));
    assert_true(cJSON_IsNull(at(root, "error")));
    assert_string_equal(at(root, "driver")->valuestring, "energy");
    assert_string_equal(at(at(root, "model"), "method")->valuestring, "rhf");
    assert_string_equal(at(at(root, "model"), "basis")->valuestring, "tiny");
    assert_string_equal(at(at(root, "keywords"), "grain")->valuestring, "atom-quartet");
    assert_string_equal(at(at(root, "provenance"), "creator")->valuestring, "hf");
    const cJSON *molecule = at(root, "molecule");
    assert_string_equal(cJSON_GetArrayItem(at(molecule, "symbols"), 0)->valuestring, "O");
    assert_true(cJSON_IsFalse(cJSON_GetArrayItem(at(molecule, "real"), 2)));
    assert_int_equal(at(molecule, "molecular_charge")->valueint, -1);
    const cJSON *properties = at(root, "properties");
    assert_int_equal(at(properties, "calcinfo_nbasis")->valueint, 9);
    assert_int_equal(at(properties, "calcinfo_nmo")->valueint, 7);
    assert_int_equal(at(properties, "calcinfo_nalpha")->valueint, 5);
    assert_int_equal(at(properties, "calcinfo_natom")->valueint, 3);
    assert_int_equal(at(properties, "scf_iterations")->valueint, 2);
    const cJSON *hf = at(at(root, "extras"), "hf");
    assert_int_equal(at(at(hf, "launch"), "ranks")->valueint, f->context->n_rank);
    const cJSON *timings = at(hf, "timings_seconds");
    assert_int_equal(cJSON_GetArraySize(timings), 2);
    assert_string_equal(at(cJSON_GetArrayItem(timings, 1), "phase")->valuestring, "Reading");
    assert_string_equal(cJSON_GetArrayItem(at(hf, "warnings"), 0)->valuestring,
                        "atoms 1 and 2 are close");
    assert_string_equal(cJSON_GetArrayItem(at(hf, "notes"), 0)->valuestring,
                        "a neutral singlet is assumed");
    cJSON_Delete(root);
}

TEST_IN(settings_are_the_values_of_the_options, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    static const struct {
        const char *key, *value;
    } given[] = {{"level_shift", "0.25"}, {"max_overlap", "yes"}, {"converger", "NEWTON"},
                 {"guess", "./other.h5"}, {"method", "uhf"},      {"json", "x.json"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const struct hf_word key = hf_rest_of_line(given[i].key);
        assert_ok(hf_options_add(&f->options, hf_option_find(f->options.table, key),
                                 hf_rest_of_line(given[i].value), HF_OPTION_COMMAND_LINE, "--key",
                                 &error));
    }
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    const cJSON *both[] = {at(root, "keywords"), at(at(at(root, "extras"), "hf"), "settings")};
    for (int i = 0; i < 2; i++) {
        assert_same_double(at(both[i], "level_shift")->valuedouble, 0.25);
        assert_same_double(at(both[i], "screening")->valuedouble, 1e-12);
        assert_true(cJSON_IsTrue(at(both[i], "max_overlap")));
        assert_true(cJSON_IsFalse(at(both[i], "guess_mix")));
        assert_string_equal(at(both[i], "converger")->valuestring, "newton");
        assert_string_equal(at(both[i], "guess")->valuestring, "./other.h5");
        assert_string_equal(at(both[i], "memory")->valuestring, "auto");
        assert_int_equal(at(both[i], "max_iterations")->valueint, 100);
        assert_true(cJSON_IsNumber(at(both[i], "memory_bytes")));
        static const char *const left_out[] = {"method", "json", "charge", "basis",
                                               "onesided_test"};
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            assert_null(cJSON_GetObjectItemCaseSensitive(both[i], left_out[k]));
    }
    cJSON_Delete(root);
}

TEST_IN(iterations_seen_by_the_observer_are_in_the_file, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    const struct hf_scf_observer observer = hf_record_observer(f->record);
    struct hf_scf_start changed = start;
    changed.transport = "rma";
    changed.note = "using onesided rma";
    f->result.last_build.transport = "rma";
    f->result.last_build.blocks.n_asked = 12;
    observer.started(observer.data, &changed);
    for (int i = 1; i <= 40; i++) {
        const struct hf_scf_iteration iteration = {.number = i, .energy = -75.0 - 1.0 / i};
        observer.iteration(observer.data, &iteration);
    }
    cJSON *root = write_and_parse(f, "run.json");
    if (root != NULL) {
        const cJSON *hf = at(at(root, "extras"), "hf");
        const cJSON *list = at(hf, "iterations");
        assert_int_equal(cJSON_GetArraySize(list), 40);
        const cJSON *last = cJSON_GetArrayItem(list, 39);
        assert_same_double(at(last, "energy")->valuedouble, -75.0 - 1.0 / 40);
        const cJSON *warnings = at(hf, "warnings");
        const int n_warning = cJSON_GetArraySize(warnings);
        assert_string_equal(cJSON_GetArrayItem(warnings, n_warning - 1)->valuestring,
                            "using onesided rma");
        assert_string_equal(at(at(hf, "fock"), "onesided_transport")->valuestring, "rma");
        assert_int_equal(at(at(at(hf, "fock"), "density_blocks"), "asked")->valueint, 12);
        assert_string_equal(at(at(hf, "scf"), "linear_algebra")->valuestring, "LAPACK on rank 0");
    }
    cJSON_Delete(root);
}

TEST_IN(what_acts_from_outside_is_in_the_file, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct hf_point_charge charge[] = {{0.5, {0.0, 3.0, 1.0 / 3.0}}, {-0.75, {0.0, -3.0, 0.0}}};
    f->molecule.environment =
        (struct hf_environment){.n_charge = 2, .charge = charge, .field = {0.0, 0.01, -0.002}};
    f->result.term[2] = (struct hf_energy_term){"point charges", 1.25, -1.5};
    f->result.n_term = 3;
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    const cJSON *keywords = at(root, "keywords"), *hf = at(at(root, "extras"), "hf");
    assert_same_double(cJSON_GetArrayItem(at(keywords, "field"), 1)->valuedouble, 0.01);
    assert_int_equal(at(keywords, "point_charges")->valueint, 2);
    const cJSON *environment = at(hf, "environment");
    assert_same_double(cJSON_GetArrayItem(at(environment, "field"), 2)->valuedouble, -0.002);
    const cJSON *first = cJSON_GetArrayItem(at(environment, "point_charges"), 0);
    assert_int_equal(cJSON_GetArraySize(first), 4);
    assert_same_double(cJSON_GetArrayItem(first, 0)->valuedouble, 0.5);
    assert_same_double(cJSON_GetArrayItem(first, 3)->valuedouble, 1.0 / 3.0);
    const cJSON *parts = at(hf, "energy_parts"), *terms = at(parts, "terms");
    assert_int_equal(cJSON_GetArraySize(terms), 3);
    assert_string_equal(at(cJSON_GetArrayItem(terms, 2), "name")->valuestring, "point charges");
    assert_same_double(at(cJSON_GetArrayItem(terms, 2), "electrons")->valuedouble, 1.25);
    assert_same_double(at(cJSON_GetArrayItem(terms, 2), "nuclei")->valuedouble, -1.5);
    assert_same_double(at(parts, "kinetic")->valuedouble, 75.0);
    assert_same_double(at(parts, "nuclear_attraction")->valuedouble, -190.0);
    assert_true(cJSON_IsNull(at(parts, "virial_ratio")));
    cJSON_Delete(root);
}

TEST_IN(a_run_that_did_not_converge_is_no_success, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    f->result.converged = false;
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    assert_true(cJSON_IsFalse(at(root, "success")));
    assert_string_equal(at(at(root, "error"), "error_type")->valuestring, "convergence_error");
    assert_null(cJSON_GetObjectItem(root, "return_result"));
    const cJSON *unconverged = at(at(root, "extras"), "unconverged");
    assert_same_double(at(unconverged, "return_result")->valuedouble, f->result.energy);
    assert_int_equal(at(at(unconverged, "properties"), "calcinfo_nbasis")->valueint, 9);
    assert_int_equal(at(at(at(at(root, "extras"), "hf"), "launch"), "ranks")->valueint,
                     f->context->n_rank);
    assert_string_equal(at(at(root, "input_data"), "schema_name")->valuestring, "qcschema_input");
    assert_non_null(at(at(at(root, "input_data"), "molecule"), "symbols"));
    cJSON_Delete(root);
}

TEST_IN(text_that_is_no_utf8_is_taken_for_latin_1, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char latin[] = "W\xe4rme";
    const char *const warning[] = {latin};
    f->molecule.title = latin;
    f->run.input_path = latin;
    f->run.warning = warning;
    cJSON *root = write_and_parse(f, "latin.json");
    if (root == NULL) return;
    const cJSON *hf = at(at(root, "extras"), "hf");
    assert_string_equal(at(at(root, "molecule"), "name")->valuestring, "W\xc3\xa4rme");
    assert_string_equal(at(at(hf, "launch"), "input_path")->valuestring, "W\xc3\xa4rme");
    assert_string_equal(cJSON_GetArrayItem(at(hf, "warnings"), 0)->valuestring, "W\xc3\xa4rme");
    cJSON_Delete(root);
}

TEST_IN(not_a_number_becomes_null, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    f->result.energy_change = NAN;
    cJSON *root = write_and_parse(f, "run.json");
    if (root == NULL) return;
    const cJSON *scf = at(at(at(root, "extras"), "hf"), "scf");
    assert_true(cJSON_IsNull(at(scf, "energy_change")));
    cJSON_Delete(root);
}

static int count_files(const char *folder)
{
    int n = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) n += entry->d_name[0] != '.';
    closedir(directory);
    return n;
}

TEST_IN(an_older_file_is_replaced_and_nothing_else_is_left, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char path[256], link[256];
    fixture_path(f, "run.json", sizeof path, path);
    fixture_path(f, "link.json", sizeof link, link);
    cJSON_Delete(write_and_parse(f, "run.json"));
    if (f->context->rank == 0) assert_int_equal(symlink("run.json", link), 0);
    f->result.energy = -1.5;
    cJSON *root = write_and_parse(f, "link.json");
    if (root == NULL) return;
    assert_int_equal(count_files(f->folder), 2);
    struct stat file;
    assert_int_equal(lstat(link, &file), 0);
    assert_true(S_ISLNK(file.st_mode));
    char *text = read_whole_file(path);
    assert_non_null(strstr(text, "-1.5"));
    free(text);
    cJSON_Delete(root);
}

static hf_status check_path(const struct fixture *f, const char *path)
{
    return hf_output_file_check(f->context, path, "the JSON file", "--json", &error);
}

TEST_IN(a_device_stays_a_device, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    assert_ok(check_path(f, "/dev/null"));
    assert_ok(hf_json_write("/dev/null", &f->run, f->record, &f->result, &f->wavefunction, &error));
    struct stat file;
    assert_int_equal(stat("/dev/null", &file), 0);
    assert_true(S_ISCHR(file.st_mode));
}

/** Of rank 0: a child that reads the FIFO to its end and exits with 0 when that was the whole file. */
static pid_t start_reader(const char *path)
{
    const pid_t child = fork();
    if (child != 0) return child;
    static char text[100000];
    size_t n = 0;
    FILE *stream = fopen(path, "r");
    if (stream != NULL) n = fread(text, 1, sizeof text - 1, stream);
    text[n] = '\0';
    _exit(n > 100 && text[0] == '{' && strcmp(text + n - 2, "}\n") == 0 ? 0 : 1);
}

TEST_IN(a_fifo_needs_a_reader_who_sees_one_end, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char path[256];
    struct stat file;
    int outcome = 0;
    pid_t child = -1;
    fixture_path(f, "fifo", sizeof path, path);
    if (f->context->rank == 0) assert_int_equal(mkfifo(path, 0600), 0);
    assert_failure(check_path(f, path), HF_BAD_INPUT, &error, "it is a FIFO that nobody reads");
    assert_int_equal(hf_json_write(path, &f->run, f->record, &f->result, &f->wavefunction, &error),
                     HF_NO_RESOURCE);
    if (f->context->rank == 0) child = start_reader(path);
    hf_status status = HF_BAD_INPUT;
    for (int i = 0; i < 6000 && status != HF_OK; i++) { /* until the reader is there */
        status = check_path(f, path);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_ok(status);
    assert_ok(hf_json_write(path, &f->run, f->record, &f->result, &f->wavefunction, &error));
    hf_output_files_let_go(f->context);
    if (f->context->rank != 0) return;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    assert_int_equal(stat(path, &file), 0);
    assert_true(S_ISFIFO(file.st_mode));
    unlink(path);
}

TEST_IN(a_good_path_is_accepted_and_left_alone, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char path[256];
    fixture_path(f, "new.json", sizeof path, path);
    assert_ok(check_path(f, path));
    MPI_Barrier(f->context->comm);
    assert_int_equal(count_files(f->folder), 0);
}

TEST_IN(a_path_that_cannot_be_written_is_the_same_error_on_all_ranks, fixture_set_up,
        fixture_tear_down)
{
    struct fixture *f = *state;
    char missing[256];
    fixture_path(f, "no/such/folder/run.json", sizeof missing, missing);
    const char *const bad[] = {"", f->folder, missing};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(check_path(f, bad[i]), HF_BAD_INPUT);
        assert_null(strchr(error.message, '\n'));
        if (i > 0) assert_non_null(strstr(error.message, bad[i]));
    }
    assert_failure(hf_json_write(missing, &f->run, f->record, &f->result, &f->wavefunction, &error),
                   HF_NO_RESOURCE, &error, missing);
}

TEST_IN(a_failure_has_type_and_message, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    if (f->context->rank != 0) return;
    char path[256];
    fixture_path(f, "failed.json", sizeof path, path);
    static const char *const warning[] = {"an oddity"};
    const struct hf_json_failure failure = {.type = "input_error",
                                            .message = "line 3: \"x\"",
                                            .input_path = "water.mol",
                                            .n_warning = 1,
                                            .warning = warning};
    assert_ok(hf_json_write_failure(path, &failure, &error));
    char *text = read_whole_file(path);
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    assert_true(cJSON_IsFalse(at(root, "success")));
    assert_string_equal(at(at(root, "error"), "error_type")->valuestring, "input_error");
    assert_string_equal(at(at(root, "error"), "error_message")->valuestring, "line 3: \"x\"");
    assert_string_equal(at(at(root, "input_data"), "input_path")->valuestring, "water.mol");
    const cJSON *warnings = at(at(at(root, "extras"), "hf"), "warnings");
    assert_int_equal(cJSON_GetArraySize(warnings), 1);
    assert_string_equal(cJSON_GetArrayItem(warnings, 0)->valuestring, "an oddity");
    cJSON_Delete(root);
    free(text);
}

TEST_IN(a_failure_keeps_what_was_known_by_then, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char path[256];
    const struct hf_scf_observer observer = hf_record_observer(f->record);
    const struct hf_scf_iteration iteration = {.number = 1, .energy = NAN, .seconds = INFINITY};
    observer.started(observer.data, &start);
    observer.iteration(observer.data, &iteration);
    if (f->context->rank != 0) return;
    fixture_path(f, "interrupted.json", sizeof path, path);
    const struct hf_json_failure failure = {.type = "interrupted",
                                            .message = "interrupted by signal 15",
                                            .input_path = "water.mol",
                                            .run = &f->run,
                                            .record = f->record};
    assert_ok(hf_json_write_failure(path, &failure, &error));
    char *text = read_whole_file(path);
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    assert_int_equal(cJSON_GetArraySize(at(at(at(root, "input_data"), "molecule"), "symbols")), 3);
    const cJSON *hf = at(at(root, "extras"), "hf");
    const cJSON *first = cJSON_GetArrayItem(at(hf, "iterations"), 0);
    assert_true(cJSON_IsNull(at(first, "energy")));
    assert_true(cJSON_IsNull(at(first, "seconds")));
    assert_int_equal(at(at(hf, "launch"), "ranks")->valueint, f->context->n_rank);
    cJSON_Delete(root);
    free(text);
}

MPI_TEST_MAIN

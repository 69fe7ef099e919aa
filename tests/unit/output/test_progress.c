/* The progress line of a long Fock build: on a terminal, erased afterwards, and nowhere else. */
#include "fixture.h"

#include "hf/interruption.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void pass_time(double seconds)
{
    const struct timespec pause = {.tv_sec = (time_t)seconds,
                                   .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
}

/** Reads what a terminal shows until `end` is among it: it arrives in pieces. */
static void read_until(int master, const char *end, size_t size, char text[])
{
    size_t n_read = 0;
    while (strstr(text, end) == NULL) {
        struct pollfd ready = {.fd = master, .events = POLLIN};
        assert_int_equal(poll(&ready, 1, 5000), 1);
        const ssize_t n = read(master, text + n_read, size - 1 - n_read);
        assert_true(n > 0);
        n_read += (size_t)n;
        text[n_read] = '\0';
    }
}

TEST_IN(progress_is_shown_on_a_terminal_and_erased, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) skip();
    FILE *terminal = fopen(ptsname(master), "w");
    if (terminal == NULL) skip();
    struct hf_report *report = NULL;
    assert_ok(hf_report_create(f->context, terminal, &report, &error));
    assert_int_equal(hf_report_progress(report, 0.0), 0);
    pass_time(2.1);
    assert_int_equal(hf_report_progress(report, 0.5), 0);
    const struct hf_scf_observer observer = hf_report_observer(report);
    const struct hf_scf_iteration iteration = {.number = 1, .step = ""};
    observer.iteration(observer.data, &iteration);

    char text[512] = "";
    read_until(master, " s \r", sizeof text, text);
    int seconds = 0; /* more than 2 where another program had the core */
    const char *line = strstr(text, "\r  Fock build  50 %, ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\r  Fock build  50 %%, %d s \r", &seconds), 1);
    assert_true(seconds >= 2);
    hf_report_destroy(&report);
    fclose(terminal);
    close(master);
}

/** Pieces take 1 and 1.1 s; the line appears 2 s after the first look. */
TEST_IN(pieces_of_a_long_calculation_are_counted, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    struct hf_interruption *interruption = f->context->interruption;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) skip();
    FILE *terminal = fopen(ptsname(master), "w");
    if (terminal == NULL) skip();
    struct hf_report *report = NULL;
    char text[512] = "";
    assert_ok(hf_report_create(f->context, terminal, &report, &error));
    hf_report_begin(report, "Vibrations");
    hf_interruption_count(interruption, "displacement", 4, 18);
    assert_int_equal(hf_report_progress(report, 0.0), 0);
    assert_true(hf_interruption_counted(interruption).seconds_left < 0.0);
    pass_time(1.0);
    hf_interruption_count(interruption, "displacement", 5, 18);
    pass_time(1.1);
    hf_interruption_count(interruption, "displacement", 6, 18);
    assert_int_equal(hf_report_progress(report, 0.3), 0);
    read_until(master, " left ", sizeof text, text);
    int seconds = 0; /* of 13 pieces that are left, 2 are done */
    double left = 0.0;
    char unit[4] = "";
    assert_int_equal(sscanf(text,
                            "\r  Vibrations: displacement 6 of 18, %d s, about %lf %3[a-z] left ",
                            &seconds, &left, unit),
                     3);
    assert_true(seconds >= 2);
    if (strcmp(unit, "min") == 0) left *= 60.0; /* another program had the core */
    assert_true(left >= 13.0 && left <= 13.0 * (seconds + 1));

    pass_time(0.3);
    hf_interruption_count(interruption, "step", 3, 0); /* nobody knows how many */
    assert_int_equal(hf_report_progress(report, 0.0), 0);
    memset(text, 0, sizeof text);
    read_until(master, "step 3, ", sizeof text, text);
    assert_null(strstr(text, "left"));
    hf_interruption_count(interruption, NULL, 0, 0);
    assert_null(hf_interruption_counted(interruption).unit);
    hf_report_destroy(&report);
    fclose(terminal);
    close(master);
}

TEST_IN(progress_is_never_written_to_a_file, fixture_set_up, fixture_tear_down)
{
    struct fixture *f = *state;
    char path[256];
    FILE *stream = fopen(fixture_path(f, "report", sizeof path, path), "w");
    assert_non_null(stream);
    struct hf_report *report = NULL;
    assert_ok(hf_report_create(f->context, stream, &report, &error));
    assert_int_equal(hf_report_progress(report, 0.0), 0);
    pass_time(2.1);
    assert_int_equal(hf_report_progress(report, 0.5), 0);
    hf_report_destroy(&report);
    fclose(stream);
    char *text = read_whole_file(path);
    assert_non_null(text);
    assert_string_equal(text, "");
    free(text);
}

MPI_TEST_MAIN

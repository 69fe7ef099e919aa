/* Fuzz harness of the input files. Compiled once for each format (FUZZ_FORMAT): what makes the
 * recogniser see that format is put in, so that mutations reach its reader. */
#include "fuzz.h"

#include "molecule/input.h"
#include "run/calculation.h"

#include <math.h>
#include <stdbool.h>

enum format { ANY, NATIVE, V2000, V3000, XYZ, QCSCHEMA };

/** Larger ones only take longer. */
enum { MAX_SIZE = 16384 };

/** Start of line `line` (from 0), or NULL. */
static char *find_line(char *text, int line)
{
    for (int i = 0; i < line && text != NULL; i++) {
        text = strchr(text, '\n');
        if (text != NULL) text++;
    }
    return text;
}

/** Writes the version into columns 35 to 39 of line 4, or puts four lines in front that have it. */
static void make_molfile(char *text, const char *version)
{
    char *counts = find_line(text, 3);
    if (counts != NULL && strcspn(counts, "\n") >= 39) {
        counts[33] = ' ';
        for (int i = 0; i < 5; i++) counts[34 + i] = version[i];
        return;
    }
    char header[64];
    const int n = snprintf(header, sizeof header,
                           "\n     3D\n\n  3  2  0  0  0  0  0  0  0  0999 %s\n", version);
    memmove(text + n, text, strlen(text) + 1);
    memcpy(text, header, (size_t)n);
}

static void put_in_front(char *text, const char *line)
{
    memmove(text + strlen(line), text, strlen(text) + 1);
    memcpy(text, line, strlen(line));
}

static char first_letter(const char *text)
{
    return text[strspn(text, " \t\r\n")];
}

/** The bytes as a file of this format; to be freed. */
static char *make_file(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size, 64);
    switch (FUZZ_FORMAT) {
    case V2000: make_molfile(text, "V2000"); break;
    case V3000: make_molfile(text, "V3000"); break;
    case XYZ:
        if (strchr("0123456789", first_letter(text)) == NULL) put_in_front(text, "2\n");
        break;
    case NATIVE:
        if (strchr("#abcdefghijklmnopqrstuvwxyz", first_letter(text)) == NULL)
            put_in_front(text, "title x\n");
        break;
    case QCSCHEMA:
        if (first_letter(text) != '{') put_in_front(text, "{\"schema_name\": \"qcschema_input\", ");
        break;
    default: break;
    }
    return text;
}

struct reading {
    hf_status status;
    struct hf_options options;
    struct hf_input input;
    struct hf_error error;
};

static void read_text(struct reading *this, const char *text, bool force)
{
    *this = (struct reading){.status = HF_OK};
    hf_options_init(&this->options, hf_option_table());
    if (force)
        this->status = hf_options_add(
            &this->options, hf_option_find(hf_option_table(), (struct hf_word){"force", 5}),
            (struct hf_word){"", 0}, HF_OPTION_COMMAND_LINE, "--force", &this->error);
    FUZZ_REQUIRE(this->status == HF_OK);
    this->status =
        hf_input_from_string(FUZZ_PATH, text, &this->options, &this->input, &this->error);
}

static void reading_done(struct reading *this)
{
    hf_input_done(&this->input);
    hf_options_done(&this->options);
}

static void require_sane_atoms(const struct hf_molecule *molecule)
{
    FUZZ_REQUIRE(molecule->n_atom > 0);
    for (int i = 0; i < molecule->n_atom; i++) {
        const struct hf_atom *atom = &molecule->atom[i];
        FUZZ_REQUIRE(atom->atomic_number >= 1 && atom->atomic_number <= 118);
        for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(atom->position_bohr[k]));
    }
}

static void require_sane_environment(const struct hf_environment *environment)
{
    for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(environment->field[k]));
    for (int i = 0; i < environment->n_charge; i++) {
        FUZZ_REQUIRE(isfinite(environment->charge[i].charge));
        for (int k = 0; k < 3; k++) FUZZ_REQUIRE(isfinite(environment->charge[i].position_bohr[k]));
    }
}

/** An input that was accepted can be computed as far as its reader can tell. */
static void require_sane(const struct hf_input *input)
{
    const struct hf_molecule *molecule = &input->molecule;
    require_sane_atoms(molecule);
    require_sane_environment(&molecule->environment);
    const int n_electron = hf_molecule_n_electron(molecule);
    FUZZ_REQUIRE(n_electron >= 0 && molecule->multiplicity >= 1);
    FUZZ_REQUIRE(molecule->multiplicity <= n_electron + 1);
    FUZZ_REQUIRE((n_electron + molecule->multiplicity) % 2 == 1);
    FUZZ_REQUIRE(isfinite(hf_molecule_nuclear_repulsion(molecule)));
    FUZZ_REQUIRE(input->format != NULL && strcmp(input->path, FUZZ_PATH) == 0);
    for (int i = 0; i < input->n_warning; i++) {
        FUZZ_REQUIRE(input->warning[i][0] != '\0');
        FUZZ_REQUIRE(strpbrk(input->warning[i], "\r\n") == NULL);
    }
}

static bool same_title(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static void require_same_molecule(const struct hf_molecule *a, const struct hf_molecule *b)
{
    FUZZ_REQUIRE(a->n_atom == b->n_atom && a->charge == b->charge);
    FUZZ_REQUIRE(a->multiplicity == b->multiplicity && same_title(a->title, b->title));
    for (int i = 0; i < a->n_atom; i++) {
        const struct hf_atom *one = &a->atom[i], *other = &b->atom[i];
        FUZZ_REQUIRE(one->atomic_number == other->atomic_number && one->ghost == other->ghost);
        for (int k = 0; k < 3; k++) FUZZ_REQUIRE(one->position_bohr[k] == other->position_bohr[k]);
    }
    FUZZ_REQUIRE(a->environment.n_charge == b->environment.n_charge);
}

/** Reading again, with or without --force, tells the same; --force never refuses what is accepted
 *  without it. */
static void require_same(const struct reading *a, const struct reading *b, bool forced)
{
    if (!forced) FUZZ_REQUIRE(a->status == b->status);
    if (!forced) FUZZ_REQUIRE(strcmp(a->error.message, b->error.message) == 0);
    if (!forced) FUZZ_REQUIRE(a->input.n_warning == b->input.n_warning);
    if (a->status != HF_OK) return;
    FUZZ_REQUIRE(b->status == HF_OK);
    require_same_molecule(&a->input.molecule, &b->input.molecule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_SIZE) return 0;
    char *text = make_file(data, size);
    struct reading first, second;
    const bool force = size % 2 == 1;
    read_text(&first, text, false);
    fuzz_require_message(first.status, &first.error, FUZZ_PATH);
    if (first.status == HF_OK) require_sane(&first.input);
    read_text(&second, text, force);
    if (second.status == HF_OK) require_sane(&second.input);
    require_same(&first, &second, force);
    reading_done(&first);
    reading_done(&second);
    free(text);
    return 0;
}

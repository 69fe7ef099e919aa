/* AtomicInputs that say a thing twice, half or not at all: each is refused, and none is guessed. */
#include "reading.h"

#include <stdio.h>

/** Water; what stands in for the four arguments is part of the molecule, the model, keywords, root. */
static const char form[] =
    "{\"schema_name\": \"qcschema_input\", \"schema_version\": 1, \"driver\": \"energy\",\n"
    " \"model\": {\"method\": \"HF\", \"basis\": \"STO-3G\"%s}, \"keywords\": {%s},\n"
    " \"molecule\": {\"symbols\": [\"O\", \"H\", \"D1\"], \"geometry\": [0, 0, 0.2, 0, 1.4, -0.9, "
    "0, "
    "-1.4, -0.9]\n%s}\n%s}\n";

static hf_status read_parts(struct reading *this, const char *molecule, const char *model,
                            const char *keywords, const char *root)
{
    char text[2000];
    snprintf(text, sizeof text, form, model, keywords, molecule, root);
    return read_as(this, "x.json", text, NULL, NULL);
}

static void assert_refused(const char *molecule, const char *model, const char *keywords,
                           const char *root, const char *message)
{
    struct reading this;
    expect_refused(&this, read_parts(&this, molecule, model, keywords, root), message);
    done(&this);
}

TEST(the_molecule_of_a_result_is_read)
{
    struct reading this;
    assert_ok(read_as(&this, "x.json",
                      "{\n\"schema_name\": \"qcschema_output\", \"schema_version\": 1,\n"
                      "\"molecule\": {\"symbols\": [\"O\", \"H\"], \"geometry\": "
                      "[0, 0, 0, 0, 0, 1.8], \"molecular_charge\": -1, "
                      "\"molecular_multiplicity\": 1},\n\"driver\": \"gradient\", "
                      "\"model\": {\"method\": \"uhf\", \"basis\": \"cc-pVTZ\"}, "
                      "\"return_result\": [0], \"success\": true}\n",
                      NULL, NULL));
    assert_int_equal(this.input.molecule.n_atom, 2);
    assert_int_equal(this.input.molecule.charge, -1);
    assert_float_equal(this.input.molecule.atom[1].position_bohr[2], 1.8, 1e-12);
    assert_int_equal(this.input.n_warning, 0);
    expect_note(&this, "a result: its molecule was read, but not its method");
    assert_null(hf_options_given(&this.options, "basis"));
    done(&this);
}

TEST(a_key_given_twice_is_refused)
{
    assert_refused(", \"molecular_charge\": 0, \"molecular_charge\": 2", "", "", "",
                   "x.json: key 'molecular_charge' in the molecule was given before");
    assert_refused(", \"symbols\": [\"S\", \"H\", \"H\"]", "", "", "",
                   "key 'symbols' in the molecule was given before");
    assert_refused("", ", \"basis\": \"cc-pVDZ\"", "", "",
                   "key 'basis' in the model was given before");
    assert_refused("", "", "\"smearing\": null, \"smearing\": 0.1", "",
                   "key 'smearing' in the keywords was given before");
    assert_refused("", "", "\"cube\": \"density\", \"cube\": \"esp\"", "",
                   "key 'cube' in the keywords was given before");
    assert_refused("", "", "", ", \"molecule\": {}",
                   "key 'molecule' in the AtomicInput was given before");
    assert_refused("", "", "", ", \"schema_name\": \"qcschema_output\"",
                   "key 'schema_name' in the AtomicInput was given before");
    assert_refused("", "", "", ", \"protocols\": {\"stdout\": true, \"stdout\": true}",
                   "key 'stdout' in the protocols was given before");
}

TEST(numbers_and_symbols_are_of_the_same_elements)
{
    struct reading this;
    assert_refused(", \"atomic_numbers\": [8, 9, 1]", "", "", "",
                   "x.json: entry 2 of 'atomic_numbers' is not 1, the number of H in 'symbols'");
    assert_refused(", \"atomic_numbers\": [8, 1]", "", "", "",
                   "'atomic_numbers' is not a list with a number for each of 3 atoms");
    assert_refused(", \"atomic_numbers\": [8, 1, null]", "", "", "", "entry 3 of 'atomic_numbers'");
    assert_refused(", \"atomic_numbers\": [8, 1, 0], \"real\": [true, true, false]", "", "", "",
                   "entry 3 of 'atomic_numbers'");
    assert_ok(read_parts(&this, ", \"atomic_numbers\": [8, 1, 1]", "", "", ""));
    done(&this);
}

TEST(a_string_is_not_cut_at_a_nul)
{
    struct reading this;
    assert_refused("", "", "\"guess\": \"sap\\u0000x\"", "",
                   "x.json, line 2: a string has the character NUL (\\u0000)");
    assert_refused(", \"name\\u0000\": \"water\"", "", "", "", "line 4: a string has");
    assert_refused(", \"name\": \"\\\\\\u0000\"", "", "", "", "line 4: a string has");
    assert_ok(read_parts(&this, ", \"name\": \"C:\\\\u0000\"", "", "", ""));
    assert_string_equal(this.input.molecule.title, "C:\\u0000");
    done(&this);
}

TEST(null_is_no_number)
{
    struct reading this;
    assert_refused(", \"molecular_charge\": null", "", "", "",
                   "x.json: 'molecular_charge' is null; expected a value, or no such key");
    assert_refused(", \"molecular_multiplicity\": null", "", "", "",
                   "'molecular_multiplicity' is null");
    assert_refused("", "", "", ", \"protocols\": null", "'protocols' is null");
    assert_refused("", "", "", ", \"protocols\": {\"wavefunction\": null}",
                   "'wavefunction' is null");
    /* keys that the schema allows to be null, and keywords, whose defaults count then */
    assert_ok(read_parts(&this,
                         ", \"name\": null, \"real\": null, \"masses\": null, "
                         "\"mass_numbers\": null, \"atomic_numbers\": null",
                         "", "\"smearing\": null", ", \"id\": null"));
    assert_int_equal(this.input.molecule.charge, 0);
    done(&this);
}

TEST_MAIN

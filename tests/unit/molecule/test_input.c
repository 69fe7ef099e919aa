/* The readers: native, XYZ, MDL V2000 and V3000, and every message they can give. */
#include "hf/units.h"
#include "reading.h"

#include <math.h>
#include <stdio.h>

static void expect_refusal(const char *string, const char *message)
{
    struct reading this;
    expect_refused(&this, read_with(&this, string, NULL, NULL), message);
    assert_null(this.input.molecule.atom);
    done(&this);
}

static void expect_read(struct reading *this, const char *string, const char *format, int n_atom,
                        int charge, int multiplicity)
{
    if (read_with(this, string, NULL, NULL) != HF_OK) fail_msg("%s", this->error.message);
    assert_string_equal(this->input.format, format);
    assert_int_equal(this->input.molecule.n_atom, n_atom);
    assert_int_equal(this->input.molecule.charge, charge);
    assert_int_equal(this->input.molecule.multiplicity, multiplicity);
}

TEST(native_input_is_read_in_any_order_with_comments)
{
    struct reading this;
    expect_read(&this,
                "# a comment\ngeometry\n  O 0 0 0.22166487 # oxygen\n\n"
                "  H 0.0 1.43090062 -.88665950D0\n  1 0 -1.43090062 -0.88665950\nEnd\n"
                "units   bohr # not angstrom\nTitle  water #2 is no comment\nbasis cc-pVDZ\n"
                "basis O aug-cc-pVDZ\n",
                "native", 3, 0, 1);
    const struct hf_molecule *molecule = &this.input.molecule;
    assert_string_equal(molecule->title, "water");
    assert_true(molecule->atom[0].position_bohr[2] == 0.22166487);
    assert_true(molecule->atom[1].position_bohr[2] == -0.88665950);
    assert_int_equal(molecule->atom[2].atomic_number, 1);
    assert_int_equal(this.input.n_warning, 0);
    assert_true(fabs(hf_molecule_nuclear_repulsion(molecule) - 9.1895337753) < 1e-9);
    done(&this);
}

TEST(angstrom_is_the_default_unit)
{
    struct reading this;
    expect_read(&this, "geometry\nH 0 0 0\nH 0 0 0.74\nend\n", "native", 2, 0, 1);
    assert_true(fabs(this.input.molecule.atom[1].position_bohr[2] - 0.74 / 0.529177210903) < 1e-15);
    done(&this);
    assert_ok(
        read_with(&this, "units angstrom\ngeometry\nH 0 0 0\nH 0 0 1.4\nend\n", "units", "bohr"));
    assert_true(this.input.molecule.atom[1].position_bohr[2] == 1.4);
    done(&this);
}

TEST(ghosts_are_marked_as_other_programs_mark_them)
{
    const char *const marks[] = {"@H", "Gh(H)", "gh(H)", "BqH", "Bq-H", "H-Bq", "Ghost-H", "@H1"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct reading this;
        char string[100] = "geometry\nHe 0 0 0\n";
        strcat(strcat(string, marks[i]), " 0 0 1\nend\n");
        expect_read(&this, string, "native", 2, 0, 1);
        assert_true(this.input.molecule.atom[1].ghost);
        assert_int_equal(this.input.molecule.atom[1].atomic_number, 1);
        assert_int_equal(hf_molecule_n_electron(&this.input.molecule), 2);
        done(&this);
    }
}

TEST(native_mistakes_are_named_with_file_and_line)
{
    const struct {
        const char *string, *message;
    } bad[] = {
        {"title x\nbais cc-pVDZ\n", "x.mol, line 2: unknown key 'bais'; did you mean basis"},
        {"title x\ngeomtry\n", "unknown key 'geomtry'; did you mean geometry"},
        {"title x\nfrobnicate 1\n", "hf --help all lists the keys"},
        {"Dear all,\n", "neither an MDL molfile"},
        {"title x\n", "x.mol: there is no geometry"},
        {"geometry\nend\n", "the geometry has no atoms"},
        {"geometry\nH 0 0 0\n", "line 1: the geometry has no end"},
        {"geometry\nXq 0 0 0\nend\n", "line 2: unknown element 'Xq'"},
        {"geometry\nCll 0 0 0\nend\n", "did you mean Cl"},
        {"geometry\nO2- 0 0 0\nend\n", "line 2: 'O2-' looks like an ion"},
        {"geometry\nFe3+ 0 0 0\nend\n", "'Fe3+' looks like an ion"},
        {"geometry\nNa+ 0 0 0\nend\n", "'Na+' looks like an ion"},
        {"geometry\nO(2-) 0 0 0\nend\n", "'O(2-)' looks like an ion"},
        {"geometry\nGh(O2-) 0 0 0\nend\n", "looks like an ion"},
        {"task optimise\nbassis STO-3G\ngeometry\nH 0 0 0\nend\n", "line 2: unknown key 'bassis'"},
        {"task energy\ngeometry\nH 0 0 oops\nend\n", "line 3: z 'oops' is not a number"},
        {"task scf\ngeometry\nH 0 0 oops\nend\n", "line 1: unknown task 'scf'; expected one of"},
        {"geometry\n13C 0 0 0\nend\n", "line 2: '13C' looks like an isotope; expected the element"},
        {"geometry\n[18O] 0 0 0\nend\n", "'[18O]' looks like an isotope"},
        {"geometry\nC-13 0 0 0\nend\n", "'C-13' looks like an isotope"},
        {"1\ncharge=0 multiplicity=1\n2H 0 0 0\n", "line 3: '2H' looks like an isotope"},
        {"geometry\n13Q 0 0 0\nend\n", "unknown element '13Q'"},
        {"geometry\nX 0 0 0\nend\n", "line 2: 'X' is a dummy atom"},
        {"geometry\nX1 0 0 0\nend\n", "'X1' is a dummy atom"},
        {"geometry\nxx 0 0 0\nend\n", "'xx' is a dummy atom"},
        {"geometry\nDu 0 0 0\nend\n", "write a ghost atom with its element, @H or Gh(H)"},
        {"geometry\nBq 0 0 0\nend\n", "'Bq' is a dummy atom"},
        {"geometry\nBq1 0 0 0\nend\n", "'Bq1' is a dummy atom"},
        {"1\n\nX 0 0 0\n", "line 3: 'X' is a dummy atom"},
        {"geometry\n119 0 0 0\nend\n", "1 to 118"},
        {"geometry\nH 0 zero 0\nend\n", "line 2: y 'zero' is not a number"},
        {"geometry\nH 0 0\nend\n", "line 2: z is missing"},
        {"geometry\nH 0 0 0 0\nend\n", "line 2: '0' stands behind the coordinates"},
        {"geometry\nH 0 0 nan\nend\n", "is not a number"},
        {"geometry\nH 0 0 1e999\nend\n", "is out of range"},
        {"geometry\nH 0 0 0\nHe 0 0 123456\nend\n", "line 3: coordinate 123456 angstrom of atom 2 (He) is out"},
        {"geometry\nH 0 0 0\nH 0 0 0.01\nend\n",
         "line 3: atoms 1 (H, line 2) and 2 (H) are on top"},
        {"geometry bohr\nH 0 0 0\nend\n", "stands behind geometry"},
        {"geometry\nHe 0 0 0\nend\ngeometry\nHe 0 0 0\nend\n", "line 4: a second geometry"},
        {"end\n", "'end' without a geometry"},
        {"charge one\n", "line 1: charge 'one' is not a whole number"},
        {"charge 1001\n", "out of range"},
        {"charge 0\ncharge 1\n", "line 2: charge was given before (x.mol, line 1)"},
        {"multiplicity 1\ngeometry\nH 0 0 0\nend\n",
         "x.mol, line 1: 1 electron (charge +0) cannot have multiplicity 1; an odd number of "
         "electrons needs an even multiplicity, 2 or 4; no charge was given, 0 is assumed; for "
         "another number of electrons use --charge 1 or --charge -1"},
        {"charge 1\nmultiplicity 1\ngeometry\nHe 0 0 0\nend\n",
         "x.mol, line 2: 1 electron (charge +1) cannot have multiplicity 1; an odd number of "
         "electrons needs an even multiplicity, 2 or 4"},
        {"multiplicity 2\ngeometry\nHe 0 0 0\nend\n",
         "an even number of electrons needs an odd multiplicity, 1 or 3; no charge was given, 0 "
         "is assumed; for another number of electrons use --charge 1 or --charge -1"},
        {"multiplicity 2\ngeometry\nHe 0 0 0\nend\n", "an even number of electrons needs an odd"},
        {"multiplicity 5\ngeometry\nHe 0 0 0\nend\n", "multiplicity 5 needs 4 electrons"},
        {"charge 2\ngeometry\nHe 0 0 0\nend\n", "there are no electrons"},
        {"charge 90\ngeometry\nHe 0 0 0\nend\n", "there are no electrons"},
        {"charge -90\ngeometry\nHe 0 0 0\nend\n", "charge -90 is out of range"},
        {"geometry\n@He 0 0 0\nend\n", "there are no electrons"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_refusal(bad[i].string, bad[i].message);
}

/** Molecules with bonds that are short or long for their atoms, and units that are mistaken. */
TEST(distances_are_judged_by_the_elements)
{
    static const struct {
        const char *a, *b, *units;
        double distance;
        int charge;
        const char *told;
    } pairs[] = {
        {"Cr", "Cr", "angstrom", 1.68, 0, NULL},
        {"V", "V", "angstrom", 1.77, 0, NULL},
        {"Mo", "Mo", "angstrom", 1.93, 0, NULL},
        {"Ti", "O", "angstrom", 1.62, 0, NULL},
        {"U", "O", "angstrom", 1.70, 0, NULL},
        {"N", "N", "angstrom", 1.098, 0, NULL},
        {"C", "O", "angstrom", 1.128, 0, NULL},
        {"H", "F", "angstrom", 0.917, 0, NULL},
        {"F", "F", "angstrom", 1.412, 0, NULL},
        {"F", "F", "angstrom", 1.90, -2, NULL},
        {"H", "H", "angstrom", 1.06, 0, NULL},
        {"H", "He", "angstrom", 0.774, 1, NULL},
        {"Zn", "Zn", "angstrom", 4.19, 0, NULL},
        {"Be", "Be", "angstrom", 2.45, 0, NULL},
        {"Li", "Li", "angstrom", 2.67, 0, NULL},
        {"Cs", "F", "angstrom", 2.35, 0, NULL},
        {"Ar", "Ar", "angstrom", 3.76, 0, NULL},
        {"Cr", "Cr", "bohr", 3.175, 0, NULL},
        {"N", "N", "bohr", 1.098, 0,
         "absurdly close; units were taken as bohr; are they angstrom?"},
        {"Cr", "Cr", "bohr", 1.68, 0, "are they angstrom?"},
        {"Na", "Cl", "bohr", 2.36, 0, "are they angstrom?"},
        {"H", "H", "bohr", 0.74, 0, "are they angstrom?"},
        {"H", "H", "angstrom", 1.401, 0,
         "absurdly far; units were taken as angstrom; are they bohr?"},
        {"O", "O", "angstrom", 2.28, 0, "are they bohr?"},
        {"H", "F", "angstrom", 1.733, 0, "are they bohr?"},
        {"Na", "Cl", "angstrom", 4.461, 0, "are they bohr?"},
        {"F", "F", "angstrom", 2.668, 0, "are they bohr?"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[200];
        struct reading this;
        snprintf(text, sizeof text, "charge %d\nunits %s\ngeometry\n%s 0 0 0\n%s 0 0 %g\nend\n",
                 pairs[i].charge, pairs[i].units, pairs[i].a, pairs[i].b, pairs[i].distance);
        if (read_with(&this, text, NULL, NULL) != HF_OK) fail_msg("%s", this.error.message);
        if (this.input.n_warning != (pairs[i].told != NULL) ||
            (pairs[i].told != NULL && strstr(this.input.warning[0], pairs[i].told) == NULL))
            fail_msg("%s%s at %g %s: %d warnings, %s", pairs[i].a, pairs[i].b, pairs[i].distance,
                     pairs[i].units, this.input.n_warning,
                     this.input.n_warning > 0 ? this.input.warning[0] : "");
        done(&this);
    }
}

TEST(lines_may_end_in_any_way_and_be_long)
{
    static const char *const files[] = {
        "\xef\xbb\xbfgeometry\nHe 0 0 0\nend",
        "geometry\rHe 0 0 0\rend",
        "geometry\r\nHe 0 0 0\r\nend\r\n",
        "\xef\xbb\xbf\ngeometry\nHe 0 0 0\nend\n",
        "\xef\xbb\xbf"
        "1\ncharge=0 multiplicity=1\nHe 0 0 0",
        "1\r\rHe 0 0 0\r",
    };
    struct reading this;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        expect_read(&this, files[i], i < 4 ? "native" : "XYZ", 1, 0, 1);
        done(&this);
    }
    expect_refusal("\xef\xbb\xbf", "the file is empty");
    expect_refusal("\xef\xbb\xbf\n", "the file is empty");
    enum { LONG = 5000000 };
    char *text = malloc(LONG + 200);
    assert_non_null(text);
    memset(text, 'a', LONG);
    strcpy(text + LONG, "\n");
    expect_refusal(text, "x.mol, line 1: 'aaaa");
    memcpy(text, "title ", 6);
    strcpy(text + LONG, "\ngeometry\nHe 0 0 0\nend");
    expect_read(&this, text, "native", 1, 0, 1);
    done(&this);
    memcpy(text, "1\ncharge=0 ", 11);
    strcpy(text + LONG, "\nHe 0 0 0");
    expect_read(&this, text, "XYZ", 1, 0, 1);
    done(&this);
    free(text);
}

TEST(xyz_is_read_with_patience)
{
    struct reading this;
    expect_read(&this, " 3\n\n8 0 0 1.0D-01 extra\nH\t0 .76 1.5*^-6\nh 0 -0.76 0 7\n\n\n", "XYZ", 3,
                0, 1);
    assert_null(this.input.molecule.title);
    assert_int_equal(this.input.n_warning, 0);
    assert_int_equal(this.input.n_note, 1);
    expect_note(&this, "neither charge nor multiplicity is given: a neutral singlet is assumed");
    done(&this);
    expect_read(&this, "1\nneon = noble\nNe 0 0 0\n1\nsecond\nNe 0 0 1\n", "XYZ", 1, 0, 1);
    assert_string_equal(this.input.molecule.title, "neon = noble");
    expect_warning(&this, "the first of 2 geometries was read; the option --record");
    done(&this);
    expect_read(&this, "1\n-1 1\nF 0 0 0\n", "XYZ", 1, -1, 1);
    expect_warning(&this, "'-1 1' was taken as charge and multiplicity");
    done(&this);
}

TEST(an_odd_number_of_electrons_is_taken_for_a_doublet)
{
    struct reading this;
    expect_read(&this, "geometry\nH 0 0 0\nend\n", "native", 1, 0, 2);
    expect_warning(&this, "2 is assumed, because the number of electrons is odd");
    done(&this);
    expect_read(&this, "1\n\nH 0 0 0\n", "XYZ", 1, 0, 2);
    expect_warning(&this, "a neutral doublet is assumed");
    done(&this);
}

TEST(extended_xyz_tells_columns_charge_and_multiplicity)
{
    struct reading this;
    expect_read(&this,
                "2\nProperties=id:I:1:pos:R:3:species:S:1 name=\"a b\" charge=-1 spin=1 "
                "pbc=\"F F F\" Lattice=\"9 0 0 0 9 0 0 0 9\"\n1 0 0 0 O\n2 0 0 0.96 H\n",
                "XYZ", 2, -1, 1);
    assert_int_equal(this.input.molecule.atom[0].atomic_number, 8);
    expect_warning(&this, "spin=1 was taken as the multiplicity");
    done(&this);
}

TEST(rows_that_are_counted_are_not_taken_for_hydrogen)
{
    static const char *const refused[] = {
        "3\n0 1\n1 8 0 0 0.117\n2 1 0 0.757 -0.469\n3 1 0 -0.757 -0.469\n",
        "3\n0 1\n0 8 0 0 0.117\n1 1 0 0.757 -0.469\n2 1 0 -0.757 -0.469\n",
        "1\n0 1\n1 10 0 0 0.117\n",
    };
    static const char *const read[] = {
        "3\n0 1\n1 O 0 0 0.117\n2 H 0 0.757 -0.469\n3 H1 0 -0.757 -0.469 C 4\n",
        "3\n0 1\n0 O 0 0 0.117\n1 H 0 0.757 -0.469\n2 H 0 -0.757 -0.469\n",
    };
    static const char *const silent[] = {
        "3\nProperties=id:I:1:Z:I:1:pos:R:3 charge=0 mult=1\n1 8 0 0 0.117\n2 1 0 0.757 -0.469\n3 "
        "1 0 "
        "-0.757 -0.469\n",
        "3\ncharge=-1 mult=1\n1 8 0 0 0.117\n1 9 0 0 -0.469\n1 7 0 0 -0.469\n",
        "3\ncharge=0 mult=1\n1 0 0 0.1\n2 3 0 0.7\n3 6 0 -0.7\n",
        "3\nProperties=Z:I:1:pos:R:3 charge=0 mult=1\n1 1 0 0 0\n2 3 0 0 0\n3 5 0 0 0\n",
    };
    struct reading this;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refusal(refused[i],
                       "line 3: the lines look like index, atomic number, x, y, z; expected");
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        expect_read(&this, read[i], "XYZ", 3, 0, 1);
        assert_int_equal(this.input.molecule.atom[0].atomic_number, 8);
        expect_warning(&this, "line 3: the lines were read as index, element, x, y, z");
        done(&this);
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        expect_read(&this, silent[i], "XYZ", 3, i == 1 ? -1 : 0, 1);
        assert_int_equal(this.input.molecule.atom[0].atomic_number, i == 0 ? 8 : 1);
        for (int k = 0; k < this.input.n_warning; k++)
            assert_null(strstr(this.input.warning[k], "index"));
        done(&this);
    }
}

TEST(xyz_mistakes_are_named)
{
    expect_refusal("3\n\nO 0 0 0\nH 0 0 1\n",
                   "line 4: the file ends here; expected a comment and 3");
    expect_refusal("0\n\n", "a count of 0 atoms");
    expect_refusal("99999999999\n\n", "out of range");
    expect_refusal("1\n\nQq 0 0 0\n", "line 3: unknown element 'Qq'");
    expect_refusal("1\n\nHe 0 0\n", "line 3: z is missing");
    expect_refusal("2\n\nHe 0 0 0\n\nHe 0 0 1\n", "line 4: an empty line");
    expect_refusal("1\nLattice=\"9 0 0 0 9 0 0 0 9\"\nHe 0 0 0\n", "periodic");
    expect_refusal("1\nProperties=pos:R:3\nHe 0 0 0\n", "lacks species or pos");
    expect_refusal("1\nProperties=pos:R\nHe 0 0 0\n", "Properties is broken");
    expect_refusal("1\ncharge=q\nHe 0 0 0\n",
                   "line 2: charge 'q' of the comment is not understood");
}

TEST(foreign_formats_are_named_and_refused)
{
    static const char *const files[][2] = {
        {"BASIS\ncc-pVDZ\ntitle\n\nAtomtypes=1\n",
         "DALTON molecule file, which hf does not read; "
         "expected native input, an MDL molfile or XYZ, as 'obabel -i dalmol x.mol -O out.mol' "
         "makes it"},
        {"ATOMBASIS\ntitle\n", "DALTON"},
        {"# comment\n@<TRIPOS>MOLECULE\n",
         "a mol2 file, which hf does not read; expected native input, "
         "an MDL molfile or XYZ, as 'obabel -i mol2 x.mol -O out.mol' makes it"},
        {"{\n \"symbols\": []\n}\n", "JSON"},
        {"[Molden Format]\n[Atoms] AU\n", "Molden"},
        {"{\\rtf1 text}\n", "rich text"},
        {"HEADER    PROTEIN\nATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00    "
         "       N\n",
         "a PDB file, which hf does not read; expected native input, an MDL molfile or XYZ, as "
         "'obabel -i "
         "pdb x.mol -O out.mol -h' makes it"},
        {"TITLE     water\nHETATM    1  O   HOH     1       0.000   0.000   0.117\nEND\n", "PDB"},
        {"data_water\n_cell_length_a 5.0\nloop_\n_atom_site_label\n", "a CIF file"},
        {"data_1ABC\nloop_\n_atom_site.group_PDB\nATOM 1 N\n", "an mmCIF file"},
        {"<?xml version=\"1.0\"?>\n<molecule>\n<atomArray/>\n</molecule>\n", "a CML file"},
        {"<!DOCTYPE html>\n<html>\n", "a web page"},
        {"<?xml version=\"1.0\"?>\n<svg/>\n", "an XML file"},
        {"$coord\n 0.0 0.0 0.2 o\n$end\n", "a Turbomole file ($coord)"},
        {"$molecule\n0 1\nO 0 0 0\n$end\n", "a Q-Chem input"},
        {" $CONTRL SCFTYP=RHF $END\n $DATA\n", "a GAMESS input"},
        {"$RXN\n\n", "reaction"},
        {"%chk=water.chk\n#p hf/sto-3g\n\nwater\n\n0 1\nO 0 0 0\n", "a Gaussian input"},
        {"# HF/6-31G*\n\nwater\n\n0 1\nO 0 0 0\nH 0 0 1\nH 0 1 0\n\n", "a Gaussian input"},
        {"#p HF/6-31G*\n\nwater\n\n0 1\nO\nH 1 0.96\n", "a Gaussian input"},
        {"memory 1 GB\nmolecule water {\n0 1\nO 0 0 0\n}\nenergy('scf')\n", "a Psi4 input"},
        {"start water\ngeometry units angstrom\nO 0 0 0\nend\nbasis\n* library sto-3g\nend\ntask "
         "scf\n",
         "an NWChem input"},
        {"! HF def2-SVP\n* xyz 0 1\nO 0 0 0\n*\n", "an ORCA input"},
        {"# orca\n%pal nprocs 2 end\n*xyz 0 1\nO 0 0 0\n*\n", "an ORCA input"},
        {"***,water\ngeometry={O\n}\n", "a Molpro input"},
        {"&GLOBAL\n&END\n", "namelists"},
        {"import pyscf\nmol = 1\n", "a Python script"},
        {"InChI=1S/H2O/h1H2\n", "an InChI"},
        {"O 0 0 0.1\nH 0 0.76 -0.5\nH 0 -0.76 -0.5\n",
         "this looks like XYZ without its first two lines, which hf does not read; expected the "
         "number of "
         "atoms in line 1 and a comment"},
        {"0 1\nO 0 0 0.1\nH 0 0.76 -0.5\nH 0 -0.76 -0.5\n\n", "XYZ without its first two lines"},
        {"water\n\nO 0 0 0.1\nH 0 0.76 -0.5\n", "XYZ without its first two lines"},
        {"3 water\n1 O 0 0 0.1 1 2 3\n2 H 0 0.76 -0.5 2 1\n3 H 0 -0.76 -0.5 2 1\n",
         "a Tinker XYZ file"},
        {"O\nH 1 0.96\nH 1 0.96 2 104.5\n", "a Z-matrix"},
        {"0 1\nO1\nH2 O1 R1\nH3 O1 R1 H2 A1\n", "a Z-matrix"},
        {"CCO ethanol\n",
         "a SMILES, a formula without coordinates, which hf does not read; expected native "
         "input, an MDL molfile or XYZ, as 'obabel -i smi x.mol -O out.mol -h --gen3d' makes it"},
        {"c1ccccc1C(=O)[O-]\nC[N+](C)(C)C\tcation\n", "a SMILES"},
        {"FC(Cl)(Br)I\n", "a SMILES"},
        {"Dear all,\n", "no key of an hf input"},
        {"Zn\n", "no key of an hf input"},
        {"C(C\n", "no key of an hf input"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        expect_refusal(files[i][0], files[i][1]);
}

/** Recognisers look at files that cannot be read: good input is taken whatever it looks like. */
TEST(native_input_is_not_taken_for_another_format)
{
    static const char *const files[] = {
        "# HF/6-31G*\n# 0 1\ntitle molecule {water}\ngeometry\nHe 0 0 0\nend\n",
        "title @<TRIPOS> task $coord\ngeometry\nHe 0 0 0\nend\n",
        "basis cc-pVDZ\n\ngeometry\nHe 0 0 0\nend\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct reading this;
        expect_read(&this, files[i], "native", 1, 0, 1);
        done(&this);
    }
    expect_refusal("title water\ngeometry\nO 0 0 zero\nend\n", "line 3: z 'zero'");
    expect_refusal("title C\nchrge 1\ngeometry\nO 0 0 0\nend\n", "did you mean charge");
}

TEST_MAIN

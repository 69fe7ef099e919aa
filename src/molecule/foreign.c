/* Formats that are known by sight but not read: each is named, with what makes a file of it that is.
 *
 * They are looked at when a file is no good as native input, so none takes a good input away. */
#include "foreign.h"
#include "draft.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/** What a recogniser looks at. */
struct look {
    const struct hf_text *text;
    int first, second; /**< the first lines (from 0) that are not blank; n_line without one */
};

/** One format. */
struct foreign {
    const char *name; /**< with its article */
    bool (*is)(const struct look *look);
    const char
        *obabel; /**< its name there, and what follows the output; NULL: not converted by it */
    const char *behind;
    const char *advice; /**< instead of obabel */
};

static const char plain_advice[] = "expected native input, an MDL molfile or XYZ";
static const char atoms_advice[] = "expected e.g. XYZ: the number of atoms, a line 'charge=N "
                                   "multiplicity=N', lines 'element x y z'";

static const char *line_from(const struct look *look, int line)
{
    return line < look->text->n_line ? hf_rest_of_line(look->text->line[line]).begin : "";
}

static bool begins(const char *line, const char *prefix)
{
    return strncasecmp(line, prefix, strlen(prefix)) == 0;
}

static bool first_begins(const struct look *look, const char *prefix)
{
    return begins(line_from(look, look->first), prefix);
}

/** Whether some line begins so, behind blanks. */
static bool any_begins(const struct look *look, const char *prefix)
{
    for (int i = 0; i < look->text->n_line; i++)
        if (begins(line_from(look, i), prefix)) return true;
    return false;
}

static bool any_has(const struct look *look, const char *part)
{
    for (int i = 0; i < look->text->n_line; i++)
        if (strstr(look->text->line[i], part) != NULL) return true;
    return false;
}

/** "element x y z", whatever follows; `n_skip` words may stand before it. */
static bool is_atom(const struct hf_text *text, int line, int n_skip)
{
    struct hf_word word;
    struct draft_atom atom;
    struct hf_error unread;
    double number;
    if (line >= text->n_line) return false;
    const char *position = text->line[line];
    for (int i = 0; i <= n_skip; i++)
        if (!hf_next_word(&position, &word)) return false;
    if (hf_read_atom_name(text, line + 1, word, &atom, &unread) != HF_OK) return false;
    for (int i = 0; i < 3; i++)
        if (!hf_next_word(&position, &word) || hf_word_real(word, &number) != HF_NUMBER_OK)
            return false;
    return true;
}

/** Two whole numbers and nothing else: charge and multiplicity. */
static bool is_state(const struct hf_text *text, int line)
{
    struct hf_word word;
    int number;
    if (line >= text->n_line) return false;
    const char *position = text->line[line];
    for (int i = 0; i < 2; i++)
        if (!hf_next_word(&position, &word) || hf_word_integer(word, &number) != HF_NUMBER_OK)
            return false;
    return hf_rest_of_line(position).length == 0;
}

static bool is_rich_text(const struct look *look)
{
    return first_begins(look, "{\\rtf");
}

static bool is_molden(const struct look *look)
{
    return first_begins(look, "[Molden");
}

static bool is_json(const struct look *look)
{
    return first_begins(look, "{") || first_begins(look, "[");
}

static bool is_mol2(const struct look *look)
{
    return any_begins(look, "@<TRIPOS>");
}

static bool is_cml(const struct look *look)
{
    return first_begins(look, "<") && (any_has(look, "<cml") || any_has(look, "<molecule"));
}

static bool is_web_page(const struct look *look)
{
    return first_begins(look, "<!DOCTYPE html") || first_begins(look, "<html");
}

static bool is_xml(const struct look *look)
{
    return first_begins(look, "<");
}

static bool is_mmcif(const struct look *look)
{
    return any_begins(look, "_atom_site.");
}

static bool is_cif(const struct look *look)
{
    return first_begins(look, "data_") || any_begins(look, "_atom_site_");
}

static bool is_pdb(const struct look *look)
{
    double x;
    for (int i = 0; i < look->text->n_line; i++) {
        const char *line = look->text->line[i];
        if ((strncmp(line, "ATOM  ", 6) == 0 || strncmp(line, "HETATM", 6) == 0) &&
            hf_word_real(hf_columns(line, 31, 38), &x) == HF_NUMBER_OK)
            return true;
    }
    return false;
}

static bool is_turbomole(const struct look *look)
{
    return any_begins(look, "$coord");
}

static bool is_qchem(const struct look *look)
{
    return any_begins(look, "$molecule") || any_begins(look, "$rem");
}

static bool is_gamess(const struct look *look)
{
    return any_begins(look, "$contrl") || any_begins(look, "$data");
}

static bool is_reaction(const struct look *look)
{
    return first_begins(look, "$RXN") || first_begins(look, "$RDFILE");
}

/** Link 0 commands; or a route, and later a line "0 1" with an atom behind it. */
static bool is_gaussian(const struct look *look)
{
    const char *first = line_from(look, look->first);
    bool route = false;
    if (first[0] == '%' && isalpha((unsigned char)first[1]) && strchr(first, '=') != NULL)
        return true;
    for (int i = 0; i < look->text->n_line; i++) {
        route = route || line_from(look, i)[0] == '#';
        if (route && is_state(look->text, i) &&
            (is_atom(look->text, i + 1, 0) || isalpha((unsigned char)line_from(look, i + 1)[0])))
            return true;
    }
    return false;
}

static bool is_orca(const struct look *look)
{
    static const char *const blocks[] = {"*xyz", "* xyz", "*int", "* int", "*gzmt", "* gzmt"};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (any_begins(look, blocks[i])) return true;
    return first_begins(look, "!");
}

static bool is_psi4(const struct look *look)
{
    for (int i = 0; i < look->text->n_line; i++)
        if (begins(line_from(look, i), "molecule") && strchr(line_from(look, i), '{') != NULL)
            return true;
    return false;
}

static bool is_nwchem(const struct look *look)
{
    return any_begins(look, "task ");
}

static bool is_molpro(const struct look *look)
{
    return first_begins(look, "***") || any_begins(look, "geometry={");
}

static bool is_namelist(const struct look *look)
{
    return first_begins(look, "&");
}

static bool is_python(const struct look *look)
{
    return any_begins(look, "import ") || (any_begins(look, "from ") && any_has(look, " import "));
}

static bool is_inchi(const struct look *look)
{
    return first_begins(look, "InChI=");
}

static bool is_dalton(const struct look *look)
{
    static const char *const words[] = {"BASIS", "ATOMBASIS", "INTGRL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (look->first < look->text->n_line &&
            hf_word_is(hf_rest_of_line(look->text->line[look->first]), words[i]))
            return true;
    return false;
}

/** Atoms from the first or the second line on, and nothing else. */
static bool is_xyz_without_count(const struct look *look)
{
    const bool at_once = is_atom(look->text, look->first, 0);
    int line = at_once ? look->first : look->second;
    if (line >= look->text->n_line || first_begins(look, "geometry")) return false;
    for (; line < look->text->n_line; line = hf_text_skip_blank(look->text, line + 1))
        if (!is_atom(look->text, line, 0)) return false;
    return true;
}

/** A count with a title behind it, then "1 element x y z bonds". */
static bool is_tinker(const struct look *look)
{
    struct hf_word word;
    int number;
    const char *position = line_from(look, look->first);
    if (!hf_next_word(&position, &word) || hf_word_integer(word, &number) != HF_NUMBER_OK)
        return false;
    position = line_from(look, look->second);
    return hf_next_word(&position, &word) && hf_word_integer(word, &number) == HF_NUMBER_OK &&
           number == 1 && is_atom(look->text, look->second, 1);
}

/** Lines "O" and "H 1 0.96", perhaps behind "0 1". */
static bool is_z_matrix(const struct look *look)
{
    const struct hf_text *text = look->text;
    const bool state = is_state(text, look->first);
    const int first = state ? look->second : look->first;
    const int second = state ? hf_text_skip_blank(text, look->second + 1) : look->second;
    struct hf_word name, word, value, more;
    struct draft_atom atom;
    struct hf_error unread;
    if (second >= text->n_line) return false;
    const char *position = text->line[first];
    if (!hf_next_word(&position, &name) || hf_next_word(&position, &more)) return false;
    if (hf_read_atom_name(text, first + 1, name, &atom, &unread) != HF_OK) return false;
    position = text->line[second];
    if (!hf_next_word(&position, &word) || !hf_next_word(&position, &more) ||
        !hf_next_word(&position, &value) || hf_rest_of_line(position).length > 0)
        return false;
    return hf_read_atom_name(text, second + 1, word, &atom, &unread) == HF_OK &&
           (hf_word_is(more, "1") || (more.length == name.length &&
                                      strncmp(more.begin, name.begin, (size_t)name.length) == 0));
}

/** Whether a word is a formula in SMILES: atoms of the organic subset, the others in brackets. */
static bool is_smiles_word(struct hf_word word)
{
    int n_atom = 0, depth = 0;
    for (int i = 0; i < word.length; i++) {
        const char c = word.begin[i];
        if (c == '[') {
            const char *close = memchr(word.begin + i, ']', (size_t)(word.length - i));
            if (close == NULL || close == word.begin + i + 1) return false;
            i = (int)(close - word.begin);
            n_atom++;
        } else if (strchr("BCNOPSFIbcnops", c) != NULL) {
            const char next = i + 1 < word.length ? word.begin[i + 1] : '\0';
            if ((c == 'C' && next == 'l') || (c == 'B' && next == 'r')) i++;
            n_atom++;
        } else if (strchr("0123456789%-=#$:/\\.()@", c) == NULL) {
            return false;
        }
        depth += (c == '(') - (c == ')');
        if (depth < 0) return false;
    }
    return n_atom > 0 && depth == 0;
}

static bool is_smiles(const struct look *look)
{
    struct hf_word word;
    for (int i = look->first; i < look->text->n_line; i = hf_text_skip_blank(look->text, i + 1)) {
        const char *position = look->text->line[i];
        if (!hf_next_word(&position, &word) || !is_smiles_word(word)) return false;
    }
    return look->first < look->text->n_line;
}

/** The first that recognises a file names it. */
static const struct foreign list[] = {
    {"a rich text document", is_rich_text, NULL, NULL, "save it as plain text"},
    {"a Molden file", is_molden, "molden", "", NULL},
    {"a JSON file", is_json, NULL, NULL,
     "expected a QCSchema AtomicInput, native input, an MDL molfile or XYZ"},
    {"a mol2 file", is_mol2, "mol2", "", NULL},
    {"a CML file", is_cml, "cml", "", NULL},
    {"a web page", is_web_page, NULL, NULL, "download the file that it shows"},
    {"an XML file", is_xml, NULL, NULL, plain_advice},
    {"an mmCIF file", is_mmcif, "mmcif", " -h", NULL},
    {"a CIF file, a crystal", is_cif, "cif", "", NULL},
    {"a PDB file", is_pdb, "pdb", " -h", NULL},
    {"a Turbomole file ($coord)", is_turbomole, "tmol", "", NULL},
    {"a Q-Chem input", is_qchem, NULL, NULL, atoms_advice},
    {"a GAMESS input", is_gamess, NULL, NULL, atoms_advice},
    {"an MDL reaction file", is_reaction, NULL, NULL, "expected one molecule, an MDL molfile"},
    {"a Psi4 input", is_psi4, NULL, NULL, atoms_advice},
    {"an ORCA input", is_orca, NULL, NULL, atoms_advice},
    {"a Gaussian input", is_gaussian, NULL, NULL, atoms_advice},
    {"an NWChem input", is_nwchem, NULL, NULL, atoms_advice},
    {"a Molpro input", is_molpro, NULL, NULL, atoms_advice},
    {"an input of namelists (&), as those of CP2K or Molcas", is_namelist, NULL, NULL,
     atoms_advice},
    {"a Python script", is_python, NULL, NULL, atoms_advice},
    {"a DALTON molecule file", is_dalton, "dalmol", "", NULL},
    {"an InChI, a formula without coordinates", is_inchi, "inchi", " -h --gen3d", NULL},
    {"XYZ without its first two lines", is_xyz_without_count, NULL, NULL,
     "expected the number of atoms in line 1 and a comment, e.g. 'charge=0 multiplicity=1', in "
     "line 2"},
    {"a Tinker XYZ file", is_tinker, "txyz", "", NULL},
    {"a Z-matrix", is_z_matrix, NULL, NULL,
     "expected Cartesian coordinates, lines 'element x y z'"},
    {"a SMILES, a formula without coordinates", is_smiles, "smi", " -h --gen3d", NULL},
};

const struct foreign *hf_recognise_foreign(const struct hf_text *text)
{
    struct look look = {.text = text, .first = hf_text_skip_blank(text, 0)};
    look.second = hf_text_skip_blank(text, look.first + 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].is(&look)) return &list[i];
    return NULL;
}

hf_status hf_refuse_foreign(const struct hf_text *text, const struct foreign *foreign,
                            struct hf_error *error)
{
    if (foreign->obabel == NULL)
        return hf_text_fail(error, text, 0, "this looks like %s, which hf does not read; %s",
                            foreign->name, foreign->advice);
    return hf_text_fail(
        error, text, 0,
        "this looks like %s, which hf does not read; %s, as 'obabel -i %s %.300s -O "
        "out.mol%s' makes it",
        foreign->name, plain_advice, foreign->obabel, text->path, foreign->behind);
}

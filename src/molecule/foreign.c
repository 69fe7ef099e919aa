/* Formats that hf recognises but does not read. Messages name the format and how to convert the file.
 *
 * They are tried only if reading as native input failed, so good input is never refused. */
#include "comment_words.h"
#include "draft.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/** Input of a recogniser. */
struct look {
    const struct hf_text *text;
    /** the first and second lines (from 0) that are not blank; n_line if missing */
    int first, second;
};

/** A format, recognised by the beginning of a line or by a function. */
struct foreign {
    const char *name;     /**< name with its article */
    const char *first[2]; /**< beginnings of the first line */
    const char *any[6];   /**< beginnings of any line, after blanks */
    bool (*is)(const struct look *look);
    const char *obabel, *behind; /**< its name in obabel, and options after the output */
    const char *advice;          /**< used instead of obabel if that cannot convert it */
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

/** Whether any line begins with `prefix`, after blanks. */
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

/** Whether a line is "element x y z" after `n_skip` words; more may follow. */
static bool is_atom(const struct hf_text *text, int line, int n_skip)
{
    struct hf_word word;
    double number;
    if (line >= text->n_line) return false;
    const char *position = text->line[line];
    for (int i = 0; i <= n_skip; i++)
        if (!hf_next_word(&position, &word)) return false;
    if (!hf_is_atom_name(word)) return false;
    for (int i = 0; i < 3; i++)
        if (!hf_next_word(&position, &word) || hf_word_real(word, &number) != HF_NUMBER_OK)
            return false;
    return true;
}

/** Whether a line has only two whole numbers: charge and multiplicity. */
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

static bool is_cml(const struct look *look)
{
    return first_begins(look, "<") && (any_has(look, "<cml") || any_has(look, "<molecule"));
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

/** Link 0 commands; or a route, and later a line "0 1" followed by an atom. */
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

static bool is_psi4(const struct look *look)
{
    for (int i = 0; i < look->text->n_line; i++)
        if (begins(line_from(look, i), "molecule") && strchr(line_from(look, i), '{') != NULL)
            return true;
    return false;
}

/** A theory after `task` (native input has another word there), and another line of NWChem. */
static bool is_nwchem(const struct look *look)
{
    static const char *const theories[] = {
        "task scf",  "task dft",   "task sodft", "task mp2",    "task direct_mp2", "task rimp2",
        "task ccsd", "task mcscf", "task selci", "task tce",    "task tddft",      "task semi",
        "task pspw", "task band",  "task shell", "task python", "task property",   "task esp"};
    static const char *const others[] = {"start ",      "restart",         "echo",
                                         "* library",   "geometry units",  "geometry noauto",
                                         "geometry \"", "basis spherical", "basis \"",
                                         "title \"",    "permanent_dir",   "scratch_dir"};
    bool task = false, other = false;
    for (size_t i = 0; i < sizeof theories / sizeof *theories; i++)
        task = task || any_begins(look, theories[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        other = other || any_begins(look, others[i]);
    return task && other;
}

static bool is_python(const struct look *look)
{
    return any_begins(look, "import ") || (any_begins(look, "from ") && any_has(look, " import "));
}

static bool is_dalton(const struct look *look)
{
    static const char *const words[] = {"BASIS", "ATOMBASIS", "INTGRL", NULL};
    return look->first < look->text->n_line &&
           hf_word_is_listed(hf_rest_of_line(look->text->line[look->first]), words);
}

/** Atoms from the first or second line on, and nothing else. */
static bool is_xyz_without_count(const struct look *look)
{
    const bool at_once = is_atom(look->text, look->first, 0);
    int line = at_once ? look->first : look->second;
    if (line >= look->text->n_line || first_begins(look, "geometry")) return false;
    for (; line < look->text->n_line; line = hf_text_skip_blank(look->text, line + 1))
        if (!is_atom(look->text, line, 0)) return false;
    return true;
}

/** A count followed by a title, then "1 element x y z bonds". */
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

/** Lines "O" and "H 1 0.96", possibly after "0 1". */
static bool is_z_matrix(const struct look *look)
{
    const struct hf_text *text = look->text;
    const bool state = is_state(text, look->first);
    const int first = state ? look->second : look->first;
    const int second = state ? hf_text_skip_blank(text, look->second + 1) : look->second;
    struct hf_word name, word, value, more;
    if (second >= text->n_line) return false;
    const char *position = text->line[first];
    if (!hf_next_word(&position, &name) || hf_next_word(&position, &more)) return false;
    if (!hf_is_atom_name(name)) return false;
    position = text->line[second];
    if (!hf_next_word(&position, &word) || !hf_next_word(&position, &more) ||
        !hf_next_word(&position, &value) || hf_rest_of_line(position).length > 0)
        return false;
    return hf_is_atom_name(word) &&
           (hf_word_is(more, "1") || (more.length == name.length &&
                                      strncmp(more.begin, name.begin, (size_t)name.length) == 0));
}

/** Whether a word is a formula in SMILES: atoms of the organic subset, other atoms in brackets. */
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

/** The formats. The first one that recognises a file counts. */
static const struct foreign list[] = {
    {"a rich text document", .first = {"{\\rtf"}, .advice = "save it as plain text"},
    {"a Molden file", .first = {"[Molden"}, .obabel = "molden"},
    {"a JSON file", .first = {"{", "["},
     .advice = "expected a QCSchema AtomicInput or result, native input, an MDL molfile or XYZ"},
    {"a mol2 file", .any = {"@<TRIPOS>"}, .obabel = "mol2"},
    {"a CML file", .is = is_cml, .obabel = "cml"},
    {"a web page", .first = {"<!DOCTYPE html", "<html"},
     .advice = "download the file that it shows"},
    {"an XML file", .first = {"<"}, .advice = plain_advice},
    {"an mmCIF file", .any = {"_atom_site."}, .obabel = "mmcif", .behind = " -h"},
    {"a CIF file, a crystal", .first = {"data_"}, .any = {"_atom_site_"}, .obabel = "cif"},
    {"a PDB file", .is = is_pdb, .obabel = "pdb", .behind = " -h"},
    {"a Turbomole file ($coord)", .any = {"$coord"}, .obabel = "tmol"},
    {"a Q-Chem input", .any = {"$molecule", "$rem"}, .advice = atoms_advice},
    {"a GAMESS input", .any = {"$contrl", "$data"}, .advice = atoms_advice},
    {"an MDL reaction file", .first = {"$RXN", "$RDFILE"},
     .advice = "expected one molecule, an MDL molfile"},
    {"a Psi4 input", .is = is_psi4, .advice = atoms_advice},
    {"an ORCA input", .first = {"!"}, .any = {"*xyz", "* xyz", "*int", "* int", "*gzmt", "* gzmt"},
     .advice = atoms_advice},
    {"a Gaussian input", .is = is_gaussian, .advice = atoms_advice},
    {"an NWChem input", .is = is_nwchem, .advice = atoms_advice},
    {"a Molpro input", .first = {"***"}, .any = {"geometry={"}, .advice = atoms_advice},
    {"an input of namelists (&), as those of CP2K or Molcas", .first = {"&"},
     .advice = atoms_advice},
    {"a Python script", .is = is_python, .advice = atoms_advice},
    {"a DALTON molecule file", .is = is_dalton, .obabel = "dalmol"},
    {"an InChI, a formula without coordinates", .first = {"InChI="}, .obabel = "inchi",
     .behind = " -h --gen3d"},
    {"XYZ without its first two lines", .is = is_xyz_without_count,
     .advice = "expected the number of atoms in line 1 and a comment, e.g. 'charge=0 "
               "multiplicity=1', in line 2"},
    {"a Tinker XYZ file", .is = is_tinker, .obabel = "txyz"},
    {"a Z-matrix", .is = is_z_matrix,
     .advice = "expected Cartesian coordinates, lines 'element x y z'"},
    {"a SMILES, a formula without coordinates", .is = is_smiles, .obabel = "smi",
     .behind = " -h --gen3d"},
};

static bool looks_like(const struct foreign *foreign, const struct look *look)
{
    for (size_t i = 0; i < sizeof foreign->first / sizeof *foreign->first; i++)
        if (foreign->first[i] != NULL && first_begins(look, foreign->first[i])) return true;
    for (size_t i = 0; i < sizeof foreign->any / sizeof *foreign->any; i++)
        if (foreign->any[i] != NULL && any_begins(look, foreign->any[i])) return true;
    return foreign->is != NULL && foreign->is(look);
}

const struct foreign *hf_recognise_foreign(const struct hf_text *text)
{
    struct look look = {.text = text, .first = hf_text_skip_blank(text, 0)};
    look.second = hf_text_skip_blank(text, look.first + 1);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (looks_like(&list[i], &look)) return &list[i];
    return NULL;
}

hf_status hf_refuse_foreign(const struct draft *draft, const struct foreign *foreign)
{
    if (foreign->obabel == NULL)
        return hf_draft_fail(draft, 0, "this looks like %s, which hf does not read; %s",
                             foreign->name, foreign->advice);
    return hf_draft_fail(draft, 0,
                         "this looks like %s, which hf does not read; %s, as 'obabel -i %s %.300s "
                         "-O out.mol%s' makes it",
                         foreign->name, plain_advice, foreign->obabel, draft->text->path,
                         foreign->behind != NULL ? foreign->behind : "");
}

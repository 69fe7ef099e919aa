/* The comment line of XYZ: charge, multiplicity, units and columns.
 *
 * Extended XYZ (key=value) is the only standard. But people and programs also write "charge = 2", "mult: 1", "0 1",
 * "(bohr)" and prose. A setting that cannot be understood is an error. A word that may be a setting causes a
 * warning, and so does a setting that is taken from prose. */
#include "comment_words.h"
#include "draft.h"

#include <string.h>

enum setting { CHARGE, MULTIPLICITY, UNPAIRED, SPIN, UNITS, N_SETTING };

/** Name of a setting, its expected value, and how to give it. */
static const struct {
    const char *name, *expected, *advice;
} about[N_SETTING] = {
    [CHARGE] = {"charge", "a whole number, e.g. charge=-1", "the charge is given as charge=N"},
    [MULTIPLICITY] = {"multiplicity", "a whole number 2S+1 from 1, e.g. multiplicity=1",
                      "the multiplicity is given as multiplicity=N"},
    [UNPAIRED] = {"number of unpaired electrons", "a whole number", NULL},
    [SPIN] = {"spin", "multiplicity=2S+1", NULL},
    [UNITS] = {"units", "angstrom or bohr, e.g. units=bohr",
               "units are given as units=bohr or units=angstrom"},
};

/** Names of settings without - and _, which may be anywhere in a word. */
static const struct {
    enum setting setting;
    bool equals; /**< too short to be a setting unless = follows */
    const char *name[12];
} names[] = {
    {CHARGE,
     false,
     {"charge", "totalcharge", "totcharge", "netcharge", "molecularcharge", "systemcharge",
      "formalcharge", "chrg", "chg"}},
    {CHARGE, true, {"q"}},
    {MULTIPLICITY,
     false,
     {"multiplicity", "spinmultiplicity", "molecularmultiplicity", "totalmultiplicity", "mult",
      "spinmult", "2s+1"}},
    {MULTIPLICITY, true, {"mul"}},
    {UNPAIRED, false, {"uhf", "unpaired", "nunpaired", "unpairedelectrons", "nunpairedelectrons"}},
    {UNPAIRED, true, {"nopen"}},
    {SPIN, false, {"spin", "totalspin"}},
    {UNITS,
     false,
     {"units", "unit", "lengthunit", "lengthunits", "coordinateunit", "coordinateunits",
      "positionunits", "posunit", "posunits"}},
};

/** Parts of words that mention a setting without giving it. */
static const struct {
    const char *part;
    enum setting setting;
} mentions[] = {
    {"charge", CHARGE},        {"cation", CHARGE},        {"anion", CHARGE},
    {"multipl", MULTIPLICITY}, {"spin", MULTIPLICITY},    {"unpaired", MULTIPLICITY},
    {"radical", MULTIPLICITY}, {"doublet", MULTIPLICITY}, {"triplet", MULTIPLICITY},
    {"quartet", MULTIPLICITY}, {"bohr", UNITS},
};

/** Results so far. */
struct reading {
    struct draft *draft;
    int line;
    struct xyz_columns *columns;
    const char *first;    /**< beginning of the first setting; NULL: none yet */
    bool said[N_SETTING]; /**< a value was given; UNPAIRED is stored as MULTIPLICITY */
    int value[N_SETTING]; /**< units: 1 for bohr */
    struct hf_word mention[N_SETTING];
    struct hf_word spin;     /**< value of spin=, decided at the end */
    struct hf_word previous; /**< last word of the previous item: its value, otherwise its key */
    bool in_settings;        /**< the previous item was a setting */
    bool extended, lattice, boundaries, periodic;
};

/** The setting of an item; N_SETTING: it is not a setting. */
static enum setting setting_of(const struct comment_item *item)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *const *name = names[i].name; *name != NULL; name++)
            if (hf_comment_is_name(item->key, *name) && (!names[i].equals || item->assigned == '='))
                return names[i].setting;
    return N_SETTING;
}

/** Converts the value of a setting to a number; false: not understood. */
static bool understand(enum setting setting, struct hf_word word, int *value)
{
    if (setting == UNITS) {
        *value = hf_comment_unit(word);
        return *value >= 0;
    }
    if (!hf_comment_whole_number(word, value)) return false;
    return setting == CHARGE || *value >= (setting == MULTIPLICITY ? 1 : 0);
}

/** Stores a value. Two different values are an error. */
static hf_status keep(struct reading *reading, enum setting setting, int value)
{
    static const char *const unit[] = {"angstrom", "bohr"};
    if (setting == UNPAIRED) {
        setting = MULTIPLICITY;
        value++;
    }
    if (reading->said[setting] && reading->value[setting] != value) {
        if (setting == UNITS)
            return hf_draft_fail(reading->draft, reading->line,
                                 "the comment names both angstrom and bohr; expected one of them");
        return hf_draft_fail(reading->draft, reading->line,
                             "the comment gives %s %d and %s %d; expected one of them",
                             about[setting].name, reading->value[setting], about[setting].name,
                             value);
    }
    if (reading->said[setting]) return HF_OK;
    reading->said[setting] = true;
    reading->value[setting] = value;
    if (setting != UNITS)
        return hf_draft_option_integer(reading->draft, about[setting].name, value, reading->line);
    return hf_draft_option(reading->draft, "units",
                           (struct hf_word){unit[value], (int)strlen(unit[value])}, reading->line);
}

static void remember(struct reading *reading, enum setting setting, struct hf_word word)
{
    if (reading->mention[setting].length == 0) reading->mention[setting] = word;
}

/** Warns of a setting without = after other words, which may mean something else: "water with point charge 2". */
static hf_status warn_of_prose(const struct reading *reading, const struct comment_item *item,
                               enum setting setting)
{
    const char *begin = reading->draft->text->line[reading->line - 1], *c = item->key.begin;
    while (c > begin && (c[-1] == ' ' || c[-1] == '\t')) c--;
    if (item->assigned != '\0' || reading->in_settings || c == begin ||
        strchr(",;|([{\"'", c[-1]) != NULL)
        return HF_OK;
    return hf_draft_warn(reading->draft, reading->line,
                         "'%.*s %.*s' of the comment was taken as the %s", HF_WORD(item->key),
                         HF_WORD(item->value), about[setting].name);
}

/** Reads a setting. After = or : its value must be understood; in prose it may mean something else. */
static hf_status read_setting(struct reading *reading, enum setting setting,
                              struct comment_item *item)
{
    int value = 0;
    const bool too_short = setting == UNITS && item->assigned == '\0' && item->value.length == 1;
    const bool understood = !too_short && understand(setting, item->value, &value);
    if (!understood && item->assigned == '\0') {
        remember(reading,
                 setting == UNITS    ? UNITS
                 : setting == CHARGE ? CHARGE
                                     : MULTIPLICITY,
                 item->key);
        return HF_OK;
    }
    if (reading->first == NULL) reading->first = item->key.begin;
    if (setting == SPIN) {
        reading->spin = item->value;
        item->next = item->value.begin + item->value.length;
        return HF_OK;
    }
    if (!understood)
        return hf_draft_fail(reading->draft, reading->line,
                             "%s '%.*s' of the comment is not understood; expected %s",
                             about[setting].name, HF_WORD(item->value), about[setting].expected);
    if (item->assigned == '\0') item->next = item->value.begin + item->value.length;
    HF_CHECK(warn_of_prose(reading, item, setting));
    return keep(reading, setting, value);
}

/** Takes the part of `list` before the next colon; false at the end of the list. */
static bool next_part(struct hf_word *list, struct hf_word *part)
{
    if (list->length <= 0) return false;
    const char *colon = memchr(list->begin, ':', (size_t)list->length);
    part->begin = list->begin;
    part->length = colon != NULL ? (int)(colon - list->begin) : list->length;
    list->begin += part->length + 1;
    list->length -= part->length + 1;
    return true;
}

/** Reads Properties=species:S:1:pos:R:3:... */
static hf_status read_properties(struct draft *draft, int line, struct hf_word list,
                                 struct xyz_columns *columns)
{
    struct hf_word name, type, width;
    int column = 0;
    *columns = (struct xyz_columns){-1, -1, true};
    while (next_part(&list, &name)) {
        int n = 0;
        if (!next_part(&list, &type) || !next_part(&list, &width) ||
            hf_word_integer(width, &n) != HF_NUMBER_OK || n < 1 || column + n > HF_MAX_XYZ_COLUMN)
            return hf_draft_fail(draft, line,
                                 "Properties is broken at '%.*s'; expected name:type:columns",
                                 HF_WORD(name));
        if (hf_word_is(name, "species") || (hf_word_is(name, "Z") && columns->element < 0))
            columns->element = column;
        if (hf_word_is(name, "pos") && n == 3) columns->position = column;
        column += n;
    }
    if (columns->element >= 0 && columns->position >= 0) return HF_OK;
    return hf_draft_fail(
        draft, line,
        "Properties lacks species or pos; expected e.g. Properties=species:S:1:pos:R:3");
}

/** Reads Properties, Lattice and pbc of extended XYZ. */
static hf_status read_extended(struct reading *reading, const struct comment_item *item,
                               bool *taken)
{
    *taken = true;
    if (hf_word_is(item->key, "Properties")) {
        reading->extended = true;
        return read_properties(reading->draft, reading->line, item->value, reading->columns);
    }
    if (hf_word_is(item->key, "Lattice")) {
        reading->extended = reading->lattice = true;
    } else if (hf_word_is(item->key, "pbc")) {
        reading->extended = reading->boundaries = true;
        reading->periodic = false;
        for (int i = 0; i < item->value.length; i++)
            reading->periodic = reading->periodic || strchr("Tt1", item->value.begin[i]) != NULL;
    } else {
        *taken = false;
    }
    return HF_OK;
}

/** Whether an item is about the unit of lengths: "coordinates: bohr", "water, a.u.", "in nm", but not "E = -76.0
 *  a.u." or gold. */
static bool speaks_of_unit(const struct reading *reading, const struct comment_item *item)
{
    static const char *const places[] = {"unit", "coord", "geom", "length", "dist", "pos", "xyz"};
    static const char *const unread[] = {"nm", "pm", "nanometer", "nanometers", "picometer", NULL};
    double number;
    if (item->assigned == '\0') {
        if (hf_word_is_listed(item->key, unread) && hf_word_is(reading->previous, "in"))
            return true;
        return hf_comment_unit(item->key) == 1 && !hf_comment_is_gold(item->key) &&
               !hf_word_is(item->key, "atomic") &&
               hf_word_real(reading->previous, &number) != HF_NUMBER_OK;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (hf_comment_contains(item->key, places[i]) && hf_comment_unit(item->value) == 1)
            return true;
    return false;
}

/** Records a word that is not a setting but may mention one. */
static void note_mention(struct reading *reading, const struct comment_item *item)
{
    static const char *const harmless[] = {"discharge", "recharge"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (hf_comment_contains(item->key, harmless[i])) return;
    for (size_t i = 0; i < sizeof mentions / sizeof *mentions; i++)
        if (hf_comment_contains(item->key, mentions[i].part))
            remember(reading, mentions[i].setting, item->key);
    if (speaks_of_unit(reading, item)) remember(reading, UNITS, item->key);
}

/** Whether an item is a unit in prose: "in bohr", "(bohr)", but not "1.4 bohr", which may be any distance. */
static bool is_unit_in_prose(const struct reading *reading, const struct comment_item *item)
{
    double number;
    const char *begin = item->key.begin;
    if (item->assigned != '\0' || !hf_word_is(item->key, "bohr")) return false;
    if (hf_word_is(reading->previous, "in")) return true;
    return begin > reading->draft->text->line[reading->line - 1] &&
           strchr("([", begin[-1]) != NULL && begin[-1] != '\0' &&
           hf_word_real(reading->previous, &number) != HF_NUMBER_OK;
}

static hf_status take_unit_of_prose(struct reading *reading)
{
    HF_CHECK(keep(reading, UNITS, 1));
    return hf_draft_warn(reading->draft, reading->line,
                         "'bohr' of the comment was taken as the unit of the coordinates");
}

static hf_status read_items(struct reading *reading)
{
    struct comment_item item;
    hf_status status = HF_OK;
    const char *c = reading->draft->text->line[reading->line - 1];
    for (; status == HF_OK && hf_comment_next(c, &item); c = item.next) {
        bool taken = false;
        if (item.assigned == '=') status = read_extended(reading, &item, &taken);
        if (taken || status != HF_OK) continue;
        const enum setting setting = setting_of(&item);
        if (setting != N_SETTING)
            status = read_setting(reading, setting, &item);
        else if (is_unit_in_prose(reading, &item))
            status = take_unit_of_prose(reading);
        else
            note_mention(reading, &item);
        const bool with_value =
            item.assigned != '\0' || item.next != item.key.begin + item.key.length;
        reading->previous = with_value ? item.value : item.key;
        reading->in_settings = setting != N_SETTING && with_value;
    }
    return status;
}

/** Decides the meaning of spin=, which may be 2S+1, 2S or S. 0 is a singlet. 1 is a singlet in data sets of extended
 *  XYZ. Other values are not clear. */
static hf_status settle_spin(struct reading *reading)
{
    const struct hf_word spin = reading->spin;
    const bool asked = hf_options_given(reading->draft->options, "multiplicity") != NULL;
    int value = -1;
    if (spin.length == 0) return HF_OK;
    if (hf_comment_whole_number(spin, &value) && value == 0) return keep(reading, UNPAIRED, 0);
    if (asked)
        return hf_draft_warn(reading->draft, reading->line,
                             "spin=%.*s is not used, because the multiplicity is given",
                             HF_WORD(spin));
    if (value != 1)
        return hf_draft_fail(reading->draft, reading->line,
                             "spin=%.*s may be S, 2S or 2S+1; expected multiplicity=2S+1 in the "
                             "comment, or --multiplicity",
                             HF_WORD(spin));
    HF_CHECK(keep(reading, MULTIPLICITY, 1));
    return hf_draft_warn(reading->draft, reading->line,
                         "spin=1 was taken as the multiplicity 2S+1, a singlet; if that is wrong, "
                         "write multiplicity=2S+1");
}

/** Whether a number has a sign, as "-1" or "2+". */
static bool has_sign(struct hf_word word)
{
    return word.length > 1 && word.length < 5 &&
           (strchr("+-", word.begin[0]) != NULL ||
            strchr("+-", word.begin[word.length - 1]) != NULL);
}

/** Reads "0 1", as in other programs: charge and multiplicity, with a warning. A single "-1" or "2+" may mean
 *  anything. */
static hf_status read_numbers(struct reading *reading, bool *found)
{
    struct comment_item first, second, third;
    int charge, multiplicity;
    const char *comment = reading->draft->text->line[reading->line - 1];
    if (hf_comment_next(comment, &first) && !hf_comment_next(first.next, &second) &&
        has_sign(first.key) && hf_comment_whole_number(first.key, &charge))
        remember(reading, CHARGE, first.key);
    *found = hf_comment_next(comment, &first) && first.assigned == '\0' &&
             hf_comment_next(first.next, &second) && second.assigned == '\0' &&
             !hf_comment_next(second.next, &third) &&
             hf_word_integer(first.key, &charge) == HF_NUMBER_OK &&
             hf_word_integer(second.key, &multiplicity) == HF_NUMBER_OK && multiplicity > 0 &&
             multiplicity <= HF_LARGEST_STATE && charge >= -HF_LARGEST_STATE &&
             charge <= HF_LARGEST_STATE;
    if (!*found) return HF_OK;
    HF_CHECK(keep(reading, CHARGE, charge));
    HF_CHECK(keep(reading, MULTIPLICITY, multiplicity));
    reading->first = comment;
    return hf_draft_warn(reading->draft, reading->line,
                         "the comment '%.*s' was taken as charge and multiplicity",
                         HF_WORD(hf_rest_of_line(comment)));
}

/** Reads a comment that only contains a unit. */
static hf_status read_sole_unit(struct reading *reading, bool *found)
{
    const char *comment = reading->draft->text->line[reading->line - 1];
    const int unit = hf_comment_sole_unit(comment);
    *found = unit >= 0 && !reading->said[UNITS];
    if (!*found) return HF_OK;
    reading->mention[UNITS].length = 0;
    reading->first = comment;
    HF_CHECK(keep(reading, UNITS, unit));
    if (unit == 0) return HF_OK;
    return hf_draft_warn(reading->draft, reading->line,
                         "the comment '%.*s' was taken as the unit of the coordinates",
                         HF_WORD(hf_rest_of_line(comment)));
}

/** Warns of words that mention a setting if neither the comment nor the command line gives it. */
static hf_status warn_of_mentions(const struct reading *reading)
{
    for (int setting = 0; setting < N_SETTING; setting++)
        if (reading->mention[setting].length > 0 && !reading->said[setting] &&
            hf_options_given(reading->draft->options, about[setting].name) == NULL)
            HF_CHECK(hf_draft_warn(reading->draft, reading->line,
                                   "'%.*s' of the comment was not taken as a setting; %s",
                                   HF_WORD(reading->mention[setting]), about[setting].advice));
    return HF_OK;
}

/** The title is the comment before its first setting. */
static hf_status read_title(const struct reading *reading)
{
    const char *comment = reading->draft->text->line[reading->line - 1];
    struct hf_word title = hf_rest_of_line(comment);
    if (reading->extended) return HF_OK;
    if (reading->first != NULL) title.length = (int)(reading->first - title.begin);
    const char *cut = reading->first != NULL ? " \t,;|([{\"'" : " \t,;|([";
    while (title.length > 0 && strchr(cut, title.begin[title.length - 1]) != NULL) title.length--;
    if (title.length <= 0) return HF_OK;
    return hf_draft_option(reading->draft, "title", title, reading->line);
}

hf_status hf_xyz_read_comment(struct draft *draft, int line, int unit, struct xyz_columns *columns)
{
    struct reading reading = {.draft = draft, .line = line, .columns = columns, .periodic = true};
    bool alone = false;
    reading.said[UNITS] = unit >= 0;
    reading.value[UNITS] = unit;
    HF_CHECK(read_items(&reading));
    HF_CHECK(settle_spin(&reading));
    HF_CHECK(read_numbers(&reading, &alone));
    if (!alone) HF_CHECK(read_sole_unit(&reading, &alone));
    HF_CHECK(warn_of_mentions(&reading));
    HF_CHECK(read_title(&reading));
    if ((reading.lattice || reading.boundaries) && reading.periodic)
        return hf_draft_fail(draft, line,
                             "the system is periodic (Lattice, pbc); hf computes molecules; "
                             "write pbc=\"F F F\" if it is one");
    return HF_OK;
}

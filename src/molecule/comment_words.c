/* Words of a comment line: names with values, units and numbers in their usual spellings. */
#include "comment_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/** Longer text in quotes is not a value; the search for the closing quote ends here. */
enum { LONGEST_VALUE = 10000 };

bool hf_word_is_listed(struct hf_word word, const char *const list[])
{
    while (*list != NULL && !hf_word_is(word, *list)) list++;
    return *list != NULL;
}

/** Characters between two words. */
static bool is_between(char c)
{
    return c != '\0' && strchr(" \t,;|()[]{}\"'", c) != NULL;
}

static const char *skip_blanks(const char *c)
{
    return c + strspn(c, " \t");
}

/** Reads a word up to the next separator, without closing brackets and quotes at its end. */
static const char *read_plain(const char *c, struct hf_word *value)
{
    *value = (struct hf_word){c, (int)strcspn(c, " \t,;|")};
    c += value->length;
    while (value->length > 0 && strchr(")]}\"'", value->begin[value->length - 1]) != NULL)
        value->length--;
    return c;
}

/** Reads a value: in quotes or brackets, or a word. */
static const char *read_value(const char *c, struct hf_word *value)
{
    static const char open[] = "\"'{[(", close[] = "\"'}])";
    const char *bracket = *c != '\0' ? strchr(open, *c) : NULL;
    const char *end = NULL;
    for (int i = 1; bracket != NULL && i < LONGEST_VALUE && c[i] != '\0' && end == NULL; i++)
        if (c[i] == close[bracket - open]) end = c + i;
    if (end == NULL) return read_plain(c, value);
    *value = (struct hf_word){c + 1, (int)(end - c - 1)};
    return end + 1;
}

bool hf_comment_next(const char *c, struct comment_item *item)
{
    const char *start = c;
    while (is_between(*c)) c++;
    if (*c == '\0') return false;
    item->key = (struct hf_word){c, 0};
    while (*c != '\0' && !is_between(*c) && *c != '=' && *c != ':') c++;
    item->key.length = (int)(c - item->key.begin);
    const bool quoted =
        item->key.begin > start && (*c == '"' || *c == '\'') && c[0] == item->key.begin[-1];
    const char *behind = skip_blanks(quoted ? c + 1 : c); /* also "charge": 1, as in JSON */
    item->assigned = *behind == '=' || *behind == ':' ? *behind : '\0';
    if (item->assigned != '\0') {
        item->next = read_value(skip_blanks(behind + 1), &item->value);
        return true;
    }
    item->next = c;
    while (is_between(*behind)) behind++;
    (void)read_plain(behind, &item->value);
    if (item->value.length > 0 && item->value.begin[item->value.length - 1] == '.')
        item->value.length--;
    return true;
}

bool hf_comment_is_name(struct hf_word word, const char *name)
{
    for (int i = 0; i < word.length; i++) {
        if (word.begin[i] == '_' || word.begin[i] == '-') continue;
        if (*name == '\0' || tolower((unsigned char)word.begin[i]) != *name) return false;
        name++;
    }
    return *name == '\0' && word.length > 0;
}

bool hf_comment_contains(struct hf_word word, const char *part)
{
    const int n = (int)strlen(part);
    for (int i = 0; i + n <= word.length; i++)
        if (hf_word_is((struct hf_word){word.begin + i, n}, part)) return true;
    return false;
}

int hf_comment_unit(struct hf_word word)
{
    static const char *const bohr[] = {"bohr",   "bohrs",        "au",           "a.u.", "a.u",
                                       "atomic", "atomic units", "atomic_units", NULL};
    static const char *const angstrom[] = {"angstrom",
                                           "angstroms",
                                           "ang",
                                           "\xc3\xa5ngstr\xc3\xb6m",
                                           "\xc3\x85ngstr\xc3\xb6m",
                                           "\xc3\x85",
                                           "\xe2\x84\xab",
                                           "a",
                                           NULL};
    return hf_word_is_listed(word, bohr) ? 1 : hf_word_is_listed(word, angstrom) ? 0 : -1;
}

bool hf_comment_whole_number(struct hf_word word, int *value)
{
    static const char *const minus[] = {"\xe2\x88\x92", "\xe2\x80\x93"};
    char text[40] = "";
    double number = 0.0;
    int n = 1; /* text[0] is for a sign that is written after the number */
    for (int i = 0; i < word.length && n + 1 < (int)sizeof text; i++) {
        const bool typeset = i + 3 <= word.length && (memcmp(word.begin + i, minus[0], 3) == 0 ||
                                                      memcmp(word.begin + i, minus[1], 3) == 0);
        text[n++] = (char)(typeset ? '-' : word.begin[i]);
        if (typeset) i += 2;
    }
    const bool behind = n > 2 && (text[n - 1] == '+' || text[n - 1] == '-');
    if (behind) text[0] = text[--n];
    const struct hf_word plain = {behind ? text : text + 1, behind ? n : n - 1};
    if (word.length >= 36 || hf_word_real(plain, &number) != HF_NUMBER_OK) return false;
    if (number != floor(number) || fabs(number) > HF_LARGEST_STATE) return false;
    *value = (int)number;
    return true;
}

/** Words without a meaning of their own, so that "coordinates in bohr" is about units only. */
static bool is_filler(struct hf_word word)
{
    static const char *const fillers[] = {"in",        "units",    "unit", "coordinates",
                                          "coords",    "geometry", "xyz",  "cartesian",
                                          "positions", "all",      NULL};
    return hf_word_is_listed(word, fillers);
}

bool hf_comment_is_gold(struct hf_word word)
{
    return word.length == 2 && word.begin[0] == 'A' && word.begin[1] == 'u';
}

int hf_comment_sole_unit(const char *comment)
{
    struct comment_item item;
    int unit = -1;
    for (const char *c = comment; hf_comment_next(c, &item); c = item.next) {
        int found = hf_comment_is_gold(item.key) ? -1 : hf_comment_unit(item.key);
        if (hf_word_is(item.key, "atomic") && !hf_word_is(item.value, "units")) found = -1;
        if (item.assigned != '\0' || (found < 0 && !is_filler(item.key))) return -1;
        if (found >= 0 && unit >= 0 && unit != found) return -1;
        if (found >= 0) unit = found;
    }
    return unit;
}

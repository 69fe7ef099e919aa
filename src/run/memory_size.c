/* Sizes as --memory has them. */
#include "hf/calculation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    double bytes;
} units[] = {{"B", 1.0},         {"kB", 1e3},           {"MB", 1e6},
             {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
             {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};

bool hf_parse_size(const char *text, double *bytes)
{
    enum { MAX_NUMBER = 40 };
    double number = -1.0;
    const char *end = text;
    for (int n = 1; n <= MAX_NUMBER && text[n - 1] != '\0'; n++) /* the longest that is a number */
        if (hf_word_real((struct hf_word){text, n}, &number) == HF_NUMBER_OK) end = text + n;
    if (end == text || !(number >= 0.0) || number > 1e15) return false;
    while (isspace((unsigned char)*end)) end++;
    *bytes = number;
    if (number == 0.0 && *end == '\0') return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(end, units[i].name) != 0) continue;
        *bytes = number * units[i].bytes;
        return *bytes < 1e18;
    }
    return false;
}

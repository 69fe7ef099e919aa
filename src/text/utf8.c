/* Text of unknown encoding made UTF-8, which is all that JSON may hold. */
#include "text/json.h"

#include <stdlib.h>
#include <string.h>

/** Bytes of the UTF-8 character that begins here, 1 to 4; 0: it is none. Shortest forms only, no
 *  surrogates, nothing above U+10FFFF. Source: RFC 3629, section 4. */
static int character_length(const unsigned char *c)
{
    const unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    int n = 0;
    if (c[0] < 0x80) return 1;
    if (c[0] >= 0xc2 && c[0] <= 0xdf) n = 2;
    if (c[0] >= 0xe0 && c[0] <= 0xef) n = 3;
    if (c[0] >= 0xf0 && c[0] <= 0xf4) n = 4;
    if (n == 0 || c[1] < least || c[1] > most) return 0;
    for (int i = 2; i < n; i++) /* a NUL also ends this */
        if (c[i] < 0x80 || c[i] > 0xbf) return 0;
    return n;
}

char *hf_utf8_from_text(const char *text)
{
    const size_t size = 2 * strlen(text) + 1;
    char *utf8 = malloc(size), *at = utf8;
    if (utf8 == NULL) return NULL;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const int n = character_length(c);
        if (n == 0) { /* ISO 8859-1 has the numbers of Unicode */
            *at++ = (char)(0xc0 | *c >> 6);
            *at++ = (char)(0x80 | (*c++ & 0x3f));
        }
        for (int i = 0; i < n; i++) *at++ = (char)*c++;
    }
    *at = '\0';
    return utf8;
}

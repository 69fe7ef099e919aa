/* Text of any encoding in UTF-8. */
#include "../test.h"
#include "text/json.h"

TEST(what_is_no_utf8_is_taken_for_latin_1)
{
    static const struct {
        const char *text, *utf8;
    } pairs[] = {
        {"", ""},
        {"water", "water"},
        {"\xc4thanol", "\xc3\x84thanol"},
        {"\xc3\x84thanol, 1.5 \xe2\x84\xab", "\xc3\x84thanol, 1.5 \xe2\x84\xab"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"cut \xc3", "cut \xc3\x83"},                             /* its last byte is missing */
        {"\xc0\xaf", "\xc3\x80\xc2\xaf"},                         /* longer than need be */
        {"\xe0\x80\xaf", "\xc3\xa0\xc2\x80\xc2\xaf"},             /* likewise */
        {"\xed\xa0\x80", "\xc3\xad\xc2\xa0\xc2\x80"},             /* half of a pair */
        {"\xf4\x90\x80\x80", "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"}, /* beyond Unicode */
        {"\xff", "\xc3\xbf"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *utf8 = hf_utf8_from_text(pairs[i].text);
        assert_non_null(utf8);
        assert_string_equal(utf8, pairs[i].utf8);
        free(utf8);
    }
}

TEST_MAIN

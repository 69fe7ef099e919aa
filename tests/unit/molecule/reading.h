/* Texts read as input files with the program's own options, for the tests of the readers. */
#ifndef HF_TEST_READING_H
#define HF_TEST_READING_H

#include "../test.h"
#include "molecule/input.h"
#include "run/calculation.h"

/** What was read, and with which options. */
struct reading {
    struct hf_options options;
    struct hf_input input;
    struct hf_error error;
};

static inline void begin(struct reading *this)
{
    *this = (struct reading){.error = {.message = ""}};
    hf_options_init(&this->options, hf_option_table());
}

/** An option of the command line; `where` is what messages call it. */
static inline hf_status give(struct reading *this, const char *where, const char *key,
                             const char *value)
{
    const struct hf_option *option =
        hf_option_find(this->options.table, (struct hf_word){key, (int)strlen(key)});
    return hf_options_add(&this->options, option, (struct hf_word){value, (int)strlen(value)},
                          HF_OPTION_COMMAND_LINE, where, &this->error);
}

/** Reads `string` as the file `path`; `key` is NULL or given on the command line with `value`. */
static inline hf_status read_as(struct reading *this, const char *path, const char *string,
                                const char *key, const char *value)
{
    begin(this);
    if (key != NULL) assert_ok(give(this, "--option", key, value));
    return hf_input_from_string(path, string, &this->options, &this->input, &this->error);
}

static inline hf_status read_with(struct reading *this, const char *string, const char *key,
                                  const char *value)
{
    return read_as(this, "x.mol", string, key, value);
}

static inline void done(struct reading *this)
{
    hf_input_done(&this->input);
    hf_options_done(&this->options);
}

/** HF_BAD_INPUT with a message that has `message` in it. */
static inline void expect_refused(const struct reading *this, hf_status status, const char *message)
{
    if (status != HF_BAD_INPUT || strstr(this->error.message, message) == NULL)
        fail_msg("status %d, message '%s', expected '%s'", (int)status, this->error.message,
                 message);
}

static inline bool is_warned(const struct reading *this, const char *text)
{
    for (int i = 0; i < this->input.n_warning; i++)
        if (strstr(this->input.warning[i], text) != NULL) return true;
    return false;
}

static inline bool is_noted(const struct reading *this, const char *text)
{
    for (int i = 0; i < this->input.n_note; i++)
        if (strstr(this->input.note[i], text) != NULL) return true;
    return false;
}

static inline void expect_warning(const struct reading *this, const char *text)
{
    if (!is_warned(this, text)) fail_msg("no warning '%s' among %d", text, this->input.n_warning);
}

static inline void expect_note(const struct reading *this, const char *text)
{
    if (!is_noted(this, text)) fail_msg("no note '%s' among %d", text, this->input.n_note);
}

#endif

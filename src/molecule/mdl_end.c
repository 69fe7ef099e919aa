/* Records of SD files that end without a line "M  END", of both versions. */
#include "draft.h"

#include <string.h>

bool hf_mdl_ends(const char *line)
{
    return line[0] == '>' || strncmp(line, "$$$$", 4) == 0;
}

hf_status hf_mdl_warn_of_end(struct draft *draft, struct hf_error *error)
{
    return hf_input_warn(
        draft->input, error,
        "%s: no line 'M  END' before the data or the end ($$$$) of the record; read "
        "as complete",
        draft->text->path);
}

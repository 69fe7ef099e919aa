/* Records of SD files that end without a line "M  END", of both versions. */
#include "draft.h"

#include <string.h>

bool hf_mdl_ends(const char *line)
{
    return line[0] == '>' || strncmp(line, "$$$$", 4) == 0;
}

hf_status hf_mdl_warn_of_end(struct draft *draft)
{
    return hf_draft_warn(
        draft, 0,
        "no line 'M  END' before the data or the end ($$$$) of the record; read as complete");
}

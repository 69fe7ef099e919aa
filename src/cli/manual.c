/* Writes the manual page, or with the word "completion" what bash completes, or with "options" the page
 * docs/options.md; run when hf is built. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct hf_error error = {0};
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "completion") == 0) {
        if (hf_print_completion(stdout, &error) != HF_OK) {
            hf_print_error("hf-manual", &error);
            return EXIT_FAILURE;
        }
    } else {
        (strcmp(what, "options") == 0 ? hf_print_option_page : hf_print_manual)(stdout);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

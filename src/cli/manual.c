/* hf-manual page < docs/hf.1.in: the manual page; hf-manual options: docs/options.md; hf-manual
 * completion: what bash completes. Run when hf is built. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct hf_error error = {0};
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "page") == 0) hf_print_manual(stdout, stdin);
    if (strcmp(what, "options") == 0) hf_print_option_page(stdout);
    if (strcmp(what, "completion") == 0 && hf_print_completion(stdout, &error) != HF_OK) {
        hf_print_error("hf-manual", &error);
        return EXIT_FAILURE;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Writes the manual page, or with the word "completion" what bash completes; run when hf is built. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct hf_error error = {0};
    if (argc < 2 || strcmp(argv[1], "completion") != 0) {
        hf_print_manual(stdout);
    } else if (hf_print_completion(stdout, &error) != HF_OK) {
        hf_print_error("hf-manual", &error);
        return EXIT_FAILURE;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Writes the manual page; run once when hf is built. */
#include "cli.h"

int main(void)
{
    hf_print_manual(stdout);
    return 0;
}

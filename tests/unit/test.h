/* Frame of every test program. Few tests read the state that cmocka gives to all of them. */
#ifndef HF_TEST_H
#define HF_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif

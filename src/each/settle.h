/* Options of a job: those of the whole, and those that molecules may have. */
#ifndef HF_EACH_SETTLE_H
#define HF_EACH_SETTLE_H

#include "hf/status.h"
#include "text/option.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether an option belongs to the whole job, and not to the calculation of a molecule. */
bool hf_each_is_of_job(const struct hf_option *option);

/** Checks the options of the command line. Local. HF_BAD_INPUT. */
hf_status hf_each_check_job(const struct hf_options *options, struct hf_error *error) HF_MUST_CHECK;

/** Checks that a record has no settings of the whole job. Local. HF_BAD_INPUT. */
hf_status hf_each_check_record(const struct hf_options *options,
                               struct hf_error *error) HF_MUST_CHECK;

/** Hash of the options that results depend on, of the command line. */
uint64_t hf_each_hash_settings(const struct hf_options *options);

#endif

/* The list of transports, and the choice of one that works. */
#include "onesided_private.h"

#include <stdio.h>
#include <string.h>

/** The work of a self-test is the same for any number of ranks; the time to create windows and connections
 *  grows. */
static const double SELF_TEST_SECONDS = 20.0, SELF_TEST_SECONDS_PER_RANK = 0.01;

const struct hf_transport_ops *const hf_transport_list[] = {&hf_transport_thread, &hf_transport_rma,
                                                            NULL};

const char *hf_transport_name(const struct hf_transport_ops *transport)
{
    return transport->name;
}

const char *hf_transport_about(const struct hf_transport_ops *transport)
{
    return transport->about;
}

const char *hf_accumulate_name(enum hf_accumulate accumulate)
{
    return accumulate == HF_ACCUMULATE_CALLER ? "caller" : "owner";
}

static const struct hf_transport_ops *find(const char *name)
{
    for (int i = 0; hf_transport_list[i] != NULL; i++)
        if (strcmp(hf_transport_list[i]->name, name) == 0) return hf_transport_list[i];
    return NULL;
}

double hf_onesided_test_seconds(int n_rank)
{
    return SELF_TEST_SECONDS + SELF_TEST_SECONDS_PER_RANK * n_rank;
}

/** Tests one transport, unless the settings skip the test, and opens it. Collective. */
static hf_status try_transport(struct hf_context *context, const struct hf_transport_ops *transport,
                               const struct hf_onesided_settings *settings,
                               struct hf_onesided **onesided, struct hf_error *error)
{
    const double seconds = settings->self_test_seconds > 0.0
                               ? settings->self_test_seconds
                               : hf_onesided_test_seconds(context->n_rank);
    if (!settings->skip_self_test)
        HF_CHECK(hf_transport_self_test(context, transport, settings->accumulate, seconds, error));
    HF_CHECK(hf_transport_open(context, transport, settings->accumulate, onesided, error));
    if (settings->skip_self_test)
        snprintf((*onesided)->note, sizeof(*onesided)->note, "onesided %s was not tested",
                 transport->name);
    return HF_OK;
}

hf_status hf_onesided_create(struct hf_context *context,
                             const struct hf_onesided_settings *settings,
                             struct hf_onesided **onesided, struct hf_error *error)
{
    const struct hf_transport_ops *wanted = find(settings->transport);
    struct hf_error why, why_not_other;
    if (wanted == NULL)
        return hf_fail(error, HF_BAD_INPUT, "unknown one-sided transport '%s'",
                       settings->transport);
    if (try_transport(context, wanted, settings, onesided, &why) == HF_OK) return HF_OK;
    for (int i = 0; hf_transport_list[i] != NULL; i++) {
        const struct hf_transport_ops *other = hf_transport_list[i];
        if (other == wanted) continue;
        if (try_transport(context, other, settings, onesided, &why_not_other) != HF_OK) continue;
        snprintf((*onesided)->note, sizeof(*onesided)->note, "using onesided %s, since %s: %.400s",
                 other->name, wanted->name, why.message);
        return HF_OK;
    }
    return hf_fail(error, HF_NO_RESOURCE, "no one-sided transport works; %s: %.400s; other: %.400s",
                   wanted->name, why.message, why_not_other.message);
}

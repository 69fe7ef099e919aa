/* Threads of a rank that share a piece of work; see base/threads.h. */
#include "base/threads.h"

hf_status hf_threads_run(int n_thread, hf_thread_work *work, void *data, struct hf_error *error)
{
    const int n = n_thread > 1 ? n_thread : 1;
    hf_status worst = HF_OK;
    int first = n; /* thread that returned `worst` */
    if (n == 1) return work(data, 0, 1, error);
#pragma omp parallel for num_threads(n) schedule(static, 1)
    for (int t = 0; t < n; t++) {
        struct hf_error own = {0};
        const hf_status status = work(data, t, n, &own);
#pragma omp critical /* unnamed: a name would be a visible symbol of the library */
        if (status > worst || (status == worst && status != HF_OK && t < first)) {
            worst = status;
            first = t;
            if (error != NULL) *error = own;
        }
    }
    return worst;
}

void hf_threads_each(int n_thread, size_t n,
                     void (*work)(void *data, int piece, struct hf_elements elements), void *data)
{
    const int n_used = n_thread > 1 ? n_thread : 1;
    /* the first `longer` pieces have one element more */
    const size_t longer = n % HF_N_PIECE, length = n / HF_N_PIECE;
#pragma omp parallel for num_threads(n_used) schedule(static) if (n_used > 1)
    for (int piece = 0; piece < HF_N_PIECE; piece++) {
        const size_t k = (size_t)piece, begin = k * length + (k < longer ? k : longer);
        work(data, piece, (struct hf_elements){begin, begin + length + (k < longer)});
    }
}

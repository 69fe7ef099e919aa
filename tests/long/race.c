/* Adds up numbers on several threads, as the rounds of hf do: every thread its share, then into a sum
 * under a lock. With an argument it leaves the lock out, which ThreadSanitizer must see. */
#include <pthread.h>
#include <stdio.h>

enum { N_THREAD = 3, N_NUMBER = 300 };

int main(int argc, char **argv)
{
    (void)argv;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double number[N_NUMBER], sum = 0.0;
    /* Two regions: the threads of the first write what other ones read in the second. */
#pragma omp parallel for num_threads(N_THREAD) schedule(static, 1)
    for (int i = 0; i < N_NUMBER; i++) number[i] = i;
#pragma omp parallel for num_threads(N_THREAD) schedule(static)
    for (int i = 0; i < N_NUMBER; i++) {
        if (argc == 1) pthread_mutex_lock(&lock);
        sum += number[i];
        if (argc == 1) pthread_mutex_unlock(&lock);
    }
    printf("%g\n", sum);
    return 0;
}

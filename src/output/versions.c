/* Versions of the libraries that hf was built with, and of those it finds when it runs. */
#include "checkpoint/checkpoint.h"
#include "hf/record.h"

#include <libint2/config.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef HF_HAVE_OPENBLAS_GET_CONFIG
char *openblas_get_config(void); /* not every distribution ships OpenBLAS' own cblas.h as such */
#endif

static void describe_built_mpi(size_t size, char text[])
{
#if defined(OMPI_MAJOR_VERSION)
    snprintf(text, size, "Open MPI %d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
             OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
    snprintf(text, size, "MPICH %s", MPICH_VERSION);
#else
    snprintf(text, size, "MPI %d.%d", MPI_VERSION, MPI_SUBVERSION);
#endif
}

/** MPICH answers in many lines with tabs, Open MPI in one with the build host in it: the first line
 *  as far as its first comma, blanks made single, is what a reader wants. */
static void describe_found_mpi(size_t size, char text[])
{
    char full[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(full, &length);
    full[strcspn(full, ",\n")] = '\0';
    size_t n = 0;
    for (const char *c = full; *c != '\0' && n + 1 < size; c++) {
        const bool blank = *c == ' ' || *c == '\t';
        if (blank && (n == 0 || text[n - 1] == ' ')) continue;
        if (blank)
            text[n++] = ' ';
        else
            text[n++] = *c;
    }
    while (n > 0 && text[n - 1] == ' ') n--;
    text[n] = '\0';
}

void hf_library_versions_get(struct hf_library_versions *versions)
{
    *versions = (struct hf_library_versions){0};
    describe_found_mpi(sizeof versions->mpi_found, versions->mpi_found);
    describe_built_mpi(sizeof versions->mpi_built, versions->mpi_built);
    snprintf(versions->libint, sizeof versions->libint, "%s", LIBINT_VERSION);
    hf_checkpoint_library_version(sizeof versions->hdf5, versions->hdf5);
    snprintf(versions->scalapack, sizeof versions->scalapack, "%s", HF_SCALAPACK_VERSION);
#ifdef HF_HAVE_OPENBLAS_GET_CONFIG
    snprintf(versions->blas, sizeof versions->blas, "%s", openblas_get_config());
#endif
}

const char *hf_build_remark(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return "built with sanitizers";
#elif !defined(NDEBUG)
    return "built for debugging (assertions on)";
#elif !defined(__OPTIMIZE__)
    return "built without optimisation";
#else
    return NULL;
#endif
}

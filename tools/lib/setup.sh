# shellcheck shell=sh disable=SC2034,SC2154 # variables here are set or read by the scripts that source this
# Shared by the scripts in tools/: packages, MPI's environment, configuring and building. POSIX sh.
# The caller sets hf_root to the top of the tree and sources this file.

# What building with Open MPI needs on Debian 12; what the tests need beyond that, what MPICH does, what Arm and fuzzing do.
hf_packages_openmpi="gcc libc6-dev meson ninja-build pkg-config python3 libopenmpi-dev openmpi-bin \
libscalapack-openmpi-dev libelpa-dev libint2-dev libopenblas-dev libcjson-dev libhdf5-dev"
hf_packages_tests="libcmocka-dev gnuplot-nox g++ hdf5-tools libtrexio-dev python3-h5py python3-jsonschema python3-qcelemental python3-ase \
python3-qcengine"
hf_packages_mpich="libmpich-dev mpich libscalapack-mpich-dev"
hf_packages_arm="gcc-aarch64-linux-gnu qemu-user"
hf_packages_fuzzing="clang libclang-rt-dev libomp-dev"

hf_say() {
    printf '%s\n' "$*" >&2
}

hf_die() {
    hf_say "$0: $*"
    exit 3
}

# Names of those packages that dpkg does not have installed; nothing where there is no dpkg.
hf_missing_packages() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    # shellcheck disable=SC2016 # the braces are dpkg-query's
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || : # some are unknown
    for package in "$@"; do
        case "
$installed
" in
        *"
installed $package
"*) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# Installs what is missing and touches no package manager when nothing is. Another system than
# Debian goes on: meson setup names what it does not find.
hf_install_packages() {
    missing=$(hf_missing_packages "$@")
    [ -n "$missing" ] || return 0
    hf_say "Installing Debian packages: $missing"
    command -v apt-get >/dev/null 2>&1 || hf_die "apt-get was not found; please install: $missing"
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || hf_die "as root, please run: apt-get install $missing"
        as_root=sudo
    fi
    log=$(mktemp) || hf_die "no temporary file can be made"
    # shellcheck disable=SC2086 # lists of words
    if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
        </dev/null >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        hf_die "these packages could not be installed: $missing"
    fi
    rm -f "$log"
}

# Open MPI refuses root, more ranks than cores, and in containers complains about its shared-memory
# copies; these settings let it run. MPICH reads none of them.
hf_mpi_environment() {
    n_ranks=$1
    n_cores=$(nproc 2>/dev/null || echo 1)
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if [ "$n_ranks" -gt "$n_cores" ]; then
        export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
        export OMPI_MCA_mpi_yield_when_idle=1
    fi
    # a cut link between hosts ends the job within 30 s, not after 8 minutes
    export OMPI_MCA_oob_tcp_keepalive_time="${OMPI_MCA_oob_tcp_keepalive_time-10}"
    export OMPI_MCA_oob_tcp_keepalive_intvl="${OMPI_MCA_oob_tcp_keepalive_intvl-5}"
    export OMPI_MCA_oob_tcp_keepalive_probes="${OMPI_MCA_oob_tcp_keepalive_probes-2}"
    export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
    # no search for devices that hf does not use (as in src/cli/transports.c): .1 CPU s of each start
    export HWLOC_COMPONENTS="${HWLOC_COMPONENTS--linuxio}"
    export HWLOC_PLUGINS_BLACKLIST="${HWLOC_PLUGINS_BLACKLIST-hwloc_pci.so,hwloc_gl.so,hwloc_opencl.so,hwloc_xml_libxml.so}"
}

# hf_build FOLDER TARGET [meson options]: configures FOLDER if it is new or had other options, and compiles TARGET (all:
# everything). Prints nothing unless it fails. The options in hf_new_options are for a new folder only.
hf_new_options=
hf_build() {
    folder=$1 target=$2 configured=$1/meson-private/hf-options
    shift 2
    log=$(mktemp) || hf_die "no temporary file can be made"
    hf_build_status=0
    {
        if [ ! -f "$folder/build.ninja" ]; then
            # shellcheck disable=SC2086 # a list of options
            meson setup "$folder" "$hf_root" $hf_new_options "$@"
        else
            [ "$(cat "$configured" 2>/dev/null)" = "$*" ] || meson configure "$folder" "$@"
        fi && printf '%s\n' "$*" >"$configured" && ninja -C "$folder" "$target"
    } </dev/null >"$log" 2>&1 || hf_build_status=$?
    [ "$hf_build_status" -eq 0 ] || tail -n 60 "$log" >&2
    rm -f "$log"
    return "$hf_build_status"
}

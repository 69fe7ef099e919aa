#!/usr/bin/env python3
"""Begins calculations with orbitals of TREXIO files: of one that hf wrote, and of one that the library wrote from it with
shells, primitives and orbitals in other orders and other factors of norms. The first density must be the converged one.

Exit code 0: so it is; 1: it is not (each difference on a line of its own).
"""

import ctypes
import os
import sys
import tempfile

import program_run
import trexio_file

TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]
TOLERANCE = 1e-5  # of the first commutator; screening of the first build leaves so much


class Writer(trexio_file.Library):
    """The library with a new file."""

    mode = b"w"

    def put(self, name, value, kind=ctypes.c_int64):
        self.call(f"trexio_write_{name}_64", kind(value))

    def put_reals(self, name, values):
        self.call(f"trexio_write_{name}_64", (ctypes.c_double * len(values))(*values))

    def put_integers(self, name, values):
        self.call(f"trexio_write_{name}_64", (ctypes.c_int64 * len(values))(*values))


def rewrite(path, target):
    """The same wave function in another form."""
    source, file = trexio_file.Library(path), Writer(target)
    n_atom, n_shell, n_primitive, n, n_orbital = (source.number(name) for name in (
        "nucleus_num", "basis_shell_num", "basis_prim_num", "ao_num", "mo_num"))
    for name in ("nucleus_num", "electron_up_num", "electron_dn_num", "basis_shell_num", "basis_prim_num", "ao_cartesian", "ao_num", "mo_num"):
        file.put(name, source.number(name))
    file.put_reals("nucleus_coord", source.array("nucleus_coord", 3 * n_atom))
    file.put_reals("nucleus_charge", source.array("nucleus_charge", n_atom))
    file.call("trexio_write_basis_type", b"Gaussian", ctypes.c_int32(9))
    if source.has("ecp_num"):
        file.put_integers("ecp_z_core", source.integers("ecp_z_core", n_atom))
    file.put_integers("basis_nucleus_index", source.integers("basis_nucleus_index", n_shell)[::-1])
    file.put_integers("basis_shell_ang_mom", source.integers("basis_shell_ang_mom", n_shell)[::-1])
    file.put_reals("basis_shell_factor", [2.0] * n_shell)
    owners = [n_shell - 1 - s for s in source.integers("basis_shell_index", n_primitive)]
    odd_first = list(range(1, n_primitive, 2)) + list(range(0, n_primitive, 2))  # primitives of a shell need not be neighbours
    coefficients, norms = (source.array(f"basis_{name}", n_primitive) for name in ("coefficient", "prim_factor"))
    exponents = source.array("basis_exponent", n_primitive)
    file.put_integers("basis_shell_index", [owners[k] for k in odd_first])
    file.put_reals("basis_exponent", [exponents[k] for k in odd_first])
    file.put_reals("basis_coefficient", [coefficients[k] * norms[k] for k in odd_first])
    file.put_reals("basis_prim_factor", [1.0] * n_primitive)
    shells, factors = source.integers("ao_shell", n), source.array("ao_normalization", n)
    order = sorted(range(n), key=lambda i: (n_shell - 1 - shells[i], i))
    own = [0.5 + 0.25 * (i % 3) for i in range(n)]
    file.put_integers("ao_shell", [n_shell - 1 - shells[i] for i in order])
    file.put_reals("ao_normalization", [0.5 * factors[i] * own[i] for i in order])
    rows = source.matrix("mo_coefficient", n_orbital, n)
    file.put_reals("mo_coefficient", [-row[i] / own[i] for row in rows[::-1] for i in order])
    file.put_reals("mo_occupation", source.array("mo_occupation", n_orbital)[::-1])
    file.put_integers("mo_spin", source.integers("mo_spin", n_orbital)[::-1])
    source.close()
    file.close()


def main():
    arguments = program_run.parser(__doc__, ("input", "input file of hf")).parse_args()
    found = []
    with tempfile.TemporaryDirectory(prefix="hf-trexio-") as folder:
        own, other = os.path.join(folder, "own.h5"), os.path.join(folder, "other.h5")
        output = os.path.join(folder, "output.json")
        first = program_run.result_of(arguments, output, arguments.input, *TIGHT, "--trexio", own)
        rewrite(own, other)
        for path in (own, other):
            then = program_run.result_of(arguments, output, arguments.input, *TIGHT, "--guess", path)
            commutator = then["extras"]["hf"]["iterations"][0]["commutator"]
            error = then["properties"]["scf_total_energy"] - first["properties"]["scf_total_energy"]
            print(f"{os.path.basename(path)}: first commutator {commutator:.1e}, energy off by {error:.1e} hartree")
            if not commutator < TOLERANCE:
                found.append(f"{path}: the first commutator is {commutator:.1e}")
            if not error < 1e-9:  # it may also find a lower state
                found.append(f"{path}: the energy is off by {error:.1e}")
    for line in found:
        print("DIFFERS", line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Reader of TREXIO files by its own library; functions are made from the description of the format alone, and no line is
shared with hf."""

import ctypes
import ctypes.util

import gaussian_integrals
import molden_file


class Library:
    """The library with a file open for reading."""

    mode = b"r"

    def __init__(self, path):
        self.library = ctypes.CDLL(ctypes.util.find_library("trexio"))
        self.library.trexio_open.restype = ctypes.c_void_p
        code, hdf5 = ctypes.c_int(), 0
        self.file = ctypes.c_void_p(self.library.trexio_open(path.encode(), ctypes.c_char(self.mode), hdf5, ctypes.byref(code)))
        assert self.file.value and code.value == 0, f"{path}: TREXIO cannot open it: {code.value}"

    def call(self, name, *arguments):
        code = getattr(self.library, name)(self.file, *arguments)
        assert code == 0, f"{name}: {code}"

    def has(self, name):
        return getattr(self.library, "trexio_has_" + name)(self.file) == 0

    def number(self, name, kind=ctypes.c_int64):
        value = kind()
        self.call(f"trexio_read_{name}_64", ctypes.byref(value))
        return value.value

    def array(self, name, n, kind=ctypes.c_double):
        values = (kind * n)()
        self.call(f"trexio_read_{name}_64", values)
        return list(values)

    def integers(self, name, n):
        return self.array(name, n, ctypes.c_int64)

    def matrix(self, name, n, m):
        values = self.array(name, n * m)
        return [values[i * m:(i + 1) * m] for i in range(n)]

    def text(self, name):
        size = 100
        value = ctypes.create_string_buffer(size)
        self.call("trexio_read_" + name, value, ctypes.c_int32(size))
        return value.value.decode()

    def texts(self, name, n):
        size = 100
        buffers = [ctypes.create_string_buffer(size) for _ in range(n)]
        self.call("trexio_read_" + name, (ctypes.c_char_p * n)(*(ctypes.addressof(buffer) for buffer in buffers)), ctypes.c_int32(size))
        return [buffer.value.decode() for buffer in buffers]

    def close(self):
        self.call("trexio_close")


class Trexio:
    """A file, with what molden_file.Molden has, and one-electron integrals."""

    digits, has_virtual = 16, True

    def __init__(self, path):
        file = Library(path)
        self.read_system(file)
        self.read_basis(file)
        self.read_orbitals(file)
        self.integrals = {name: file.matrix("ao_1e_int_" + name, self.n, self.n)
                          for name in ("overlap", "kinetic", "potential_n_e", "ecp", "core_hamiltonian") if file.has("ao_1e_int_" + name)}
        file.close()

    def read_system(self, file):
        n = file.number("nucleus_num")
        charges, places = file.array("nucleus_charge", n), file.matrix("nucleus_coord", n, 3)
        cores = file.integers("ecp_z_core", n) if file.has("ecp_num") else [0] * n
        self.cores = {i: core for i, core in enumerate(cores) if core}
        self.atoms = [(label, round(charge) + core, place)
                      for label, charge, core, place in zip(file.texts("nucleus_label", n), charges, cores, places)]
        self.repulsion = file.number("nucleus_repulsion", ctypes.c_double)
        self.electrons = [file.number(f"electron_{spin}_num") for spin in ("up", "dn")]
        assert file.number("electron_num") == sum(self.electrons) and file.texts("metadata_code", 1)[0].startswith("hf ")

    def read_basis(self, file):
        n_shell, n_primitive, self.n = file.number("basis_shell_num"), file.number("basis_prim_num"), file.number("ao_num")
        assert file.text("basis_type") == "Gaussian"
        cartesian = file.number("ao_cartesian")
        owners, factors = file.integers("ao_shell", self.n), file.array("ao_normalization", self.n)
        primitives = list(zip(file.integers("basis_shell_index", n_primitive), file.array("basis_exponent", n_primitive),
                              file.array("basis_coefficient", n_primitive), file.array("basis_prim_factor", n_primitive)))
        self.shells = []
        for s, (atom, l, factor) in enumerate(zip(file.integers("basis_nucleus_index", n_shell), file.integers("basis_shell_ang_mom", n_shell),
                                                  file.array("basis_shell_factor", n_shell))):
            shell = gaussian_integrals.Shell(self.atoms[atom][2], 0, False, [], [])
            shell.l = l
            shell.primitives = [(a, factor * c * norm) for owner, a, c, norm in primitives if owner == s]
            plain = ([{monomial: 1.0} for monomial in gaussian_integrals.cartesian(l)] if cartesian
                     else molden_file.functions_of(l, True))
            own = [n for owner, n in zip(owners, factors) if owner == s]
            assert len(own) == len(plain), f"shell {s} has {len(own)} functions"
            shell.functions = [{key: n * value for key, value in function.items()} for n, function in zip(own, plain)]
            self.shells.append(shell)
        assert owners == sorted(owners)

    def read_orbitals(self, file):
        n = file.number("mo_num")
        self.kind = file.text("mo_type")
        energies = file.array("mo_energy", n) if file.has("mo_energy") else [0.0] * n
        self.orbitals = [molden_file.Orbital(energy, electrons, ("Alpha", "Beta")[spin], row)
                         for energy, electrons, spin, row in zip(energies, file.array("mo_occupation", n), file.integers("mo_spin", n),
                                                                 file.matrix("mo_coefficient", n, self.n))]

    def charges(self):
        return [(number - self.cores.get(i, 0), place) for i, (_, number, place) in enumerate(self.atoms)]

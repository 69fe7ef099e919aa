"""Geometries of reference cases and the input files made of them."""

import math

BOHR_IN_ANGSTROM = 0.529177210903  # CODATA 2018


def read_atoms(case):
    """List of (symbol, [x, y, z] in bohr)."""
    atoms = []
    for line in case["geometry_bohr"]:
        symbol, *xyz = line.split()
        atoms.append((symbol, [float(value) for value in xyz]))
    return atoms


def move(atoms):
    """The same molecule turned about a skew axis and shifted: no energy may notice."""
    axis = [1 / math.sqrt(14), -2 / math.sqrt(14), 3 / math.sqrt(14)]
    angle, shift = 1.1, [3.7, -11.3, 0.6]
    cosine, sine = math.cos(angle), math.sin(angle)
    moved = []
    for symbol, r in atoms:
        along = sum(a * b for a, b in zip(axis, r))
        cross = [axis[1] * r[2] - axis[2] * r[1],
                 axis[2] * r[0] - axis[0] * r[2],
                 axis[0] * r[1] - axis[1] * r[0]]
        moved.append((symbol, [shift[k] + cosine * r[k] + sine * cross[k]
                               + (1 - cosine) * along * axis[k] for k in range(3)]))
    return moved


def in_angstrom(atoms):
    return [(symbol, [x * BOHR_IN_ANGSTROM for x in r]) for symbol, r in atoms]


def _lines(atoms):
    return [f"{symbol:2s} {r[0]:20.14f} {r[1]:20.14f} {r[2]:20.14f}" for symbol, r in atoms]


def native(case, atoms, unit):
    if unit == "angstrom":
        atoms = in_angstrom(atoms)
    head = [f"title {case['name']}", f"method {case['method']}", f"basis {case['basis']}",
            f"charge {case['charge']}", f"multiplicity {case['multiplicity']}",
            f"units {unit}", "geometry"]
    return "\n".join(head + _lines(atoms) + ["end"]) + "\n"


def xyz(case, atoms):
    return "\n".join([str(len(atoms)), case["name"]] + _lines(in_angstrom(atoms))) + "\n"


def molfile_v3000(case, atoms):
    """An MDL V3000 molfile: free format, so that no digit of the geometry is lost; the charge of an
    ion goes on its first atom."""
    lines = [case["name"], "  regression          3D", "",
             "  0  0  0     0  0            999 V3000",
             "M  V30 BEGIN CTAB", f"M  V30 COUNTS {len(atoms)} 0 0 0 0", "M  V30 BEGIN ATOM"]
    for i, (symbol, r) in enumerate(in_angstrom(atoms), start=1):
        charge = f" CHG={case['charge']}" if i == 1 and case["charge"] != 0 else ""
        lines.append(f"M  V30 {i} {symbol} {r[0]:.14f} {r[1]:.14f} {r[2]:.14f} 0{charge}")
    return "\n".join(lines + ["M  V30 END ATOM", "M  V30 END CTAB", "M  END"]) + "\n"


def write_input(case, form, moved):
    """(text of the input file, command-line options that it needs)."""
    atoms = read_atoms(case)
    if moved:
        atoms = move(atoms)
    basis = ["--method", case["method"], "--basis", case["basis"]]
    if form in ("bohr", "angstrom"):
        return native(case, atoms, form), []
    if form == "xyz":
        return xyz(case, atoms), basis + ["--charge", str(case["charge"])]
    if form == "v3000":
        return molfile_v3000(case, atoms), basis
    raise ValueError(f"no input format {form}")

"""Geometries of reference cases and the input files made of them."""

import math
import os

BOHR_IN_ANGSTROM = 0.529177210903  # CODATA 2018


def read_atoms(case):
    """List of (symbol, [x, y, z] in bohr)."""
    atoms = []
    for line in case["geometry_bohr"]:
        symbol, *xyz = line.split()
        atoms.append((symbol, [float(value) for value in xyz]))
    return atoms


def turn(r):
    """A vector turned about a skew axis."""
    axis = [1 / math.sqrt(14), -2 / math.sqrt(14), 3 / math.sqrt(14)]
    angle = 1.1
    cosine, sine = math.cos(angle), math.sin(angle)
    along = sum(a * b for a, b in zip(axis, r))
    cross = [axis[1] * r[2] - axis[2] * r[1],
             axis[2] * r[0] - axis[0] * r[2],
             axis[0] * r[1] - axis[1] * r[0]]
    return [cosine * r[k] + sine * cross[k] + (1 - cosine) * along * axis[k] for k in range(3)]


def move(places):
    """The same list of (what, where), turned and shifted: no energy may notice."""
    shift = [3.7, -11.3, 0.6]
    return [(what, [shift[k] + x for k, x in enumerate(turn(r))]) for what, r in places]


def read_environment(case, moved):
    """(list of (charge, [x, y, z] in bohr), field [x, y, z] or None) around the molecule."""
    charges = [(charge["charge"], charge["position_bohr"]) for charge in case.get("point_charges", [])]
    field = case.get("electric_field")
    if not moved:
        return charges, field
    return move(charges), turn(field) if field is not None else None


def in_angstrom(atoms):
    return [(symbol, [x * BOHR_IN_ANGSTROM for x in r]) for symbol, r in atoms]


def _lines(atoms):
    return [f"{symbol:2s} {r[0]:20.14f} {r[1]:20.14f} {r[2]:20.14f}" for symbol, r in atoms]


def _charge_lines(charges):
    return [f"{charge:.10f} {r[0]:20.14f} {r[1]:20.14f} {r[2]:20.14f}" for charge, r in charges]


def native(case, atoms, unit, charges=(), field=None):
    if unit == "angstrom":
        atoms, charges = in_angstrom(atoms), in_angstrom(charges)
    head = [f"title {case['name']}", f"method {case['method']}", f"basis {case['basis']}",
            f"charge {case['charge']}", f"multiplicity {case['multiplicity']}",
            f"units {unit}", "geometry"]
    tail = ["end"]
    if charges:
        tail += ["point_charges"] + _charge_lines(charges) + ["end"]
    if field is not None:
        tail.append("field " + " ".join(f"{x:.14f}" for x in field))
    return "\n".join(head + _lines(atoms) + tail) + "\n"


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


def _environment_options(charges, field, folder):
    """Options that give a format without keys its surroundings; charges go into a file in bohr."""
    options = []
    if charges:
        path = os.path.join(folder, "charges.xyz")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([str(len(charges)), "units=bohr"] + _charge_lines(charges)) + "\n")
        options += ["--point-charges-file", path]
    if field is not None:
        options += ["--field", ",".join(f"{x:.14f}" for x in field)]
    return options


def write_input(case, form, moved, folder="."):
    """(text of the input file, command-line options that it needs); files that these name are
    written into the folder."""
    atoms = read_atoms(case)
    charges, field = read_environment(case, moved)
    if moved:
        atoms = move(atoms)
    basis = ["--method", case["method"], "--basis", case["basis"]]
    if form in ("bohr", "angstrom"):
        return native(case, atoms, form, charges, field), []
    options = basis + _environment_options(charges, field, folder)
    if form == "xyz":
        return xyz(case, atoms), options + ["--charge", str(case["charge"])]
    if form == "v3000":
        return molfile_v3000(case, atoms), options
    raise ValueError(f"no input format {form}")

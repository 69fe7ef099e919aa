"""What hf says about a reference case compared with the reference."""

ENERGY_TOLERANCE = 5e-9  # hartree; the references carry ten decimals
REPULSION_TOLERANCE = 2e-9  # hartree
DIPOLE_TOLERANCE = 2e-5  # e bohr; the default convergence leaves some 3e-6
MP2_TOLERANCE = 1e-8  # hartree
GRADIENT_TOLERANCE = 5e-8  # hartree/bohr
OPEN_SHELL_TOLERANCE = 1e-7  # hartree; near-degenerate orbitals leave more of a commutator in the energy
LISTED_TOLERANCE = 1e-6  # hartree; other solutions are listed with six decimals
MOST_ITERATIONS = 60
LARGEST_GAIN = 0.1  # hartree that a solution nobody knew may lie below the lowest known one
SPIN_TOLERANCE = 1e-6  # of <S^2>, which errs as the orbitals do, not as the energy
PROPERTY_TOLERANCE = 1e-6  # of everything but orbital energies of virtual orbitals, which are far from the gap
PRINTED = 6e-8  # half of the last digit of the references
LARGEST_JUMP = 2e-3  # hartree between neighbours of a scan: different orientations of the atoms' open shells differ by less
TIGHT = ["--energy-tolerance", "1e-10", "--commutator-tolerance", "1e-8"]  # where <S^2> is compared


def is_contaminated(case):
    """Whether <S^2> is to be compared and is not that of a pure spin anyway."""
    return case["method"] == "uhf" and "s_squared" in case


def expected_energy(case, energy, follow):
    """(energy that this one is to be compared with, tolerance). Where several solutions are known each will
    do, and a lower one as well; of those above the lowest none will when hf follows instabilities."""
    if "other_solutions" not in case:
        tolerance = ENERGY_TOLERANCE if case["method"] == "rhf" else OPEN_SHELL_TOLERANCE
        return case["total_energy"], tolerance
    if 0 < case["total_energy"] - energy < LARGEST_GAIN:
        return energy, 0
    solutions = [(case["total_energy"], case.get("energy_tolerance", OPEN_SHELL_TOLERANCE))]
    if not follow:
        solutions += [(other, LISTED_TOLERANCE) for other in case["other_solutions"]]
    return min(solutions, key=lambda solution: abs(energy - solution[0]) / solution[1])


def spin_differences(case, result, compare):
    """<S^2> is given for the solution with the lowest energy."""
    properties, scf = result["properties"], result["extras"]["hf"]["scf"]
    lowest = abs(properties["scf_total_energy"] - case["total_energy"]) <= OPEN_SHELL_TOLERANCE
    if "s_squared" in case and lowest:
        compare("<S^2>", scf["spin_squared"], case["s_squared"], SPIN_TOLERANCE)


def effort_differences(case, result, follow):
    """Lines about iterations and stability."""
    iterations = result["properties"]["scf_iterations"]
    if not follow:
        most = case.get("most_iterations", MOST_ITERATIONS)
        return [] if iterations <= most else [f"{iterations} iterations, expected at most {most}"]
    if result["extras"]["hf"]["stability"]["internal"]["stable"] is not True:
        return ["the solution is unstable although instabilities were followed"]
    return []


def differences(case, ranks, result, moved=False, follow=False):
    """Lines that say what differs; none when all agrees."""
    found = []

    def compare(what, value, expected, tolerance):
        if not abs(value - expected) <= tolerance:
            found.append(f"{what}: {value!r}, expected {expected!r} within {tolerance}")

    if result is None:
        return found + ["no JSON file was written"]
    if "properties" not in result:
        return found + [f"no properties: {result['error']}"]
    properties = result["properties"]
    launch = result["extras"]["hf"]["launch"]
    if result["success"] is not True:
        found.append(f"success: {result['success']}, expected true ({result['error']})")
    compare("ranks", launch["ranks"], ranks, 0)
    compare("basis functions", properties["calcinfo_nbasis"], case["basis_functions"], 0)
    compare("nuclear repulsion", properties["nuclear_repulsion_energy"],
            case["nuclear_repulsion_energy"], REPULSION_TOLERANCE)
    energy, tolerance = expected_energy(case, properties["scf_total_energy"], follow)
    compare("total energy", properties["scf_total_energy"], energy, tolerance)
    spin_differences(case, result, compare)
    found += effort_differences(case, result, follow)
    if result.get("driver") != "gradient":
        compare("return result", result["return_result"], properties.get("mp2_total_energy", properties["scf_total_energy"]), 0)
    terms = result["extras"]["hf"].get("energy_parts", {}).get("terms", [])
    outside = sum(term["nuclei"] for term in terms if term["name"] != "nuclei")
    parts = (properties["nuclear_repulsion_energy"] + outside
             + properties["scf_one_electron_energy"] + properties["scf_two_electron_energy"])
    compare("sum of the parts", parts, properties["scf_total_energy"], 1e-9)
    if terms:
        compare("sum of the terms", sum(term["electrons"] for term in terms),
                properties["scf_one_electron_energy"], 1e-9)
    if "dipole" in case and not moved:
        for axis, moment in zip("xyz", case["dipole"]):
            compare("dipole moment " + axis,
                    properties["scf_dipole_moment"]["xyz".index(axis)], moment, DIPOLE_TOLERANCE)
    return found


def bond_matrix(bonds, kind, n_atom):
    matrix = [[0.0] * n_atom for _ in range(n_atom)]
    for bond in bonds:
        a, b = bond["atoms"]
        matrix[a][b] = matrix[b][a] = bond[kind]
    return matrix


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


def found_properties(result, n_atom):
    """What the JSON file has, under the names of the references."""
    extras = result["extras"]["hf"]
    found = dict(extras["properties"])
    for name, kind in (("mayer_bond_orders", "mayer"), ("wiberg_loewdin_bond_orders", "wiberg_loewdin")):
        found[name] = bond_matrix(found["bond_orders"], kind, n_atom)
    found["orbital_energies_alpha"] = extras["scf"]["orbital_energies"]
    found["orbital_energies_beta"] = extras["scf"].get("orbital_energies_beta")
    return found


def property_differences(case, ranks, result):
    """The same with all properties in the JSON file, which another program computed."""
    lines = differences(case, ranks, result)
    if result is None or "properties" not in result:
        return lines
    found = found_properties(result, len(case["geometry_bohr"]))
    for name, expected in case["properties"].items():
        if name in ("order_of_moments", "mayer_bond_orders_total_density_only"):
            continue
        pairs = list(zip(flat(found[name]), flat(expected), strict=True))
        worst = max(abs(a - b) for a, b in pairs)
        print(f"{name}: {len(pairs)} numbers, off by {worst:.1e} at most")
        if not worst <= PROPERTY_TOLERANCE + PRINTED:
            lines.append(f"{name}: off by {worst:.1e}")
    if abs(found["electrons"] - found["electrons_expected"]) > 1e-8:
        lines.append(f"{found['electrons']} electrons, expected {found['electrons_expected']}")
    second = result["properties"]["scf_quadrupole_moment"]
    if [second[i] for i in (0, 1, 2, 4, 5, 8)] != found["second_moments"]:
        lines.append("scf_quadrupole_moment is not the second moments")
    return lines


def gradient_differences(case, ranks, result):
    """The same with derivatives; NWChem prints six digits of them."""
    lines = differences(case, ranks, result)
    if result is None or "properties" not in result:
        return lines
    pairs = list(zip(result["return_result"], flat(case["gradient"]), strict=True))
    worst = max(abs(a - b) for a, b in pairs)
    print(f"gradient: {len(pairs)} numbers, off by {worst:.1e} at most")
    tolerance = GRADIENT_TOLERANCE if "psi4" in case["programs"] else 1e-6
    return lines if worst <= tolerance else lines + [f"gradient: off by {worst:.1e}, expected within {tolerance}"]


def mp2_differences(case, core, ranks, result):
    """The same, and the parts of the MP2 energy with the core that is frozen."""
    lines = differences(case, ranks, result)
    if result is None or "properties" not in result:
        return lines
    expected, found = case["mp2"][core], result["properties"]
    if result["extras"]["hf"]["mp2"]["frozen_core_orbitals"] != expected["frozen_orbitals"]:
        lines.append(f"frozen orbitals: expected {expected['frozen_orbitals']}")
    for name in "same_spin", "opposite_spin", "correlation_energy", "total_energy":
        key = "mp2_" + name + ("" if name.endswith("energy") else "_correlation_energy")
        if not abs(found[key] - expected[name]) <= MP2_TOLERANCE:
            lines.append(f"{key}: {found[key]!r}, expected {expected[name]!r} within {MP2_TOLERANCE}")
    return lines


def scan_differences(scan, results, follow):
    """Lines that say where a curve of energies is not what it should be. Every energy must be that of the reference, of
    another known solution there, or lower; the difference to the reference, which is smooth, may not jump."""
    found, before = [], 0.0
    for i, result in enumerate(results):
        where = f"{scan['distances_angstrom'][i]} angstrom"
        if result is None or not result["success"]:
            found.append(f"{where}: not converged")
            continue
        energy = result["properties"]["scf_total_energy"]
        iterations = result["properties"]["scf_iterations"]
        if iterations > MOST_ITERATIONS and not follow:
            found.append(f"{where}: {iterations} iterations, expected at most {MOST_ITERATIONS}")
        off = energy - scan["energies"][i]
        known = [scan["energies"][i]] + scan["other_solutions"][i]
        if not (off < LISTED_TOLERANCE or min(abs(energy - other) for other in known) < LISTED_TOLERANCE):
            found.append(f"{where}: {energy:.9f}, expected one of {known}")
        if abs(off - before) > LARGEST_JUMP:
            found.append(f"{where}: off the curve by {off:.6f} hartree, {before:.6f} at the distance before")
        before = off
    return found

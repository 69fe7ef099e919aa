"""Series of molecules that grow step by step, for studies of weak scaling, where the problem grows with the number of
processes (Janssen and Nielsen, Eq. 5.12): in one direction (chains), in two (flakes) and in three (clusters).

A molecule is a list of (symbol, x, y, z) in angstrom. All are neutral and have closed shells."""

import cmath
import math
from typing import Callable, NamedTuple

CC_ALKANE, CH_ALKANE = 1.53, 1.09
CC_GRAPHENE, CH_GRAPHENE = 1.42, 1.09
OH_WATER, HOH_WATER_DEGREES = 0.9572, 104.52
OO_WATER = 2.80

# The backbone of a peptide: symbol, bond to the next atom, angle at the atom; the last two atoms, and the hydrogen atoms
# of both ends.
RESIDUE = (("N", 1.455, 122.0), ("C", 1.525, 111.0), ("C", 1.335, 116.0))
ACID = (("C", 1.35, 112.0), ("O", 0.97, 107.0), ("H", 0.0, 0.0))
NH, CH, CO, HCH_DEGREES, AMINE_DEGREES = 1.01, 1.09, 1.23, 108.0, (107.0, 110.0)

# From a site of one half of the diamond lattice to its four neighbours, in quarters of the cell's edge; from a site
# of the other half to its neighbours in the opposite directions. Sites of the first half have even coordinates.
TETRAHEDRON = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))

# From a point of the triangular lattice to its six neighbours. The steps along its two axes are 60 degrees apart.
HEXAGON = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


class Kind(NamedTuple):
    """A series. `largest`: beyond it hf refuses the input (50000 atoms, 10000 bohr from the origin)."""
    build: Callable[[int], list]
    largest: int
    about: str


def alkane(n_carbon):
    """C_N H_(2N+2): all bonds of the chain anti, all angles tetrahedral. The chain lies along x, its middle at 0."""
    step, rise = math.sqrt(2 / 3), math.sqrt(1 / 3)  # of a tetrahedral direction: along the chain or y, along z
    atoms = []
    for i in range(n_carbon):
        up = 1 if i % 2 == 0 else -1
        x, z = (i - (n_carbon - 1) / 2) * step * CC_ALKANE, up * rise * CC_ALKANE / 2
        directions = [(0, step, up * rise), (0, -step, up * rise)]
        if i == 0:
            directions.append((-step, 0, -up * rise))
        if i == n_carbon - 1:
            directions.append((step, 0, -up * rise))
        atoms.append(("C", x, 0.0, z))
        atoms += [("H", x + CH_ALKANE * dx, CH_ALKANE * dy, z + CH_ALKANE * dz) for dx, dy, dz in directions]
    return atoms


def glycine(n_residue):
    """H(NHCH2CO)_N OH: stretched peptide chains, all dihedrals of the backbone 180 degrees. It lies along x in z = 0."""
    rows = RESIDUE * n_residue
    rows = rows[:-1] + ACID
    places = zigzag(rows)
    per_two = zigzag(RESIDUE * 2 + RESIDUE[:1])[-1]  # it is straight over two residues
    axis, middle = per_two / abs(per_two), (places[0] + places[-1]) / 2
    places = [(place - middle) / axis for place in places]
    atoms = []
    for k, ((symbol, _, _), place) in enumerate(zip(rows, places)):
        atoms.append((symbol, place.real, place.imag, 0.0))
        if k >= len(rows) - 2:
            continue
        after = (places[k + 1] - place) / abs(places[k + 1] - place)
        if k == 0:  # in the plane of N and the middle of both hydrogen atoms, which are at an angle to the bond
            half = math.radians(AMINE_DEGREES[0]) / 2
            turn = math.acos(math.cos(math.radians(AMINE_DEGREES[1])) / math.cos(half))
            atoms += beside(place, after * cmath.rect(1, -turn), half, NH)
            continue
        before = (places[k - 1] - place) / abs(places[k - 1] - place)
        outward = -(before + after) / abs(before + after)
        half = math.radians(HCH_DEGREES) / 2
        if k % 3 == 1:
            atoms += beside(place, outward, half, CH)
        else:
            other, length = ("H", NH) if symbol == "N" else ("O", CO)
            end = place + outward * length
            atoms.append((other, end.real, end.imag, 0.0))
    return atoms


def zigzag(rows):
    """Places in a plane, as complex numbers, of atoms that are given by bonds to the next one and angles."""
    place, direction, side = 0j, 1 + 0j, 1
    places = []
    for k, (_, bond, degrees) in enumerate(rows):
        if k > 0:
            direction *= cmath.rect(1, side * (math.pi - math.radians(degrees)))
            side = -side
        places.append(place)
        place += bond * direction
    return places


def beside(place, direction, half, length):
    """Two hydrogen atoms above and below a plane, at this half angle to a direction in it."""
    foot, height = place + direction * length * math.cos(half), length * math.sin(half)
    return [("H", foot.real, foot.imag, height), ("H", foot.real, foot.imag, -height)]


def graphene(n_ring):
    """C_(6N^2) H_(6N): benzene and N - 1 rings of hexagons around it, with hydrogen at the rim. Lies in z = 0."""
    carbons = flake_sites(n_ring)
    atoms = [("C", *in_plane(u, v)) for u, v in sorted(carbons)]
    for u, v in sorted(carbons):
        for du, dv in HEXAGON:
            if is_hexagon_centre(u + du, v + dv) or (u + du, v + dv) in carbons:
                continue
            (x, y, z), (dx, dy, _) = in_plane(u, v), in_plane(du, dv)
            atoms.append(("H", x + dx * CH_GRAPHENE / CC_GRAPHENE, y + dy * CH_GRAPHENE / CC_GRAPHENE, z))
    return atoms


def flake_sites(n_ring):
    """Corners of the hexagons that are fewer than n_ring steps from the one in the middle, on the triangular lattice
    of corners and centres together."""
    sites = set()
    for p in range(1 - n_ring, n_ring):
        for q in range(max(-p, 0) + 1 - n_ring, n_ring - max(p, 0)):
            u, v = p - q, p + 2 * q  # (1, 1) and (-1, 2) lead from a centre to the next ones
            sites.update((u + du, v + dv) for du, dv in HEXAGON)
    return sites


def is_hexagon_centre(u, v):
    """Every third point of the triangular lattice is no atom of graphene but the middle of a hexagon."""
    return (u - v) % 3 == 0


def in_plane(u, v):
    """x, y, z of a point of the triangular lattice."""
    return (u + v / 2) * CC_GRAPHENE, v * math.sqrt(3) / 2 * CC_GRAPHENE, 0.0


def water(n_molecule):
    """N molecules of cubic ice, those nearest to one of them; N - 1 molecules are the first ones of these.

    All are held together by hydrogen bonds: the directions to the four neighbours of a site at v add up to 0, so
    that one of them has a cosine of at most -1/3 with v and leads to a site nearer to the middle if v is longer than
    1.5 bonds; that is so from the second neighbours of the middle on."""
    unit = OO_WATER / math.sqrt(3)
    along = OH_WATER * math.cos(math.radians(HOH_WATER_DEGREES) / 2)
    across = OH_WATER * math.sin(math.radians(HOH_WATER_DEGREES) / 2)
    atoms = []
    for site in nearest_sites(n_molecule):
        oxygen = [unit * s for s in site]
        first, second = donated_bonds(site)
        atoms.append(("O", *oxygen))
        for sign in (1, -1):  # the sum of two bonds is 2 long, their difference twice the square root of 2
            atoms.append(("H", *(o + along * (a + b) / 2 + sign * across * (a - b) / math.sqrt(8)
                                 for o, a, b in zip(oxygen, first, second))))
    return atoms


def nearest_sites(n_site):
    """The sites of the diamond lattice that are nearest to the one at 0; of equally near ones the lowest x, y, z."""
    n_cell = 1
    while True:
        coordinates = range(-4 * n_cell, 4 * n_cell + 1)
        sites = sorted((x * x + y * y + z * z, (x, y, z)) for x in coordinates for y in coordinates
                       for z in coordinates if is_diamond_site(x, y, z))
        if len(sites) >= n_site and sites[n_site - 1][0] <= (4 * n_cell) ** 2:  # all so near are in the cube
            return [site for _, site in sites[:n_site]]
        n_cell += 1


def is_diamond_site(x, y, z):
    """The first half has even coordinates whose sum is a multiple of 4, the second is shifted by (1, 1, 1)."""
    odd = x % 2
    return y % 2 == odd and z % 2 == odd and (x + y + z - 3 * odd) % 4 == 0


def donated_bonds(site):
    """The two bonds of a water molecule on which its hydrogen atoms lie. There must be one on every bond.

    Bonds of the first and second direction make zigzag chains along (0, 1, 1), those of the third and fourth along
    (0, 1, -1); every molecule is in one chain of both kinds. When the hydrogen atoms of a chain all point the same
    way along it, every bond has one and every molecule two. Chains side by side in a layer point opposite ways:
    otherwise the dipole moments of all molecules would add up."""
    even = site[0] % 2 == 0
    bonds = []
    for first, second, slope in (TETRAHEDRON[:2] + (1,), TETRAHEDRON[2:] + (-1,)):
        _, y, z = site if even else (s - d for s, d in zip(site, first))  # an even site of the chain
        number = (z - slope * y) // 4  # chains of the next layer lie halfway between these: rounded down
        forward = number % 2 == 0
        direction = first if forward == even else second
        bonds.append(direction if even else tuple(-d for d in direction))
    return bonds


def formula(atoms):
    """As C2H6 or H20O10: carbon, hydrogen, oxygen."""
    symbols = [atom[0] for atom in atoms]
    counts = [(symbol, symbols.count(symbol)) for symbol in ("C", "H", "N", "O")]
    return "".join(f"{symbol}{n if n > 1 else ''}" for symbol, n in counts if n > 0)


def text(kind, size, basis, form="native"):
    """A molecule in hf's own format, for a restricted calculation, or as XYZ with its title and state for a comment."""
    atoms = KINDS[kind].build(size)
    title = f"{kind} {size}, {formula(atoms)}"
    lines = [f"  {symbol:<2} {x:16.8f} {y:16.8f} {z:16.8f}" for symbol, x, y, z in atoms]
    if form == "xyz":
        lines = [str(len(atoms)), f"{title}; charge=0 multiplicity=1", *lines]
    else:
        lines = [f"title  {title}", "method rhf", f"basis  {basis}", "charge 0", "multiplicity 1", "units  angstrom",
                 "geometry", *lines, "end"]
    return "\n".join(lines) + "\n"


def write(folder, kind, size, basis):
    """The path of KIND-SIZE.mol."""
    path = folder / f"{kind}-{size}.mol"
    path.write_text(text(kind, size, basis), encoding="utf-8")
    return path


KINDS = {
    "alkane": Kind(alkane, 8471, "C_N H_(2N+2), the all-anti chain"),
    "glycine": Kind(glycine, 2902, "H(NHCH2CO)_N OH, stretched chains of a peptide"),
    "water": Kind(water, 16666, "N molecules of cubic ice, as compact as they can be"),
    "graphene": Kind(graphene, 90, "C_(6N^2) H_(6N), hexagonal flakes with N hexagons on each side: benzene, coronene, "
                                   "circumcoronene..."),
}

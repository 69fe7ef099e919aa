"""A picture of a cube file: contours of an orbital, a density or a potential in the plane of the grid where it is largest."""

import math
import pathlib
from typing import NamedTuple

from . import plots
from .failure import Failure

SYMBOLS = ("@ H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo "
           "Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi "
           "Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og").split()
HALVINGS = 6  # of the highest contour
HIGHEST, LARGE = 0.8, 0.32  # of the largest value; the highest contour of larger ones, as of densities at nuclei
FAR = 1.0  # bohr: atoms that far from the plane are drawn small
MARGIN = 2.5  # bohr, beyond the last contour
HEIGHT = 800


class Cube(NamedTuple):
    """atoms: [(symbol, (x, y, z))]; values [n[0]][n[1]][n[2]] as one list, the last index fastest; bohr."""
    title: str
    atoms: list
    origin: tuple
    n: tuple
    step: tuple
    values: list

    def place(self, axis, i):
        return self.origin[axis] + i * self.step[axis]

    def index(self, axis, i, a, j, b, k):
        """Place in `values` of the point with number i along `axis`, j along a, k along b."""
        stride = (self.n[1] * self.n[2], self.n[2], 1)
        return i * stride[axis] + j * stride[a] + k * stride[b]


def read(path):
    """Cube of one function on axes that are those of space, as hf writes it."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        n_atom, *origin = (float(word) for word in lines[2].split()[:4])
        axes = [[float(word) for word in line.split()] for line in lines[3:6]]
        n_atom = int(n_atom)
        if n_atom < 1 or any(axes[i][1 + k] != 0.0 for i in range(3) for k in range(3) if k != i):
            raise Failure(f"{path}: the grid is not that of a cube file of hf")
        atoms = [(SYMBOLS[int(line.split()[0])], tuple(float(word) for word in line.split()[2:5])) for line in lines[6:6 + n_atom]]
        values = [float(word) for line in lines[6 + n_atom:] for word in line.split()]
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: no cube file of hf") from error
    n = tuple(int(axis[0]) for axis in axes)
    if not values or len(values) != math.prod(n):
        raise Failure(f"{path}: {len(values)} values for a grid of {n[0]} x {n[1]} x {n[2]} points")
    return Cube(lines[0].strip(), atoms, tuple(origin), n, tuple(axes[i][1 + i] for i in range(3)), values)


def plane_of(cube):
    """(axis across the plane, the number of the plane, the axes in it): the sum of squares is largest there, across the axis
    along which the atoms lie closest together."""
    spread = [max(place[k] for _, place in cube.atoms) - min(place[k] for _, place in cube.atoms) for k in range(3)]
    axis = max(range(3), key=lambda k: (-spread[k], k))
    a, b = (k for k in range(3) if k != axis)

    def size(i):
        return sum(cube.values[cube.index(axis, i, a, j, b, k)] ** 2 for j in range(cube.n[a]) for k in range(cube.n[b]))
    return axis, max(range(cube.n[axis]), key=size), a, b


def levels_of(values):
    """Contours, each twice the one before, of both signs."""
    most = max(abs(value) for value in values)
    if most == 0.0:
        raise Failure("the function is zero everywhere in its plane")
    up = [min(HIGHEST * most, LARGE) / 2 ** k for k in range(HALVINGS)]
    return sorted(level * sign for level in up for sign in (-1, 1) if min(values) <= level * sign <= max(values))


def window(cube, axis, inside):
    """Range of an axis: the points of the contours and the atoms, and a margin."""
    places = [*inside, *(place[axis] for _, place in cube.atoms)]
    return f"[{min(places) - MARGIN:.2f}:{max(places) + MARGIN:.2f}]"


def draw(path, output):
    """[files]"""
    cube = read(path)
    axis, i, a, b = plane_of(cube)
    rows = [[(cube.place(a, j), cube.place(b, k), cube.values[cube.index(axis, i, a, j, b, k)]) for k in range(cube.n[b])]
            for j in range(cube.n[a])]
    levels = levels_of([value for row in rows for _, _, value in row])
    inside = [point for row in rows for point in row if abs(point[2]) >= min(abs(level) for level in levels)]
    blocks = ["$grid << EOD", *(line for row in rows for line in (*(f"{x:.4f} {y:.4f} {value:.6e}" for x, y, value in row), "")), "EOD"]
    most = max(abs(level) for level in levels)
    where = f"{'xyz'[axis]} = {cube.place(axis, i):.2f} bohr"
    body = [f"set title {plots.quoted(f'{cube.title}, at {where}')}", "set view map", "unset surface", "set contour base", "unset key",
            "unset colorbox", f"set cntrparam levels discrete {','.join(f'{level:.6e}' for level in levels)}",
            f"set palette defined (-1 '{plots.COLOURS[0]}', 0 '{plots.COLOURS[0]}', 0 '{plots.COLOURS[1]}', 1 '{plots.COLOURS[1]}')",
            f"set cbrange [-{most:.6e}:{most:.6e}]", "set size ratio -1", "set border lc rgb '#444444'", "set tics nomirror out",
            f"set xlabel '{'xyz'[a]} (bohr)'", f"set ylabel '{'xyz'[b]} (bohr)'",
            f"set xrange {window(cube, a, [point[0] for point in inside])}", f"set yrange {window(cube, b, [point[1] for point in inside])}"]
    for symbol, place in cube.atoms:
        size = 15 if abs(place[axis] - cube.place(axis, i)) < FAR else 10
        body.append(f"set label '{symbol}' at {place[a]:.4f},{place[b]:.4f} center front font ',{size}'")
    return plots.render(output, blocks, [*body, "splot $grid with lines lw 1.5 lc palette", "unset label"], HEIGHT)

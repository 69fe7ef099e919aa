"""Strong and weak scaling of whole SCF calculations, replayed (docs/measurements/scaling.md): traces of alkanes and clusters
of water on one process."""

from . import molecules, whole
from .models import GAMMA_SECONDS
from .plots import Curve, Panel
from .prediction import Simulated
from .reproduction import NETWORK

SCHEDULER = "steal"
STRONG = (("alkane", 40, "6-31G*"), ("water", 64, "6-31G"), ("alkane", 20, "6-31G*"), ("uracil-dimer", None, "cc-pVDZ"))
WEAK = (("alkane", (10, 20, 40), "6-31G*"), ("water", (16, 32, 64), "6-31G"))
PROCESSES = (1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10000, 100000)
PROCESSES_PER_UNIT = 10  # a carbon atom or a molecule of water, in weak scaling
SIZES = (1, 64, 1024)    # of traces: processes that tasks are made for


def runs_of(shop, kind, size, basis):
    """WholeRuns of a molecule of such a size, None: of hf's inputs."""
    path = shop.inputs / f"{kind}.mol"
    if size is not None:
        path = shop.folder / f"{kind}-{size}.mol"
        path.write_text(molecules.native_text(molecules.KINDS[kind].build(size), f"{kind} {size}", basis), encoding="utf-8")
    # a checkpoint, which runs of more than a minute write, is nothing that many processes have in so short a time
    options = ["--basis", basis, "--memory", "0", "--checkpoint", "none"]
    recording = shop.recording(f"whole-{path.stem}", [str(path), *options], SIZES)
    return whole.WholeRuns(Simulated(recording, NETWORK, GAMMA_SECONDS))


def strong(shop):
    """Seconds by phase, and plots of speedup and of the phases' shares."""
    for kind, size, basis in STRONG:
        runs = runs_of(shop, kind, size, basis)
        one = runs.predict("static", 1)
        rows = whole.make_rows(runs, (SCHEDULER,), PROCESSES)
        name = kind if size is None else f"{kind}-{size}"
        lines = shop.write(f"whole-{name}", whole.lines(rows, runs, one))
        folder = shop.folder / f"whole-{name}"
        folder.mkdir(exist_ok=True)
        (folder / "whole.csv").write_text(whole.csv_text(rows, one, 1), encoding="utf-8")
        whole.draw_all(folder, rows, f"{name}, {basis}, whole calculation", one, 1)
        yield f"{name}, {basis}"
        yield from lines
        yield ""


def weak(shop):
    """Efficiency of molecules that grow with the number of processes: of Fock builds, and of whole calculations."""
    curves = {"Fock builds": [], "Whole calculations": []}
    for kind, sizes, basis in WEAK:
        points = {title: [] for title in curves}
        for size in sizes:
            runs, n_rank = runs_of(shop, kind, size, basis), PROCESSES_PER_UNIT * size
            one, many = runs.predict("static", 1), runs.predict(SCHEDULER, n_rank)
            for title, seconds in (("Fock builds", (one.fock, many.fock)), ("Whole calculations", (one.total, many.total))):
                points[title].append((n_rank, seconds[0] / (n_rank * seconds[1])))
            yield (f"{kind} {size}, {basis}, {n_rank} processes: Fock builds {one.fock:.3g} s on one, efficiency "
                   f"{points['Fock builds'][-1][1]:.3f}; whole {one.total:.3g} s, {points['Whole calculations'][-1][1]:.3f}")
        for title, found in points.items():
            curves[title].append(Curve(f"{kind}, {basis}", found, "replay"))
    shop.draw("whole-weak", f"Weak scaling, {PROCESSES_PER_UNIT} processes per carbon atom or molecule of water",
              [Panel(title, "Processes", "Efficiency", drawn, y_most=1.0) for title, drawn in curves.items()])


def whole_scaling(shop):
    """Both."""
    return [*strong(shop), *shop.write("whole-weak", weak(shop))]

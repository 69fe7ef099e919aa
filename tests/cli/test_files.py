#!/usr/bin/env python3
"""The files that hf writes: never in the place of another, never stale, valid QCSchema whatever happens.

Usage: test_files.py HF MPIEXEC RANKS WATER
Exit code 0 when all checks hold, 77 when there is no QCElemental; each failed check is a line of its own.
"""

import json
import os
import re
import select
import shutil
import stat
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, RANKS, WATER = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
TEST = ProgramTest(HF, MPIEXEC, RANKS)
check, run, expect_one_line = TEST.check, TEST.run, TEST.expect_one_line
ENERGY = -76.0267720534
OLD = '{"success": true}\n'
VALIDATE = """
import json, sys
from qcelemental.models import AtomicInput, AtomicResult, FailedOperation
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        output = json.load(file, parse_constant=lambda name: sys.exit(f"{path}: {name} is no JSON"))
    if output["success"]:
        AtomicResult.parse_obj(output)
    else:
        FailedOperation.parse_obj(output)
        if "molecule" in output["input_data"]:
            AtomicInput.parse_obj(output["input_data"])
"""


class Folder:
    """A folder of the test, with an input; what is worth validating is kept."""

    def __init__(self, path):
        self.path, self.n = path, 0
        self.input = self.write("water.mol", read(WATER))
        self.json = os.path.join(path, "out.json")

    def write(self, name, content, encoding="utf-8"):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding=encoding) as file:
            file.write(content)
        return path

    def keep(self):
        """Puts the JSON file aside for QCElemental; its content."""
        self.n += 1
        kept = os.path.join(self.path, f"kept{self.n}.json")
        os.rename(self.json, kept)
        with open(kept, encoding="utf-8") as file:
            return json.load(file)

    def kept(self):
        return [os.path.join(self.path, f"kept{i}.json") for i in range(1, self.n + 1)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# the vinyl radical, a little distorted; analytic derivatives of Psi4 and NWChem, equal to 2e-10 hartree/bohr
VINYL = ["C", "C", "H", "H", "H"]
VINYL_PLACES = [0.0, 0.0, 0.0,
    0.03779452, 0.0, 2.47554122,
    0.0, 1.7574453, -1.07714389,
    0.07558905, -1.73854804, -1.09604115,
    -0.05669178, 1.36060281, 3.96842486]
VINYL_GRADIENT = [-0.003931596, -0.002277987, 0.022257007,
    0.002557864, 0.009563657, -0.015869054,
    0.001810322, 0.000785482, -0.000333386,
    0.000631219, -0.001419306, -0.002197758,
    -0.001067808, -0.006651846, -0.003856809]


def gradient(folder):
    document = {
        "schema_name": "qcschema_input", "schema_version": 1, "driver": "gradient",
        "model": {"method": "UHF", "basis": "cc-pvdz"}, "keywords": {},
        "molecule": {"schema_name": "qcschema_molecule", "schema_version": 2, "symbols": VINYL, "geometry": VINYL_PLACES,
                     "molecular_charge": 0, "molecular_multiplicity": 2},
    }
    code, report, errors = run([folder.write("vinyl.json", json.dumps(document)), "--json", folder.json])
    check(code == 0 and "\nGradient, hartree/bohr\n" in report, "gradient: report", report + errors)
    output = folder.keep()
    result = output["return_result"]
    check(len(result) == 15 and max(abs(a - b) for a, b in zip(result, VINYL_GRADIENT)) < 2e-8, "gradient: analytic values", result)
    check(output["driver"] == "gradient" and output["properties"]["scf_total_gradient"] == result, "gradient: properties", "")
    check(max(map(abs, output["extras"]["hf"]["gradient"]["sum"])) < 1e-6, "gradient: extras", output["extras"]["hf"]["gradient"])
    document["keywords"] = {"max_iterations": 2}
    code, _, errors = run([folder.write("vinyl.json", json.dumps(document)), "--json", folder.json])
    check(code == 1, f"gradient: not converged: exit code {code}", errors)
    check(folder.keep()["error"]["error_type"] == "convergence_error", "gradient: not converged", "")
    if RANKS > 1:
        return
    arguments = [folder.input, "--task", "gradient", "--basis", "STO-3G", "--json", folder.json]
    check("\nGradient, " in run(arguments)[1] and len(folder.keep()["return_result"]) == 9, "--task gradient", "")
    code = run([*arguments, "--max-iterations", "2"])[0]
    unconverged = folder.keep()["extras"]["unconverged"]
    check(code == 1 and isinstance(unconverged["return_result"], float), "--task gradient: no gradient unless converged", unconverged)


def no_file_takes_the_place_of_another(folder):
    here, basis = folder.path, folder.write("own.gbs", read(os.path.join(BASIS, "sto-3g.gbs")))
    charges = folder.write("charges.xyz", "1\n\n0.1 0 0 9\n")
    os.symlink("water.mol", os.path.join(here, "symbolic"))
    os.link(folder.input, os.path.join(here, "hard"))
    inputs = [f"{here}/water.mol", f"{here}/./water.mol", f"{here}/symbolic", f"{here}/hard"]
    for path, option in zip(inputs[:1 if RANKS > 1 else 4], ("--json", "--trace", "--json", "--trace")):
        expect_one_line(f"{option} {path}", run([folder.input, option, path]), 2,
                        [f"{option}: {path} is the input file as well"])
    if RANKS > 1:
        check(read(folder.input) == read(WATER) and not os.path.exists(folder.json), "the input was overwritten", "")
        return
    for option, path, what in (("--basis", basis, "a file of basis sets"),
                               ("--point-charges-file", charges, "the file of point charges")):
        expect_one_line(f"--json {path}", run([folder.input, option, path, "--json", path]), 2,
                        [f"--json: {path} is {what} as well"])
    expect_one_line("json and trace", run([folder.input, "--json", folder.json, "--trace", f"{here}/./out.json"]),
                    2, ["--trace", "is the JSON file as well"])
    written = folder.write("keys.mol", read(WATER) + f"json {here}/keys.mol\n")
    expect_one_line("key json", run([written]), 2, ["keys.mol, line", "is the input file as well"])
    check(read(written).endswith("keys.mol\n") and read(basis).startswith("!") and read(charges).startswith("1\n"),
          "something was overwritten", "")
    check(read(folder.input) == read(WATER) and folder.keep()["error"]["error_type"] == "input_error", "input", "")
    report = os.path.join(here, "report")
    shell = ProgramTest("/bin/sh", MPIEXEC, 1, 60)
    code, _, errors = shell.run(["-c", f'"$0" "$@" > {report}', HF, folder.input, "--json", report])
    check(code == 2 and "is where standard output goes as well" in errors, "--json into the report:", errors)
    code, _, errors = run([folder.input, "--json", "/dev/null", "--trace", "/dev/null"])
    check(code == 0, "twice /dev/null:", errors)


def failures_replace_old_results(folder):
    """Whatever ends a run before it has results, the file says so."""
    bad = folder.write("bad.mol", f"json {folder.json}\n" + read(WATER).replace("  O ", "  Ox"))
    latin = folder.write("latin.mol", f"json {folder.json}\nb\xe4sis x\n", "latin-1")
    good, js = folder.input, ["--json", folder.json]
    for name, arguments, code, kind, part in (
            ("no such file", ["/no/such/file"] + js, 2, "input_error", "no such file"),
            ("unknown option behind", js + ["--bogus", good], 2, "input_error", "--bogus"),
            ("unknown option before", ["--bogus", "x"] + js + [good], 2, "input_error", "--bogus"),
            ("two files", [good, good] + js, 2, "input_error", "more than one input file"),
            ("parity", [good, "--charge", "1"] + js, 2, "input_error", "multiplicity"),
            ("basis", [good, "--basis", "x"] + js, 2, "input_error", "unknown basis set"),
            ("trace", [good, "--trace", "/no/such/trace"] + js, 2, "input_error", "/no/such/trace"),
            ("error in the file", [bad], 2, "input_error", "'Ox'"),
            ("Latin-1", [latin], 2, "input_error", "b\xe4sis"),
            ("not converged", [good, "--max-iterations", "2"] + js, 1, "convergence_error", "in 2 iterations")):
        if RANKS > 1 and name not in ("unknown option before", "parity", "error in the file", "not converged"):
            continue
        if name != "parity":
            folder.write("out.json", OLD)
        found, _, errors = run(arguments)
        check(found == code, f"{name}: exit code {found}, expected {code};", errors)
        check(os.path.exists(folder.json), f"{name}: no file;", errors)
        output = folder.keep()
        check(output["success"] is False and output["error"]["error_type"] == kind, f"{name}:", output)
        check(part in output["error"]["error_message"], f"{name}: no {part} in", output["error"])
    check("return_result" not in output and abs(output["extras"]["unconverged"]["return_result"] - ENERGY) < 0.1,
          "not converged: energy in", output.keys())
    check(len(output["extras"]["hf"]["iterations"]) == 2, "not converged: iterations", "")


def failures_replace_nothing_else(folder):
    """What is no JSON file is left alone, and --check leaves everything alone."""
    for arguments in ([folder.input, "--bogus", "--json", folder.input], ["/no/such/file", "--json", folder.input]):
        code, _, errors = run(arguments)
        check(code == 2 and read(folder.input) == read(WATER), "the input file was replaced", errors)
    folder.write("out.json", OLD)
    code, _, errors = run([folder.json, "--json", folder.json])
    check(code == 2 and read(folder.json) == OLD, "a JSON file as input was replaced", errors)
    code, _, errors = run([folder.input, "--check", "--charge", "1", "--json", folder.json])
    check(code == 2 and read(folder.json) == OLD, "--check replaced results", errors)
    os.unlink(folder.json)
    code, _, errors = run([folder.input, "--bogus", "--json", "/no/such/folder/x"])
    check(code == 2 and "--bogus" in errors and "/no/such/folder/x: the JSON file cannot be written" in errors,
          "a failure that cannot be written:", errors)


def why_files_cannot_be_written(folder):
    os.mkdir(os.path.join(folder.path, "closed"), 0o555)
    for path, reason in (("/no/such/folder/x", "No such file or directory"), (folder.path, "it is a directory"),
                         (folder.input + "/x", "Not a directory"), (f"{folder.path}/{'x' * 300}", "File name too long")):
        option, what = ("--trace", "the trace") if "x" in path[-1] else ("--json", "the JSON file")
        expect_one_line(f"{option} {path}", run([folder.input, option, path]), 2,
                        [f"{path}: {what} cannot be written: {reason}"])
    if os.geteuid() != 0:
        expect_one_line("closed folder", run([folder.input, "--json", f"{folder.path}/closed/x"]), 2,
                        ["Permission denied"])
    for option, what in (("--json", "the JSON file"), ("--trace", "the trace")):
        outcome = run([folder.input, option, "/dev/full"])
        expect_one_line(f"{option} /dev/full", outcome, 3,
                        [f"/dev/full: {what} cannot be written: No space left on device"])
        check("Total energy" in outcome[1], f"{option} /dev/full: no report", outcome[1])
    code, _, errors = run([folder.input, "--json", "/dev/full", "--trace", f"{folder.path}/t"])
    check(code == 3 and os.path.exists(f"{folder.path}/t"), "the trace is lost with the JSON file", errors)


class FifoReader(threading.Thread):
    """Reads a FIFO to its first end. It is open from the start: a program that comes later finds a reader."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.content = b""
        self.file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.start()

    def run(self):
        ready = select.poll()
        ready.register(self.file, select.POLLIN)
        ended = False
        while not ended:
            ready.poll()  # until there is a writer
            try:
                piece = os.read(self.file, 1 << 16)
            except BlockingIOError:
                continue
            self.content += piece
            ended = not piece
        os.close(self.file)


def pipes(folder):
    """A FIFO without a reader is refused at once; a reader gets the whole file and sees no end before. It stays a FIFO."""
    files = {option: os.path.join(folder.path, "fifo" + option) for option in ("--json", "--trace", "--molden", "--cube")}
    for option, path in files.items():
        os.mkfifo(path)
        if option != "--cube":
            outcome = run([folder.input, option, path])
            expect_one_line(f"{option}: no reader", outcome, 2, [path, "cannot be written: it is a FIFO that nobody reads"])
            check("Total energy" not in outcome[1], f"{option}: refused after the run", outcome[1])
    cube = os.path.join(folder.path, "water.density.cube")
    os.rename(files["--cube"], cube)
    files["--cube"] = cube
    readers = {option: FifoReader(path) for option, path in files.items()}
    arguments = [folder.input, "--cube", "density", "--cube-spacing", "1", "--json-orbitals"]
    for option in ("--json", "--trace", "--molden"):
        arguments += [option, files[option]]
    code, _, errors = run(arguments)
    check(code == 0, f"FIFOs with readers: exit code {code};", errors)
    for option, reader in readers.items():
        reader.join(TEST.most_seconds)
        check(not reader.is_alive(), f"{option}: the reader sees no end", "")
        content = reader.content
        begin = {"--json": b"{", "--trace": b"{", "--molden": b"[Molden Format]", "--cube": b""}[option]
        check(content.startswith(begin) and len(content) > 1000, f"{option} into a FIFO:", content[:100])
        check(stat.S_ISFIFO(os.stat(files[option]).st_mode), f"{option}: no FIFO any more", "")
        check(option != "--json" or json.loads(content)["success"] is True, "--json into a FIFO: not the results", "")
        os.unlink(files[option])


def small_disk(folder):
    """A disk that fills up: files of 64 KiB at most; only where mounting is allowed."""
    script = ('mount -t tmpfs -o size=64k none "$1" && cd "$1" && cp "$3" out.json && '
              'head -c 100000 /dev/zero > filled; "$0" "$2" --json out.json; code=$?; cat out.json; ls; exit $code')
    mount = os.path.join(folder.path, "disk")
    os.mkdir(mount)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: a full disk; mount namespaces are not allowed here")
        return
    old = folder.write("old.json", OLD + " " * 20000)  # as long as a file of results
    shell = ProgramTest("unshare", MPIEXEC, 1, 60)
    code, output, errors = shell.run(["-m", "/bin/sh", "-c", script, HF, mount, folder.input, old])
    check(code == 3 and "out.json: the JSON file cannot be written: No space left on device" in errors,
          f"full disk: exit code {code};", errors)
    check("Total energy" in output and '"success":\tfalse' in output and output.split()[-2:] == ["filled", "out.json"],
          "full disk: what is left", output)


def latin_1(folder):
    """Titles and names that are no UTF-8, in all files."""
    content = re.sub("title.*", "title W\xe4rme \xb0C \xff", read(WATER))
    path = os.path.join(os.fsencode(folder.path), b"w\xe4rme.mol")
    with open(path, "wb") as file:
        file.write(content.encode("latin-1"))
    trace = os.path.join(folder.path, "trace")
    code, _, errors = run([path, "--json", folder.json, "--trace", trace])
    check(code == 0, f"Latin-1: exit code {code};", errors)
    output = folder.keep()
    with open(trace, "rb") as file:
        header = json.loads(file.readline().decode("utf-8"))
    check(output["molecule"]["name"] == "W\xe4rme \xb0C \xff" == header["title"], "Latin-1 title:",
          [output["molecule"]["name"], header["title"]])
    check(output["extras"]["hf"]["launch"]["input_path"].endswith("/w\xe4rme.mol"), "Latin-1 path", "")


def good_results(folder):
    for options in (["--json-orbitals", "--method", "uhf", "--multiplicity", "3"], [], ["--json-orbitals"], ["--field", "0,0,0.01"],
                    ["--json-orbitals", "--method", "rohf", "--charge", "1", "--multiplicity", "2"])[:5 if RANKS == 1 else 1]:
        code, _, errors = run([folder.input, "--json", folder.json] + options)
        check(code == 0 and folder.keep()["success"] is True, f"{options}:", errors)
    code, _, errors = run([folder.input, "--json", folder.json, "--json-orbitals", "--max-iterations", "2"])
    check(code == 1 and "wavefunction" in folder.keep()["extras"]["unconverged"], "unconverged orbitals:", errors)


def validate(folder):
    """False: no Python here has QCElemental."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import qcelemental"], capture_output=True, check=False).returncode == 0:
            done = subprocess.run([python, "-c", VALIDATE] + folder.kept(), capture_output=True, text=True, check=False)
            check(done.returncode == 0, "QCElemental:", done.stderr)
            return True
    return False


BASIS = os.environ.get("HF_BASIS_PATH", os.path.join(os.path.dirname(WATER), os.pardir, "basis"))


def main():
    path = tempfile.mkdtemp(prefix="hf-files-")
    try:
        folder = Folder(path)
        good_results(folder)
        gradient(folder)
        no_file_takes_the_place_of_another(folder)
        failures_replace_old_results(folder)
        if RANKS == 1:
            failures_replace_nothing_else(folder)
            small_disk(folder)
            latin_1(folder)
            pipes(folder)
            why_files_cannot_be_written(folder)
        validated = validate(folder)
    finally:
        shutil.rmtree(path)
    if TEST.report() != 0:
        return 1
    if not validated:
        print("skipped: the schema was not validated; there is no QCElemental (Debian: python3-qcelemental)")
    return 0 if validated else 77


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Many molecules in one job: the same results as runs alone, faults among good records, ends and restarts.

Usage: test_each.py HF MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import csv
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

TEST = ProgramTest.of_arguments()
SCHEDULERS = {1: ["steal"], 2: ["static", "counter"], 3: ["manager", "steal"]}
WATER = [("O", 0.0, 0.0, 0.117), ("H", 0.0, 0.757, -0.469), ("H", 0.0, -0.757, -0.469)]
HYDROGEN = [("H", 0.0, 0.0, 0.0), ("H", 0.0, 0.0, 0.74)]
CHAIN = [("C", 1.27 * i, 0.45 * (-1) ** i, 0.0) for i in range(6)]
CHAIN += [("H", x, y + 0.63 * (-1 if y < 0 else 1), z) for _, x, y, _ in CHAIN for z in (-0.88, 0.88)]
CHAIN += [("H", -0.9, -0.2, 0.0), ("H", 7.25, 0.2, 0.0)]
FAULTS = {"unknown element": "2\n\nH 0 0 0\nQq 0 0 1\n", "too short": "3\n\nH 0 0 0\n", "lines": "these\nbelong to nobody\n",
          "spin": "1\nmultiplicity=3\nH 0 0 0\n", "one place": "2\n\nH 0 0 0\nH 0 0 0\n"}


def frame(atoms, comment="", shift=0.0, seed=None):
    """A frame of XYZ; a seed moves the atoms a little."""
    noise = random.Random(seed).gauss if seed is not None else lambda mean, width: 0.0
    rows = "".join(f"{s} {x + noise(0, 0.02):.6f} {y + noise(0, 0.02):.6f} {z + shift:.6f}\n" for s, x, y, z in atoms)
    return f"{len(atoms)}\n{comment}\n{rows}"


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def results(path):
    """Results by the name of their record."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    found = {line["extras"]["hf"]["record"]: line for line in lines}
    TEST.check(len(found) == len(lines), f"{path}: a record twice")
    return found


def each(*arguments, code=0, name="each"):
    outcome = TEST.run(["--each", *arguments])
    TEST.check(outcome[0] == code, f"{name}: exit code {outcome[0]}, expected {code};", outcome[2])
    return outcome[1]


def results_are_those_of_runs_alone():
    """The same bits with --reproducible, whoever computes a molecule; several ranks compute the largest one."""
    frames = [frame(WATER, seed=i) for i in range(3)] + [frame(HYDROGEN, "charge=1", seed=i) for i in range(2)]
    frames.append(frame(CHAIN))
    write("few.xyz", "".join(frames))
    options = ["--basis", "6-31G", "--task", "gradient", "--reproducible"]
    alone = []
    for i, text in enumerate(frames):
        write("one.xyz", text)
        code, _, errors = ProgramTest.run(TEST, ["one.xyz", *options, "--json", "one.json"], launcher=False)
        TEST.check(code == 0, f"frame {i} alone: exit code {code}", errors)
        with open("one.json", encoding="utf-8") as file:
            alone.append(json.load(file))
    for scheduler in SCHEDULERS[TEST.n_rank]:
        path = f"{scheduler}.jsonl"
        each("few.xyz", *options, "--schedule", scheduler, "--json", path, name=scheduler)
        found = results(path)
        for i, expected in enumerate(alone):
            result = found.get(f"few.xyz, record {i + 1}", {"success": False})
            TEST.check(result["success"], f"{scheduler}: frame {i} failed")
            ranks = result["extras"]["hf"]["ranks"]
            TEST.check((ranks > 1) == (i == 5 and TEST.n_rank > 1), f"{scheduler}: {ranks} ranks for frame {i}")
            for key in "return_result", "properties", "molecule":
                TEST.check(result.get(key) == expected[key], f"{scheduler}: {key} of frame {i} is not that of a run alone")


def faults_do_not_touch_others():
    """Each fault is a record that says why; exit code and other files show it."""
    texts, bad = [], []
    for i, (name, text) in enumerate(FAULTS.items()):
        texts += [frame(WATER, seed=i), text]
        bad.append((2 * i + 2, name))
    write("faults.xyz", "".join(texts) + frame(HYDROGEN))
    write("list.txt", "faults.xyz\nmissing.xyz\n")
    out = each("@list.txt", "--basis", "STO-3G", "--csv", "faults.csv", "--xyz", "faults.out.xyz", "--task", "gradient", code=1, name="faults")
    found = results("list.hf.jsonl")
    TEST.check("12 computed: 6 good, 6 failed" in out, "faults: counts", out)
    for number, name in bad:
        result = found[f"faults.xyz, record {number}"]
        TEST.check(not result["success"] and result["error"]["error_type"] == "input_error", f"fault '{name}':", result)
    TEST.check(sum(result["success"] for result in found.values()) == 6, "faults: six are good")
    with open("faults.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    TEST.check(len(rows) == 12, "faults.csv: rows", rows)
    for row in rows:
        result = found[row["record"]]
        energy = row["energy_hartree"]
        TEST.check((row["success"] == "true") == result["success"], "faults.csv:", row)
        TEST.check(not result["success"] or abs(float(energy) - result["properties"]["return_energy"]) < 1e-11, "faults.csv:", row)
    with open("faults.out.xyz", encoding="utf-8") as file:
        lines = file.read().splitlines()
    TEST.check(len(lines) == 5 * 5 + 4, f"faults.out.xyz: {len(lines)} lines")
    first = lines[1].split('record="')[1].rstrip('"')
    force = [float(word) for word in lines[2].split()[4:]]
    expected = [-51.42206747 * x for x in found[first]["return_result"][:3]]
    TEST.check(max(abs(x - y) for x, y in zip(force, expected)) < 1e-6, "faults.out.xyz: forces", lines[:3])
    TEST.check(" energy_unit=eV forces_unit=eV/angstrom charge=0 multiplicity=" in lines[1], "faults.out.xyz: units", lines[1])
    write("missing.xyz", frame(HYDROGEN, seed=1))
    out = each("@list.txt", "--basis", "STO-3G", "--csv", "faults.csv", "--xyz", "faults.out.xyz", "--task", "gradient", "--retry-failed", code=1,
               name="retry")
    TEST.check("6 computed: 1 good, 5 failed" in out, "retry: counts", out)
    TEST.check(sum(result["success"] for result in results("list.hf.jsonl").values()) == 7, "retry: seven are good")


def failures_of_other_jobs_stay_and_do_not_count():
    """In one file of results, with other options."""
    write("other.xyz", frame(HYDROGEN))
    arguments = ["other.xyz", "--basis", "STO-3G", "--json", "others.jsonl"]
    each(*arguments, "--multiplicity", "5", code=1, name="another job")
    out = each(*arguments, "--retry-failed", name="this job")
    TEST.check("1 computed: 1 good" in out and "1 of other records or settings" in out, "another job: counts", out)
    out = each(*arguments, "--retry-failed", name="this job again")
    TEST.check("0 computed" in out and "1 results, 0 of them failed" in out, "another job: counts again", out)
    with open("others.jsonl", encoding="utf-8") as file:
        TEST.check(sorted(json.loads(line)["success"] for line in file) == [False, True], "another job: lines")


def settings_of_a_record_count_first():
    """QCSchema inputs one per line, each with settings; SD and native files."""
    lines = []
    for i, (method, basis, keywords) in enumerate([("hf", "STO-3G", {}), ("mp2", "3-21G", {}), ("hf", "STO-3G", {"max_iterations": 1}),
                                                   ("hf", "STO-3G", {"json": "x"})]):
        molecule = {"symbols": ["H", "F"], "geometry": [0, 0, 0, 0, 0, 1.7 + 0.1 * i]}
        lines.append(json.dumps({"schema_name": "qcschema_input", "schema_version": 1, "id": [f"input {i}", i][i % 2], "molecule": molecule, "driver": "energy",
                                 "model": {"method": method, "basis": basis}, "keywords": keywords}))
    write("inputs.jsonl", "\n".join(lines[:3] + [" " + lines[3]] + ['{"broken": }']) + "\n")
    write("native.mol", "basis 6-31G\nmultiplicity 3\ngeometry\nO 0 0 0\nO 0 0 1.2\nend\n")
    molfile = "\n  test\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" + "".join(
        f"{0:10.4f}{0:10.4f}{z:10.4f} {s:<3}0  0  0  0  0  0  0  0  0  0  0  0\n" for s, z in (("H", 0.0), ("F", 0.9)))
    write("two.sdf", 2 * (molfile + "  1  2  1  0\nM  END\n$$$$\n"))
    each("inputs.jsonl", "native.mol", "two.sdf", "--basis", "cc-pVDZ", "--json", "mixed.jsonl", code=1, name="settings")
    found = results("mixed.jsonl")
    model = [found[f"inputs.jsonl, record {i}"].get("model") for i in (1, 2)]
    TEST.check(model == [{"method": "rhf", "basis": "STO-3G"}, {"method": "mp2", "basis": "3-21G"}], "settings: models", model)
    names = [found[f"inputs.jsonl, record {i + 1}"].get("id") for i in range(5)]
    TEST.check(names == ["input 0", 1, "input 2", 3, None], "settings: ids", names)
    errors = [found[f"inputs.jsonl, record {i}"].get("error") or {} for i in (3, 4, 5)]
    for error, kind in zip(errors, ("convergence_error", "input_error", "input_error")):
        TEST.check(error.get("error_type") == kind, f"settings: expected {kind}:", error)
    TEST.check(found["native.mol"]["molecule"]["molecular_multiplicity"] == 3, "settings: native")
    energies = [found[f"two.sdf, record {i}"]["properties"]["return_energy"] for i in (1, 2)]
    TEST.check(abs(energies[0] - energies[1]) < 1e-8 and found["two.sdf, record 1"]["model"]["basis"] == "cc-pVDZ", "settings: SD", energies)


def start(arguments):
    launcher = [TEST.mpiexec, "-n", str(TEST.n_rank)] if TEST.n_rank > 1 else []
    return subprocess.Popen([*launcher, os.path.abspath(TEST.program), "--each", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, start_new_session=True, env=dict(os.environ, OMPI_MCA_orte_execute_quiet="1"))


def wait_for_lines(path, n, process):
    last = time.monotonic() + TEST.most_seconds
    while process.poll() is None and time.monotonic() < last:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read().count("\n") >= n:
                    return
        time.sleep(0.01)


def processes_of(path):
    """Processes that have the word in their command lines: ranks may be in sessions of their own."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", encoding="utf-8", errors="replace") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if path in words and int(number) != os.getpid():
            found.append(int(number))
    return found


def a_killed_job_goes_on():
    """What is finished stays as it is, half a line goes, and no record comes twice, with the same or other options."""
    n = 60
    folder = os.getcwd()
    path = os.path.join(folder, "killed.jsonl")
    write("many.xyz", "".join(frame(WATER, seed=i % (n - 5)) for i in range(n)))  # five are there twice
    arguments = ["many.xyz", "--basis", "3-21G", "--json", path, "--xyz", "many.out.xyz"]
    process = start(arguments)
    wait_for_lines(path, 5, process)
    for number in processes_of(path):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate()
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"schema_name":"qcschema_out')
    with open(path, encoding="utf-8") as file:
        before = file.read().rsplit("\n", 1)[0] + "\n"
    out = each(*arguments, "--schedule", "static", name="restart")
    with open(path, encoding="utf-8") as file:
        after = file.read()
    TEST.check(after.startswith(before), "restart: earlier lines changed")
    found = results(path)
    TEST.check(len(found) == n and all(result["success"] for result in found.values()), f"restart: {len(found)} of {n} records")
    TEST.check(f"{before.count(chr(10))} results" in out, "restart: counts", out)
    with open("many.out.xyz", encoding="utf-8") as file:
        TEST.check(file.read().count("energy=") == n, "restart: frames")
    out = each(*arguments, name="nothing left")
    TEST.check("0 computed" in out, "nothing left:", out)


def a_signal_ends_the_job():
    """With the exit code of the signal, and a message that says how to go on."""
    write("many.xyz", "".join(frame(WATER, seed=i) for i in range(400)))
    path = os.path.join(os.getcwd(), "signal.jsonl")
    process = start(["many.xyz", "--basis", "cc-pVDZ", "--json", path])
    wait_for_lines(path, 2, process)
    ranks = [number for number in processes_of(path) if os.path.realpath(f"/proc/{number}/exe") == os.path.realpath(TEST.program)]
    os.kill(max(ranks), signal.SIGTERM)
    try:
        _, errors = process.communicate(timeout=TEST.most_seconds)
    except subprocess.TimeoutExpired:
        errors = "hangs"
        os.killpg(process.pid, signal.SIGKILL)
    TEST.check(process.returncode == 128 + signal.SIGTERM, f"signal: exit code {process.returncode}", errors)
    TEST.check("the same command continues" in errors, "signal:", errors)
    results(path)


def only_one_job_writes_a_file():
    """A second job that would add to it is refused."""
    path = os.path.join(os.getcwd(), "signal.jsonl")
    process = start(["many.xyz", "--basis", "cc-pVDZ", "--json", path])
    wait_for_lines(path, 3 + sum(1 for _ in open(path, encoding="utf-8")), process)
    TEST.expect_one_line("second job", TEST.run(["--each", "many.xyz", "--json", path]), 2, ["signal.jsonl: another job writes to it"])
    for number in processes_of(path):
        os.kill(number, signal.SIGTERM)
    process.communicate(timeout=TEST.most_seconds)
    with open("locked.csv", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        outcome = TEST.run(["--each", "many.xyz", "--json", "second.jsonl", "--csv", "locked.csv"])
        TEST.expect_one_line("second table", outcome, 2, ["locked.csv: another job writes to it"])


def a_changed_file_is_another_setting():
    """Records are computed again if a file that an option names has other contents."""
    write("one.xyz", frame(HYDROGEN))
    write("names.mol", "basis h.gbs\ngeometry\nH 0 0 0\nH 0 0 0.74\nend\n")
    write("other.mol", "basis STO-3G\ngeometry\nH 0 0 0\nH 0 0 0.74\nend\n")
    for exponent, n in (("1.0", 1), ("1.0", 0), ("1.2", 1)):
        write("h.gbs", f"H 0\nS 1 1.00\n{exponent} 1.0\n****\n")
        out = each("one.xyz", "--basis", "./h.gbs", "--json", "contents.jsonl", name="contents")
        TEST.check(f" {n} computed" in out, f"contents: exponent {exponent}", out)
        out = each("names.mol", "other.mol", "--json", "named.jsonl", name="contents of a record")
        TEST.check(f" {2 if exponent == '1.0' and n else n} computed" in out, f"contents of a record: exponent {exponent}", out)


def the_set_is_foreseen():
    """--check counts, estimates and writes nothing."""
    out = each("faults.xyz", "--check", "--json", "check.jsonl", "--basis", "STO-3G", name="check")
    for part in ("Molecules     6, and 5 records", "core hours", "Largest", "Memory", "Nothing was computed"):
        TEST.check(part in out, f"check: no '{part}'", out)
    write("chain.xyz", frame(CHAIN))
    megabytes = [int(each("chain.xyz", "--check", "--basis", "cc-pVDZ", "--method", method).split("up to about ")[2].split()[0]) for method in ("hf", "mp2", "lmp2")]
    TEST.check(min(megabytes[1:]) > 2 * megabytes[0], "check: MP2 has integrals, local MP2 amplitudes", megabytes)
    TEST.check(not os.path.exists("check.jsonl"), "check: writes a file")


def wrong_commands_are_refused():
    """Before anything is computed."""
    write("one.xyz", frame(HYDROGEN))
    write("notes.txt", "important\n")
    write("listed.xyz", frame(HYDROGEN))
    write("named.txt", "one.xyz\n listed.xyz \n")
    write("set.gbs", "important\n")
    os.mkdir("folder")
    cases = [[["one.xyz", "--molden", "x"], "molden cannot be combined with each"],
             [["one.xyz", "--task", "vibrations", "--groups", "2"], "groups cannot be combined with each"],
             [["one.xyz", "no-such-file.xyz"], "no-such-file.xyz"],
             [["one.xyz", "--json", "notes.txt"], "lines that no job"],
             [["one.xyz", "--json", "one.xyz"], "one.xyz"],
             [["@named.txt", "--csv", "listed.xyz"], "listed.xyz is an input file of named.txt"],
             [["one.xyz", "--basis", "H=set.gbs", "--xyz", "set.gbs"], "set.gbs is an input file of --basis"],
             [["@folder"], "Is a directory"],
             [["one.xyz", "--xyz", "same", "--csv", "same"], "same"],
             [["one.xyz", "--json", "no/such/folder"], "cannot be written"],
             [[], "no input file"]]
    for arguments, part in cases if TEST.n_rank == 1 else cases[:4]:  # mpiexec ends slowly after an exit code
        TEST.expect_one_line(str(arguments), TEST.run(["--each", *arguments]), 2, [part])
    TEST.check(os.path.getsize("listed.xyz") > 0 and os.path.getsize("set.gbs") > 0, "an input file was emptied")
    TEST.expect_one_line("without --each", TEST.run(["one.xyz", "faults.xyz"]), 2, ["--each"])
    TEST.expect_one_line("--csv alone", TEST.run(["one.xyz", "--csv", "x"]), 2, ["csv has no effect without each"])
    code, out, errors = TEST.run(["--each", "-", "--basis", "STO-3G"], standard_input=frame(HYDROGEN) + frame(WATER))
    TEST.check(code == 0 and "2 good" in out and len(results("hf.hf.jsonl")) == 2, "standard input:", out + errors)


def main():
    home = os.getcwd()
    TEST.program = os.path.abspath(TEST.program)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (results_are_those_of_runs_alone, faults_do_not_touch_others, failures_of_other_jobs_stay_and_do_not_count, settings_of_a_record_count_first, a_killed_job_goes_on,
                     a_signal_ends_the_job, only_one_job_writes_a_file, a_changed_file_is_another_setting, the_set_is_foreseen, wrong_commands_are_refused):
            began = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
        os.chdir(home)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())

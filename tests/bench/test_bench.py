#!/usr/bin/env python3
"""Runs hf-bench as people run it: help, every kernel, and every mistake that must end in one clear line.
Times are never judged, only that they are there.

Usage: test_bench.py HF_BENCH MPIEXEC RANKS
Exit code 0 when all checks hold; each failed one is a line of its own.
"""

import json
import math
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF_BENCH, MPIEXEC, RANKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
ETHANE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "inputs", "ethane.mol")
TEST = ProgramTest(HF_BENCH, MPIEXEC, RANKS)
check, run, expect_one_line = TEST.check, TEST.run, TEST.expect_one_line

# arguments, what the line on standard error must contain
BAD_INPUT = [
    ([], ["no kernel"]),
    (["pingpogn"], ["'pingpogn'", "did you mean pingpong"]),
    (["counter", "pingpong"], ["more than one kernel"]),
    (["counter", "--repeat", "0"], ["--repeat", "0"]),
    (["counter", "--repeat", "-1"], ["--repeat"]),
    (["counter", "--repeat", "many"], ["'many'", "whole number"]),
    (["counter", "--repeat"], ["--repeat needs a value"]),
    (["counter", "--repet", "3"], ["did you mean --repeat"]),
    (["counter", "--json"], ["--json needs a value"]),
    (["counter", "--json", "/no/such/folder/out.json"], ["/no/such/folder/out.json"]),
    (["counter", "--json", "/"], ["/", "is a directory"]),
    (["counter", "--json="], ["--json"]),
    (["cou\nnter"], ["cou?nter"]),
    (["integrals"], ["integrals needs a molecule", "hf-bench integrals FILE"]),
    (["integrals", "/no/such/file"], ["/no/such/file"]),
    (["integrals", ETHANE, ETHANE], ["more than one file"]),
    (["integrals", ETHANE, "--basis", "cc-pVDX"], ["--basis", "cc-pVDX"]),
    (["integrals", ETHANE, "--screening", "fine"], ["--screening", "fine"]),
    (["counter", "--basis", "cc-pVDZ"], ["--basis: counter reads no molecule"]),
    (["counter", "--fock", "replicated"], ["--fock: counter reads no molecule"]),
    (["fock"], ["fock needs a molecule", "hf-bench fock FILE"]),
    (["fock", ETHANE, "--fock", "nonsense"], ["--fock", "nonsense"]),
]

IDENTITY = {"program", "version", "kernel", "source", "mpi_library", "n_rank", "n_rank_on_node",
            "n_core_on_node", "more_ranks_than_cores", "quick", "n_repeat", "load_average", "results"}
LINE = {"alpha_seconds", "beta_seconds_per_byte", "bandwidth_megabytes_per_second",
        "rms_relative_residual", "largest_relative_residual", "doubt"}


# On 2 ranks only these: one for each step that ends a run. All are tried on 1 rank and on 3.
ENOUGH_ON_TWO = [["counter", "--repet", "3"], ["counter", "--json", "/no/such/folder/out.json"],
                 ["integrals", "/no/such/file"], ["integrals", ETHANE, "--basis", "cc-pVDX"]]


def bad_input():
    for arguments, parts in BAD_INPUT:
        if RANKS == 2 and arguments not in ENOUGH_ON_TWO:
            continue
        outcome = run(arguments)
        expect_one_line(arguments, outcome, 2, parts)
        check(outcome[1] == "", f"{arguments}: something was measured:", outcome[1])
    if RANKS == 1:
        for kernel in ("pingpong", "accumulate"):
            expect_one_line(kernel, run([kernel]), 2, ["at least 2 ranks", "found 1"])
    expect_one_line("full disk", run(["counter", "--quick", "--json", "/dev/full"]), 3, ["/dev/full"])


def help_and_version():
    for launcher in (False, True):
        for option, part in (("--help", "--repeat N"), ("-h", "Usage: "), ("--version", "hf-bench "),
                             ("-V", "MPI: ")):
            code, output, errors = run([option], launcher)
            check(code == 0 and part in output and errors == "", f"{option}:", output + errors)
            once = output.count("Usage: ") + output.count("MPI: ")
            check(once == 1, f"{option} was printed {once} times")
    output = run(["--help"], False)[1]
    for name in ("pingpong", "counter", "accumulate", "integrals", "fock", "--basis", "--quick", "--json"):
        check(name in output, f"--help does not name {name}")


def check_numbers(where, value):
    """Whatever is a number is finite and not negative, except a line through times that other
    processes' turns have spoilt; null is for what was not measured."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in LINE:
                check_numbers(f"{where}.{key}", part)
    elif isinstance(value, list):
        for part in value:
            check_numbers(where, part)
    elif isinstance(value, (int, float)):
        check(math.isfinite(value) and value >= 0, f"{where} is {value}")


def positive(kernel, where, keys, values):
    for key in keys:
        value = values.get(key)
        check(isinstance(value, (int, float)) and value > 0, f"{kernel}: {where}: {key} is {value}")


def run_kernel(folder, kernel, extra):
    """Table and results of a quick run."""
    path = os.path.join(folder, kernel + ".json")
    code, output, errors = run([kernel, "--quick", "--json", path] + extra)
    check(code == 0, f"{kernel}: exit code {code}", output + errors)
    if code != 0:
        return output, {}
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    check(set(document) == IDENTITY, f"{kernel}: JSON has {sorted(document)}")
    check(document["kernel"] == kernel and document["n_rank"] == RANKS and document["quick"] is True,
          f"{kernel}: JSON tells of another run")
    check_numbers(kernel, document["results"])
    for part in ("MPI library", f"Ranks         {RANKS}", "a test, not a result"):
        check(part in output, f"{kernel}: no \"{part}\" in:", output)
    check("WRONG" not in output, f"{kernel}:", output)
    return output, document["results"]


def rows(output, pattern):
    """Numbers of the lines of a table that begin as the pattern says."""
    return [[float(number) for number in line[match.end():].split()]
            for line in output.splitlines() for match in [re.match(pattern, line)] if match]


def check_rows(kernel, found, n_row, n_column):
    check(len(found) == n_row, f"{kernel}: {len(found)} rows in the table, expected {n_row}")
    for row in found:
        check(len(row) == n_column and all(math.isfinite(x) and x > 0 for x in row),
              f"{kernel}: row {row}")


LENGTH = r" +[0-9.]+ (B|KiB|MiB)  "


def pingpong(folder):
    output, results = run_kernel(folder, "pingpong", ["--repeat", "2"])
    partners = results.get("partners", [])
    check([partner["partner_rank"] for partner in partners] == ([1] if RANKS == 2 else [1, RANKS - 1]),
          "pingpong: partners", str(partners))
    found = rows(output, LENGTH)
    check(len(found) == 22 * len(partners), f"pingpong: {len(found)} rows in the table")
    for row in found:
        check(len(row) in (2, 3) and all(x > 0 for x in row), f"pingpong: row {row}")
    for partner in partners:
        check(partner["damaged_bytes"] == 0, "pingpong: damaged bytes")
        for name in ("through_ends", "fitted"):
            check(set(partner[name]) == LINE, f"pingpong: {name} has", str(partner[name]))
            possible = partner[name]["alpha_seconds"] > 0 and partner[name]["beta_seconds_per_byte"] > 0
            check(possible or partner[name]["doubt"] is not None, f"pingpong: {name} without a word:", output)
    doubted = sum(partner[name]["doubt"] is not None for partner in partners for name in ("through_ends", "fitted"))
    check(output.count("    Doubtful: ") == doubted, f"pingpong: {doubted} doubts, printed:", output)
    for partner in partners:
        check([point["message_bytes"] for point in partner["points"]] ==
              [0] + [2**i for i in range(21)], "pingpong: message lengths")
        for point in partner["points"]:
            positive("pingpong", "point", ("round_trips", "one_way_seconds"), point)
            check(len(point["one_way_seconds_of_repetitions"]) == 2, "pingpong: repetitions")


def counter(folder):
    output, results = run_kernel(folder, "counter", ["--repeat", "2"])
    methods = results.get("methods", [])
    check([method["method"] for method in methods] == ["array", "fetch-and-op"], "counter: methods")
    for method in methods:
        check([case["case"] for case in method["cases"]] == [1, 2, 3], "counter: cases")
        for case in method["cases"]:
            if case["problem"] is not None:
                check(RANKS == 1 and case["case"] == 2, f"counter: {case['problem']}")
                check(case["seconds_per_get"] is None, "counter: a number with a problem")
                continue
            positive("counter", "case", ("seconds_per_get", "median_seconds_per_get",
                                         "seconds_per_compute"), case)
            check(len(case["repetitions"]) == 2, "counter: repetitions")
            for repetition in case["repetitions"]:
                n_task = sum(rank["n_task"] for rank in repetition["ranks"])
                check(n_task == 10 * RANKS, f"counter: {n_task} tasks")
    if RANKS > 1:
        check_rows("counter", rows(output, r"  MPI-.* work "), 2, 3)
        check_rows("counter", rows(output, r"  +read "), 2, 3)
        check_rows("counter", rows(output, r"  +read, median "), 2, 3)
    else:
        check(output.count("case 2: needs 2 ranks") == 2, "counter: nothing about case 2:", output)


def accumulate(folder):
    output, results = run_kernel(folder, "accumulate", [])
    ways = [(method, transport) for transport in ("thread", "rma")
            for method in ("owner-computes", "caller-computes")] + [("MPI_Accumulate", "window")]
    n_pattern = 2 if RANKS > 2 else 1
    series = results.get("series", [])
    for way in ways:
        patterns = [one["pattern"] for one in series if (one["method"], one["transport"]) == way]
        check(patterns == ["one-to-one", "all-to-one"][:n_pattern], f"accumulate: {way}", str(patterns))
    for one in series:
        check(one["problem"] is None, f"accumulate: {one['problem']}")
        check([point["message_bytes"] for point in one["points"]] == [8 * 4**i for i in range(8)],
              "accumulate: message lengths")
        for point in one["points"]:
            positive("accumulate", "point", ("additions_per_caller", "seconds",
                                             "megabytes_per_second"), point)
    check_rows("accumulate", rows(output, LENGTH), 8 * n_pattern, len(ways))


def integrals(folder):
    output, results = run_kernel(folder, "integrals", [ETHANE, "--basis", "STO-3G", "--screening", "1e-14"])
    check(results.get("n_function") == 16, "integrals: functions", str(results.get("n_function")))
    n_pair = results["sets"]["count"]
    # none of so small a molecule is negligible
    check(results["quartets"]["count"] == n_pair * (n_pair + 1) / 2, "integrals: quartets", str(results["quartets"]))
    classes = results.get("classes", [])
    check([one["class"] for one in classes] == ["(ss|ss)", "(ps|ss)", "(ps|ps)", "(pp|ss)", "(pp|ps)", "(pp|pp)"],
          "integrals: classes", str([one["class"] for one in classes]))
    check(sum(one["count"] for one in classes) == results["quartets"]["count"], "integrals: counts")
    for one in classes + [results["quartets"], results["sets"]]:
        for way in ("alone", "batched"):
            positive("integrals", way, ("mean_seconds",), one[way])
    check_rows("integrals", [row[:2] for row in rows(output, r"  \([a-z]{2}\|[a-z]{2}\) ")], 6, 2)
    check("sets (p)" in output, "integrals: no sets in:", output)
    roofline(output, results)


def roofline(output, results):
    """Rates beside the peak: those of all classes together are those of the parts."""
    peak = results.get("peak", {})
    positive("integrals", "peak", ("double_flops", "single_flops", "read_bytes_per_second"), peak)
    counts = {one["class"]: one["count"] for one in results["classes"]}
    for precision in ("double", "single"):
        lines = [one for one in results.get("engine", []) if one["precision"] == precision]
        check([one["class"] for one in lines] == [*counts, "all"], "integrals: rates", str(lines))
        for one in lines:
            positive("integrals", one["class"], ("n_quartet", "n_integral", "n_primitive_quartet", "n_flop", "seconds",
                                                 "share_of_peak"), one)
            share = one["n_flop"] / one["seconds"] / peak[precision + "_flops"]
            check(math.isclose(share, one["share_of_peak"], rel_tol=1e-9), "integrals: share of the peak", str(one))
        for key in ("n_quartet", "n_integral", "n_primitive_quartet", "n_flop", "seconds"):
            found, expected = lines[-1][key], sum(one[key] for one in lines[:-1])
            check(math.isclose(found, expected, rel_tol=1e-9), f"integrals: {key} of all is {found}, not {expected}")
        check(all(one["n_quartet"] == counts[one["class"]] for one in lines[:-1]), "integrals: rates of other quartets")
        check_rows("integrals", rows(output, rf"  {precision}  (\([a-z]{{2}}\|[a-z]{{2}}\)|all) "), 14 if precision == "double" else 7, 6)
        for place, n_column in (("cache", 3), ("memory", 5)):
            check_rows("integrals", rows(output, rf"  {precision}  {place} +(\([a-z]{{2}}|all) "), 4, n_column)
    slopes = results.get("derivatives", [])
    check([one["class"] for one in slopes] == [*counts, "all"], "integrals: rates of derivatives", str(slopes))
    for one, other in zip(slopes, lines):
        positive("integrals", one["class"], ("n_primitive_quartet", "seconds", "share_of_peak"), one)
        check(one["n_quartet"] == other["n_quartet"] and one["n_integral"] == other["n_integral"], "integrals: derivatives of others")
        check(one["n_flop"] > other["n_flop"], "integrals: derivatives take more arithmetic", str(one))
    mixed = [one for one in results.get("engine", []) if one["precision"] == "mixed"]
    check([one["class"] for one in mixed] == ["all"], "integrals: rates of mixed precision", str(mixed))
    check(mixed[0]["n_quartet"] == lines[-1]["n_quartet"], "integrals: mixed precision has other quartets", str(mixed))
    check(mixed[0]["share_of_peak"] > 0, "integrals: share of the peak in mixed precision", str(mixed))
    check_rows("integrals", rows(output, r"  mixed   (all) "), 1, 6)
    digestion = results.get("digestion", [])
    check(len(digestion) == 16, f"integrals: {len(digestion)} rates of digestion")
    for one in digestion:
        positive("integrals", "digestion", ("seconds_per_integral", "share_of_peak", "share_of_bandwidth"), one)
    doubles, singles = ([one["n_flop"] for one in results["engine"] if one["precision"] == precision]
                        for precision in ("double", "single"))
    # groups of other widths prune other primitives together
    check(all(0.8 < x / y < 1.25 for x, y in zip(doubles, singles)), f"integrals: arithmetic {doubles} and {singles}")


def fock(folder):
    builder = "replicated" if RANKS == 1 else "distributed"
    output, results = run_kernel(folder, "fock", [ETHANE, "--basis", "STO-3G", "--fock", builder])
    check(results.get("n_function") == 16, "fock: functions", str(results.get("n_function")))
    for way in ("computed", "stored"):
        positive("fock", way, ("closed_shells", "one_unpaired", "all_unpaired", "two", "four", "eight"), results[way])
    check_rows("fock", rows(output, r"  (closed shells|one unp|spin dens|[248] densities)[a-zJK, ]*  "), 6, 4)


def main():
    folder = tempfile.mkdtemp(prefix="hf-bench-")
    try:
        bad_input()
        help_and_version()
        counter(folder)
        integrals(folder)
        fock(folder)
        if RANKS > 1:
            pingpong(folder)
            accumulate(folder)
    finally:
        shutil.rmtree(folder)
    return TEST.report()


if __name__ == "__main__":
    sys.exit(main())

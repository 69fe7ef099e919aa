"""Medians and ratios of the measurements."""

import statistics

ENERGY_DIFFERENCE = 1e-6
SECONDS = ("seconds", "cpu_seconds", "first_build_seconds", "later_build_seconds")


def summary(runs):
    """{name: medians, extremes and ratios over the first program}, in the order of `runs`."""
    medians = {name: {key: statistics.median(run[key] for run in results) for key in SECONDS}
               for name, results in runs.items() if results}
    first = next(iter(medians))
    reference = runs[first][-1]["energy_hartree"]
    return {name: {
        "energy_hartree": runs[name][-1]["energy_hartree"],
        "energy_difference_hartree": runs[name][-1]["energy_hartree"] - reference,
        "builds": runs[name][-1]["builds"],
        "median": median,
        "seconds_min": min(run["seconds"] for run in runs[name]),
        "seconds_max": max(run["seconds"] for run in runs[name]),
        "ratio": {key: median[key] / medians[first][key] if medians[first][key] > 0 else None for key in SECONDS},
    } for name, median in medians.items()}


def lines(programs):
    """The table for people: whole program, then one Fock build, each with its ratio over the first line."""
    yield (f"{'program':<12} {'energy/hartree':>18} {'differs by':>10} {'builds':>6} "
           f"{'whole s':>9} {'min':>9} {'max':>9} {'ratio':>7} {'CPU s':>9} {'ratio':>7} {'build s':>9} {'ratio':>7} {'later s':>9} {'ratio':>7}")
    for name, row in programs.items():
        median = row["median"]
        ratio = {key: "-" if value is None else f"{value:.2f}" for key, value in row["ratio"].items()}
        yield (f"{name:<12} {row['energy_hartree']:18.10f} {row['energy_difference_hartree']:10.1e} {row['builds']:6d} "
               f"{median['seconds']:9.3f} {row['seconds_min']:9.3f} {row['seconds_max']:9.3f} {ratio['seconds']:>7} "
               f"{median['cpu_seconds']:9.3f} {ratio['cpu_seconds']:>7} "
               f"{median['first_build_seconds']:9.4f} {ratio['first_build_seconds']:>7} "
               f"{median['later_build_seconds']:9.4f} {ratio['later_build_seconds']:>7}")


def disagreements(programs):
    """One line for each program whose energy is another."""
    return [f"{name}: energy differs by {row['energy_difference_hartree']:.1e} hartree, more than {ENERGY_DIFFERENCE:g}"
            for name, row in programs.items() if not abs(row["energy_difference_hartree"]) <= ENERGY_DIFFERENCE]

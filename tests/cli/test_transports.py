#!/usr/bin/env python3
"""hf leaves out transports of Open MPI that a job cannot use, unless the user has chosen some.

Usage: test_transports.py HF MPIEXEC INPUT
Open MPI prints the parameters that it found in the environment (mpi_show_mca_params), hwloc what it looks for.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from program_test import ProgramTest

HF, MPIEXEC, INPUT = sys.argv[1:]
ISOLATED, OB1, SELF = "ess_singleton_isolated=true", "pml=ob1", "btl=self "

# name, ranks, environment, parameters that must be there, parameters that must not
CASES = [
    ("alone", 1, {}, [ISOLATED, OB1, SELF], []),
    ("a user's btl, alone", 1, {"OMPI_MCA_btl": "tcp,self"}, ["btl=tcp,self"], [ISOLATED, OB1]),
    ("a process of another launcher", 1, {"SLURM_PROCID": "0"}, [], [ISOLATED, OB1, SELF]),
    ("two ranks of a node", 2, {}, [OB1], [ISOLATED, SELF]),
    ("a user's pml on two ranks", 2, {"OMPI_MCA_pml": "^cm"}, ["pml=^cm"], [OB1]),
]


def main():
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        for name in [name for name in os.environ if name in ("OMPI_MCA_pml", "OMPI_MCA_btl") or name.startswith(("SLURM_", "PMI", "HWLOC_"))]:
            del os.environ[name]
        test = ProgramTest(HF, MPIEXEC, 1)
        for name, n_rank, environment, there, absent in CASES:
            test.n_rank = n_rank
            code, report, errors = test.run([INPUT], environment=dict(environment, OMPI_MCA_mpi_show_mca_params="enviro"))
            test.check(code == 0 and "converged after" in report, f"{name}: exit code {code};", errors)
            shown = report + errors
            for parameter in there:
                test.check(parameter in shown, f"{name}: no {parameter} in:", shown)
            for parameter in absent:
                test.check(parameter not in shown, f"{name}: {parameter} in:", shown)
        test.n_rank = 1
        for components, asked in (None, True), ("-no_os", False):
            chosen = {} if components is None else {"HWLOC_COMPONENTS": components}
            code, report, errors = test.run([INPUT], environment=dict(chosen, HWLOC_COMPONENTS_VERBOSE="1"))
            if "hwloc: " not in report + errors:
                break  # this MPI library has another one
            left_out = "hwloc: Blacklisting component `linux` phases" in report + errors
            test.check(code == 0 and left_out == asked, f"hwloc with HWLOC_COMPONENTS {components}: devices left out: {left_out}", errors)
        os.makedirs(os.path.join(home, ".openmpi"))
        with open(os.path.join(home, ".openmpi", "mca-params.conf"), "w", encoding="utf-8") as file:
            file.write("pml = ob1\n")
        code, report, errors = test.run([INPUT], environment={"OMPI_MCA_mpi_show_mca_params": "enviro"})
        test.check(code == 0 and "converged after" in report and ISOLATED not in report + errors, "a user's file of parameters is overridden:", errors)
    return test.report()


if __name__ == "__main__":
    sys.exit(main())

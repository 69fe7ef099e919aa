"""hf as a program of QCEngine.

    import hf_qcengine, qcengine

    hf_qcengine.register()
    result = qcengine.compute({"molecule": ..., "driver": "gradient", "model": {"method": "hf", "basis": "def2-SVP"}}, "hf")

Drivers are energy, gradient, hessian and properties. QCEngine's cores become threads of one rank; with another command they do
not: hf_qcengine.register("mpiexec -n 4 hf").
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile

from qcelemental.models import AtomicResult, FailedOperation
from qcelemental.util import safe_version
from qcengine.programs import register_program
from qcengine.programs.model import ProgramHarness


class HFHarness(ProgramHarness):
    """Runs hf on QCSchema files, which it reads and writes itself."""

    _defaults = {"name": "hf", "scratch": True, "thread_safe": True, "thread_parallel": True, "node_parallel": True,
                 "managed_memory": False}
    command: str = "hf"

    class Config(ProgramHarness.Config):
        pass

    def found(self, raise_error=False):
        is_there = shutil.which(shlex.split(self.command)[0]) is not None
        if raise_error and not is_there:
            raise ModuleNotFoundError(f"{self.command}: the program hf is not there")
        return is_there

    def get_version(self):
        self.found(raise_error=True)
        words = subprocess.run([*shlex.split(self.command), "--version"], capture_output=True, text=True, check=True).stdout.split()
        return safe_version(words[1])

    def compute(self, input_data, config):
        self.found(raise_error=True)
        command = shlex.split(self.command)
        with tempfile.TemporaryDirectory(prefix="hf-", dir=config.scratch_directory) as folder:
            to, back = os.path.join(folder, "in.json"), os.path.join(folder, "out.json")
            with open(to, "w", encoding="utf-8") as file:
                file.write(input_data.json())
            threads = ["--threads", str(config.ncores)] if len(command) == 1 and config.ncores else []
            done = subprocess.run([*command, to, "--json", back, "--checkpoint", "none", *threads], capture_output=True, text=True,
                                  check=False)
            output = {}
            if os.path.exists(back):
                with open(back, encoding="utf-8") as file:
                    output = json.load(file)
        if done.returncode != 0:
            error = output.get("error") or {"error_type": "unknown_error", "error_message": done.stderr.strip()}
            return FailedOperation(success=False, input_data=input_data.dict(), error=error)
        output.update(stdout=done.stdout, extras={**input_data.extras, **output["extras"]})
        return AtomicResult(**output)


def register(command="hf"):
    """Makes "hf" a program of QCEngine; `command` starts it."""
    register_program(HFHarness(command=command))

"""hf as a program of QCEngine, 0.26 (QCSchema 1) and from 0.50 on (QCSchema 2).

    import hf_qcengine, qcengine

    hf_qcengine.register()
    result = qcengine.compute({"molecule": ..., "driver": "gradient", "model": {"method": "hf", "basis": "def2-SVP"}}, "hf")

Drivers are energy, gradient, hessian and properties. hf computes in this process (package hf); QCEngine's cores become threads.
With a command it is a process for each calculation, and the number of ranks is that of the command:
hf_qcengine.register("mpiexec -n 4 hf").
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from typing import Any, ClassVar, Dict, Optional

from qcelemental.util import safe_version
from qcengine.programs import register_program
from qcengine.programs.model import ProgramHarness

import hf

SECOND = hasattr(ProgramHarness, "model_config")  # pydantic 2: every input is of version 2
if SECOND:
    from qcelemental.models.v2 import AtomicResult, FailedOperation
else:
    from qcelemental.models import AtomicResult, FailedOperation


class HFHarness(ProgramHarness):
    """Hands QCSchema inputs to hf, which answers in their version."""

    _defaults: ClassVar[Dict[str, Any]] = {"name": "hf", "scratch": True, "thread_safe": True, "thread_parallel": True, "node_parallel": True,
                                           "managed_memory": False}
    version_cache: Dict[str, str] = {}
    command: Optional[str] = None

    def found(self, raise_error=False):
        try:
            is_there = shutil.which(shlex.split(self.command)[0]) is not None if self.command else bool(hf.version())
        except hf.Error:
            is_there = False
        if raise_error and not is_there:
            raise ModuleNotFoundError(f"{self.command or 'libhf'}: hf is not there")
        return is_there

    def get_version(self):
        self.found(raise_error=True)
        name = self.command or "libhf"
        if name not in self.version_cache:
            version = hf.version() if self.command is None else subprocess.run(
                [*shlex.split(self.command), "--version"], capture_output=True, text=True, check=True, env=hf.environment()).stdout.split()[1]
            self.version_cache[name] = safe_version(version)
        return self.version_cache[name]

    def compute(self, input_model, config):
        self.found(raise_error=True)
        task = json.loads(input_model.model_dump_json() if SECOND else input_model.json())
        if config.ncores and (self.command is None or len(shlex.split(self.command)) == 1):
            (task["specification"] if SECOND else task)["keywords"].setdefault("threads", config.ncores)
        answer = hf.run(task, check=False) if self.command is None else self.process(task, config)
        if not answer["success"]:
            return FailedOperation(input_data=input_model if SECOND else input_model.dict(), success=False, error=answer["error"])
        if SECOND:
            answer["input_data"] = input_model  # without the threads
        return AtomicResult(**answer)

    def process(self, task, config):
        """The answer of a process."""
        with tempfile.TemporaryDirectory(prefix="hf-", dir=config.scratch_directory) as folder:
            to, back = os.path.join(folder, "in.json"), os.path.join(folder, "out.json")
            with open(to, "w", encoding="utf-8") as file:
                json.dump(task, file)
            done = subprocess.run([*shlex.split(self.command), to, "--json", back, "--checkpoint", "none"], capture_output=True, text=True,
                                  check=False, env=hf.environment())
            if not os.path.exists(back):
                return {"success": False, "error": {"error_type": "unknown_error", "error_message": done.stderr.strip()}}
            with open(back, encoding="utf-8") as file:
                answer = json.load(file)
        return {**answer, "stdout": done.stdout} if answer["success"] else answer


def register(command=None):
    """Makes "hf" a program of QCEngine: in this process, or started by `command`."""
    register_program(HFHarness(command=command))

"""A control group with a limit of memory, for tests of what happens in one (Linux, as root)."""

import os
import time

V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"


class MemoryGroup:
    """with MemoryGroup(150_000_000) as group: subprocess.run(group.command([...]))"""

    def __init__(self, limit_bytes, name="hf-test"):
        version_1 = os.path.isdir(V1)
        self.folder = os.path.join(V1 if version_1 else V2, f"{name}-{os.getpid()}")
        self.limit_file = "memory.limit_in_bytes" if version_1 else "memory.max"
        self.events_file = "memory.oom_control" if version_1 else "memory.events"
        self.limit_bytes = limit_bytes

    def __enter__(self):
        os.mkdir(self.folder)
        self.set_limit(self.limit_bytes)
        return self

    def __exit__(self, *_):
        for _ in range(600):  # processes that have ended leave it a little later
            try:
                os.rmdir(self.folder)
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{self.folder} is still in use")

    def set_limit(self, limit_bytes):
        with open(os.path.join(self.folder, self.limit_file), "w", encoding="ascii") as file:
            file.write(str(limit_bytes))

    def n_killed(self):
        """Processes that the kernel has killed in it so far."""
        with open(os.path.join(self.folder, self.events_file), encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))

    def command(self, arguments):
        """A command line that runs another one inside the group."""
        script = f'echo $$ > {self.folder}/cgroup.procs && exec "$@"'
        return ["/bin/sh", "-c", script, "sh"] + arguments


def reason_not_allowed():
    """Why there can be no such group here; None: there can."""
    try:
        with MemoryGroup(10**9, "hf-try") as group:
            group.n_killed()
        return None
    except (OSError, RuntimeError) as reason:
        return f"no control group of memory can be made here ({reason})"

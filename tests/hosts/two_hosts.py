"""Two hosts on one machine: namespaces with a network, a host name and a /dev/shm each, joined by a cable
that can be cut. Processes see each other and die with the first of them, so nothing is left behind.

    alpha 10.77.0.1  --- veth ---  beta 10.77.0.2        mpiexec runs on alpha; beta has no rsh, but nsenter
"""

import os
import subprocess
import sys
import tempfile

SKIPPED = 77  # meson's exit code for that
INSIDE = "--inside"
HOSTS = "127.0.0.1 localhost\n10.77.0.1 alpha\n10.77.0.2 beta\n"
SHARED_MEMORY = "mount -t tmpfs -o size=256m tmpfs /dev/shm"
AGENT = """#!/bin/sh
# mpiexec calls: agent [options] host command...
while [ "${{1#-}}" != "$1" ]; do shift; done
[ "$1" = beta ] || exit 1
shift
exec nsenter -t {process} -n -u -m -i -- sh -c "$*"
"""
# The defaults notice a cut link after eight minutes.
KEEPALIVE = {"OMPI_MCA_oob_tcp_keepalive_time": "10", "OMPI_MCA_oob_tcp_keepalive_intvl": "5",
             "OMPI_MCA_oob_tcp_keepalive_probes": "2"}


def succeeds(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False).returncode == 0


def enter():
    """Starts this program again in namespaces of its own and leaves with its exit code; returns only
    inside. Skips the test where namespaces are not allowed."""
    if INSIDE in sys.argv:
        sys.argv.remove(INSIDE)
        return
    command = ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child",
               "--mount-proc"]
    if os.geteuid() != 0:
        command += ["--user", "--map-root-user"]
    probe = "mount --make-rprivate / && " + SHARED_MEMORY + " && ip link add va type veth peer name vb"
    try:
        allowed = succeeds(command + ["sh", "-c", probe])
    except OSError as error:
        allowed = False
        print(error)
    if not allowed:
        print("skipped: namespaces, or pairs of network devices in them, are not allowed here")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run(command + [sys.executable] + sys.argv + [INSIDE],
                            stdin=subprocess.DEVNULL, check=False).returncode)


class TwoHosts:
    """The hosts, for the time of a `with`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hf-hosts-")
        self.beta = None

    def __enter__(self):
        hosts, self.agent = self.path("hosts"), self.path("agent")
        with open(hosts, "w", encoding="ascii") as file:
            file.write(HOSTS)
        self.on_alpha("mount --make-rprivate / && hostname alpha && ip link set lo up && "
                      f"mount --bind {hosts} /etc/hosts && " + SHARED_MEMORY)
        script = f"hostname beta && {SHARED_MEMORY} && echo ready && exec sleep infinity"
        self.beta = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "--ipc", "sh", "-c", script],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.beta.stdout.readline() != "ready\n":
            raise RuntimeError("host beta does not start")
        self.on_alpha(f"ip link add va type veth peer name vb && ip link set vb netns {self.beta.pid} && "
                      "ip addr add 10.77.0.1/24 dev va && ip link set va up")
        self.on_beta("ip link set lo up && ip addr add 10.77.0.2/24 dev vb && ip link set vb up")
        with open(self.agent, "w", encoding="ascii") as file:
            file.write(AGENT.format(process=self.beta.pid))
        os.chmod(self.agent, 0o755)
        return self

    def __exit__(self, *_):
        self.beta.kill()
        self.beta.wait()
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    @staticmethod
    def on_alpha(script):
        subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, check=True)

    def on_beta(self, script):
        subprocess.run(["nsenter", "-t", str(self.beta.pid), "-n", "-u", "-m", "-i", "--", "sh", "-c", script],
                       stdin=subprocess.DEVNULL, check=True)

    def cut(self):
        """Pulls the cable: nothing arrives any more, and nobody is told."""
        self.on_alpha("ip link set va down")

    @staticmethod
    def command(mpiexec, ranks_per_host):
        n = ranks_per_host
        return [mpiexec, "--host", f"alpha:{n},beta:{n}", "-n", str(2 * n)]

    def environment(self, **more):
        """Of a run; what the caller has set for cut links does not count."""
        kept = {name: value for name, value in os.environ.items() if name not in KEEPALIVE}
        return dict(kept, OMPI_MCA_plm_rsh_agent=self.agent, OMPI_MCA_btl="tcp,self,vader",
                    OMPI_MCA_orte_tmpdir_base=self.folder.name, **more)

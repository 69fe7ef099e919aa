"""tools/speedup as people call it, with stand-ins for hf, mpiexec, srun and gnuplot: tables and files, sweeps that are
cut and go on, settings that differ, job scripts, and its messages and exit codes."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import sweeps
import tool_test


class WithStandIns(tool_test.WithFolder):
    def setUp(self):
        super().setUp()
        sweeps.stand_ins(self.folder)
        self.write("trace", "")
        self.write("water.mol", "water\n")
        self.out = self.folder / "speedup-water"
        self.n_core = len(os.sched_getaffinity(0))

    def command(self, *arguments):
        return [sys.executable, str(tool_test.TOOLS / "speedup"), "water.mol", "--hf", str(self.folder / "hf"),
                "--mpiexec", str(self.folder / "mpiexec"), *arguments]

    def options(self):
        return {"cwd": self.folder, "env": dict(os.environ, PATH=str(self.folder)), "text": True}

    def speedup(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, check=False, **self.options())

    def good(self, *arguments):
        done = self.speedup(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def bad(self, message, *arguments, code=2):
        """One line that begins with the message (after the tool's name), and no runs."""
        before = self.calls()
        done = self.speedup(*arguments)
        self.assertRegex(done.stderr.removesuffix("\n"), f"^speedup: {message}[^\n]*$")
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertEqual(self.calls(), before)

    def calls(self):
        """What the stand-in of hf was called with, after its number of processes."""
        path = self.folder / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def json(self):
        return json.loads((self.out / "results.json").read_text(encoding="utf-8"))


class Sweeps(WithStandIns):
    def test_table_and_files(self):
        done = self.good("--processes", "1,2", "--schedule", "static,counter", "--runs", "2", "--basis", "cc-pVDZ")
        self.assertEqual([line.split()[0] for line in self.calls()], ["1", "2"] * 4)
        for line in self.calls():
            self.assertIn("water.mol --basis cc-pVDZ --fock replicated --schedule ", line)
        self.assertEqual(len([line for line in self.calls() if "--trace" in line]), 4)
        self.assertIn("medians of 2 runs", done.stdout)
        self.assertRegex(done.stdout, r"\nreplicated, counter +1  +10.0000 +0.0% +0.80 +80.0% ")
        self.assertIn("results.csv, results.json, speedup.svg, efficiency.svg, "
                      "phases-replicated-static.svg, ", done.stdout)
        self.assertIn("[8/8] counter, 2 processes, run 2: ", done.stderr)
        self.assertIn("about ", done.stderr)
        with open(self.out / "results.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["schedule"], row["processes"], row["runs"]) for row in rows],
                         [("static", "1", "2"), ("static", "2", "2"), ("counter", "1", "2"), ("counter", "2", "2")])
        results = self.json()
        self.assertEqual(set(results), {
            "input", "host", "contents of the input (SHA-256)", "options of hf", "hf (SHA-256)", "started by",
            "cores usable", "sweep", "slurm", "doubts", "references", "points"})
        self.assertEqual(results["options of hf"], ["--basis", "cc-pVDZ"])
        self.assertEqual([len(point["repetitions"]) for point in results["points"]], [2] * 4)
        self.assertEqual(len(list((self.out / "traces").iterdir())), 4)

    def test_more_processes_than_cores_are_marked(self):
        count = 4 * self.n_core
        sweeps.sample(self.folder, count, [1.0] * count, cores=self.n_core)
        done = self.good("--processes", f"1,{count}", "--runs", "1")
        self.assertIn(f"speedup: {count} processes are more than the {self.n_core} cores usable: ", done.stderr)
        self.assertIn(f" {count}* ", done.stdout)
        self.assertEqual([point["more_than_cores"] for point in self.json()["points"]], [0, 1])

    def test_no_gnuplot(self):
        (self.folder / "gnuplot").unlink()
        done = self.speedup("--processes", "1", "--runs", "1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("Whole SCF", done.stdout)
        self.assertTrue((self.out / "results.csv").exists())
        self.assertEqual(len(self.json()["points"]), 1)
        complaints = [line for line in done.stderr.splitlines() if line.startswith("speedup: ") and "cores" not in line]
        self.assertEqual(complaints, ["speedup: there is no gnuplot here, so there are no plots (Debian package "
                                      "gnuplot-nox)"])


class GoingOn(WithStandIns):
    def cut(self, number):
        """A sweep that is ended by a signal when its second run waits; its exit code and last line."""
        self.write("failing", f'[ "$RANKS" = 1 ] || {{ : >"{self.folder}/waiting"; exec /bin/sleep 60; }}\n')
        with subprocess.Popen(self.command("--processes", "1,2", "--runs", "1"), stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, **self.options()) as process:
            self.addCleanup(process.kill)
            while not (self.folder / "waiting").exists() and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            errors = process.communicate()[1]
        (self.folder / "failing").unlink()
        return process.returncode, errors.splitlines()[-1]

    def test_a_sweep_that_is_cut_goes_on(self):
        code, line = self.cut(signal.SIGTERM)
        self.assertEqual(code, 143)
        self.assertRegex(line, r"^speedup: interrupted; this goes on: .*speedup water.mol .*--processes 1,2 --runs 1$")
        self.assertEqual([call[0] for call in self.calls()], ["1", "2"])
        self.assertFalse((self.out / "results.json").exists())
        done = self.good()
        self.assertEqual([call[0] for call in self.calls()], ["1", "2", "2"])
        self.assertIn("1 of 2 runs are in ", done.stderr)
        self.assertEqual([point["processes"] for point in self.json()["points"]], [1, 2])

    def test_what_is_missing_is_added_and_what_is_done_stays(self):
        self.good("--processes", "1,2", "--runs", "1")
        self.good("--processes", "1-3", "--runs", "2")
        self.assertEqual([call[0] for call in self.calls()], ["1", "2", "3", "1", "2", "3"])
        self.good("--schedule", "counter,steal", "--runs", "1")
        self.assertEqual(len(self.calls()), 9)
        done = self.good("--processes", "1,2")
        self.assertEqual(len(self.calls()), 9)
        self.assertNotIn("already", done.stderr)
        self.assertEqual(len(self.json()["points"]), 4)

    def test_other_settings(self):
        arguments = ("--processes", "1", "--runs", "1")
        self.good(*arguments)
        where = r"\S+speedup-water holds runs with other settings: "
        self.bad(where + "options of hf: none there, --basis cc-pVTZ now; remove it, or name another one with "
                 "--output", *arguments, "--basis", "cc-pVTZ")
        self.bad(where + r"started by: \S+/mpiexec there, srun now; ", *arguments, "--slurm")
        self.write("water.mol", "heavy water\n")
        self.bad(where + r"contents of the input \(SHA-256\): [0-9a-f]+ there, [0-9a-f]+ now; ", *arguments)


class Failures(WithStandIns):
    ONE = ("--processes", "1", "--runs", "1")

    def fails(self, message, code=3):
        """A run that fails; what the tool says last."""
        done = self.speedup(*self.ONE)
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        self.assertRegex(done.stderr.splitlines()[-1], f"^speedup: steal, 1 process, run 1: {message}")
        self.assertEqual(list((self.out / "runs").glob("*.json")), [])

    def test_usage(self):
        self.bad("--json is not for a sweep: each run writes files of its own", *self.ONE, "--json=x")
        self.bad("--trace is not for a sweep", "--trace", "x")
        self.bad("--runs: 0 found, expected 1 or more", "--runs", "0")
        self.bad('--processes: "" is no number', "--processes", "")
        self.bad('--fock: "a,,b" has an empty place', "--fock", "a,,b")
        self.bad("--hf: there is no program nonesuch; tools/run builds hf", "--hf", "nonesuch")
        self.bad("--mpiexec: there is no program nonesuch$", "--mpiexec", "nonesuch")
        self.assertFalse(self.out.exists())

    def test_folders_of_others(self):
        self.out.mkdir()
        (self.out / "mine.txt").touch()
        self.bad(r"\S+speedup-water is there and no folder of speedup; --output names another", *self.ONE)
        self.bad(r"\S+water.mol is there and no folder", "--output", "water.mol")
        self.bad(r"\S+water.mol(/x)?: Not a directory", *self.ONE, "--output", "water.mol/x", code=3)

    def test_what_hf_does_not_like_is_told_before_the_first_run(self):
        self.write("refused", "echo 'warning' >&2; echo 'hf: --basis: unknown basis' >&2; exit 2\n")
        self.bad("hf: --basis: unknown basis$", *self.ONE)
        self.write("refused", "exit 2\n")
        self.bad("hf does not like its input or options, and does not say why", *self.ONE)
        self.assertFalse(self.out.exists())

    def test_a_run_that_fails(self):
        self.write("failing", "echo header; echo 'hf: rank 0: out of memory' >&2; exit 3\n")
        self.fails("hf: rank 0: out of memory$")
        self.write("failing", "echo 'hf: water.mol: line 1: no atom'; exit 2\n")
        self.fails("hf: water.mol: line 1: no atom$", code=2)
        self.write("failing", "echo lost; exit 134\n")
        self.fails(r"ended with exit code 134; what it said is in \S+/runs/replicated-steal-p1-r1.out$")
        output = self.out / "runs" / "replicated-steal-p1-r1.out"
        self.assertEqual(output.read_text(encoding="utf-8"), "lost\n")

    def test_no_convergence_is_no_failure_but_no_results_are(self):
        self.write("failing", '/bin/cp "$here/samples/$fock-$schedule-$RANKS.json" "$json"; exit 1\n')
        self.good(*self.ONE, "--output", "elsewhere")
        self.write("failing", "echo 'mpiexec: not enough slots'; exit 1\n")
        self.fails(r"left no results; what it said is in \S+/runs/replicated-steal-p1-r1.out$")
        part = self.out / "runs" / "replicated-steal-p1-r1.part"
        part.write_text(json.dumps(sweeps.output(1, [1.0])), encoding="utf-8")  # of a run that was cut
        self.fails("left no results")

    def test_another_mpi_library(self):
        tool_test.executable(self.folder / "mpiexec", '#!/bin/sh\nshift 2\nRANKS=1 exec "$@"\n')
        done = self.speedup("--processes", "2", "--runs", "1")
        self.assertRegex(done.stderr.splitlines()[-1],
                         "^speedup: .*processes is 1, expected 2; was hf started by another MPI library's mpiexec")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(list((self.out / "runs").glob("*.json")), [])

    def test_damaged_files(self):
        self.good(*self.ONE)
        (self.out / "runs" / "replicated-steal-p1-r1.json").write_text("{}", encoding="utf-8")
        self.bad(r"\S+p1-r1.json: no results of hf; remove it", *self.ONE, code=3)


class Slurm(WithStandIns):
    SWEEP = ("--processes", "1,2,8", "--schedule", "static", "--runs", "2")

    def script(self, count):
        return (self.out / f"job-p{count}.sh").read_text(encoding="utf-8")

    def execute(self, count):
        tool_test.executable(self.folder / "srun", sweeps.SRUN)
        path = os.pathsep.join([str(self.folder), os.defpath])
        return subprocess.run(["/bin/bash", str(self.out / f"job-p{count}.sh")], env=dict(os.environ, PATH=path),
                              capture_output=True, text=True, check=False, cwd="/")

    def test_directives(self):
        done = self.good(*self.SWEEP, "--slurm", "--slurm-ranks-per-node", "4", "--slurm-time", "1-12:00:00", "--threads", "3")
        self.assertEqual(done.stdout.splitlines(), [f"sbatch {self.out}/job-p{count}.sh" for count in (1, 2, 8)])
        self.assertIn("speedup: 3 job scripts with 6 runs, 4 processes on a node (--slurm-ranks-per-node); when they "
                      "are done: tools/speedup water.mol with the same options without --slurm", done.stderr)
        self.assertEqual(self.calls(), [])
        for count, n_node, per_node in ((1, 1, 1), (8, 2, 4)):
            lines = self.script(count).splitlines()
            self.assertEqual(lines[0], "#!/bin/bash")
            directives = [line.removeprefix("#SBATCH --") for line in lines if line.startswith("#SBATCH")]
            self.assertEqual(directives, [
                f"job-name=speedup-water-p{count}", f"nodes={n_node}", f"ntasks={count}", f"ntasks-per-node={per_node}",
                "cpus-per-task=3", "exclusive", "time=1-12:00:00", f"output={self.out}/job-p{count}-%j.out"])
            self.assertIn(f"srun --mpi=pmix --cpu-bind=cores --nodes={n_node} --ntasks={count} --cpus-per-task=3 ",
                          self.script(count))
            self.assertIn("\n# Nothing to load; --slurm-setup FILE", self.script(count))
            self.assertEqual(len([line for line in lines if line.startswith("run replicated-static-p")]), 2)
            checked = subprocess.run(["/bin/bash", "-n", str(self.out / f"job-p{count}.sh")], check=False)
            self.assertEqual(checked.returncode, 0)

    def test_setup_srun_options_and_times_of_job_sizes(self):
        self.write("modules.sh", "module load openmpi/4 {x}\n")
        self.good(*self.SWEEP, "--slurm", "--slurm-setup", "modules.sh", "--slurm-srun=--mpi=pmi2 --hint='a b'",
                  "--slurm-time", "1=08:00:00, 8=30:00")
        for count, time_limit in ((2, "08:00:00"), (8, "30:00")):
            for part in (f"#SBATCH --time={time_limit}\n", "\nmodule load openmpi/4 {x}\nset -u\n", "srun --mpi=pmi2 '--hint=a b' --nodes"):
                self.assertIn(part, self.script(count))

    def test_jobs_leave_runs_that_are_evaluated(self):
        self.good(*self.SWEEP, "--slurm", "--slurm-ranks-per-node", "8")
        self.bad(r"6 of 6 runs are not done yet, the first is replicated-static-p1-r1\n"
                 r"speedup: \S+speedup-water: no run is done yet$", code=3)
        for count in (1, 8):
            done = self.execute(count)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.execute(8)
        self.assertEqual([call[0] for call in self.calls()], ["1", "1", "8", "8"])
        done = self.good()
        self.assertIn("speedup: 2 of 6 runs are not done yet, the first is replicated-static-p2-r1\n", done.stderr)
        self.execute(2)
        self.assertEqual(self.good(*self.SWEEP).stderr, "")
        self.assertEqual(len(self.calls()), 6)
        results = self.json()
        self.assertEqual([(point["processes"], point["runs"]) for point in results["points"]], [(1, 2), (2, 2), (8, 2)])
        self.assertEqual((results["started by"], results["slurm"]), ("srun", {"ranks_per_node": 8}))
        # 8 processes on a node of 4 cores
        self.assertEqual([point["more_than_cores"] for point in results["points"]], [0, 0, 1])

    def test_jobs_that_fail_stop_and_go_on(self):
        self.good(*self.SWEEP, "--slurm", "--output", "it's here")
        self.out = self.folder / "it's here"
        self.write("failing", "exit 3\n")
        done = self.execute(2)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, f"replicated-static-p2-r1 ended with exit code 3; see {self.out}/runs/"
                                      "replicated-static-p2-r1.out\n")
        self.assertEqual(len(self.calls()), 1)
        (self.out / "runs" / "replicated-static-p2-r1.part").touch()  # of a run that was cut
        self.write("failing", "exit 1\n")
        self.assertEqual(self.execute(2).returncode, 3)
        self.assertEqual(list((self.out / "runs").glob("*.json")), [])
        (self.folder / "failing").unlink()
        self.assertEqual(self.execute(2).returncode, 0)
        self.assertEqual(len(list((self.out / "runs").glob("*.json"))), 2)

    def test_bad_requests(self):
        for option, value, message in (
                ("--slurm-ranks-per-node", "0", "0 found, expected 1 or more"),
                ("--slurm-time", "soon", '"soon" found, expected minutes, or as in 30:00, 01:30:00 or 1-12:00:00'),
                ("--slurm-time", "1=8:00:00,x=9", '"1=8:00:00,x=9" found, expected minutes'),
                ("--slurm-setup", "none.sh", "none.sh: No such file or directory"),
                ("--slurm-srun", "--x='", "\"--x='\" found, expected options of srun")):
            self.bad(f"{option}: {message}", *self.SWEEP, "--slurm", f"{option}={value}")
        self.assertFalse(self.out.exists())

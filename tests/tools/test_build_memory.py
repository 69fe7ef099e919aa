"""tools/build-memory --limit with a stand-in for ninja, and tools/lib/counted_cc with the real compiler."""

import os
import pathlib
import subprocess

from tool_test import ROOT, WithFolder, executable, run_tool

OBJECTS = ["src/a/libkernels.a.p/one.c.o", "libhf_o3.a.p/two.c.o"]


class Limit(WithFolder):
    def code(self, figure, *memory, release=12):
        """Exit code and output for objects of so much memory."""
        executable(self.folder / "ninja", f"#!/bin/sh\nprintf '%s\\n' {' '.join(OBJECTS)} src/a/one.c\n")
        for name, text in zip(OBJECTS, memory):
            path = self.folder / (name + ".memory")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="ascii")
        page = self.folder / "page.md"
        page.write_text(f"| native build, GCC {release} | {figure} MB |\n", encoding="utf-8")
        done = run_tool("build-memory", "--limit", page, self.folder, env=dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"))
        return done.returncode, done.stdout + done.stderr

    def test_five_per_cent_are_allowed(self):
        self.assertEqual(self.code(100, "12 103M", "12.2.0 1900k")[0], 0)
        code, output = self.code(100, "12 103M", "12 2100k")
        self.assertEqual(code, 1)
        self.assertIn("| kernels | 103 MB |\n| hf_o3 | 2 MB |\n| native build, GCC 12 | 105 MB |\n1.051 of the figure", output)

    def test_what_was_not_counted_is_no_result(self):
        self.assertEqual(self.code(100, "12 103M")[0], 77)
        self.assertEqual(self.code(100, "12 103M", "")[0], 77)
        self.assertEqual(self.code(100, "12 50M", "12 10M", release=1)[0], 77)


def kilobytes(text):
    _, number = text.split()
    return int(number[:-1]) * {"k": 1, "M": 1000}[number[-1]]


class Compiler(WithFolder):
    def compile(self, text):
        source, made = self.folder / "x.c", self.folder / "x.o"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run([str(ROOT / "tools" / "lib" / "counted_cc"), "gcc", "-Wall", "-O2", "-c", str(source), "-o", str(made)],
                              capture_output=True, text=True, check=False)
        return done, pathlib.Path(f"{made}.memory").read_text(encoding="ascii").strip()

    def test_the_memory_is_left_beside_the_object(self):
        done, small = self.compile("int f(int a) { return a; }\n")
        self.assertEqual((done.returncode, done.stderr.strip()), (0, ""))
        _, again = self.compile("int f(int a) { return a; }\n")
        self.assertEqual(small, again)
        self.assertRegex(small, "^[0-9.]+ [0-9]+[kM]$")
        _, large = self.compile("".join(f"int f{i}(int a) {{ return a + {i}; }}\n" for i in range(500)))
        self.assertGreater(kilobytes(large), 2 * kilobytes(small))

    def test_messages_and_exit_codes_are_the_compilers(self):
        done, _ = self.compile("int f(int a) { int b; return a; }\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("unused variable", done.stderr)
        self.assertNotIn("TOTAL", done.stderr)
        done, _ = self.compile("int f(\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error:", done.stderr)

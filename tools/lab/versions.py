"""Versions of hf to compare: a commit is built in a temporary folder, "." is the tree as it stands, and a program that
is there is taken as it is. The repository is only read."""

import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
from typing import NamedTuple

from .failure import NO_RESOURCE, Failure

LINES_SHOWN = 20


class Version(NamedTuple):
    """One hf, ready to run."""
    name: str  # as the user says
    about: str  # what that was when it was built
    hf: str


def make(root, name, folder, say):
    """The version that a word of the command line means, built in an empty folder; say() tells what takes long."""
    path = pathlib.Path(name)
    if path.is_file() and os.access(path, os.X_OK):
        return Version(name, "a program", str(path.resolve()))
    if name == ".":
        source, about = root, "the tree as it stands"
    else:
        about = commit(root, name)
        source = folder / "source"
        unpack(root, about, source)
    say(f"building {name} ({about})")
    return Version(name, about, build(source, folder / "build", name))


def check(root, name):
    """A word that means no version is told before anything is built."""
    path = pathlib.Path(name)
    if name != "." and not (path.is_file() and os.access(path, os.X_OK)):
        commit(root, name)


def git(root, *arguments):
    command = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise Failure(f"git cannot be started: {error.strerror}", NO_RESOURCE) from error


def commit(root, name):
    """Its full hash."""
    done = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    if done.returncode != 0:
        raise Failure(f'"{name}" is no commit of {root}, no program, and not "." (the tree as it stands)')
    return done.stdout.decode().strip()


def unpack(root, name, folder):
    """The files of a commit, and nothing else."""
    archive = folder.with_suffix(".tar")
    done = git(root, "archive", "--format=tar", "--output", str(archive), name)
    if done.returncode != 0:
        raise Failure(f"{name}: git archive: {done.stderr.decode(errors='replace').strip()}", NO_RESOURCE)
    with tarfile.open(archive) as file:
        file.extractall(folder)
    archive.unlink()


def build(source, folder, name):
    """The path of hf, built as users build it."""
    meson = shutil.which("meson")
    if meson is None:
        raise Failure("meson was not found; tools/run installs what building needs", NO_RESOURCE)
    for step in ([meson, "setup", str(folder), str(source)], [meson, "compile", "-C", str(folder), "hf:executable"]):
        code, text = run_group(step)
        if code != 0:
            end = "\n".join(text.splitlines()[-LINES_SHOWN:])
            raise Failure(f"{name} cannot be built: {' '.join(step[:2])} ended with exit code {code}\n{end}", NO_RESOURCE)
    (folder / "basis").mkdir(exist_ok=True)
    for path in (source / "basis").glob("*.gbs"):
        shutil.copy(path, folder / "basis")  # where the program looks for them
    return str(folder / "hf")


def run_group(command):
    """(exit code, all output) of a command; with this program end it and all that it has started."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            text = process.communicate()[0]
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            raise
        return process.returncode, text.decode("utf-8", "replace")

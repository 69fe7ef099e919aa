"""Exact Hartree-Fock and MP2 in this process: QCSchema in, QCSchema out.

    import hf

    hf.energy(["O", "H", "H"], positions, basis="cc-pVDZ")               hartree
    energy, gradient = hf.gradient("OHH", positions, basis="cc-pVDZ")    hartree, and hartree/bohr [n][3]
    answer = hf.run({"schema_name": "qcschema_input", ...})              a whole QCSchema answer
    for i, answer in hf.each(inputs, threads=1): ...                     many, as they are ready

Keywords are options of hf (hf --help all), with _ or - in their names. A failure raises hf.Error with hf's line; its
member `answer` is the FailedOperation. The orbitals of the last molecule are the start for the next one if it has the
same atoms near the same places.

Without a launcher there is one rank. Under mpiexec every rank makes the same calls, with the same arguments, and gets
the same results. Processes that are forked after the first call cannot compute.
"""

import atexit
import ctypes
import json
import os
import pathlib
import queue
import threading

import numpy

try:
    from hf._library import LIBRARY
except ImportError:  # not installed
    LIBRARY = "libhf.so"

BOHR = 0.529177210903  # angstrom, CODATA 2018


class Error(RuntimeError):
    """hf's line on a failure. `answer` is the FailedOperation, None if there is none."""

    def __init__(self, line, answer=None):
        super().__init__(line, answer)
        self.answer = answer

    def __str__(self):
        return self.args[0]


class _Left(Exception):
    """The loop over answers was left on rank 0."""


_LEFT = 10  # stands for that among signal numbers


class _Failure(ctypes.Structure):
    """struct hf_error"""

    _fields_ = [("message", ctypes.c_char * 1024), ("signal_number", ctypes.c_int)]


class _Key(ctypes.Structure):
    """struct hf_run_key"""

    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


_NEXT = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_RESULT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_char_p)
_ASKED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double)


class _Each(ctypes.Structure):
    """struct hf_run_each_settings"""

    _fields_ = [("next", _NEXT), ("result", _RESULT), ("asked", _ASKED), ("data", ctypes.c_void_p), ("n_key", ctypes.c_int),
                ("key", ctypes.POINTER(_Key))]


def _load():
    """libhf: that of HF_LIBRARY, of the wheel, of the installation (also if it was moved), or what the system finds."""
    here = pathlib.Path(__file__).resolve().parent
    found = [*here.parent.glob(".*hf*.mesonpy.libs/libhf.so*"), *(folder / LIBRARY for folder in here.parents if (folder / LIBRARY).exists())]
    path = os.environ.get("HF_LIBRARY") or (str(found[0]) if found else "libhf.so")
    try:
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # plug-ins of MPI libraries look for its symbols
    except OSError as failure:
        raise Error(f"libhf is not there ({failure}); set HF_LIBRARY to its path") from failure


def plain(value):
    """What JSON has of numbers and arrays of NumPy; for json.dumps."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no value that JSON has")


def environment():
    """For processes: the variables that this one began with, without those that an MPI library has set since. With these a
    launcher would start nothing."""
    return dict(os.environ)


def _text(item):
    return (item if isinstance(item, str) else json.dumps(item, default=plain)).encode()


class Session:
    """Calculations on all ranks of `comm`, a communicator of mpi4py; None: of all ranks there are."""

    def __init__(self, comm=None):
        self._library = _load()
        self._handle, self._process, self._lock = ctypes.c_void_p(), os.getpid(), threading.RLock()
        self._call("hf_session_create_for", -1 if comm is None else comm.py2f(), ctypes.byref(self._handle))
        atexit.register(self.close)
        n_rank, rank = ctypes.c_int(), ctypes.c_int()
        self._library.hf_session_size(self._handle, ctypes.byref(n_rank), ctypes.byref(rank))
        self.n_rank, self.rank = n_rank.value, rank.value

    def _call(self, name, *arguments):
        failure = _Failure()
        if os.getpid() != self._process:
            raise Error("this process was forked from one that has MPI; start it anew, for example by multiprocessing's spawn")
        if getattr(self._library, name)(*arguments, ctypes.byref(failure)) != 0:
            raise _Left if failure.signal_number == _LEFT else Error(failure.message.decode(errors="replace"))

    def run(self, task, check=True):
        """The answer to a QCSchema input (a dict, or JSON text) or to a text in another format that hf reads. Without
        `check` a failure is an answer, too, the FailedOperation."""
        output = ctypes.c_char_p()
        with self._lock:
            self._call("hf_session_run", self._handle, ctypes.c_char_p(_text(task)), ctypes.byref(output))
            answer = json.loads(output.value)
        if check and not answer["success"]:
            raise Error(answer["error"]["error_message"], answer)
        return answer

    def each(self, tasks, **keywords):
        """Computes any number of inputs; yields pairs (number, answer) on rank 0, as they are ready, and nothing on other
        ranks. A failure is an answer. Inputs are read ahead: `tasks` must not wait for answers."""
        ready, tasks, kept, ended = queue.Queue(), iter(tasks), [], threading.Event()

        def take(_):
            try:
                kept[:] = [ctypes.create_string_buffer(_text(next(tasks)))]
                return ctypes.addressof(kept[0])
            except StopIteration:
                return None
            except BaseException as failure:  # pylint: disable=broad-exception-caught
                ready.put(failure)
                return None

        options = [_Key(key.replace("_", "-").encode(), str(plain(value) if hasattr(value, "tolist") else value).encode()) for key, value in keywords.items()]
        settings = _Each(_NEXT(take), _RESULT(lambda _, i, output: ready.put((i, json.loads(output)))),
                         _ASKED(lambda _, fraction: _LEFT if ended.is_set() else 0), None, len(options), (_Key * len(options))(*options))

        def compute():
            try:
                with self._lock:
                    self._call("hf_run_each", self._handle, ctypes.byref(settings), ctypes.byref(ctypes.c_bool()))
                ready.put(None)
            except _Left:
                ready.put(None)
            except BaseException as failure:  # pylint: disable=broad-exception-caught
                ready.put(failure)

        worker = threading.Thread(target=compute)
        worker.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            ended.set()  # if the caller leaves early, so does hf
            worker.join()

    def close(self):
        """Ends the session, on all ranks alike; the one of all ranks ends MPI if it began it."""
        if self._handle and os.getpid() == self._process:
            self._library.hf_session_destroy(ctypes.byref(self._handle))


def version():
    """Version of libhf."""
    library = _load()
    library.hf_version.restype = ctypes.c_char_p
    return library.hf_version().decode()


_SESSION = []


def session():
    """The session of the functions of this module, begun when it is first needed."""
    if not _SESSION:
        _SESSION.append(Session())
    return _SESSION[0]


def run(task, check=True):
    """As Session.run."""
    return session().run(task, check)


def each(tasks, **keywords):
    """As Session.each."""
    return session().each(tasks, **keywords)


def task_of(driver, symbols, positions, unit="angstrom", charge=0, multiplicity=None, method="hf", basis=None, **keywords):
    """A QCSchema input. `symbols` are symbols or atomic numbers, `positions` [n][3] are in `unit`, angstrom or bohr."""
    if unit not in ("angstrom", "bohr"):
        raise Error(f"unit '{unit}'; expected angstrom or bohr")
    places = numpy.asarray(positions, float).reshape(-1) / (1.0 if unit == "bohr" else BOHR)
    molecule = {"symbols": [str(symbol) for symbol in symbols], "geometry": places.tolist(), "molecular_charge": charge}
    if multiplicity is not None:
        molecule["molecular_multiplicity"] = multiplicity
    keywords = {key.replace("-", "_"): value for key, value in keywords.items()}
    model = {"method": method, **({"basis": basis} if basis is not None else {})}
    specification = {"driver": driver, "model": model, "keywords": keywords, "protocols": {"stdout": False}}
    return {"schema_name": "qcschema_atomic_input", "schema_version": 2, "molecule": molecule, "specification": specification}


def energy(symbols, positions, **keywords):
    """Energy in hartree; arguments as of task_of."""
    return run(task_of("energy", symbols, positions, **keywords))["return_result"]


def gradient(symbols, positions, **keywords):
    """Energy in hartree, and its derivatives by the positions [n][3] in hartree/bohr; arguments as of task_of."""
    answer = run(task_of("gradient", symbols, positions, **keywords))
    return answer["properties"]["return_energy"], numpy.array(answer["return_result"]).reshape(-1, 3)

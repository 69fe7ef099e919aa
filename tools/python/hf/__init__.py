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
import concurrent.futures
import ctypes
import json
import os
import pathlib
import queue
import sysconfig
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


class _Left(Error):
    """The loop over answers was left, or a signal for Python ended the call, on one rank."""


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
    basis = pathlib.Path(sysconfig.get_path("data"), "hf", "basis")  # where a wheel of meson-python 0.12 has it
    if found and "mesonpy" in str(found[0]) and basis.is_dir():
        os.environ.setdefault("HF_BASIS_PATH", str(basis))
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
    text = (item if isinstance(item, str) else json.dumps(item, default=plain)).encode()
    if b"\0" in text:
        raise Error("an input has the character NUL; expected text")
    return text


def _word(value):
    """The value of an option as in an input of hf."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return (" ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)).encode()


class Session:
    """Calculations on all ranks of `comm`, a communicator of mpi4py; None: of all ranks there are."""

    def __init__(self, comm=None):
        self._library = _load()
        self._handle, self._process, self._ended = ctypes.c_void_p(), os.getpid(), threading.Event()
        self._thread = concurrent.futures.ThreadPoolExecutor(1)  # Python's signals come to the one that waits
        self._asked = _ASKED(lambda _, fraction: _LEFT if self._ended.is_set() else 0)
        self._call("hf_session_create_for", -1 if comm is None else comm.py2f(), ctypes.byref(self._handle))
        self._library.hf_session_watch(self._handle, self._asked, None)
        atexit.register(self.close)
        n_rank, rank = ctypes.c_int(), ctypes.c_int()
        self._library.hf_session_size(self._handle, ctypes.byref(n_rank), ctypes.byref(rank))
        self.n_rank, self.rank = n_rank.value, rank.value

    def _call(self, name, *arguments):
        failure = _Failure()
        if getattr(self._library, name)(*arguments, ctypes.byref(failure)) != 0:
            raise (_Left if failure.signal_number == _LEFT else Error)(failure.message.decode(errors="replace"))

    def _begin(self, function, *arguments):
        """Starts a function in the thread of the session, after those before."""
        if os.getpid() != self._process:
            raise Error("this process was forked from one that has MPI; start it anew, for example by multiprocessing's spawn")
        if self._handle is None:
            raise Error("this session was closed")
        return self._thread.submit(function, *arguments)

    def _end(self, future):
        """Ends what _begin started, unless it has ended."""
        if not future.cancel() and not future.done():
            self._ended.set()
            try:
                concurrent.futures.wait([future])
            finally:
                self._ended.clear()

    def run(self, task, check=True):
        """The answer to a QCSchema input (a dict, or JSON text) or to a text in another format that hf reads. Without
        `check` a failure is an answer, too, the FailedOperation."""

        def compute(text):
            output = ctypes.c_char_p()
            self._call("hf_session_run", self._handle, ctypes.c_char_p(text), ctypes.byref(output))
            return json.loads(output.value)

        future = self._begin(compute, _text(task))
        try:
            answer = future.result()
        finally:
            self._end(future)  # of Ctrl-C
        if check and not answer["success"]:
            raise Error(answer["error"]["error_message"], answer)
        return answer

    def each(self, tasks, **keywords):
        """Computes any number of inputs; yields pairs (number, answer) on rank 0, as they are ready, and nothing on other
        ranks, which run the loop as well. A failure is an answer. Inputs are read ahead: `tasks` must not wait for answers."""
        ready, tasks, kept = queue.Queue(), iter(tasks), []

        def take(_):
            try:
                kept[:] = [ctypes.create_string_buffer(_text(next(tasks)))]
                return ctypes.addressof(kept[0])
            except StopIteration:
                return None
            except BaseException as failure:  # pylint: disable=broad-exception-caught
                ready.put(failure)
                return None

        options = [_Key(key.replace("_", "-").encode(), _word(value)) for key, value in keywords.items() if value is not None]
        settings = _Each(_NEXT(take), _RESULT(lambda _, i, output: ready.put((i, json.loads(output)))),
                         self._asked, None, len(options), (_Key * len(options))(*options))

        def compute():
            try:
                self._call("hf_run_each", self._handle, ctypes.byref(settings), ctypes.byref(ctypes.c_bool()))
                ready.put(None)
            except _Left:
                ready.put(None)
            except BaseException as failure:  # pylint: disable=broad-exception-caught
                ready.put(failure)

        future = self._begin(compute)
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._end(future)  # if the caller leaves early, so does hf

    def close(self):
        """Ends the session, on all ranks alike; the one of all ranks ends MPI if it began it."""
        if self._handle and os.getpid() == self._process:
            self._thread.shutdown()
            self._library.hf_session_destroy(ctypes.byref(self._handle))
            self._handle = None


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

"""Measures on one core what linear_algebra.py builds on: the sub-steps of LAPACK's eigensolver and a matrix product, in
the library that hf is linked with."""

import array
import ctypes
import os
import random
import re
import subprocess
import time

from .failure import NO_RESOURCE, Failure
from .linear_algebra import Measured

ORDERS = (250, 500, 1000)
BLOCK = 64


def libraries_of(program):
    """Paths of the shared libraries that may have LAPACK in them, BLAS last."""
    try:
        text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(f"{program}: ldd does not tell its libraries: {error}", NO_RESOURCE) from error
    found = re.findall(r"=> (\S*lib\w*(?:lapack|blas)\S*)", text)
    return sorted((path for path in found if "scalapack" not in path), key=lambda path: "blas" in path)


class Lapack:
    """Calls with Fortran's conventions: everything by reference, lengths of texts last."""

    def __init__(self, program):
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before the library looks
        self.libraries = [ctypes.CDLL(path) for path in libraries_of(program)]
        self.place(("dsytrd_", "dstedc_", "dormtr_", "dgemm_"), program)

    def place(self, names, program):
        for name in names:
            library = next((library for library in self.libraries if hasattr(library, name)), None)
            if library is None:
                raise Failure(f"{program}: no shared library of it has {name.strip('_')}", NO_RESOURCE)
            setattr(self, name, getattr(library, name))

    @staticmethod
    def timed(function, *arguments):
        """Seconds of a call. Letters, integers, floats and arrays as they are."""
        passed, lengths = [], []
        for value in arguments:
            if isinstance(value, str):
                passed.append(ctypes.c_char_p(value.encode()))
                lengths.append(ctypes.c_size_t(1))
            elif isinstance(value, int):
                passed.append(ctypes.byref(ctypes.c_int(value)))
            elif isinstance(value, float):
                passed.append(ctypes.byref(ctypes.c_double(value)))
            else:
                kind = ctypes.c_double if value.typecode == "d" else ctypes.c_int
                passed.append((kind * len(value)).from_buffer(value))
        start = time.perf_counter()
        function(*passed, *lengths)
        return time.perf_counter() - start

    def steps(self, order):
        """Measured for one order; a matrix of random elements, of which few eigenvalues deflate."""
        generator = random.Random(order)
        matrix = array.array("d", (generator.uniform(-1.0, 1.0) for _ in range(order * order)))
        vectors, product = (array.array("d", bytes(8 * order * order)) for _ in range(2))
        diagonal, beside, factor = (array.array("d", bytes(8 * order)) for _ in range(3))
        n_work = 1 + 4 * order + order * order + (BLOCK + 1) * (order + BLOCK + 1)
        work, integer = array.array("d", bytes(8 * n_work)), array.array("i", bytes(4 * (3 + 5 * order)))
        info = array.array("i", [0])
        multiply = min(self.timed(self.dgemm_, "N", "N", order, order, order, 1.0, matrix, order, matrix, order, 0.0,
                                  product, order) for _ in range(3))
        reduce = self.timed(self.dsytrd_, "L", order, matrix, order, diagonal, beside, factor, work, n_work, info)
        divide = self.timed(self.dstedc_, "I", order, diagonal, beside, vectors, order, work, n_work, integer,
                            len(integer), info)
        back = self.timed(self.dormtr_, "L", "L", "N", order, order, matrix, order, factor, vectors, order, work,
                          n_work, info)
        return Measured(order, reduce, divide, back, multiply)


def measure(program, orders=ORDERS, repetitions=2):
    """Measured of each order, the least of some repetitions; matrices of a few sizes take some seconds."""
    lapack, found = Lapack(program), []
    for order in orders:
        runs = [lapack.steps(order) for _ in range(repetitions)]
        found.append(Measured(order, *(min(values) for values in list(zip(*runs))[1:])))
    return found

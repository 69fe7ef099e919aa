"""What is compared: Fock builders, their transports, schedulers, on numbers of processes, several times."""

from typing import NamedTuple


class Case(NamedTuple):
    """One way to build Fock matrices; `onesided` is the transport of the distributed builder, else None."""
    fock: str
    onesided: str | None
    schedule: str

    @property
    def builder(self):
        """What speedups of several schedulers are relative to."""
        return self._replace(schedule="")

    @property
    def name(self):
        """For names of files."""
        return "-".join(word for word in self if word)

    @property
    def title(self):
        builder = f"{self.fock} ({self.onesided})" if self.onesided else self.fock
        return f"{builder}, {self.schedule}" if self.schedule else builder

    def options(self):
        """For hf."""
        transport = ["--onesided", self.onesided] if self.onesided else []
        return ["--fock", self.fock, *transport, "--schedule", self.schedule]


class Run(NamedTuple):
    """One run to be done; repetitions count from 1."""
    case: Case
    processes: int
    repetition: int

    @property
    def name(self):
        return f"{self.case.name}-p{self.processes}-r{self.repetition}"

    @property
    def trace_name(self):
        """Of the trace that its first repetition leaves; None: this one leaves none."""
        return f"{self.case.name}-p{self.processes}.trace" if self.repetition == 1 else None


def all_cases(focks, schedules, transports):
    """Every combination; transports multiply the distributed builder only."""
    return [Case(fock, transport, schedule) for fock in focks
            for transport in (transports if fock == "distributed" else [None]) for schedule in schedules]


def all_runs(cases, processes, n_repetition):
    """All cases in turn, then all again: what disturbs the machine for a while then hurts all of them alike."""
    return [Run(case, count, repetition) for repetition in range(1, n_repetition + 1)
            for case in cases for count in processes]


def short_titles(cases):
    """{case: title}; the builder is left out where all have the same."""
    alike = len({case.builder for case in cases}) == 1
    return {case: case.schedule if alike else case.title for case in cases}

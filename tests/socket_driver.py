"""The driver's side of the i-PI protocol, small: it asks a program that computes for energies and forces."""

import os
import socket
import struct

IDENTITY = struct.pack("=9d", 1, 0, 0, 0, 1, 0, 0, 0, 1)


class Driver:
    """Listens at a Unix socket of that path, or with None at a port of this host."""

    def __init__(self, path=None, most_seconds=240):
        self.path = path
        self.server = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        if path and os.path.exists(path):
            os.unlink(path)
        self.server.bind(path or ("127.0.0.1", 0))
        self.server.listen(1)
        self.most_seconds = most_seconds
        self.address = f"unix:{path}" if path else f"127.0.0.1:{self.server.getsockname()[1]}"
        self.client = None

    def accept(self, seconds=None):
        """Whether a program connects within so many seconds."""
        self.server.settimeout(seconds or self.most_seconds)
        try:
            self.client, _ = self.server.accept()
        except TimeoutError:
            return False
        self.client.settimeout(self.most_seconds)
        return True

    def close(self):
        for one in (self.client, self.server):
            if one:
                one.close()
        if self.path and os.path.exists(self.path):
            os.unlink(self.path)

    def send(self, header, *parts):
        self.client.sendall(header.encode().ljust(12) + b"".join(parts))

    def receive(self, n):
        found = b""
        while len(found) < n:
            piece = self.client.recv(n - len(found))
            if not piece:
                raise ConnectionError("the program closed the connection")
            found += piece
        return found

    def status(self):
        self.send("STATUS")
        return self.receive(12).decode().strip()

    def send_positions(self, positions, n_atom=None):
        self.send("POSDATA", IDENTITY, IDENTITY, struct.pack("=i", len(positions) // 3 if n_atom is None else n_atom),
                  struct.pack(f"={len(positions)}d", *positions))

    def forces(self, positions):
        """(energy, forces)"""
        self.send("INIT", struct.pack("=ii", 0, 5), b"hello")
        self.send_positions(positions)
        if self.status() != "HAVEDATA":
            raise ConnectionError("there are no forces")
        self.send("GETFORCE")
        if self.receive(12) != b"FORCEREADY  ":
            raise ConnectionError("GETFORCE is not answered")
        energy, n = struct.unpack("=di", self.receive(12))
        forces = struct.unpack(f"={3 * n}d", self.receive(24 * n))
        self.receive(72)  # virial
        if self.receive(4) != bytes(4):
            raise ConnectionError("there is a text behind the forces, which ASE does not take")
        return energy, forces

"""Random SU(3) fields, their plaquettes, and the gauge files that MILC, QIO and ILDG make of them.

Written from the formats' descriptions, with zlib's CRC: nothing of the engine's.
"""

import functools
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.complex128]  # t, z, y, x, direction, row, column
Extents = tuple[int, int, int, int]  # x, y, z, t


def random_field(extents: Extents, seed: int = 1) -> Field:
    """Haar-random links: QR of Gaussian matrices, with the determinant's phase divided out."""
    draw = np.random.default_rng(seed)
    shape = (*reversed(extents), 4, 3, 3)
    unitary, upper = np.linalg.qr(draw.normal(size=shape) + 1j * draw.normal(size=shape))
    diagonal = np.diagonal(upper, axis1=-2, axis2=-1)
    unitary = unitary * (diagonal / abs(diagonal))[..., None, :]
    field: Field = unitary / np.linalg.det(unitary)[..., None, None] ** (1 / 3)
    return field


def single(field: Field) -> Field:
    """The field as single precision keeps it."""
    return field.astype(np.complex64).astype(np.complex128)


def plaquettes(field: Field) -> tuple[float, float]:
    """Mean Re Tr in the planes of space, and in those with t."""
    means: dict[bool, list[float]] = {False: [], True: []}
    for mu in range(4):
        for nu in range(mu):
            one, other = field[..., mu, :, :], field[..., nu, :, :]
            # Axes run t, z, y, x.
            there = one @ np.roll(other, -1, axis=3 - mu)
            back = other @ np.roll(one, -1, axis=3 - nu)
            loops = np.einsum("...ij,...ij->...", there, back.conj())
            means[mu == 3].append(float(loops.real.mean()))
    return float(np.mean(means[False])), float(np.mean(means[True]))


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & 0xFFFFFFFF


def _sums(values: list[int]) -> tuple[int, int]:
    """The XOR of the values rotated by their numbers modulo 29, and modulo 31."""
    first = second = 0
    for number, value in enumerate(values):
        first ^= _rotated(value, number % 29)
        second ^= _rotated(value, number % 31)
    return first, second


def _bytes(field: Field, code: str) -> bytes:
    return field.view(np.float64).astype(code).tobytes()


def checksums(field: Field, code: str = ">f4") -> tuple[int, int]:
    """suma and sumb of SciDAC: of the CRC-32 of each site."""
    sites = _bytes(field, code)
    length = 72 * int(code[-1])
    return _sums([zlib.crc32(sites[at : at + length]) for at in range(0, len(sites), length)])


def milc_v5(field: Field, order: str = "<") -> bytes:
    """MILC's archive format, version 5."""
    links = _bytes(field, f"{order}f4")
    words = struct.unpack(f"{order}{len(links) // 4}I", links)
    head = struct.pack(f"{order}5i", 0x4E87, *_extents(field))
    return (
        head
        + b"Sun Nov 22 12:00:00 2026".ljust(64, b"\0")
        + struct.pack(f"{order}i2I", 0, *_sums(list(words)))
        + links
    )


def scidac(field: Field, code: str = ">f4") -> bytes:
    """A single file of QIO."""
    links = _record("scidac-binary-data", _bytes(field, code))
    return _heads(field, code) + links + _checksum(field, code)


def ildg(field: Field, code: str = ">f4") -> bytes:
    """An ILDG file with QIO's records beside."""
    sizes = zip("xyzt", _extents(field), strict=True)
    tags = "".join(f"<l{name}>{size}</l{name}>" for name, size in sizes)
    text = f"<field>su3gauge</field><precision>{8 * int(code[-1])}</precision>{tags}"
    return (
        _heads(field, code)
        + _record("ildg-format", f"<ildgFormat>{text}</ildgFormat>".encode())
        + _record("ildg-binary-data", _bytes(field, code))
        + _checksum(field, code)
    )


WRITERS: dict[str, Callable[[Field], bytes]] = {
    "milc_v5": milc_v5,
    "milc_v5_big": functools.partial(milc_v5, order=">"),
    "scidac": scidac,
    "ildg": ildg,
}


def _extents(field: Field) -> tuple[Any, ...]:
    return tuple(reversed(field.shape[:4]))


def _record(kind: str, content: bytes) -> bytes:
    head = struct.pack(">IHHQ", 0x456789AB, 1, 0xC000, len(content))
    return head + kind.encode().ljust(128, b"\0") + content + b"\0" * (-len(content) % 8)


def _heads(field: Field, code: str) -> bytes:
    dims = " ".join(map(str, _extents(field)))
    size = int(code[-1])
    own = (
        f"<recordtype>0</recordtype><precision>{'D' if size == 8 else 'F'}</precision>"
        f"<colors>3</colors><typesize>{18 * size}</typesize><datacount>4</datacount>"
    )
    return _record(
        "scidac-private-file-xml",
        f"<scidacFile><dims>{dims} </dims><volfmt>0</volfmt></scidacFile>".encode(),
    ) + _record("scidac-private-record-xml", f"<scidacRecord>{own}</scidacRecord>".encode())


def _checksum(field: Field, code: str) -> bytes:
    suma, sumb = checksums(field, code)
    text = f"<scidacChecksum><suma>{suma:x}</suma><sumb>{sumb:x}</sumb></scidacChecksum>"
    return _record("scidac-checksum", text.encode())

"""Frames of RFC 1662 in Python, for the driver and for tests of the hardware."""

import zlib

from .protocol import ESCAPE, FCS_BYTES, FLAG, TOGGLE


def frame(body: bytes) -> bytes:
    """The bytes of a frame, both flags included."""
    out = bytearray([FLAG])
    for byte in body + zlib.crc32(body).to_bytes(FCS_BYTES, "little"):
        if byte in (FLAG, ESCAPE):
            out += bytes((ESCAPE, byte ^ TOGGLE))
        else:
            out.append(byte)
    out.append(FLAG)
    return bytes(out)


class Deframer:
    """Bodies of the frames in a stream of bytes, which comes in pieces.

    What is not a frame with a good checksum is dropped. ``bad`` counts those of at least one byte.

    Parameters
    ----------
    limit : int
        Longest body, in bytes; a longer one is dropped.
    """

    def __init__(self, limit: int):
        self.bad = 0
        self._limit = limit
        self._bytes = bytearray()
        self._escaped = self._skip = False

    def feed(self, data: bytes) -> list[bytes]:
        """Bodies that end in ``data``, in order."""
        found = []
        for byte in data:
            if byte == FLAG:
                body = self._end()
                if body is not None:
                    found.append(body)
            elif self._skip:
                pass
            elif byte == ESCAPE:
                self._skip, self._escaped = self._escaped, True
            elif len(self._bytes) == self._limit + FCS_BYTES:
                self._skip = True
            else:
                self._bytes.append(byte ^ TOGGLE if self._escaped else byte)
                self._escaped = False
        return found

    def _end(self) -> bytes | None:
        """The flag that ends a frame, or stands between two."""
        data, wrong = bytes(self._bytes), self._skip or self._escaped
        self._bytes.clear()
        self._escaped = self._skip = False
        if not data and not wrong:
            return None
        body, fcs = data[:-FCS_BYTES], data[-FCS_BYTES:]
        if wrong or len(data) < FCS_BYTES or zlib.crc32(body).to_bytes(4, "little") != fcs:
            self.bad += 1
            return None
        return body

"""Frames of RFC 1662: bytes of a line to the words of a buffer, and back."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.crc.catalog import CRC32_ISO_HDLC
from amaranth.lib.wiring import In, Out

from ...hw.layouts import index_width
from .protocol import ESCAPE, FCS_BYTES, FLAG, TOGGLE


class FrameReceiver(wiring.Component):
    """Writes the bytes between two flags to a buffer and says when they are a whole frame.

    A frame with a byte that the line got wrong, with a wrong checksum, with an escape before its
    last flag, or with more than ``limit`` bytes is dropped and counted; one that comes while
    ``hold`` is high is dropped. Whatever came before it, a whole frame is received: the flag that
    begins it ends all else.

    Parameters
    ----------
    limit : int
        Longest body, in bytes.

    Members
    -------
    valid, data, error : In, from :class:`.uart.UartReceiver`
    hold : In(1), the buffer is in use and must not change; raised in the cycle after ``received``
        at the latest
    address : Out(index_width(limit + 4)), byte; write : Out(1); byte : Out(8)
    received : Out(1), for one cycle
    length : Out(range(limit + 1)), bytes of the body, with ``received``
    fcs : Out(32), the frame's checksum, with ``received``
    bad : Out(16), frames that were dropped for what was wrong with them, modulo 65,536
    """

    def __init__(self, limit: int):
        self._limit = limit
        super().__init__(
            {
                "valid": In(1),
                "data": In(8),
                "error": In(1),
                "hold": In(1),
                "address": Out(index_width(limit + FCS_BYTES)),
                "write": Out(1),
                "byte": Out(8),
                "received": Out(1),
                "length": Out(range(limit + 1)),
                "fcs": Out(32),
                "bad": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        crc: Any = CRC32_ISO_HDLC(8).create()  # the stubs do not know it
        m.submodules.crc = crc
        longest = self._limit + FCS_BYTES
        count = Signal(range(longest + 1))
        # The rest of the frame does not count: it is wrong, or nobody has room for it.
        skip, wrong, escaped = Signal(), Signal(), Signal()
        last = Signal(32)  # the last four bytes
        take = Signal()
        m.d.comb += [
            self.byte.eq(self.data ^ (escaped << TOGGLE.bit_length() - 1)),
            self.address.eq(count),
            self.write.eq(take),
            crc.data.eq(self.byte),
            crc.valid.eq(take),
            self.fcs.eq(last),
        ]
        m.d.sync += self.received.eq(0)
        with m.If(self.valid):
            with m.If(self.error):
                m.d.sync += [skip.eq(1), wrong.eq(1)]
            with m.Elif(self.data == FLAG):
                begun = (count != 0) | escaped
                good = ~escaped & (count >= FCS_BYTES) & crc.match_detected
                m.d.sync += [count.eq(0), skip.eq(0), wrong.eq(0), escaped.eq(0)]
                m.d.comb += crc.start.eq(1)
                with m.If(wrong | (~skip & begun & ~good)):
                    m.d.sync += self.bad.eq(self.bad + 1)
                with m.Elif(~skip & begun):
                    m.d.sync += [self.received.eq(1), self.length.eq(count - FCS_BYTES)]
            with m.Elif(skip):
                pass
            with m.Elif(self.hold):
                m.d.sync += skip.eq(1)
            with m.Elif(self.data == ESCAPE):
                # Two in a row are none of a frame.
                m.d.sync += [escaped.eq(1), skip.eq(escaped), wrong.eq(escaped)]
            with m.Elif(count == longest):
                m.d.sync += [skip.eq(1), wrong.eq(1)]
            with m.Else():
                m.d.comb += take.eq(1)
                m.d.sync += [
                    count.eq(count + 1), escaped.eq(0), last.eq(Cat(last[8:], self.byte))
                ]  # fmt: skip
        return m


class FrameTransmitter(wiring.Component):
    """Sends the words of a buffer as a frame.

    Parameters
    ----------
    limit : int
        Longest body, in bytes.

    Members
    -------
    start : In(1), ignored while ``busy``
    length : In(range(limit + 1)), bytes of the body, with ``start``
    address : Out, word; word : In(32), one cycle after the address
    busy : Out(1)
    o : Out(stream of 8 bits)

    Throughput: a byte every third cycle.
    """

    def __init__(self, limit: int):
        self._limit = limit
        super().__init__(
            {
                "start": In(1),
                "length": In(range(limit + 1)),
                "address": Out(index_width(limit // 4)),
                "word": In(32),
                "busy": Out(1),
                "o": Out(stream.Signature(8)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        crc: Any = CRC32_ISO_HDLC(8).create()  # the stubs do not know it
        m.submodules.crc = crc
        at, left = Signal(range(self._limit + 1)), Signal(range(self._limit + 1))
        fcs, fcs_left = Signal(32), Signal(range(FCS_BYTES + 1))
        byte, escaped = Signal(8), Signal()
        m.d.comb += [self.address.eq(at[2:]), self.busy.eq(1)]

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [self.busy.eq(0), crc.start.eq(1)]
                m.d.sync += [at.eq(0), left.eq(self.length), fcs_left.eq(FCS_BYTES)]
                with m.If(self.start):
                    m.next = "OPEN"
            with m.State("OPEN"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(FLAG)]
                with m.If(self.o.ready):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += escaped.eq(0)
                with m.If(left != 0):
                    m.d.sync += [
                        byte.eq(self.word.word_select(at[:2], 8)), at.eq(at + 1), left.eq(left - 1)
                    ]  # fmt: skip
                    m.next = "SUM"
                with m.Elif(fcs_left != 0):
                    with m.If(fcs_left == FCS_BYTES):
                        m.d.sync += [byte.eq(crc.crc), fcs.eq(crc.crc >> 8)]
                    with m.Else():
                        m.d.sync += [byte.eq(fcs), fcs.eq(fcs >> 8)]
                    m.d.sync += fcs_left.eq(fcs_left - 1)
                    m.next = "BYTE"
                with m.Else():
                    m.next = "CLOSE"
            with m.State("SUM"):
                m.d.comb += [crc.data.eq(byte), crc.valid.eq(1)]
                m.next = "BYTE"
            with m.State("BYTE"):
                special = ~escaped & ((byte == FLAG) | (byte == ESCAPE))
                m.d.comb += self.o.valid.eq(1)
                with m.If(special):
                    m.d.comb += self.o.payload.eq(ESCAPE)
                    with m.If(self.o.ready):
                        m.d.sync += [escaped.eq(1), byte.eq(byte ^ TOGGLE)]
                with m.Else():
                    m.d.comb += self.o.payload.eq(byte)
                    with m.If(self.o.ready):
                        m.next = "NEXT"
            with m.State("CLOSE"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(FLAG)]
                with m.If(self.o.ready):
                    m.next = "IDLE"
        return m

"""What is going on, on standard error: a line that ticks on a terminal, plain lines elsewhere."""

import sys
import threading
import time
from typing import TextIO

_CLEAR = "\r\x1b[K"


class Progress:
    """Shows the latest line of text and, on a terminal, for how long it has been so.

    Use as a context manager: on a terminal nothing is left behind.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._tty = self._stream.isatty()
        self._line = ""
        self._since = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._ticker: threading.Thread | None = None

    def __call__(self, line: str) -> None:
        with self._lock:
            if not self._tty:
                if line != self._line:
                    self._write(f"ember: {line}\n")
                self._line = line
                return
            self._line, self._since = line, time.monotonic()
            self._draw()
        if self._ticker is None:
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()

    def hide(self) -> None:
        """Clear the line, so that something else can be printed."""
        with self._lock:
            if self._tty:
                self._line = ""
                self._write(_CLEAR)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._ticker is not None:
            self._ticker.join()
        if self._tty:
            self._write(_CLEAR)

    def _tick(self) -> None:
        while not self._stop.wait(0.5):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if not self._line:
            return
        seconds = time.monotonic() - self._since
        suffix = f" ({seconds:.0f} s)" if seconds >= 1 else ""
        self._write(f"{_CLEAR}ember: {self._line}{suffix}")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            pass  # nobody is watching any more

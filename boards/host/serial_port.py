"""A serial port on a POSIX system, raw, 8N1, without flow control."""

import errno
import glob
import os
import select
import time

from .errors import BoardError

try:
    import fcntl
    import termios
except ImportError:  # not a POSIX system
    fcntl = termios = None

#: Where USB serial ports are: Linux, macOS, FreeBSD.
_USUAL = ("/dev/ttyUSB*", "/dev/ttyACM*", "/dev/cu.usbserial*", "/dev/cuaU*")


class SerialPort:
    """An open serial port. A pseudo-terminal is one too, at any baud rate.

    Parameters
    ----------
    path : str
    baud : int
        Bits per second.

    Raises
    ------
    ValueError
        The system has no such baud rate.
    BoardError
        The port is not there, is in use, or is no serial port.
    """

    def __init__(self, path: str, baud: int):
        self._fd = -1
        if fcntl is None or termios is None:
            raise BoardError("serial ports need a POSIX system: this one has no termios")
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            known = sorted(int(n[1:]) for n in dir(termios) if n[0] == "B" and n[1:].isdigit())
            rates = ", ".join(str(rate) for rate in known if rate >= 9600)
            raise ValueError(f"baud must be a rate of this system, one of {rates}, not {baud}")
        self.path = path
        self._fd = _open(path)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            settings = termios.tcgetattr(self._fd)
            control = settings[6]
            control[termios.VMIN] = control[termios.VTIME] = 0
            mode = termios.CS8 | termios.CREAD | termios.CLOCAL
            termios.tcsetattr(self._fd, termios.TCSANOW, [0, 0, mode, 0, speed, speed, control])
            termios.tcflush(self._fd, termios.TCIOFLUSH)
        except BlockingIOError:
            self.close()
            raise BoardError(f"port {path} is in use by another program") from None
        except termios.error as error:
            self.close()
            if error.args[0] == errno.ENOTTY:
                raise BoardError(f"port {path} is no serial port") from None
            if error.args[0] == errno.EINVAL:
                raise BoardError(f"port {path} cannot do {baud} baud") from None
            raise BoardError(f"port {path}: {error.args[1].lower()}") from None

    def close(self) -> None:
        """Give the port back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def read(self, seconds: float) -> bytes:
        """What has come, as soon as something has; nothing after ``seconds``.

        Raises
        ------
        BoardError
            The port is gone.
        """
        try:
            if not select.select([self._fd], [], [], max(0.0, seconds))[0]:
                return b""
            data = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise self._gone(error) from None
        if not data:
            raise self._gone(None)
        return data

    def write(self, data: bytes, seconds: float) -> None:
        """Hand ``data`` to the system.

        Raises
        ------
        BoardError
            The port is gone, or does not take them within ``seconds``.
        """
        end = time.monotonic() + seconds
        while data:
            left = end - time.monotonic()
            try:
                if left <= 0 or not select.select([], [self._fd], [], left)[1]:
                    raise BoardError(
                        f"port {self.path} takes no data: {len(data)} bytes left after "
                        f"{seconds:g} s"
                    )
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._gone(error) from None

    def drain(self) -> None:
        """Forget what has come."""
        while self.read(0.0):
            pass

    def _gone(self, error: OSError | None) -> BoardError:
        why = f" ({error.strerror.lower()})" if error is not None and error.strerror else ""
        return BoardError(f"port {self.path} is gone{why}: is the board still plugged in?")


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except FileNotFoundError:
        there = sorted(name for pattern in _USUAL for name in glob.glob(pattern))
        hint = f"there are {', '.join(there)}" if there else "no USB serial port is there"
        raise BoardError(f"port {path} does not exist: {hint}") from None
    except PermissionError:
        raise BoardError(
            f"port {path} is not yours to use: on most systems the users of group `dialout` or "
            f"`uucp` are allowed to"
        ) from None
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise BoardError(f"port {path} is in use by another program") from None
        reason = (error.strerror or str(error)).lower()
        raise BoardError(f"port {path} cannot be opened: {reason}") from None

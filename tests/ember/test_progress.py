"""Progress on a terminal and in a log."""

import io

from ember.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    def write(self, _):
        raise BrokenPipeError


def test_a_log_gets_lines():
    stream = io.StringIO()
    with Progress(stream) as progress:
        progress("one")
        progress("one")
        progress.hide()
        progress("two")
    assert stream.getvalue() == "ember: one\nember: two\n"


def test_a_terminal_is_left_clean():
    stream = Terminal()
    with Progress(stream) as progress:
        progress("one")
        progress("two")
    text = stream.getvalue()
    assert "\n" not in text
    assert text.startswith("\r\x1b[Kember: one\r\x1b[Kember: two") and text.endswith("\r\x1b[K")


def test_nobody_watches():
    with Progress(Closed()) as progress:
        progress("one")

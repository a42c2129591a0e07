"""How talking to a board fails."""


class BoardError(RuntimeError):
    """A port or a board does not do what it should; the one-line message says what to try."""

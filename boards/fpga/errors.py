"""What is missing for a board's design."""


class BoardsMissing(RuntimeError):
    """amaranth-boards is not installed; the one-line message says what to do."""

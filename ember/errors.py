"""What can go wrong, by whose fault."""


class InputError(ValueError):
    """A file, or a combination of options, that cannot be used. One line, ready to print."""


class RunError(RuntimeError):
    """The machine reported an error that is not the caller's: it or its memory misbehaved."""

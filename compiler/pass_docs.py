"""The page docs/passes.md: what each pass does, from its module's docstring and its golden files.

``python -m ember.compiler.pass_docs docs`` writes it; a test holds that it is up to date.
"""

import re
import sys
from dataclasses import MISSING, Field, fields
from importlib import import_module
from pathlib import Path

from .universe import PASSES, UNIVERSE

_NOTE = "<!-- Made by `python -m ember.compiler.pass_docs docs`: change compiler/ or its tests. -->"

_HEAD = """
# Passes

Each by itself, in the order of the pipeline where they are in it: `ember-opt FILE.mlir -p NAME`.
Levels, and what passes do together: [compiler.md](compiler.md#passes-and-levels). What a pass does,
leaves alone and refuses is tested in the golden file that is named below it.
"""


def docs_passes(goldens: Path) -> str:
    """Text of docs/passes.md.

    Parameters
    ----------
    goldens : Path
        The directory tests/compiler/filecheck.
    """
    return f"{_NOTE}\n{_HEAD}" + "".join(_section(name, goldens) for name in PASSES)


def _section(name: str, goldens: Path) -> str:
    kind, module = UNIVERSE.all_passes[name](), import_module(f".{PASSES[name][0]}", __package__)
    first, _, rest = (module.__doc__ or "").strip().partition("\n")
    first = first.removeprefix(f"``{name}``: ")
    out = [f"\n## {name}\n\n", _markdown(f"{first[0].upper()}{first[1:]}\n{rest}"), "\n"]
    options = [option for option in fields(kind) if option.name != "name"]
    if options:
        out += ["\nOptions: ", ", ".join(map(_option, options)), ".\n"]
    path = goldens / f"{name}.mlir"
    refusals = dict.fromkeys(_reason(m) for m in re.findall(r"// ERROR: (.*)", path.read_text()))
    if refusals:
        out += ["\nRefused, among others:\n\n", *(f"* `{reason}`\n" for reason in refusals)]
    out.append(f"\nTests: `tests/compiler/filecheck/{path.name}`\n")
    return "".join(out)


def _option(option: Field) -> str:
    name = option.name.replace("_", "-")
    kind = getattr(option.type, "__name__", str(option.type))
    default = "" if option.default is MISSING else f", {option.default!r}"
    return f"`{name}` ({kind}{default})"


def _reason(message: str) -> str:
    """A refusal without its place, which is the test's."""
    return re.sub(r"^[\w -]+: (%\w+: |a value without a name: )*([a-z]+\.[\w.]+: )?", "", message)


def _markdown(text: str) -> str:
    """A docstring's mark-up in that of the pages."""
    text = re.sub(r":\w+:`~?\.?([\w.]+)`", r"`\1`", text)
    return re.sub(r"(?<!`)``(?!`)", "`", text)


def main(arguments: list[str]) -> None:
    """Write the page into the given directory."""
    directory = Path(arguments[0])
    goldens = directory.parent / "tests" / "compiler" / "filecheck"
    (directory / "passes.md").write_text(docs_passes(goldens))


if __name__ == "__main__":
    main(sys.argv[1:])

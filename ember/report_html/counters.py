"""The machine's counters, with what they mean."""

from html import escape

from ..parts import isa


def counter_table(counters: dict[str, int]) -> str:
    """A table in the order of the registers; what this version does not know comes last."""
    meanings = dict(isa.COUNTERS)
    names = [name for name in meanings if name in counters]
    names += [name for name in counters if name not in meanings]
    cycles = counters.get("cycles", 0)
    rows = []
    for name in names:
        meaning = meanings.get(name, "")
        share = f"{100 * counters[name] / cycles:.1f} %" if cycles and _of_cycles(meaning) else ""
        rows.append(
            f"<tr><td><code>{escape(name)}</code></td>"
            f'<td class="figure">{counters[name]:,}</td><td class="figure">{share}</td>'
            f"<td>{escape(meaning)}</td></tr>"
        )
    return (
        '<details><summary>All counters</summary><div class="scroll"><table><tr><th>counter</th>'
        '<th class="figure">value</th><th class="figure">of cycles</th><th>meaning</th></tr>'
        f"{''.join(rows)}</table></div></details>\n"
    )


def _of_cycles(meaning: str) -> bool:
    return meaning.startswith("cycles in which") or meaning == "cycles without a request"

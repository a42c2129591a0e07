"""``python -m formal.run [NAME ..]``: run the proofs, and see each mutant fail its proof."""

import argparse
import resource
import sys

from .proof import Mutant, Proof
from .proofs import PROOFS
from .sby import Verdict, check, missing_tools


def run(proof: Proof, mutant: Mutant | None = None) -> Verdict:
    """Prove a block, or look for the error of a mutant."""
    netlist = proof.build(mutant)
    if mutant is None:
        return check(proof.name, netlist, depth=proof.depth, prove=not proof.bounded)
    return check(f"{proof.name}-{mutant.name}", netlist, depth=mutant.depth, prove=False)


def _solver_seconds() -> float:
    """Processor time of all tools so far: unlike elapsed time it does not depend on the load."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str] | None = None) -> int:
    """0 if every proof holds and every mutant is found."""
    parser = argparse.ArgumentParser(prog="python -m formal.run", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="proofs; all by default")
    parser.add_argument("--no-mutants", action="store_true", help="only the proofs themselves")
    parser.add_argument("--list", action="store_true", help="print the names and do nothing")
    options = parser.parse_args(arguments)
    known = {proof.name: proof for proof in PROOFS}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no such proof: {', '.join(unknown)} (see --list)")
    if options.list:
        print("\n".join(known))
        return 0
    missing = missing_tools()
    if missing:
        parser.error(f"not installed: {', '.join(missing)}; install ember-dae[test]")

    failures = 0
    for name in options.names or known:
        proof = known[name]
        for mutant in (None, *(() if options.no_mutants else proof.mutants)):
            start = _solver_seconds()
            verdict = run(proof, mutant)
            expected = "FAIL" if mutant else "PASS"
            good = verdict.status == expected
            failures += not good
            method = f"{'bounded' if proof.bounded else 'induction'} {proof.depth}"
            what = f"mutant {mutant.name}" if mutant else method
            seconds = f"{_solver_seconds() - start:.1f} s"
            mark = "ok " if good else "BAD"
            print(f"{mark} {name:24} {what:28} {verdict.status:8} {seconds}")
            if not good:
                print(verdict.log)
                print(f"trace: {verdict.trace}")
            sys.stdout.flush()
    print(f"{failures} failed" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Every proof holds, and every mutant makes its proof fail: docs/formal.md."""

import pytest

from formal.proof import Mutant, Proof
from formal.proofs import PROOFS
from formal.run import run
from formal.sby import missing_tools

_MISSING = missing_tools()
pytestmark = pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}")

_MUTANTS = [(proof, mutant) for proof in PROOFS for mutant in proof.mutants]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_proof(proof: Proof) -> None:
    """A proof whose induction does not close is UNKNOWN, and not good enough."""
    verdict = run(proof)
    assert verdict.status == "PASS", f"{verdict.log}\ntrace: {verdict.trace}"


@pytest.mark.parametrize(
    ("proof", "mutant"), _MUTANTS, ids=[f"{proof.name}-{mutant.name}" for proof, mutant in _MUTANTS]
)
def test_mutant(proof: Proof, mutant: Mutant) -> None:
    """FAIL comes with a trace from reset; ERROR or TIMEOUT would prove nothing."""
    verdict = run(proof, mutant)
    assert verdict.status == "FAIL", verdict.log
    assert verdict.trace is not None

"""The functional model: what a program does, straight from docs/machine.md, without time.

The access half and the execute half also run alone: a bench of the access unit needs only the
queues' contents.
"""

from dataclasses import dataclass

from ..hw.config import Config
from ..hw.program import Program
from .memory import Memory
from .model_access import access
from .model_execute import ExecuteResult, execute
from .model_queues import LaneQueue, LaneQueues, ModelError, Report, Token

__all__ = [
    "ExecuteResult", "LaneQueue", "LaneQueues", "ModelError", "Report", "Run", "Token",
    "access", "execute", "run",
]  # fmt: skip


@dataclass
class Run:
    """A whole run: the queues' contents and what was stored."""

    queues: LaneQueues
    execute: ExecuteResult


def run(program: Program, config: Config, memory: Memory, max_items: int = 10_000_000) -> Run:
    """Run ``program``; the output rows are in ``memory`` afterwards.

    Raises
    ------
    ValueError
        The program is not legal.
    ModelError
        It breaks a rule that only shows in a run; see :func:`access` and :func:`execute`.
    """
    queues = access(program, config, memory, max_items)
    return Run(queues, execute(program, config, queues, memory))

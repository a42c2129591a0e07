"""Graphs and triples to measure on: public data sets where they are present, else made up."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .errors import InputError
from .files import read_text

#: Used if it is there.
_DATA = Path("../shared/data")

#: Nodes and edges of the citation graphs of planetoid.
GRAPHS = {"cora": (2708, 10858), "citeseer": (3327, 9464), "pubmed": (19717, 88676)}
#: Entities, relations and triples of a knowledge graph that is made up.
KNOWLEDGE = (40_000, 18, 80_000)
#: Exponent of the made-up graphs' degrees, about that of citation graphs.
EXPONENT = 2.2


@dataclass(frozen=True)
class Graph:
    """Neighbours of each node, as a CSR matrix of which only the places are known.

    ``offsets`` int32 [nodes + 1]; ``indices`` int32 [edges], nodes; ``source`` says where it is
    from.
    """

    offsets: np.ndarray
    indices: np.ndarray
    source: str

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.offsets.size - 1


@dataclass(frozen=True)
class Triples:
    """Facts ``(head, relation, tail)``, int32 [n, 3]; relations are numbered after the entities.

    ``rows`` are entities and relations together; ``source`` says where they are from.
    """

    triples: np.ndarray
    rows: int
    source: str


def graph(name: str, seed: int) -> Graph:
    """One of :data:`GRAPHS`."""
    path = _DATA / "graph" / f"{name}.mtx"
    if path.is_file():
        return read_graph(str(path))
    nodes, edges = GRAPHS[name]
    rng = np.random.default_rng((seed, nodes))
    weight = (np.arange(nodes) + 1.0) ** (-1 / (EXPONENT - 1))
    weight = rng.permutation(weight / weight.sum())
    rows = np.sort(rng.choice(nodes, edges, p=weight))
    return _csr(nodes, rows, rng.choice(nodes, edges, p=weight), "made up")


def read_graph(path: str) -> Graph:
    """A Matrix Market coordinate pattern; the entries of a row keep their order.

    Raises
    ------
    InputError
        The file cannot be read, or is no such pattern.
    """
    lines = [line for line in read_text(path).splitlines() if line and not line.startswith("%")]
    try:
        sizes, *entries = (tuple(map(int, line.split())) for line in lines)
        nodes, columns, count = sizes
        places = np.array(entries, np.int64).reshape(count, 2) - 1
    except ValueError:
        raise InputError(f"{path} must be a Matrix Market coordinate pattern") from None
    if nodes != columns or (count and not 0 <= places.min() <= places.max() < nodes):
        raise InputError(f"{path} must be square, with entries 1..{nodes}")
    return _csr(nodes, places[:, 0], places[:, 1], path)


def _csr(nodes: int, rows: np.ndarray, columns: np.ndarray, source: str) -> Graph:
    offsets = np.zeros(nodes + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=nodes), out=offsets[1:])
    return Graph(offsets, columns[np.argsort(rows, kind="stable")].astype(np.int32), source)


def triples(seed: int) -> Triples:
    """The training set of WN18RR, or a made-up one of its size."""
    path = _DATA / "kg" / "wn18rr_train.tsv"
    if path.is_file():
        return read_triples(str(path))
    entities, relations, count = KNOWLEDGE
    rng = np.random.default_rng((seed, entities))
    ends = rng.integers(0, entities, (count, 2))
    middle = rng.integers(entities, entities + relations, count)
    facts = np.stack([ends[:, 0], middle, ends[:, 1]], 1).astype(np.int32)
    return Triples(facts, entities + relations, "made up")


def read_triples(path: str) -> Triples:
    """Lines ``head<TAB>relation<TAB>tail``; names are numbered in the order of the alphabet.

    Raises
    ------
    InputError
        The file cannot be read, or a line has not three fields.
    """
    lines = [line.split("\t") for line in read_text(path).splitlines()]
    for number, fields in enumerate(lines, 1):
        if len(fields) != 3:
            raise InputError(f"{path}:{number}: must have 3 fields, not {len(fields)}")
    words = np.array(lines, np.str_).reshape(-1, 3)
    names, ends = np.unique(words[:, [0, 2]], return_inverse=True)
    relations, middle = np.unique(words[:, 1], return_inverse=True)
    ends = ends.reshape(-1, 2)
    facts = np.stack([ends[:, 0], len(names) + middle.reshape(-1), ends[:, 1]], 1)
    return Triples(facts.astype(np.int32), len(names) + len(relations), path)

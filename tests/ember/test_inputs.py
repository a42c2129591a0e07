"""Text, Criteo and MovieLens inputs: what becomes a bag."""

import numpy as np
import pytest

from ember.errors import InputError
from ember.input_criteo import COLUMNS, criteo_lookups
from ember.input_movielens import movielens_lookups
from ember.input_text import text_lookups

TEXT = dict(buckets=1 << 14, ngrams=3, dim=8, seed=0)
CODED = dict(coding="vocabulary", buckets=1 << 14, dim=8, seed=0)


def write(tmp_path, content, name="input"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def lengths_of(tmp_path, content):
    (lookup,) = text_lookups([write(tmp_path, content)], **TEXT)
    return lookup.lengths.tolist()


@pytest.mark.parametrize(
    ("content", "lengths"),
    [
        ("a b c\n", [6]),
        ("a b c", [6]),
        ("a\n\nb c\n", [1, 0, 3]),
        ("\n", [0]),
        ("a b\r\n", [3]),
        (b"\xef\xbb\xbfa\n", [1]),
        (b"\xff\xfe a\n", [3]),  # any bytes are words
        ("na\u00efve caf\u00e9\n", [3]),
    ],
)
def test_lines_are_bags(tmp_path, content, lengths):
    assert lengths_of(tmp_path, content) == lengths


def test_a_mark_at_the_start_changes_no_hash(tmp_path):
    (plain,) = text_lookups([write(tmp_path, "a", "1")], **TEXT)
    (marked,) = text_lookups([write(tmp_path, b"\xef\xbb\xbfa", "2")], **TEXT)
    assert plain.indices.tolist() == marked.indices.tolist()


def test_files_follow_each_other(tmp_path):
    paths = [write(tmp_path, "a b\n", "1"), write(tmp_path, "c\n", "2")]
    (lookup,) = text_lookups(paths, **TEXT)
    assert lookup.lengths.tolist() == [3, 1]
    assert lookup.mode == "mean"


def test_tables_depend_on_the_seed_alone(tmp_path):
    path = write(tmp_path, "a\n")
    tables = [text_lookups([path], **{**TEXT, "seed": seed})[0].table for seed in (1, 1, 2)]
    assert np.array_equal(tables[0], tables[1]) and not np.array_equal(tables[0], tables[2])
    assert tables[0].shape == (1 << 14, 8) and tables[0].dtype == np.float32


def test_no_lines(tmp_path):
    path = write(tmp_path, "")
    with pytest.raises(InputError) as error:
        text_lookups([path], **TEXT)
    assert str(error.value) == f"{path} must have at least 1 line, not 0"


def criteo(tmp_path, *records):
    header = "label," + ",".join(COLUMNS)
    return write(tmp_path, "\n".join([header, *records]) + "\n")


def test_criteo_missing_values_are_empty_bags(tmp_path):
    path = criteo(tmp_path, "0,x" + "," * 25, "1,y" + "," * 24 + ",z", "0,x" + "," * 25)
    lookups = criteo_lookups(path, **CODED)
    assert [lookup.name for lookup in lookups] == list(COLUMNS)
    assert (lookups[0].indices.tolist(), lookups[0].lengths.tolist()) == ([0, 1, 0], [1, 1, 1])
    assert (lookups[1].indices.tolist(), lookups[1].lengths.tolist()) == ([], [0, 0, 0])
    assert (lookups[25].indices.tolist(), lookups[25].lengths.tolist()) == ([0], [0, 1, 0])
    assert [lookups[n].table.shape for n in (0, 1, 25)] == [(2, 8), (1, 8), (1, 8)]


def test_criteo_hashed(tmp_path):
    path = criteo(tmp_path, "0,a" + "," * 25)
    lookups = criteo_lookups(path, **{**CODED, "coding": "hash", "buckets": 1000})
    assert lookups[0].indices.tolist() == [0xE40C292C % 1000]
    assert all(lookup.table.shape == (1000, 8) for lookup in lookups)


def test_criteo_sample(data_file):
    lookups = criteo_lookups(str(data_file("criteo_sample.csv")), **CODED)
    assert len(lookups) == 26 and all(len(lookup.lengths) == 200 for lookup in lookups)
    assert any((lookup.lengths == 0).any() for lookup in lookups)


def test_movielens_genres(tmp_path):
    path = write(tmp_path, 'title,genres\n"A, b",Drama|Comedy\nC,Comedy\nD,\n')
    (lookup,) = movielens_lookups(path, **CODED)
    assert (lookup.indices.tolist(), lookup.lengths.tolist()) == ([0, 1, 1], [2, 1, 0])


def test_movielens_sample(data_file):
    (lookup,) = movielens_lookups(str(data_file("movielens_sample.csv")), **CODED)
    assert len(lookup.lengths) == 200 and set(lookup.lengths.tolist()) <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path} must have a header line, but is empty"),
        (b"\n\n", "{path} must have a header line, but is empty"),
        (b"title,genres\n", "{path} must have at least 1 record below its header, not 0"),
        (b"a,b\nx,y\n", "{path}:1: must name column 'genres' once; it is not in: a, b"),
        (b"genres,genres\nx,y\n",
         "{path}:1: must name column 'genres' once; it is twice in: genres, genres"),
        (b"a,b,c,d,e,f,g\n1\n",
         "{path}:1: must name column 'genres' once; it is not in: a, b, c, d, e, f, ..."),
        (b"t,genres\na,b\na,b,c\n", "{path}:3: must have 2 fields, as the header has, not 3"),
        (b"t,genres\na\n", "{path}:2: must have 2 fields, as the header has, not 1"),
        (b"t,genres\na,\xff\n", "{path}:2: must be UTF-8, but has byte 0xff"),
        (b"t,genres\na,\0\n", "{path}:2: must be text, but has a NUL byte"),
        (b't,genres\na,"x"y\n', "{path}:2: must be CSV: ',' expected after '\"'"),
        (b't,genres\na,"xy\n', "{path}:2: must be CSV: unexpected end of data"),
    ],
)  # fmt: skip
def test_broken_csv(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(InputError) as error:
        movielens_lookups(path, **CODED)
    assert str(error.value) == message.format(path=path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r": no such file or directory$"):
        movielens_lookups(str(tmp_path / "missing.csv"), **CODED)
    with pytest.raises(InputError, match=r": is a directory$"):
        movielens_lookups(str(tmp_path), **CODED)

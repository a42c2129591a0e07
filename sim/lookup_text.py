"""The MLIR text of a lookup nest, in SCF, as another tool could have printed it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from .lookup_nest import (
    CHOICES,
    OUTPUTS,
    SCALED,
    TABLES,
    Loop,
    Nest,
    greatest,
    is_flat,
    row_kinds,
    scalars,
    types,
    views,
    width,
)  # fmt: skip

#: Elements of a vector, where rows are vectors.
LANES = 4


def text(nest: Nest) -> str:
    """A module with the function ``nest``."""
    return _Writer(nest).write()


class _Writer:
    """Prints one nest, from the outside in."""

    def __init__(self, nest: Nest):
        self.nest, self.types = nest, types(nest)
        self.scalars = scalars(nest)
        self.flat = is_flat(nest)
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0
        self.dim = ""
        #: Which of several nests it is, and its arrays.
        self.copy = 0
        self.table, self.out = "table", "out"
        #: Views by the array that they are of.
        self.viewed: dict[str, str] = {}
        #: The sum and maybe the count, where they are in registers.
        self.held: list[str] = []
        #: Whether the index is wanted, if that is a choice.
        self.choice = ""
        #: Elements of rows are vectors here.
        self.wide = False
        self.constants: dict[tuple[int | str, str], str] = {}

    def write(self) -> str:
        kinds = self.types | dict.fromkeys(self.scalars, "index")
        self._views()
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in kinds.items())
        body = self._body()
        head = [f"func.func @nest({arguments}) {{"]
        constants = [
            f"  %{name} = arith.constant {value} : {kind}"
            for (value, kind), name in self.constants.items()
        ]
        return "\n".join([*head, *constants, *body, "  func.return", "}"]) + "\n"

    def _views(self) -> None:
        """Arrays that are read through a view have its name and type from here on."""
        for name, view in views(self.nest).items():
            made = self._value(
                f"memref.subview %{name}[{view.first}] [{view.size}] [{view.apart}] : "
                f"{self.types[name]} to {view.kind}", f"{name}_view",
            )  # fmt: skip
            self.viewed[name], self.types = made, self.types | {name: view.kind}

    def _body(self) -> list[str]:
        if not self.nest.loops:
            self._copy()
            return self.lines
        if self.nest.dynamic and not self.flat:
            last = self._constant(2 if {"plane", "planes"} & set(self.nest.odd) else 1)
            self.dim = self._value(f"memref.dim %table, %{last} : {self.types['table']}", "dim")
        for _ in range(1 + ("twice" in self.nest.odd)):
            nests = self.nest.copies if self.nest.batch and not self.nest.rolled else 1
            for copy in range(nests):
                self.copy = copy
                if self.nest.batch == "tables":
                    self.table, self.out = [("table", "out"), ("table3", "out3")][self.copy % 2]
                if self._fills and not (self.copy and self.nest.goes_on):
                    self._fill()
                self._loops(0, [])
        return self.lines

    # Pieces -------------------------------------------------------------------------------

    def _line(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def _value(self, expression: str, hint: str = "v") -> str:
        self.names += 1
        name = f"{hint}{self.names}"
        self._line(f"%{name} = {expression}")
        return name

    def _constant(self, value: int | str, kind: str = "index") -> str:
        key = (value, kind)
        if key not in self.constants:
            text = str(value).replace("-", "m").replace(".", "_").replace("+", "")
            self.constants[key] = f"c{text}" + ("" if kind == "index" else f"_{kind}")
        return self.constants[key]

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._line(f"{head} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self._line("}")

    def _load(self, array: str, *indices: str, hint: str = "v") -> str:
        places = ", ".join(f"%{index}" for index in indices)
        if self.wide and array in (*TABLES, *OUTPUTS):
            kinds = f"{self.types[array]}, {self._kind}"
            if self._whole:
                return self._value(f"vector.load %{array}[{places}] : {kinds}", hint)
            padding = self._constant("1.0", "f32")
            read = f"vector.transfer_read %{array}[{places}], %{padding} : {kinds}"
            return self._value(read, hint)
        name = self.viewed.get(array, array)
        return self._value(f"memref.load %{name}[{places}] : {self.types[array]}", hint)

    @property
    def _kind(self) -> str:
        """The type of what rows are worked on as."""
        return f"vector<{LANES}xf32>" if self.wide else "f32"

    @property
    def _whole(self) -> bool:
        """Whether rows are whole vectors."""
        return self.nest.dim % LANES == 0

    def _number(self, value: str) -> str:
        """A constant of that type."""
        return self._equal(self._constant(value, "f32"))

    def _equal(self, value: str) -> str:
        """A scalar, or a vector of it."""
        if not self.wide:
            return value
        return self._value(f"vector.broadcast %{value} : f32 to {self._kind}", "equal")

    def _element_type(self, array: str) -> str:
        """The type of the elements of an array of integers."""
        [kind] = re.findall(r"x(i\d+|index)\b", self.types[array])
        return kind

    def _index(self, value: str, array: str) -> str:
        """A loaded integer as an index."""
        value, kind = self._cast(value, self._element_type(array))
        if kind == "index":
            return value
        return self._value(f"arith.index_cast %{value} : {kind} to index", "n")

    def _cast(self, value: str, kind: str) -> tuple[str, str]:
        """What the nest casts a loaded integer to, and the type of that."""
        for step in self.nest.casts:
            if cast := _cast_of(kind, step):
                to = step.replace("u", "i")
                value = self._value(f"arith.{cast} %{value} : {kind} to {to}", "k")
                kind = to
        return value, kind

    def _skipped(self, value: int, kind: str) -> int:
        """What an index to be skipped becomes by the casts, from the type that it was loaded as."""
        for step in self.nest.casts:
            cast = _cast_of(kind, step)
            value = value & 0xFFFFFFFF if cast == "extui" else value
            kind = step.replace("u", "i") if cast else kind
        return value

    @property
    def _fills(self) -> bool:
        """Whether a nest before writes the rows."""
        nest = self.nest
        # Where ranges are joined, a nest's rows are not those of the variable.
        fill = "fill" in nest.odd and nest.place == "outer" and nest.batch != "joined"
        return fill or nest.entries or nest.goes_on

    def _fill(self) -> None:
        """Rows of the outermost loop's iterations, or all of entries, are filled with zeros."""
        loop = self.nest.loops[0]
        if self.nest.entries:
            loop = Loop(count=5)
            start, stop = self._constant(0), self._constant(5)
        else:
            start, stop = self._bounds(0, loop, "")
        with self._block(f"scf.for %f = %{start} to %{stop} step %{self._constant(loop.step)}"):
            with self._elements("e"):
                self._store(self._number("0.0"), "f", "e")

    # Loops --------------------------------------------------------------------------------

    def _copy(self) -> None:
        """One loop only: a vector is copied."""
        zero, one = self._constant(0), self._constant(1)
        with self._block(f"scf.for %e = %{zero} to %{self._constant(self.nest.dim)} step %{one}"):
            x = self._load("table", "e", hint="x")
            self._line(f"memref.store %{x}, %out[%e] : {self.types['out']}")

    def _bounds(self, level: int, loop: Loop, outer: str) -> tuple[str, str]:
        if loop.bounds == "dense":
            start = self._constant(loop.start)
            if level == 0 and "bags" in self.scalars:
                return start, "bags"
            return start, self._constant(loop.start + loop.span)
        if loop.bounds == "product":
            length = self._constant(loop.span)
            start = self._value(f"arith.muli %{outer}, %{length} : index", "p")
            return start, self._value(f"arith.addi %{start}, %{length} : index", "q")
        if loop.bounds == "index":
            start = self._bound(f"starts{level}", outer)
            length = self._constant(loop.span)
            return start, self._value(f"arith.addi %{start}, %{length} : index", "q")
        if loop.bounds == "length":
            return self._constant(loop.start), self._bound(f"lengths{level}", outer)
        if loop.bounds == "from":
            end = self._constant(loop.start + 2 * loop.count)
            return self._bound(f"starts{level}", outer), end
        if loop.bounds == "two":
            return self._bound(f"starts{level}", outer), self._bound(f"ends{level}", outer)
        array = f"offsets{level}"
        if "affine" in self.nest.odd:
            return self._bound(array, outer), self._bound(array, f"{outer} + 1")
        following = self._value(f"arith.addi %{outer}, %{self._constant(1)} : index", "next")
        return self._bound(array, outer), self._bound(array, following)

    def _bound(self, array: str, at: str) -> str:
        if "affine" in self.nest.odd:
            load = f"affine.load %{self.viewed.get(array, array)}[%{at}] : {self.types[array]}"
            bound = self._value(load, "p")
        else:
            bound = self._load(array, at, hint="p")
        if not self.nest.chain:
            self._assert(bound, array)
        return self._index(bound, array)

    def _assert(self, value: str, array: str) -> None:
        """That a loaded value is at least 0, if arithmetic is done to it, or where it starts."""
        if not self.nest.asserts or not self.nest.arithmetic:
            return
        kind = self._element_type(array)
        zero = self._constant(0, kind)
        good = self._value(f"arith.cmpi sge, %{value}, %{zero} : {kind}", "good")
        self._line(f'cf.assert %{good}, "below 0"')

    def _loops(self, level: int, around: list[str]) -> None:
        """The loop ``level``, and everything below it; ``around`` are the variables outside."""
        nest = self.nest
        loop = nest.loops[level]
        start, stop = self._bounds(level, loop, around[-1] if around else "")
        self.names += 1
        variable = f"{'bgjklm'[min(level, 5)]}{self.names}"
        last = level == len(nest.loops) - 1
        held = nest.registers and level > nest.begins
        carried = last and "carried" in nest.odd and not nest.registers
        head = f"scf.for %{variable} = %{start} to %{stop} step %{self._constant(loop.step)}"
        if carried:
            total = f"total{self.names}"
            head = f"%{total} = {head} iter_args(%sum = %{self._constant('0.0', 'f32')}) -> (f32)"
        behind: list[str] = []
        if held:
            inside, behind = self._names("acc"), self._names("sum")
            pairs = zip(inside, self.held, strict=True)
            values = ", ".join(f"%{name} = %{value}" for name, value in pairs)
            head = f"{self._results(behind)} = {head} iter_args({values}) -> ({self._kinds})"
            self.held = inside
        if not held and not carried:
            head = self._plain_loop(head, level)
        with self._block(head):
            self._iteration(level, [*around, variable])
            if carried:
                self._line("scf.yield %sum : f32")
            if held:
                self._yield(self.held)
        self.held = behind

    def _plain_loop(self, head: str, level: int = 1) -> str:
        """The head of a loop that hands nothing on: in parallel, or of ``affine``."""
        odd = self.nest.odd
        variable, start, stop, step = re.findall(r"%(\w+)", head)
        literals = {name: value for (value, kind), name in self.constants.items()}
        bounds = [literals.get(name) for name in (start, stop, step)]
        # Sums of rows have an order: only the loops over rows of their own, and over elements.
        if "parallel" in odd and (level <= self.nest.begins or "e" == variable):
            return f"scf.parallel (%{variable}) = (%{start}) to (%{stop}) step (%{step})"
        if "affine" in odd and None not in bounds:
            return f"affine.for %{variable} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
        return head

    def _iteration(self, level: int, around: list[str]) -> None:
        nest = self.nest
        if level == 0 and nest.rolled:
            self.begun = around[0]
            self._begin(around)
            for copy in range(nest.copies):
                shift = self._constant(copy * nest.shift)
                at = self._value(f"arith.addi %{around[0]}, %{shift} : index", "at")
                self.outer, self.indices = at, []
                if nest.batch == "separate":
                    self.table = ("table", "table2")[copy % 2]
                self._below(0, [at], self._chain(0, [at]))
            self._end(self.row)
            return
        if level == 0:
            self.begun = around[0]
            if self.copy and nest.shift:
                shift = self._constant(self.copy * nest.shift)
                around = [self._value(f"arith.addi %{around[0]}, %{shift} : index", "at")]
                if nest.batch == "joined":
                    self.begun = around[0]
            self.outer = around[0]
            self.indices: list[str] = []
        begins = level == nest.begins
        if begins:
            self._begin(around)
        takes = begins and nest.registers
        # Indices are loaded once, or for each element.
        outside = nest.seed % 2 == 0
        indices = self._chain(level, around) if outside else []
        with self._elements("e") if takes else nullcontext():
            if not outside:
                indices = self._chain(level, around)
            if takes:
                self._take()
            self._below(level, around, indices)
            if takes:
                self._put()
        if begins and not nest.registers:
            self._end(self.row)

    def _below(self, level: int, around: list[str], indices: list[str]) -> None:
        with self._guarded(level, around[-1]):
            if level == len(self.nest.loops) - 1:
                self._rows(around, indices)
            else:
                self._loops(level + 1, around)

    # Registers ----------------------------------------------------------------------------

    @property
    def _kinds(self) -> str:
        return f"{self._kind}, i32" if self.nest.counts else self._kind

    def _names(self, hint: str) -> list[str]:
        """New names for what is in registers."""
        self.names += 1
        return [f"{hint}{self.names}", f"count{self.names}"][: 1 + self.nest.counts]

    @staticmethod
    def _results(names: list[str]) -> str:
        return ", ".join(f"%{name}" for name in names)

    def _yield(self, values: list[str]) -> None:
        self._line(f"scf.yield {self._results(values)} : {self._kinds}")

    def _take(self) -> None:
        """What sum and count begin with."""
        zero = self._number("0.0")
        if "no_init" in self.nest.odd or self._fills:
            zero = self._load(self.out, *self._element(self.row, "e"), hint="old")
        self.held = [zero, self._constant(0, "i32")][: 1 + self.nest.counts]

    def _put(self) -> None:
        """Store the sum, or the mean."""
        value = self.held[0]
        if self.nest.mean:
            count = self.held[1]
            some = self._value(
                f"arith.cmpi ne, %{count}, %{self._constant(0, 'i32')} : i32", "some"
            )
            self.names += 1
            mean = f"mean{self.names}"
            self._line(f"%{mean} = scf.if %{some} -> ({self._kind}) {{")
            self.depth += 1
            divisor = self._value(f"arith.uitofp %{count} : i32 to f32", "d")
            quotient = self._float("divf", value, self._equal(divisor))
            self._line(f"scf.yield %{quotient} : {self._kind}")
            self.depth -= 1
            with self._block("} else"):
                self._line(f"scf.yield %{value} : {self._kind}")
            value = mean
        self._store(value, self.row, "e")
        self.held = []

    @contextmanager
    def _when(self, condition: str, *, other: bool = False) -> Iterator[None]:
        """What is done under a condition, or in its other branch."""
        if not self.held:
            if other:
                self._line(f"scf.if %{condition} {{")
            with self._block("} else" if other else f"scf.if %{condition}"):
                yield
            return
        before, results = self.held, self._names("sum")
        with self._block(f"{self._results(results)} = scf.if %{condition} -> ({self._kinds})"):
            if other:
                self._yield(before)
            else:
                yield
                self._yield(self.held)
        self.lines[-1] += " else {"
        self.depth += 1
        if other:
            yield
            self._yield(self.held)
        else:
            self._yield(before)
        self.depth -= 1
        self._line("}")
        self.held = results

    def _out_row(self, around: list[str]) -> str:
        """The row of ``out`` that an iteration works on."""
        place = self.nest.place
        if place == "affine":
            twice = self._value(f"arith.muli %{around[0]}, %{self._constant(2)} : index", "o")
            return self._value(f"arith.addi %{twice}, %{self._constant(1)} : index", "o")
        if place == "pair" and len(around) > 1:
            rows = self._constant(width(self.nest))
            first = self._value(f"arith.muli %{around[0]}, %{rows} : index", "o")
            return self._value(f"arith.addi %{first}, %{around[1]} : index", "o")
        if place == "scatter":
            at = [self._constant(1)] if "edges" in self.nest.odd else []
            return self._index(self._load("places", *at, around[0], hint="o"), "places")
        if place == "fixed":
            return self._constant(1)
        if place == "inner":
            return around[-1] if len(around) > 1 else self.begun
        return self.begun

    def _begin(self, around: list[str]) -> None:
        nest = self.nest
        self.row = row = self._out_row(around)
        if nest.registers:
            return
        if nest.counts:
            self.cell = self._value("memref.alloca() : memref<i32>", "count")
            zero = self._constant(0, "i32")
            self._line(f"memref.store %{zero}, %{self.cell}[] : memref<i32>")
        if "no_init" not in nest.odd and not self._fills:
            with self._elements("e"):
                zero = self._number("0.0")
                self._store(zero, row, "e")

    @contextmanager
    def _elements(self, name: str, *, odd: bool = False) -> Iterator[None]:
        if self.flat:
            yield
            return
        start = 1 if odd and "element_start" in self.nest.odd else 0
        step = 2 if odd and "element_step" in self.nest.odd else 1
        if self.nest.vectors:
            step, self.wide = LANES, True
        stop = self.dim or self._constant(self.nest.dim)
        if odd and self.nest.moved:
            stop = self._constant(self.nest.dim - self.nest.moved)
        head = f"scf.for %{name} = %{self._constant(start)} to %{stop} step"
        twice = self.nest.unrolled
        head = self._plain_loop(f"{head} %{self._constant(step * (1 + twice))}")
        with self._block(head):
            first = len(self.lines)
            yield
            if twice:
                self._again(name, first, step)
        self.wide = False

    def _again(self, name: str, first: int, step: int) -> None:
        """The lines from ``first`` on once more, for the next element."""
        body = "\n".join(self.lines[first:])
        following = self._value(f"arith.addi %{name}, %{self._constant(step)} : index", name)
        defined = re.findall(r"%(\w+)(?:, %(\w+))* = (?!%)", body)
        inside = re.findall(r"[(,] ?%(\w+) = ", body)
        names = {n for group in defined for n in group if n} | set(inside)
        names |= set(re.findall(r"scf.for %(\w+) =", body))
        renamed = {n: f"{n}_again" for n in names} | {name: following}
        self.lines += re.sub(
            r"%(\w+)", lambda match: "%" + renamed.get(match[1], match[1]), body
        ).splitlines()

    def _end(self, row: str) -> None:
        if not self.nest.mean:
            return
        count = self._value(f"memref.load %{self.cell}[] : memref<i32>", "n")
        zero = self._constant(0, "i32")
        some = self._value(f"arith.cmpi ne, %{count}, %{zero} : i32", "some")
        with self._block(f"scf.if %{some}"):
            divisor = self._value(f"arith.uitofp %{count} : i32 to f32", "d")
            with self._elements("e"):
                acc = self._load(self.out, *self._element(row, "e"), hint="acc")
                by = self._equal(divisor)
                mean = self._value(f"arith.divf %{acc}, %{by} : {self._kind}", "mean")
                self._store(mean, row, "e")

    # Indices ------------------------------------------------------------------------------

    def _chain(self, level: int, around: list[str]) -> list[str]:
        """Load the indices of this level; returns all so far, as they were loaded."""
        nest = self.nest
        for number, index in enumerate(nest.chain):
            if nest.level(index) != level or number != len(self.indices):
                continue
            array = f"index{number}"
            at = self._index(self.indices[-1], f"index{number - 1}") if number else around[-1]
            places = [at]
            if not number and "index_2d" in nest.odd:
                places.append(self._constant(1))
            self.indices.append(self._load(array, *places, hint="i"))
        if "update_index" in nest.odd and nest.chain and level == len(nest.loops) - 1:
            first = self.indices[0]
            second = f", %{self._constant(1)}" if "index_2d" in nest.odd else ""
            name = self.viewed.get("index0", "index0")
            place = f"%{name}[%{around[nest.level(nest.chain[0])]}{second}]"
            self._line(f"memref.store %{first}, {place} : {self.types['index0']}")
        return self.indices

    @contextmanager
    def _guarded(self, level: int, variable: str) -> Iterator[None]:
        """Around what an iteration of the outermost loop does below its rows' beginning."""
        if level or not self.nest.guard:
            yield
            return
        flag = self._load("guard", variable, hint="f")
        zero = self._constant(0, "i64")
        some = self._value(f"arith.cmpi ne, %{flag}, %{zero} : i64", "set")
        with self._when(some):
            yield

    def _rows(self, around: list[str], indices: list[str]) -> None:
        """What an iteration of the innermost loop does, if its mask does not say nothing."""
        if not self.nest.mask:
            self._unmasked(around, indices)
            return
        mask = self._load("mask", around[-1], hint="m")
        some = self._value(f"arith.cmpi ne, %{mask}, %{self._constant(0, 'i32')} : i32", "some")
        with self._when(some):
            self._unmasked(around, indices)

    def _unmasked(self, around: list[str], indices: list[str]) -> None:
        """What an iteration does, if its index is not the one to be skipped."""
        nest = self.nest
        if nest.skip is None or not indices:
            self._entry(around, indices)
            return
        array = f"index{len(indices) - 1}"
        kind = self._element_type(array)
        value, skipped = indices[-1], nest.skip
        if not nest.early:
            skipped = self._skipped(nest.skip, kind)
            value, kind = self._cast(value, kind)
        skip = self._constant(skipped, kind)
        predicate = {"else": "eq"}.get(nest.form, "ne")
        operands = [value, skip]
        if nest.form == "left":
            operands.reverse()
        if "condition" in nest.odd:
            predicate = "sgt"
        compared = ", ".join(f"%{operand}" for operand in operands)
        wanted = self._value(f"arith.cmpi {predicate}, {compared} : {kind}", "wanted")
        if nest.chooses and "else" not in nest.odd:
            self.choice = wanted
            self._entry(around, indices)
            self.choice = ""
            return
        if nest.form == "else" and not {"condition", "else"} & set(nest.odd):
            with self._when(wanted, other=True):
                self._entry(around, indices)
            return
        with self._when(wanted):
            self._entry(around, indices)
        if "else" in nest.odd:
            self.lines[-1] += " else {"
            self.depth += 1
            with self._elements("e"):
                self._store(self._number("0.0"), self.row, "e")
            self.depth -= 1
            self._line("}")

    def _entry(self, around: list[str], indices: list[str]) -> None:
        nest = self.nest
        row = self._row(around, indices)
        weight = None
        if nest.weight == "column":
            # Never a vector, whatever the row is worked on as.
            places = self._element(*self._place(row), self._constant(nest.column))
            at = ", ".join(f"%{place}" for place in places)
            load = f"memref.load %{self.table}[{at}] : {self.types[self.table]}"
            weight = self._value(load, "w")
        elif nest.weight == "beside":
            weight = self._load("weights", around[-1], self._constant(nest.column), hint="w")
        elif nest.weight:
            at = around[0] if nest.weight == "outer" else around[-1]
            if nest.weight == "fixed":
                at = self._constant(2)
            if nest.weight == "index" and indices:
                at = self._index(indices[-1], f"index{len(indices) - 1}")
            weight = self._load("weights", at, hint="w")
        out_row = self.row
        if nest.registers:
            x = self._load(self.table, *self._element(*self._place(row), "e"), hint="x")
            x = self._chosen(x, "e")
            held = [self._result(x, self.held[0], weight)]
            if nest.counts:
                one = self._constant(1, "i32")
                held.append(self._value(f"arith.addi %{self.held[1]}, %{one} : i32", "n"))
            self.held = held
            return
        tables = [self.table, "table2"] if "two_tables" in nest.odd else [self.table]
        if nest.copied:
            self._copy_row(row, out_row)
        else:
            views = [self._slice(table, row) if nest.slices else () for table in tables]
            with self._elements("e", odd=True):
                for table, view in zip(tables, views, strict=True):
                    self._update(table, row, out_row, weight, view=view)
        if "side_by_side" in nest.odd:
            with self._elements("f"):
                self._update("table2", row, out_row, weight, element="f")
        if nest.counts:
            seen = self._value(f"memref.load %{self.cell}[] : memref<i32>", "n")
            more = self._value(f"arith.addi %{seen}, %{self._constant(1, 'i32')} : i32", "n")
            self._line(f"memref.store %{more}, %{self.cell}[] : memref<i32>")

    def _row(self, around: list[str], indices: list[str]) -> str:
        nest = self.nest
        if "constant_row" in nest.odd:
            return self._constant(0)
        if indices:
            self._assert(indices[-1], f"index{len(indices) - 1}")
        row = self._index(indices[-1], f"index{len(indices) - 1}") if indices else around[-1]
        if nest.blocks:
            first = self._value(f"arith.muli %{row}, %{self._constant(nest.blocks)} : index", "row")
            row = self._value(f"arith.addi %{first}, %{around[-1]} : index", "row")
        for number, (kind, amount) in enumerate(nest.arithmetic):
            operation = {"add": "addi", "mul": "muli", "shl": "shli"}.get(kind, "subi")
            literal = f"amount{number}" if nest.scalars else self._constant(amount)
            if kind == "from":
                literal = self._constant(greatest(nest)[number] + amount)
                row = self._value(f"arith.subi %{literal}, %{row} : index", "row")
                continue
            row = self._value(f"arith.{operation} %{row}, %{literal} : index", "row")
            if kind == "sub":
                # So that it stays a row, whatever the index is.
                row = self._value(f"arith.addi %{row}, %{literal} : index", "row")
        return row

    # Computation --------------------------------------------------------------------------

    def _update(
        self,
        table: str,
        row: str,
        out_row: str,
        weight: str | None,
        element: str = "e",
        view: tuple[str, ...] = (),
    ) -> None:
        source = target = element
        if self.nest.moved and element == "e":
            amount = self._constant(self.nest.moved)
            further = self._value(f"arith.addi %{element}, %{amount} : index", "further")
            source, target = (further, element) if self.nest.seed & 8 else (element, further)
        if view:
            name, kind = view
            first = "" if kind.startswith(f"memref<{self.nest.dim}xf32") else "%c0, "
            self._constant(0)
            x = self._value(f"memref.load %{name}[{first}%{element}] : {kind}", "x")
        else:
            x = self._load(table, *self._element(*self._place(row), source), hint="x")
        x = self._chosen(x, element)
        acc = self._load(self.out, *self._element(out_row, target), hint="acc")
        result = self._result(x, acc, weight)
        self._store(result, out_row, target)
        if "two_outputs" in self.nest.odd:
            self._store(x, out_row, target, array="out2")

    def _slice(self, array: str, row: str) -> tuple[str, str]:
        """A view of a row, and its type, with both dimensions or with the last one."""
        kind = row_kinds(self.nest, array)[self.nest.seed % 2]
        view = f"memref.subview %{array}[%{row}, 0] [1, {self.nest.dim}] [1, 1]"
        return self._value(f"{view} : {self.types[array]} to {kind}", "slice"), kind

    def _copy_row(self, row: str, out_row: str) -> None:
        source, kind = self._slice(self.table, row)
        target, other = self._slice(self.out, out_row)
        self._line(f"memref.copy %{source}, %{target} : {kind} to {other}")

    def _chosen(self, x: str, element: str) -> str:
        """An element, or 0 where its index or its column is not wanted."""
        zero = self._constant("0.0", "f32")
        if "columns" in self.nest.odd and not self.wide and not self.flat:
            half = self._constant((self.nest.dim + 1) // 2)
            low = self._value(f"arith.cmpi slt, %{element}, %{half} : index", "low")
            x = self._value(f"arith.select %{low}, %{x}, %{zero} : f32", "x")
        if self.choice:
            x = self._value(f"arith.select %{self.choice}, %{x}, %{zero} : f32", "x")
        return x

    def _element(self, *places: str) -> list[str]:
        """Indices of an element of a row; without rows there is no last one."""
        return list(places[:-1] if self.flat else places)

    def _store(self, value: str, *places: str, array: str = "") -> None:
        array = array or self.out
        at = ", ".join(f"%{place}" for place in self._element(*places))
        if self.wide:
            whole = f"vector.store %{value}, %{array}[{at}] : {self.types[array]}, {self._kind}"
            part = f"vector.transfer_write %{value}, %{array}[{at}] : {self._kind}, "
            self._line(whole if self._whole else part + self.types[array])
            return
        self._line(f"memref.store %{value}, %{array}[{at}] : {self.types[array]}")

    def _place(self, row: str) -> list[str]:
        """A row's place among the table's rows."""
        if "plane" in self.nest.odd:
            return [row, self._constant(1)]
        return [self.outer, row] if "planes" in self.nest.odd else [row]

    def _result(self, x: str, acc: str, weight: str | None) -> str:
        op = self.nest.op
        if op in CHOICES:
            return self._choice(x, acc)
        half = self._number("0.5") if op in ("offset", "decay", "two_literals") else ""
        if op in (*SCALED, "clamp", "two_literals"):
            weight = self._equal(weight or self._constant("1.5", "f32"))
        match op:
            case "set":
                return x
            case "fma":
                factors = [weight, x] if "swapped" in self.nest.odd else [x, weight]
                values = ", ".join(f"%{value}" for value in (*factors, acc))
                return self._value(f"math.fma {values} : {self._kind}", "r")
            case "plus":
                return self._float("addf", acc, self._float("addf", x, weight))
            case "scale":
                return self._float("mulf", x, weight)
            case "two_roundings":
                return self._float("addf", acc, self._float("mulf", x, weight))
            case "sub_product":
                return self._float("subf", acc, self._float("mulf", x, weight))
            case "negate":
                return self._float("addf", acc, self._float("negf", x))
            case "set_negated":
                return self._float("negf", x)
            case "sub":
                return self._float("subf", acc, x)
            case "sub_reversed":
                return self._float("subf", x, acc)
            case "minimum_zero":
                return self._float("minimumf", x, acc)
            case "clamp":
                zero = self._number("0.0")
                return self._float("maximumf", self._float("minimumf", x, weight), zero)
            case "offset":
                return self._float("addf", x, half)
            case "decay":
                return self._float("addf", self._float("mulf", acc, half), x)
            case "square":
                return self._float("mulf", x, x)
            case "two_literals":
                return self._float("addf", self._float("mulf", x, weight), half)
            case "add_reversed":
                return self._float("addf", x, acc)
        return self._float("addf", acc, x)

    def _float(self, operation: str, *operands: str | None) -> str:
        if "swapped" in self.nest.odd and operation in ("addf", "mulf", "maximumf", "minimumf"):
            operands = operands[::-1]
        values = ", ".join(f"%{x}" for x in operands)
        return self._value(f"arith.{operation} {values} : {self._kind}", "r")

    def _choice(self, x: str, acc: str) -> str:
        op = self.nest.op
        if self.held:
            seen = self.held[1]
        else:
            seen = self._value(f"memref.load %{self.cell}[] : memref<i32>", "n")
        none = self._constant(0, "i32")
        take = self._value(f"arith.cmpi eq, %{seen}, %{none} : i32", "first")
        if op in ("maximum", "minimum"):
            acc = self._float(f"{op}f", acc, x)
            return self._value(f"arith.select %{take}, %{x}, %{acc} : f32", "r")
        predicate = "olt" if op == "min" else "ogt"
        wins = self._value(f"arith.cmpf {predicate}, %{x}, %{acc} : f32", "wins")
        take = self._value(f"arith.ori %{wins}, %{take} : i1", "take")
        if op == "maxn":
            nan = self._value(f"arith.cmpf uno, %{x}, %{x} : f32", "nan")
            number = self._value(f"arith.cmpf ord, %{acc}, %{acc} : f32", "number")
            only = self._value(f"arith.andi %{nan}, %{number} : i1", "only")
            take = self._value(f"arith.ori %{take}, %{only} : i1", "take")
        return self._value(f"arith.select %{take}, %{x}, %{acc} : f32", "r")


def _cast_of(kind: str, step: str) -> str:
    """The operation that casts an integer type to one of ``CASTS``; empty if it is that already."""
    to = step.replace("u", "i")
    if kind == to:
        return ""
    if "index" in (kind, to):
        return "index_cast"
    return "trunci" if to == "i32" else "extui" if step == "u64" else "extsi"

"""What a bag operation is: the front end's input."""

from dataclasses import dataclass

MODES = ("sum", "mean", "max")
#: Every lookup is a bag of its own, whose row is copied bit for bit.
NO_POOLING = "none"
INTEGERS = ("i32", "i64")
NANS = ("torch", "propagate")

#: Arguments of a bag operation, in order; ``weights`` only if weighted, ``offsets`` only if the
#: bags are not all of one length.
ROLES = ("offsets", "indices", "table", "weights", "out")


@dataclass(frozen=True)
class Array:
    """An argument's shape: element type (``i32``, ``i64``, ``f32``), sizes, strides in elements."""

    element: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...] = (1,)

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""
        return 8 if self.element == "i64" else 4

    @property
    def extent(self) -> int:
        """Bytes from the first element to the end of the last."""
        if not all(self.sizes):
            return 0
        last = sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))
        return (1 + last) * self.element_bytes


@dataclass(frozen=True)
class BagSpec:
    """One table's EmbeddingBag, with every shape known.

    ``roles`` are the arrays that it works on.

    Parameters
    ----------
    name : str
        The table's name in messages, in the IR and as the key of :meth:`Compilation.link`.
    rows, dim : int
        Shape of the table. The elements of a row are consecutive.
    bags : int
        Output rows; the offsets array has ``bags + 1`` entries.
    lookups : int
        Entries of the index array (and of the weights).
    index_type, offset_type : str
        ``i32`` or ``i64``.
    mode : str
        ``sum``, ``mean`` or ``max``. An empty bag is a row of +0.0 in every mode. ``none``: no
        pooling, each bag is one lookup (``pooling=1``) without weight and padding.
    weighted : bool
        One fp32 weight per lookup (sum only).
    padding_idx : int or None
        Lookups of this row contribute nothing and do not count in the mean.
    nan : str
        For max: ``torch`` (an entry replaces only if greater), or ``propagate``.
    fma : bool or None
        Weighted rounding: one rounding, two, or as torch does (two if ``padding_idx`` is set).
    out_stride : int or None
        Elements from one output row to the next, at least ``dim`` (None: ``dim``).
    pooling : int or None
        Every bag has this many lookups, and there is no offsets array.
    table_stride : int or None
        Elements from one table row to the next, at least ``dim`` (None: ``dim``).

    Raises
    ------
    TypeError
        A value of another type.
    ValueError
        A value out of range, or two that do not fit together.
    """

    name: str
    rows: int
    dim: int
    bags: int
    lookups: int
    index_type: str = "i64"
    offset_type: str = "i64"
    mode: str = "sum"
    weighted: bool = False
    padding_idx: int | None = None
    nan: str = "torch"
    fma: bool | None = None
    out_stride: int | None = None
    pooling: int | None = None
    table_stride: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string, not {self.name!r}")
        if not self.name:
            raise ValueError("name must not be empty")
        self._integer("rows", 0)
        self._integer("dim", 1)
        self._integer("bags", 0)
        self._integer("lookups", 0)
        for field, allowed in (
            ("index_type", INTEGERS),
            ("offset_type", INTEGERS),
            ("mode", (*MODES, NO_POOLING)),
            ("nan", NANS),
        ):
            value = getattr(self, field)
            if value not in allowed:
                raise self._error(field, f"one of {', '.join(allowed)}", value)
        if not isinstance(self.weighted, bool):
            value = self.weighted
            raise TypeError(f"weighted of table {self.name!r} must be a bool, not {value!r}")
        if self.fma is not None and not isinstance(self.fma, bool):
            raise TypeError(f"fma of table {self.name!r} must be a bool or None, not {self.fma!r}")
        if self.weighted and self.mode != "sum":
            raise ValueError(
                f"table {self.name!r} is weighted: mode must be 'sum', not {self.mode!r}"
            )
        if self.padding_idx is not None:
            self._integer("padding_idx", 0)
            if self.padding_idx >= self.rows:
                raise self._error("padding_idx", f"below its {self.rows} rows", self.padding_idx)
        for field in ("out_stride", "table_stride"):
            value = getattr(self, field)
            if value is not None:
                self._integer(field, 0)
                if value < self.dim:
                    raise self._error(field, f"at least its dim {self.dim}", value)
        if self.mode == NO_POOLING and (self.pooling != 1 or self.padding_idx is not None):
            raise ValueError(
                f"table {self.name!r} has mode {self.mode!r}: pooling must be 1 and padding_idx "
                f"None, not {self.pooling!r} and {self.padding_idx!r}"
            )
        if self.pooling is not None:
            self._integer("pooling", 1)
            if self.lookups != self.bags * self.pooling:
                what = f"its {self.bags} bags times its pooling {self.pooling}"
                raise self._error("lookups", what, self.lookups)

    def _integer(self, field: str, low: int) -> None:
        value = getattr(self, field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{field} of table {self.name!r} must be an integer, not {value!r}")
        if value < low:
            raise self._error(field, f"at least {low}", value)

    def _error(self, field: str, what: str, value: object) -> ValueError:
        return ValueError(f"{field} of table {self.name!r} must be {what}, not {value!r}")

    @property
    def stride(self) -> int:
        """Elements from one output row to the next."""
        return self.dim if self.out_stride is None else self.out_stride

    @property
    def fused_multiply_add(self) -> bool:
        """Whether a weighted sum rounds once per lookup."""
        return self.padding_idx is None if self.fma is None else self.fma

    @property
    def arrays(self) -> dict[str, Array]:
        """The shape of each argument, by role."""
        table_stride = self.dim if self.table_stride is None else self.table_stride
        arrays = {
            "offsets": Array(self.offset_type, (self.bags + 1,)),
            "indices": Array(self.index_type, (self.lookups,)),
            "table": Array("f32", (self.rows, self.dim), (table_stride, 1)),
            "weights": Array("f32", (self.lookups,)),
            "out": Array("f32", (self.bags, self.dim), (self.stride, 1)),
        }
        return {role: arrays[role] for role in self.roles}

    @property
    def roles(self) -> tuple[str, ...]:
        """The arguments that this operation has."""
        absent = {"weights"} if not self.weighted else set()
        absent |= {"offsets"} if self.pooling is not None else set()
        return tuple(role for role in ROLES if role not in absent)

"""The functions and classes of ``import ember``."""

from collections.abc import Sequence

from .bag import MODES, NO_POOLING, Bag, boolean, choice
from .compiled import CompiledBags
from .lookup import Lookup
from .options import run_options
from .parts import Config
from .result import Result
from .validate import check_lookups


def compile_bag(bag: Bag, config: Config | None = None, opt: str = "O3") -> CompiledBags:
    """Compile one embedding-bag operation.

    Parameters
    ----------
    bag : its shape
    config : of the machine; None is the ``default`` preset
    opt : optimization level, ``"O0"`` .. ``"O3"``
    """
    return compile_bags([bag], config, opt)


def compile_bags(
    bags: Sequence[Bag], config: Config | None = None, opt: str = "O3"
) -> CompiledBags:
    """Compile several, which then run together; see :class:`CompiledBags`."""
    return CompiledBags(bags, _machine(config), opt)


def _machine(config: Config | None) -> Config:
    """The configuration, or the default one.

    Raises
    ------
    TypeError
        It is something else.
    """
    if config is not None and not isinstance(config, Config):
        raise TypeError(f"config must be a Config, not {type(config).__name__}")
    return Config() if config is None else config


def embedding_bag(
    table: object,
    indices: object,
    offsets: object = None,
    *,
    lengths: object = None,
    per_sample_weights: object = None,
    mode: str = "mean",
    padding_idx: int | None = None,
    include_last_offset: bool = False,
    nan: str = "torch",
    fma: bool | None = None,
    max_norm: float | None = None,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
    name: str | None = None,
    config: Config | None = None,
    opt: str = "O3",
    **options,
) -> Result:
    """Compile and run one embedding-bag operation.

    Parameters
    ----------
    table : float32 [rows, dim]
    indices : int32 or int64, [lookups] with ``offsets`` or ``lengths``, or [bags, L] without
    offsets, lengths, per_sample_weights, mode, padding_idx, include_last_offset, nan, fma, name :
        see :class:`Lookup`
    max_norm : must be None
    scale_grad_by_freq, sparse : of the backward pass only, ignored
    config : of the machine; None is the ``default`` preset
    opt : optimization level, ``"O0"`` .. ``"O3"``
    options : of the run, see :class:`RunOptions`: ``engine="rtl"``, ``"functional"``,
        ``"cpu"``, ``"board"`` (with ``port`` and ``baud``) or ``"board-sim"``, ``latency``,
        ``seed``, ``max_cycles``, ``max_seconds``, ``wave``, ``trace``, ``progress``

    Raises
    ------
    TypeError, ValueError
        An argument of a wrong type or value; the message has name, position, value and range.
    RuntimeError
        The run failed: a hang, a missing tool, a machine that reports an error.
    """
    choice(mode, "mode", MODES)
    boolean(scale_grad_by_freq, "scale_grad_by_freq")
    boolean(sparse, "sparse")
    lookup = Lookup(
        table, indices, offsets, lengths, per_sample_weights, mode, padding_idx,
        include_last_offset, nan, fma, max_norm, name,
    )  # fmt: skip
    return embedding_bags([lookup], config=config, opt=opt, **options)


def embedding(
    table: object,
    indices: object,
    *,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
    name: str | None = None,
    config: Config | None = None,
    opt: str = "O3",
    **options,
) -> Result:
    """Compile and run a lookup without pooling, as ``torch.nn.functional.embedding``.

    ``result.output`` has the shape of ``indices``, and the row's elements last. Every row is copied
    bit for bit, NaN and -0.0 included. Where the machine has store streams (``store_streams = 1``)
    the access unit stores the rows; else the execute unit does.

    Parameters
    ----------
    table : float32 [rows, dim]
    indices : int32 or int64, [lookups] or [bags, L]
    padding_idx, scale_grad_by_freq, sparse : of the backward pass only, ignored
    max_norm : must be None
    name, config, opt, options : as for :func:`embedding_bag`

    Raises
    ------
    TypeError, ValueError
        An argument of a wrong type or value; the message has name, position, value and range.
    RuntimeError
        The run failed: a hang, a missing tool, a machine that reports an error.
    """
    boolean(scale_grad_by_freq, "scale_grad_by_freq")
    boolean(sparse, "sparse")
    settings, machine = run_options(options), _machine(config)
    lookup = Lookup(table, indices, mode=NO_POOLING, max_norm=max_norm, name=name)
    [request] = check_lookups([lookup], config=machine)
    # Checked, and then of no use: the row of padding is copied as any other.
    Bag(request.bag.rows, 0, 0, 0, padding_idx=padding_idx, name=request.name)
    return compile_bag(request.bag, machine, opt).run_checked([request], settings)


def embedding_bags(
    lookups: Sequence[Lookup], *, config: Config | None = None, opt: str = "O3", **options
) -> Result:
    """Compile several lookups and run them together; see :func:`embedding_bag`."""
    settings = run_options(options)
    requests = check_lookups(lookups, config=_machine(config))
    compiled = compile_bags([request.bag for request in requests], config, opt)
    return compiled.run_checked(requests, settings)


class EmbeddingBag:
    """A table with the settings of its lookups, called like ``torch.nn.EmbeddingBag``.

    Compilations are kept, so that a call with as many bags and indices as one before compiles
    nothing.

    Parameters
    ----------
    table : float32 [rows, dim]; used in place
    mode, padding_idx, include_last_offset, nan, fma, max_norm : see :class:`Lookup`
    scale_grad_by_freq, sparse : of the backward pass only, ignored
    config, opt, options : see :func:`embedding_bag`
    """

    def __init__(
        self,
        table: object,
        *,
        mode: str = "mean",
        padding_idx: int | None = None,
        include_last_offset: bool = False,
        nan: str = "torch",
        fma: bool | None = None,
        max_norm: float | None = None,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        config: Config | None = None,
        opt: str = "O3",
        **options,
    ) -> None:
        choice(mode, "mode", MODES)
        boolean(scale_grad_by_freq, "scale_grad_by_freq")
        boolean(sparse, "sparse")
        self._settings: dict = dict(
            mode=mode, padding_idx=padding_idx, include_last_offset=include_last_offset, nan=nan,
            fma=fma, max_norm=max_norm,
        )  # fmt: skip
        self._table, self._config, self._opt = table, _machine(config), opt
        self._options = run_options(options)
        self._compiled: dict[Bag, CompiledBags] = {}
        # No bags at all: checks the table and the settings now rather than at the first call.
        check_lookups(
            [Lookup(table, [], [0][:include_last_offset], **self._settings)], config=self._config
        )

    @classmethod
    def from_torch(cls, module, **options) -> "EmbeddingBag":
        """The same operation as a ``torch.nn.EmbeddingBag``, on its weight in place.

        Raises
        ------
        TypeError
            It is no such module, or its weight is not float32.
        ValueError
            It has ``max_norm``.
        """
        names = ("mode", "padding_idx", "include_last_offset", "max_norm")
        missing = [name for name in ("weight", *names) if not hasattr(module, name)]
        if missing:
            raise TypeError(
                f"module must be a torch.nn.EmbeddingBag, not {type(module).__name__} "
                f"(it has no {missing[0]})"
            )
        settings = {name: getattr(module, name) for name in names}
        return cls(module.weight, **settings, **options)

    def __call__(
        self,
        indices: object,
        offsets: object = None,
        per_sample_weights: object = None,
        *,
        lengths: object = None,
    ) -> Result:
        """Look up; arguments as for :func:`embedding_bag`."""
        requests = check_lookups(
            [Lookup(self._table, indices, offsets, lengths, per_sample_weights, **self._settings)],
            config=self._config,
        )
        bag = requests[0].bag
        if bag not in self._compiled:
            self._compiled[bag] = compile_bag(bag, self._config, self._opt)
        return self._compiled[bag].run_checked(requests, self._options)

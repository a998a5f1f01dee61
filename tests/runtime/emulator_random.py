"""Random calls of every function that the emulator's CuPy forwards, once on NumPy's arrays and once on device arrays.

The arrays of a call are views of two bases, on the host and on the device alike: of any order, with gaps, with negative steps, and
overlapping each other. Afterwards results, what became of both bases, and which result is a view of what must be the same.

    Calls(module, seed).run(name) makes one call; names() lists what there is.
"""

import random
import warnings

import numpy as np

N_ELEMENTS = 64
DTYPES = {"f": np.float64, "i": np.int64, "b": np.bool_, "c": np.complex128, "s": np.float32}


class Pair:
    """The same view on the host and on the device."""

    def __init__(self, host, device):
        self.host, self.device = host, device


def side(value, name):
    """`value` with the arrays of one side for its pairs."""
    if isinstance(value, Pair):
        return getattr(value, name)
    if isinstance(value, (tuple, list)):
        return type(value)(side(entry, name) for entry in value)
    return value


class Draw:
    """What the arguments of one call are drawn from."""

    def __init__(self, xp, random):
        self.xp, self.random, self.bases = xp, random, {}

    def base(self, kind):
        if kind not in self.bases:
            values = [self.random.randint(-4, 9) for _ in range(N_ELEMENTS)]
            if kind == "b":
                values = [value > 2 for value in values]
            elif kind == "c":
                values = [value + 1j * self.random.randint(-3, 3) for value in values]
            elif kind in "fs":
                values = [value + self.random.choice((0, 0.5)) for value in values]
            host = np.array(values, DTYPES[kind])
            self.bases[kind] = Pair(host, self.xp.asarray(host))
        return self.bases[kind]

    def kind(self, kinds="fis"):
        return self.random.choice(kinds)

    def array(self, shape=None, kind=None, spread=False):
        """A view of a base; with `spread` no element of it lies on another."""
        shape = self.shape() if shape is None else shape
        base = self.base(kind or self.kind())
        order = self.random.sample(range(len(shape)), len(shape))
        strides, step = [0] * len(shape), 1
        for axis in order:
            strides[axis] = step * self.random.choice((1, 1, -1))
            step *= max(shape[axis], 1)
            if step * 2 * max(shape[axis], 1) < N_ELEMENTS // 2 and self.random.random() < 0.3:
                strides[axis] *= 2
                step *= 2
        if shape and not spread and self.random.random() < 0.1:
            strides[self.random.randrange(len(shape))] = self.random.choice((0, 1))
        low = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride < 0 and extent)
        high = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if stride > 0 and extent)
        assert high - low < N_ELEMENTS, (shape, strides)
        start = self.random.randrange(-low, N_ELEMENTS - high)
        size = base.host.itemsize
        strides = tuple(stride * size for stride in strides)
        host = np.ndarray(shape, base.host.dtype, base.host, start * size, strides)
        return Pair(host, self.xp.ndarray(shape, base.host.dtype, base.device.data + start * size, strides))

    def shape(self, ranks=(1, 1, 2, 2, 3)):
        return tuple(self.random.choice((1, 2, 2, 3)) for _ in range(self.random.choice(ranks)))

    def square(self, kind=None):
        return self.array((3, 3), kind)

    def vector(self, kind=None):
        return self.array((self.random.randint(1, 7),), kind)

    def axis(self, array):
        return self.random.randrange(-array.host.ndim, array.host.ndim)

    def alike(self, array, kind=None):
        return self.array(array.host.shape, kind)

    def one_of(self, *choices):
        return self.random.choice(choices)


def _reduce(d, kinds="fis"):
    a = d.array(kind=d.kind(kinds))
    return (a,), {"axis": d.one_of(None, d.axis(a)), "keepdims": d.one_of(True, False)}


def _arg(d):
    a = d.array()
    return (a,), {"axis": d.one_of(None, d.axis(a))}


def _one(kinds="fis", ranks=(1, 1, 2, 2, 3)):
    return lambda d: ((d.array(d.shape(ranks), d.kind(kinds)),), {})


def _two(kinds="fis"):
    def draw(d):
        a = d.array(kind=d.kind(kinds))
        return (a, d.alike(a, d.kind(kinds))), {}

    return draw


def _axis(positional=True):
    def draw(d):
        a = d.array()
        return (a, d.axis(a)), {}

    return draw


def _sequence(d):
    a = d.array()
    return ([a, d.alike(a), d.alike(a)],), {}


def _vectors(n, kind="f"):
    return lambda d: (tuple(d.vector(kind) for _ in range(n)), {})


def _numbers(*values, **keywords):
    return lambda d: (values, keywords)


def _masked(d):
    a = d.array(spread=True)
    return a, d.alike(a, "b")


def _split(d):
    n = d.one_of(1, 2, 3)
    a = d.array((n, n, n))
    return (a, n), {}


def _indices(d, extent, shape=None):
    return Pair(*_constant(d, np.array([d.random.randrange(-extent, extent) for _ in range(3)]) if shape is None else shape))


def _constant(d, values):
    return values, d.xp.asarray(values)


def _solvable(d, *more):
    a = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]]) + d.random.random()
    return (Pair(*_constant(d, np.asfortranarray(a) if d.one_of(True, False) else a)), *more)


def _take(d):
    a = d.array()
    axis = d.axis(a)
    return (a, _indices(d, a.host.shape[axis])), {"axis": axis}


def _along(d, *values):
    a = d.array(spread=True)
    axis = d.axis(a)
    extent = a.host.shape[axis]
    indices = np.array([d.random.randrange(extent) for _ in range(a.host.size)], np.int64).reshape(a.host.shape)
    return (a, Pair(*_constant(d, indices)), *values, axis), {}


def _put(d):
    a = d.array(spread=True)
    places = np.array(d.random.sample(range(a.host.size), min(2, a.host.size)))
    return (a, Pair(*_constant(d, places)), d.one_of(3, [1, 2])), {"mode": d.one_of("raise", "clip", "wrap")}


def _quantile(scale):
    def draw(d):
        a = d.array(kind="f")
        return (a, d.one_of(0.5 * scale, [0.25 * scale, scale])), {"axis": d.one_of(None, d.axis(a))}

    return draw


def _clip(d):
    a = d.array()
    return (a, d.one_of(None, 0, d.alike(a)), 2), {}


def _average(d):
    a = d.array(kind="f")
    weights = np.arange(1.0, a.host.size + 1).reshape(a.host.shape)
    return (a,), {"weights": Pair(*_constant(d, weights)), "returned": d.one_of(True, False)}


def _norm(d):
    a = d.array(d.shape((1, 2)), "f")
    return (a,), {"axis": d.one_of(None, d.axis(a))}


def _fill_diagonal(d):
    return (d.array(d.one_of((3, 3), (4, 2), (2, 2, 2)), spread=True), d.one_of(7, d.vector())), {"wrap": d.one_of(True, False)}


def _roll(d):
    a = d.array()
    return (a, d.one_of(1, -2)), {"axis": d.one_of(None, d.axis(a))}


def _copyto(d):
    a = d.array(spread=True)
    return (a, d.one_of(5, d.alike(a), d.array((1,)))), {"casting": "unsafe", "where": d.one_of(True, d.alike(a, "b"))}


def _matmul(d):
    return (d.array((2, 3), "f"), d.array(d.one_of((3,), (3, 2)), "f")), {}


def _with_axes(d):
    a = d.array(d.shape((2, 3)))
    return (a, d.axis(a), d.axis(a)), {}


def _along_function(d):
    a = d.array(kind="f")
    return (lambda row: row.sum() * 2, d.axis(a), a), {}


def _histogram(d):
    return (d.vector("f"),), {"bins": d.one_of(4, 3), "range": d.one_of(None, (-3.0, 9.0))}


SPECIAL = {
    **dict.fromkeys(
        "all any amax amin max min mean sum prod ptp std var median nanmax nanmin nanmean nansum nanprod nanstd nanvar "
        "nanmedian".split(),
        _reduce,
    ),
    **dict.fromkeys(
        "argmax argmin nanargmax nanargmin cumprod cumsum nancumprod nancumsum count_nonzero argsort sort unique "
        "flip squeeze_axis".split(),
        _arg,
    ),
    **dict.fromkeys("allclose array_equal array_equiv isclose append outer vdot kron".split(), _two("fi")),
    **dict.fromkeys("intersect1d setdiff1d setxor1d union1d isin".split(), _two("i")),
    **dict.fromkeys("fliplr flipud rot90 tril triu diag_indices_from".split(), _one(ranks=(2,))),
    **dict.fromkeys("matrix_transpose diagonal trace swap".split(), _one(ranks=(2, 3))),
    **dict.fromkeys("flatten atleast_1d atleast_2d atleast_3d".split(), _one(ranks=(0, 1, 2, 3))),
    **dict.fromkeys("diag diagflat trim_zeros vander sort_complex".split(), _one("fi", ranks=(1,))),
    **dict.fromkeys("isneginf isposinf real_if_close nan_to_num unwrap ediff1d diff".split(), _one("fs")),
    **dict.fromkeys("angle real imag iscomplex isreal iscomplexobj isrealobj conj conjugate".split(), _one("fic")),
    **dict.fromkeys(
        "fft fft2 fftn fftshift hfft ifft ifft2 ifftn ifftshift".split(), lambda d: ((d.array((2, 4), d.kind("fc")),), {})
    ),
    **dict.fromkeys("irfft irfft2 irfftn".split(), lambda d: ((d.array((2, 4), "c"),), {})),
    **dict.fromkeys("rfft rfft2 rfftn ihfft".split(), lambda d: ((d.array((2, 4), "f"),), {})),
    **dict.fromkeys("fftfreq rfftfreq".split(), _numbers(6, 0.5)),
    **dict.fromkeys("bartlett blackman hamming hanning".split(), _numbers(5)),
    **dict.fromkeys("concatenate concat column_stack dstack hstack vstack row_stack stack".split(), _sequence),
    **dict.fromkeys("array_split split dsplit hsplit vsplit".split(), _split),
    **dict.fromkeys("convolve correlate".split(), _vectors(2)),
    **dict.fromkeys("polyadd polysub polymul polyval".split(), _vectors(2)),
    **dict.fromkeys("swapaxes".split(), _with_axes),
    **dict.fromkeys(
        "cholesky det eigh eigvalsh inv slogdet qr cond matrix_rank pinv svd eigvals eig".split(), lambda d: (_solvable(d), {})
    ),
    "solve": lambda d: (_solvable(d, d.array((3,), "f")), {}),
    "lstsq": lambda d: (_solvable(d, d.array((3,), "f")), {"rcond": None}),
    "matrix_power": lambda d: ((d.square("f"), d.one_of(0, 1, 3)), {}),
    "tensorsolve": lambda d: (_solvable(d, d.array((3,), "f")), {}),
    "tensorinv": lambda d: (_solvable(d), {"ind": 1}),
    "norm": _norm,
    "apply_along_axis": _along_function,
    "apply_over_axes": lambda d: ((lambda a, axis: a.sum(axis, keepdims=True), d.array((2, 2), "f"), [0, 1]), {}),
    "arange": _numbers(1, 9, 2),
    "argpartition": lambda d: ((d.array((5,)), 2), {}),
    "partition": lambda d: ((d.array((5,), spread=True), 2), {}),
    "astype": lambda d: ((d.array(kind="f"), np.float32), {}),
    "average": _average,
    "base_repr": _numbers(5),
    "binary_repr": _numbers(5),
    "bincount": lambda d: ((Pair(*_constant(d, np.array([0, 2, 2, 1]))),), {"minlength": d.one_of(0, 6)}),
    "broadcast_arrays": lambda d: ((d.array((2, 3)), d.array((3,)), d.array((2, 1))), {}),
    "broadcast_shapes": _numbers((2, 1), (3,)),
    "broadcast_to": lambda d: ((d.array((3,)), d.one_of((3,), (2, 3))), {}),
    "can_cast": _numbers(np.int32, np.float64),
    "choose": lambda d: ((Pair(*_constant(d, np.array([0, 1, 1]))), d.array((2, 3))), {"mode": d.one_of("raise", "clip", "wrap")}),
    "clip": _clip,
    "common_type": _one("fs"),
    "compress": lambda d: ((d.array((3,), "b"), d.array((3, 2))), {"axis": 0}),
    "copyto": _copyto,
    "corrcoef": lambda d: ((d.array((2, 3), "f"),), {}),
    "cov": lambda d: ((d.array((2, 3), "f"),), {"rowvar": d.one_of(True, False)}),
    "cross": lambda d: ((d.array((2, 3), "f"), d.array((2, 3), "f")), {}),
    "cumulative_prod": _arg,
    "cumulative_sum": _arg,
    "delete": lambda d: ((d.array((4,)), d.one_of(1, [0, 2])), {}),
    "diag_indices": _numbers(3),
    "digitize": lambda d: ((d.vector("f"), Pair(*_constant(d, np.array([0.0, 1.0, 5.0])))), {}),
    "dot": _matmul,
    "inner": lambda d: ((d.array((2, 3), "f"), d.array((3,), "f")), {}),
    "matmul": _matmul,
    "einsum": lambda d: (("ij,j->i", d.array((2, 3), "f"), d.array((3,), "f")), {}),
    "expand_dims": _axis(),
    "extract": lambda d: (_masked(d)[::-1], {}),
    "eye": _numbers(3, 4, 1),
    "fill_diagonal": _fill_diagonal,
    "frombuffer": _numbers(b"12345678"),
    "fromfunction": _numbers(lambda i, j: i + j, (2, 3)),
    "fromiter": lambda d: (([1, 2, 3], float), {}),
    "fromstring": lambda d: (("1 2 3",), {"sep": " "}),
    "format_float_positional": lambda d: ((d.array((), "f"),), {}),
    "format_float_scientific": lambda d: ((d.array((), "f"),), {}),
    "gradient": lambda d: ((d.array((3, 3), "f"),), {}),
    "histogram": _histogram,
    "histogram2d": lambda d: ((d.array((5,), "f"), d.array((5,), "f")), {"bins": 3}),
    "histogramdd": lambda d: ((d.array((4, 2), "f"),), {"bins": 3}),
    "identity": _numbers(3),
    "indices": _numbers((2, 3)),
    "interp": lambda d: ((d.vector("f"), Pair(*_constant(d, np.array([0.0, 2.0, 5.0]))), d.array((3,), "f")), {}),
    "isscalar": lambda d: ((d.one_of(3, d.array()),), {}),
    "ix_": lambda d: ((d.array((2,), "i"), d.array((3,), "i")), {}),
    "kaiser": _numbers(5, 3.0),
    "lexsort": lambda d: ((d.array((2, 4)),), {}),
    "linspace": lambda d: ((0, 4), {"num": d.one_of(3, 5), "retstep": d.one_of(True, False)}),
    "logspace": _numbers(0, 2, 4),
    "mask_indices": None,  # its function takes a host array in CuPy too
    "may_share_memory": _two(),
    "shares_memory": _two(),
    "meshgrid": lambda d: ((d.array((2,)), d.array((3,))), {"indexing": d.one_of("xy", "ij"), "copy": d.one_of(True, False)}),
    "moveaxis": _with_axes,
    "nan_to_num": lambda d: ((d.array(kind=d.kind("fsi"), spread=True),), {"copy": d.one_of(True, False), "nan": 3.0}),
    "packbits": lambda d: ((d.vector("b"),), {}),
    "pad": lambda d: ((d.array(), d.one_of(1, 2)), {"mode": d.one_of("constant", "edge", "wrap")}),
    "percentile": _quantile(100),
    "quantile": _quantile(1),
    "permute_dims": lambda d: ((d.array((2, 3, 2)), d.one_of((1, 0, 2), (2, 0, 1))), {}),
    "piecewise": lambda d: ((a := d.array(kind="f"), [d.alike(a, "b")], [lambda v: v * 2, 5]), {}),
    "place": lambda d: ((*_masked(d), [7, 8]), {}),
    "poly": lambda d: ((d.vector("f"),), {}),
    "polyfit": lambda d: ((Pair(*_constant(d, np.arange(6.0))), d.array((6,), "f"), 2), {}),
    "roots": lambda d: ((Pair(*_constant(d, np.array([1.0, -3.0, 2.0]))),), {}),
    "put": _put,
    "put_along_axis": lambda d: _along(d, d.one_of(4, -1)),
    "take_along_axis": _along,
    "putmask": lambda d: ((*_masked(d), d.one_of(3, d.vector("i"))), {}),
    "ravel": lambda d: ((d.array(),), {"order": d.one_of("C", "F", "K")}),
    "ravel_multi_index": lambda d: (((d.array((2,), "i"), d.array((2,), "i")), (3, 4)), {"mode": "wrap"}),
    "unravel_index": lambda d: ((Pair(*_constant(d, np.array([1, 5]))), (2, 3)), {}),
    "repeat": lambda d: ((a := d.array(), d.one_of(0, 2)), {"axis": d.one_of(None, d.axis(a))}),
    "require": lambda d: ((d.array(),), {"requirements": "C"}),
    "reshape": lambda d: ((a := d.array(), d.one_of(-1, a.host.shape[::-1], (1, *a.host.shape))), {"order": d.one_of("C", "F")}),
    "resize": lambda d: ((d.array(), (2, 5)), {}),
    "result_type": _one(),
    "roll": _roll,
    "rollaxis": _axis(),
    "rot90": lambda d: ((d.array((2, 3)),), {"k": d.random.randint(-1, 4)}),
    "round": lambda d: ((d.array(kind="f"), d.one_of(0, 1)), {}),
    "around": lambda d: ((d.array(kind="f"), d.one_of(0, 1)), {}),
    "searchsorted": lambda d: (
        (Pair(*_constant(d, np.array([0.0, 1.0, 4.0]))), d.vector("f")),
        {"side": d.one_of("left", "right")},
    ),
    "select": lambda d: (([d.array((3,), "b"), d.array((3,), "b")], [d.array((3,), "f"), d.array((3,), "f")]), {}),
    "sliding_window_view": lambda d: ((d.array((5,)), 3), {}),
    "take": _take,
    "tensordot": lambda d: ((d.array((2, 3), "f"), d.array((3, 2), "f")), {"axes": 1}),
    "tile": lambda d: ((d.array(), d.one_of(2, (2, 1))), {}),
    "transpose": lambda d: ((a := d.array(), d.one_of(None, tuple(d.random.sample(range(a.host.ndim), a.host.ndim)))), {}),
    "trapezoid": lambda d: ((d.array((2, 4), "f"),), {"dx": 0.5}),
    "tri": _numbers(3, 4),
    "tril_indices": _numbers(3),
    "triu_indices": _numbers(3),
    "tril_indices_from": lambda d: ((d.square(),), {}),
    "triu_indices_from": lambda d: ((d.square(),), {}),
    "diag_indices_from": lambda d: ((d.square(),), {}),
    "unpackbits": lambda d: ((Pair(*_constant(d, np.array([3, 200], np.uint8))),), {}),
    "where": lambda d: ((a := d.array(kind="b"), d.alike(a), d.one_of(4, d.alike(a))), {}),
    **dict.fromkeys(
        "fromfile genfromtxt load loadtxt save savetxt savez savez_compressed".split(), None
    ),  # files: see the tests by name
}
METHODS_ONLY = {
    "clip": lambda d: ((d.array(), -1, 2), {}),
    "compress": lambda d: ((d.array((3, 2)), d.array((3,), "b")), {"axis": 0}),
    "sort": lambda d: ((a := d.array(spread=True), d.axis(a)), {}),
    "cumsum": _arg,
    "cumprod": _arg,
    "nonzero": _one(),
}


class Calls:
    """Random calls of a module's functions."""

    def __init__(self, xp, seed):
        self.xp, self.random = xp, random.Random(seed)

    def names(self):
        """Every function: ("", name), ("linalg", name), ("fft", name), ("lib.stride_tricks", name), ("ndarray", name)."""
        from pkwrap.emulator.cupy import _names

        tables = {"": _names.FUNCTIONS, "linalg": _names.LINALG, "fft": _names.FFT, "lib.stride_tricks": _names.STRIDE_TRICKS}
        for module, table in tables.items():
            for line in table.strip().splitlines():
                name = line.split()[0]
                if hasattr(_find(self.xp, module), name) and SPECIAL.get(name, True) is not None:
                    yield module, name
        yield from (("", name) for name in _names.UFUNCS.split() if hasattr(self.xp, name))
        yield from (("ndarray", line.split()[0]) for line in _names.METHODS.strip().splitlines())

    def run(self, module, name):
        """One call on both sides. AssertionError tells what differs."""
        draw = Draw(self.xp, self.random)
        device_function, host_function = getattr(_find(self.xp, module), name), self._host_function(module, name)
        args, keywords = self._arguments(draw, module, name, host_function)
        what = f"{module or 'cupy'}.{name}{side(args, 'host')}{ {key: side(value, 'host') for key, value in keywords.items()} }"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted = _outcome(host_function, args, keywords, "host")
            given = _outcome(device_function, args, keywords, "device")
        if isinstance(wanted, Exception) or isinstance(given, Exception):
            assert isinstance(wanted, Exception) and isinstance(given, Exception), f"{what}: {given!r} instead of {wanted!r}"
        else:
            self._compare(given, wanted, draw, what)
        for base in draw.bases.values():
            np.testing.assert_array_equal(base.device.get(), base.host, err_msg=f"what {what} changed")

    def _host_function(self, module, name):
        if module == "ndarray":
            return getattr(np.ndarray, name, None) or getattr(np, name)
        return getattr(_find(np, module), name)

    def _arguments(self, draw, module, name, function):
        maker = (METHODS_ONLY.get(name) if module == "ndarray" else None) or SPECIAL.get(name)
        if maker is not None:
            args, keywords = maker(draw)
        elif isinstance(function, np.ufunc):
            first = draw.array(kind=draw.kind("fi" if function.nin > 1 else "fis"))
            args = (first, *(draw.one_of(2, draw.alike(first, draw.kind("fi"))) for _ in range(function.nin - 1)))
            keywords = {"where": draw.alike(first, "b")} if draw.random.random() < 0.2 else {}
            if keywords:
                keywords["out"] = draw.array(first.host.shape, "f", spread=True)
            if function.nout > 1:
                keywords = {}
        else:
            args, keywords = _one()(draw)
        keywords = {key: value for key, value in keywords.items() if value is not None}
        if "out" not in keywords and name in _WITH_OUT and draw.random.random() < 0.3:
            self._add_out(draw, function, args, keywords)
        return args, keywords

    def _add_out(self, draw, function, args, keywords):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = _outcome(function, args, keywords, "host")
        if isinstance(result, (np.ndarray, np.generic)) and result.dtype in (np.float64, np.int64) and result.size < 30:
            keywords["out"] = draw.array(result.shape, "f" if result.dtype == np.float64 else "i", spread=True)

    def _compare(self, given, wanted, draw, what):
        if isinstance(wanted, (tuple, list)):
            assert len(given) == len(wanted), what
            for one, other in zip(given, wanted):
                self._compare(one, other, draw, what)
        elif isinstance(given, self.xp.ndarray):
            host = given.get()
            assert host.dtype == np.asarray(wanted).dtype and host.shape == np.shape(wanted), f"{what}: {host!r} for {wanted!r}"
            np.testing.assert_allclose(host, wanted, rtol=1e-10, atol=1e-12, err_msg=what)
            self._compare_place(given, wanted, draw, what)
        else:
            assert type(given) is type(wanted) and given == wanted, f"{what}: {given!r} instead of {wanted!r}"

    def _compare_place(self, given, wanted, draw, what):
        """Both are views of the same elements of a base, or neither is one of any."""
        if not isinstance(wanted, np.ndarray) or not wanted.size:
            return
        for base in draw.bases.values():
            is_view = np.may_share_memory(wanted, base.host)
            assert is_view == (given.memory is base.device.memory), f"{what}: a view {'only' if is_view else 'not'} in NumPy"
            if is_view:
                distance = wanted.__array_interface__["data"][0] - base.host.__array_interface__["data"][0]
                assert (distance, wanted.strides) == (given.data.ptr - base.device.data.ptr, given.strides), what


_WITH_OUT = set(
    "all any amax amin max min mean sum prod ptp std var cumsum cumprod dot add multiply subtract maximum clip round "
    "matmul concatenate stack take trace outer sin square".split()
)


def _find(found, path):
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


def _outcome(function, args, keywords, which):
    try:
        return function(*side(args, which), **{key: side(value, which) for key, value in keywords.items()})
    except Exception as error:
        return error

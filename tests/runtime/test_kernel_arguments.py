"""PyccelKernel: what a kernel sees of its arguments (C10 to C23)."""

import collections
import dataclasses
import typing

import numpy as np
import pytest
from foreign import CPU, ByAnyName, DLPack, Interface, OnHost, OnInstance
from pkwrap import KernelArguments, PyccelKernel, resolve_host_args


def seen_by(*args, **options):
    """The positional arguments as a kernel sees them."""
    seen = []
    PyccelKernel(lambda *given: seen.extend(given), **options)(*args)
    return seen


@pytest.mark.parametrize(
    "export",
    [lambda a: a, Interface, OnInstance, ByAnyName, DLPack, lambda a: DLPack(a, versioned=False)]
    + [lambda a, v=v: Interface(a, version=v) for v in range(4)],
)
def test_c10_device_arrays_are_recognised_by_protocol(xp, export):
    x = xp.asarray(np.arange(4.0))
    kernel = PyccelKernel(lambda a: a.__iadd__(1) is None)
    kernel(export(x))
    assert xp.asnumpy(x).tolist() == [1, 2, 3, 4]


def test_c10_what_only_looks_like_one_is_not(xp):
    class WithGet(dict):
        def get(self, *_):
            raise AssertionError("asked")

    class CupyInName:
        __module__ = "cupy"

    on_host = DLPack(OnHost(np.arange(3.0)), device_type=CPU)
    others = [WithGet(a=1), CupyInName(), on_host]
    seen = seen_by(*others, xp.ones(1))
    assert all(a is b for a, b in zip(seen, others, strict=False))


def test_c10_one_type_for_host_and_device_arrays(xp):
    class Tensor:
        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            if isinstance(self.array, np.ndarray):
                raise AttributeError("on the host")
            return self.array.__cuda_array_interface__

    host, device = Tensor(np.ones(2)), Tensor(xp.ones(2))
    for _ in range(3):
        seen = seen_by(host, device)
        assert seen[0] is host and type(seen[1]) is np.ndarray


def test_c10_a_fault_inside_the_interface_is_not_the_lack_of_one(xp):
    class Misspelt:
        @property
        def __cuda_array_interface__(self):
            return self._bufer.__cuda_array_interface__

    class OnHostNow:
        """Asks the array that it has, which is on the host."""

        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    for arguments in ((Misspelt(),), (xp.ones(2), [Misspelt()])):
        with pytest.raises(AttributeError, match="_bufer"):
            seen_by(*arguments)
    host = OnHostNow(np.ones(2))
    assert seen_by(host)[0] is host and type(seen_by(OnHostNow(xp.ones(2)))[0]) is np.ndarray


def test_c10_a_class_that_changes_is_looked_at_anew(xp):
    class Late:
        __slots__ = ("array",)

    late = Late()
    late.array = xp.ones(2)
    assert seen_by(late)[0] is late
    Late.__cuda_array_interface__ = property(lambda self: self.array.__cuda_array_interface__)
    assert type(seen_by(late)[0]) is np.ndarray
    del Late.__cuda_array_interface__
    assert seen_by(late)[0] is late


@pytest.mark.parametrize("dtype", ["?", "b", "h", "i", "q", "B", "H", "I", "Q", "e", "f", "d", "F", "D"])
def test_c11_exactly_numpy_arrays_of_the_same_shape_and_dtype(xp, dtype):
    host = np.arange(6).reshape(2, 3).astype(dtype)
    (seen,) = seen_by(xp.asarray(host))
    assert type(seen) is np.ndarray and seen.dtype == host.dtype and seen.shape == (2, 3)
    assert seen.flags.writeable and seen.flags.aligned
    np.testing.assert_array_equal(seen, host)


def test_c11_read_only_arrays_stay_read_only(xp):
    for export in (
        lambda a: Interface(a, data=(a.__cuda_array_interface__["data"][0], True)),
        lambda a: DLPack(a, read_only=True),
    ):
        x = export(xp.asarray(np.arange(3.0)))
        (seen,) = seen_by(x)
        assert not seen.flags.writeable and seen.tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="argument '0' is declared as written, but the given array is read-only"):
            seen_by(x, outputs=(0,))
        seen_by([x], outputs=(0,))


def test_c12_all_else_is_the_same_object(xp):
    others = [1, "x", None, np.ones(2), [1], {"a": 1}, object()]
    seen = seen_by(*others, xp.ones(1))
    assert all(a is b for a, b in zip(seen, others, strict=False))


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (2, 0, 2)])
def test_c13_0d_and_empty_arrays(xp, shape):
    x = xp.asarray(np.zeros(shape))
    (seen,) = seen_by(x)
    assert seen.shape == shape and seen.dtype == np.float64
    PyccelKernel(lambda a: a.fill(7))(x)
    np.testing.assert_array_equal(xp.asnumpy(x), np.full(shape, 7.0))
    if 0 in shape:
        assert seen_by(Interface(x, data=(0, False)))[0].shape == shape
        assert seen_by(Interface(x, data=(12345, False), stream=None))[0].shape == shape


def test_c14_contiguous_orders_are_kept(xp):
    c = np.arange(6.0).reshape(2, 3)
    f = np.asfortranarray(c)
    seen_c, seen_f = seen_by(xp.asarray(c), xp.asarray(f))
    assert seen_c.strides == c.strides and seen_f.strides == f.strides
    np.testing.assert_array_equal(seen_f, f)


@pytest.mark.parametrize("shape", [(4, 1), (1, 4), (1, 1), (1,), (1, 3, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_c14_F13_arrays_that_are_both_get_canonical_strides(xp, shape, order):
    x = xp.empty(shape, order=order)
    assert x.flags.c_contiguous and x.flags.f_contiguous
    assert seen_by(x)[0].strides == np.empty(shape).strides


def layouts(xp):
    def memory(*shape):
        return xp.asarray(np.arange(float(np.prod(shape))).reshape(shape))

    return [
        memory(6, 8)[::2, ::2], memory(3, 4)[::-1], memory(3, 4)[:, ::-1], memory(2, 3, 4).transpose(1, 0, 2), memory(6, 4)[1::2],
        memory(12)[10:1:-3], memory(2, 3, 4)[:, 1], memory(3, 8)[:, 2:6],
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(8))
def test_c15_other_layouts_arrive_packed_in_c_order(xp, number):
    view = layouts(xp)[number]
    (seen,) = seen_by(view)
    assert seen.flags.c_contiguous and seen.dtype == view.dtype
    np.testing.assert_array_equal(seen, xp.asnumpy(view))


@pytest.mark.parametrize("number", range(8))
def test_c15_c26_F6_F16_and_go_back_to_where_they_were(xp, number):
    view = layouts(xp)[number]
    expected = xp.asnumpy(view) * 3 + 1
    PyccelKernel(lambda a: np.copyto(a, a * 3 + 1))(view)
    np.testing.assert_array_equal(xp.asnumpy(view), expected)


def test_c16_dtype_and_order_are_never_changed(xp):
    x = xp.asarray(np.arange(4, dtype=np.int32).reshape(2, 2, order="F"))
    (seen,) = seen_by(xp.asfortranarray(x))
    assert seen.dtype == np.int32 and seen.flags.f_contiguous

    def needs_c_float(a):
        if a.dtype != np.float64:
            raise TypeError("the kernel's own error")

    with pytest.raises(TypeError, match="the kernel's own error"):
        PyccelKernel(needs_c_float)(x)


def test_c17_F22_big_endian_and_structured_arrays_keep_their_values(xp):
    x = xp.asarray(np.arange(3.0))
    (seen,) = seen_by(Interface(x, typestr=">f8"))
    assert seen.dtype == np.dtype(">f8")
    np.testing.assert_array_equal(seen, xp.asnumpy(x).view(">f8"))
    (seen,) = seen_by(Interface(x, typestr="|V8", descr=[("a", "<f4"), ("b", "<i4")]))
    assert seen.dtype == np.dtype([("a", "<f4"), ("b", "<i4")]) and seen.tobytes() == xp.asnumpy(x).tobytes()


def test_c18_containers_are_traversed_to_any_depth(xp):
    x = xp.ones(2)
    nested = x
    for i in range(3000):
        nested = [nested] if i % 3 == 0 else (nested,) if i % 3 == 1 else {"k": nested}
    (seen,) = seen_by(nested)
    for i in reversed(range(3000)):
        seen = seen["k"] if i % 3 == 2 else seen[0]
    assert type(seen) is np.ndarray
    while not isinstance(nested, xp.ndarray):  # unravelled by hand: a deep dealloc is CPython's own concern
        nested = nested["k"] if isinstance(nested, dict) else nested[0]


def test_c18_keys_sets_and_iterators_are_not(xp):
    class Hashable(xp.ndarray):
        def __hash__(self):
            return 1

    key = Hashable((2,))
    values = [{key: 1}, {key}, frozenset([key]), iter([key]), (item for item in [key])]
    seen = seen_by(*values, xp.ones(1))
    assert all(a is b for a, b in zip(seen, values, strict=False))


Point = collections.namedtuple("Point", "x y")


class Typed(typing.NamedTuple):
    x: object
    y: int = 3


class MyList(list):
    pass


class MyDict(dict):
    pass


def test_c19_only_the_path_to_a_device_array_is_rebuilt(xp):
    plain, x = [1, {"a": 2}], xp.ones(2)
    given = {"plain": plain, "path": [plain, (x, plain)]}
    (seen,) = seen_by(given)
    assert seen is not given and seen["plain"] is plain and seen["path"][0] is plain and seen["path"][1][1] is plain
    assert type(seen["path"][1][0]) is np.ndarray
    assert given["path"][1][0] is x and list(given) == list(seen)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: Point(x, 2),
        lambda x: Typed(x),
        lambda x: MyList([x]),
        lambda x: MyDict(x=x),
        lambda x: collections.OrderedDict(x=x),
        lambda x: collections.defaultdict(int, x=x),
        lambda x: collections.Counter(x=x),
        lambda x: [x],
        lambda x: (x,),
        lambda x: {"x": x},
    ],
)
def test_c19_types_are_kept(xp, make):
    x = xp.ones(2)
    given = make(x)
    if isinstance(given, (MyList, MyDict)):
        given.extra = "kept"
    (seen,) = seen_by(given)
    assert type(seen) is type(given) and len(seen) == len(given)
    item = seen["x"] if isinstance(seen, dict) else seen[0]
    assert type(item) is np.ndarray
    assert (given["x"] if isinstance(given, dict) else given[0]) is x
    if isinstance(given, (MyList, MyDict)):
        assert seen.extra == "kept"
    if isinstance(given, collections.defaultdict):
        assert seen.default_factory is int
    if isinstance(given, Point):
        assert seen.x is item and seen.y == 2


class OwnTuple(tuple):
    def __iter__(self):
        return iter(())

    def __len__(self):
        return 7


class OwnList(list):
    def __iter__(self):
        return iter([1, 2, 3])

    def __len__(self):
        return 0

    def __getitem__(self, index):
        raise LookupError

    def append(self, item):
        raise NotImplementedError

    extend = append


class OwnDict(dict):
    def __iter__(self):
        return iter(["other"])

    def keys(self):
        return ["other"]

    def items(self):
        return []

    def __setitem__(self, key, value):
        raise NotImplementedError


class Shorter(list):
    def __copy__(self):
        return Shorter()


def test_c19_containers_are_what_they_hold_whatever_they_say(xp):
    x = xp.ones(2)
    for given in (OwnTuple((x, 2, x)), OwnList([x, 2, x]), OwnDict(a=x, b=2, c=x)):
        given.extra = "kept"
        (seen,) = seen_by(given)
        base = type(given).__bases__[0]
        held = list(base.values(seen)) if base is dict else [base.__getitem__(seen, i) for i in range(base.__len__(seen))]
        assert type(seen) is type(given) and seen.extra == "kept" and held[0] is held[2] and held[1] == 2 and len(held) == 3
        assert type(held[0]) is np.ndarray
    with pytest.raises(TypeError, match="Shorter holds device arrays, but of its 1 items copying keeps 0"):
        seen_by(Shorter([x]))


def test_c19_the_callers_containers_are_never_modified(xp):
    x, y = xp.ones(2), xp.ones(2)
    given = {"l": [x, 1], "d": {"y": y}}

    def kernel(state):
        state["l"].append(5)
        state["d"]["y"] = None
        state["new"] = 1
        state["l"][0] += 1

    PyccelKernel(kernel)(given)
    assert list(given) == ["l", "d"] and len(given["l"]) == 2 and given["d"]["y"] is y and xp.asnumpy(x).tolist() == [2, 2]


def test_c20_cycles_stay_cycles(xp):
    x = xp.ones(2)
    cyclic = [x]
    cyclic.append(cyclic)
    table = {"x": x, "list": cyclic}
    table["self"] = table
    through_tuple = []
    pair = (x, through_tuple)
    through_tuple.append(pair)
    a, b, c = seen_by(cyclic, table, pair)
    assert a[1] is a and type(a[0]) is np.ndarray
    assert b["self"] is b and b["list"] is a and b["x"] is a[0]
    assert c[1][0] is c and c[0] is a[0]


def test_c20_cycles_without_a_device_array(xp):
    cyclic = [1]
    cyclic.append(cyclic)
    seen = seen_by(cyclic, xp.ones(1))
    assert seen[0] is cyclic and seen_by(cyclic)[0] is cyclic


def test_c20_a_container_passed_twice_arrives_as_one(xp):
    shared = [xp.ones(2)]
    a, b, c = seen_by(shared, shared, {"s": shared})
    assert a is b is c["s"]


@dataclasses.dataclass
class State:
    x: object
    name: str = "s"
    inner: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object
    n: int = 3


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlots:
    x: object
    n: int = 3


class Slots:
    __slots__ = ("x", "unset", "__weakref__")

    def __init__(self, x):
        self.x = x


class MoreSlots(Slots):
    __slots__ = ("__private", "y")

    def __init__(self, x):
        super().__init__(x)
        self.__private = x
        self.y = 1

    def private(self):
        return self.__private


class Refusing:
    """Neither constructed nor set by anybody else."""

    def __new__(cls, secret):
        assert secret == "s"
        return super().__new__(cls)

    def __init__(self, secret):
        self.__dict__["x"] = None

    def __setattr__(self, name, value):
        raise AssertionError("set")


class WithCopy:
    def __init__(self, x):
        self.x = x
        self.copies = 0

    def __copy__(self):
        other = type(self)(self.x)
        other.copies = self.copies + 1
        return other


HERE = __name__


def test_c21_only_listed_modules_are_traversed(xp):
    state = State(xp.ones(2))
    assert seen_by(state, xp.ones(1))[0] is state
    assert seen_by(state, xp.ones(1), object_modules=("other", HERE + "_not"))[0] is state
    for modules in ((HERE,), ("other", HERE), (HERE[:4],), ("",)):
        assert type(seen_by(state, object_modules=modules)[0].x) is np.ndarray


def refusing(x):
    made = Refusing("s")
    made.__dict__["x"] = x
    return made


@pytest.mark.parametrize("make", [State, Frozen, FrozenSlots, Slots, MoreSlots, refusing, WithCopy])
def test_c22_a_listed_object_is_copied_and_keeps_its_device_arrays(xp, make):
    x = xp.ones(2)
    given = make(x)
    calls = []

    def kernel(state):
        calls.append(state)
        state.x[...] += 1

    PyccelKernel(kernel, object_modules=(HERE,))(given)
    (seen,) = calls
    assert seen is not given and type(seen) is type(given) and type(seen.x) is np.ndarray
    assert given.x is x and xp.asnumpy(x).tolist() == [2, 2]
    if isinstance(given, MoreSlots):
        assert type(seen.private()) is np.ndarray and seen.private() is seen.x and given.private() is x
    if isinstance(given, WithCopy):
        assert seen.copies == 1
    for name in ("name", "n"):
        if hasattr(given, name):
            assert getattr(seen, name) == getattr(given, name)


def test_c22_objects_in_containers_and_in_objects(xp):
    x = xp.ones(2)
    outer = State(None, inner=[State(x)])
    (seen,) = seen_by([outer], object_modules=(HERE,))
    assert type(seen[0].inner[0].x) is np.ndarray and outer.inner[0].x is x


def test_c22_an_object_without_a_device_array_is_the_same(xp):
    state = State(np.ones(2))
    assert seen_by(state, xp.ones(1), object_modules=(HERE,))[0] is state


class Args(KernelArguments):
    def __init__(self, value):
        self.value = value
        self.calls = 0

    def __host_args__(self):
        self.calls += 1
        return self.value


class Plain:
    def __init__(self, value):
        self.value = value

    def __host_args__(self):
        return self.value


@pytest.mark.parametrize("cls", [Args, Plain])
@pytest.mark.parametrize("use_cupy", [None, True, False])
def test_c23_host_args_stand_for_the_argument(cls, use_cupy):
    args = cls(5)
    nested = cls(6)
    seen = PyccelKernel(lambda *a, **k: (a, k), use_cupy=use_cupy)(args, 1, [nested], k=args)
    assert seen[0][:2] == (5, 1) and seen[0][2][0] is nested and seen[1] == {"k": 5}


def test_c23_what_they_give_is_converted_and_each_occurrence_is_asked(xp):
    x = xp.ones(2)
    args = Args([x])
    PyccelKernel(lambda a, b: a[0].__iadd__(1))(args, args)
    assert args.calls == 2 and xp.asnumpy(x).tolist() == [2, 2]


def test_c23_only_the_type_counts_and_only_a_callable():
    class OnlyInstance:
        pass

    class NotCallable:
        __host_args__ = 5

    class SwitchedOff(Plain):
        __host_args__ = None

    instance = OnlyInstance()
    instance.__host_args__ = lambda: 7
    values = [instance, NotCallable(), SwitchedOff(1)]
    assert all(a is b for a, b in zip(seen_by(*values), values, strict=True))


def test_c23_errors_of_theirs_are_passed_on():
    class Half(KernelArguments):
        pass

    with pytest.raises(NotImplementedError, match="Half.__host_args__"):
        PyccelKernel(lambda a: a)(Half())
    with pytest.raises(NotImplementedError, match="Half.__cuda_args__"):
        Half().__cuda_args__()


def test_c23_resolve_host_args_gives_a_tuple_and_a_dict():
    args = Args(5)
    resolved = resolve_host_args([args, 1], {"a": args, "b": 2})
    assert resolved == ((5, 1), {"a": 5, "b": 2}) and args.calls == 2
    assert resolve_host_args((), {}) == ((), {})
    assert resolve_host_args([args]) == resolve_host_args([args], None) == ((5,), {})

"""Calls of PyccelKernel beside those of the class that it stands in for: cunumpy's, on its fake CuPy, on the same values.

Run by test_kernel_reference.py in a process of its own, with CUNUMPY_FAKE_CUPY=1 and PKWRAP_DEVICE=emulator. Prints the number of
calls that were compared, by kind. What man/contract.md marks (+) is left out of the comparison; the manual has the table.
"""

import collections
import sys

import cunumpy
import hypothesis.strategies as st
import numpy as np
import pkwrap
from cunumpy.kernels import PyccelKernel as Reference
from hypothesis import HealthCheck, given, settings
from pkwrap.emulator import cupy as emulated

with cunumpy.use_backend("cupy"):
    import cupy as fake  # cunumpy's

for module in list(sys.modules.values()):  # the fake CuPy answers to any name; hypothesis asks for this one
    if not isinstance(getattr(module, "__file__", None), (str, type(None))):
        module.__file__ = None

pkwrap.set_backend("numpy")
pkwrap._pkwrap.backend_select(False, emulated)  # not cunumpy's fake, which has no device memory
compared = collections.Counter()

Pair = collections.namedtuple("Pair", "first second")


class Listed:
    """An object of a listed module."""

    def __init__(self, x, y):
        self.x = x
        self.y = y


VIEWS = {
    "whole": lambda a: a,
    "reversed": lambda a: a[::-1],
    "stepped": lambda a: a[::2],
    "part": lambda a: a[1:3],
    "transposed": lambda a: a.T,
}


def host_array(number, kind):
    """One of the arrays that a call can have: its number gives values and shape, `kind` the dtype."""
    shape = [(4,), (3, 4), (2, 3, 2), (0, 3), (1,), (4, 1)][number % 6]
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) + 10 * number
    return np.array(values, dtype=kind, order="F" if number % 4 == 3 else "C")


# A call as plain data, from which the arguments of both sides are made.
array = st.tuples(st.just("array"), st.integers(0, 5), st.sampled_from(sorted(VIEWS)))
host = st.tuples(st.just("host"), st.integers(0, 3))
plain = st.tuples(st.just("plain"), st.sampled_from([None, 1, 2.5, "text", True, 3j, b"b"]))
leaf = st.one_of(array, array, host, plain)
tree = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.tuples(st.just("list"), st.lists(inner, max_size=3)),
        st.tuples(st.just("tuple"), st.lists(inner, max_size=3)),
        st.tuples(st.just("dict"), st.lists(inner, max_size=3)),
        st.tuples(st.just("listed"), st.tuples(inner, inner)),
    ),
    max_leaves=6,
)
result = st.sampled_from(["none", "scalar", "new", "argument", "tuple", "list", "nested", "fortran", "zero", "numpy scalar"])


@st.composite
def calls(draw):
    args = draw(st.lists(tree, min_size=1, max_size=4))
    keywords = draw(st.lists(tree, max_size=2))
    names = ["k0", "k1"][: len(keywords)]
    entries = st.one_of(st.integers(-5, 5), st.sampled_from(["k0", "k1", "a0", "missing"]))
    return {
        "args": args,
        "keywords": dict(zip(names, keywords, strict=True)),
        "kind": draw(st.sampled_from(["d", "f", "i", "D", "?"])),
        "outputs": draw(st.one_of(st.none(), st.lists(entries, max_size=3).map(tuple))),
        "use_cupy": draw(st.sampled_from([None, None, True, False])),
        "named": draw(st.booleans()),
        "raises": draw(st.sampled_from([None, None, None, 0, 1, 2])),
        "result": draw(result),
    }


class Side:
    """One implementation: its arrays, and how they come to the host."""

    def __init__(self, module, kernel, to_host, is_device):
        self.module, self.kernel, self.to_host, self.is_device = module, kernel, to_host, is_device

    def build(self, node, call, bases, views):
        tag, value, *rest = node
        if tag == "plain":
            return value
        if tag == "host":
            return bases.setdefault(("host", value), host_array(value, call["kind"]))
        if tag == "array":
            base = bases.setdefault(("device", value), None)
            if base is None:
                base = bases["device", value] = self.module.asarray(host_array(value, call["kind"]))
            # One view of a base in a call: different ones that overlap are a difference (C25).
            if value not in views:
                views[value] = VIEWS[rest[0]](base)
            return views[value]
        items = [self.build(item, call, bases, views) for item in value]
        if tag == "listed":
            return Listed(*items)
        return {"list": list, "tuple": tuple, "dict": lambda i: {f"n{n}": v for n, v in enumerate(i)}}[tag](items)

    def run(self, call):
        """What the kernel saw, what came back, and the arrays afterwards: comparable between sides."""
        bases, views, seen = {}, {}, []
        args = [self.build(node, call, bases, views) for node in call["args"]]
        keywords = {name: self.build(node, call, bases, views) for name, node in call["keywords"].items()}
        kernel = self.kernel(
            make_kernel(call, seen), use_cupy=call["use_cupy"], outputs=call["outputs"], object_modules=(__name__,)
        )
        try:
            outcome = "returned", self.describe(kernel(*args, **keywords))
        except Exception as error:
            outcome = "raised", type(error).__name__
        after = {key: self.values(base) for key, base in sorted(bases.items())}
        return {"seen": seen, "outcome": outcome, "after": after}

    def values(self, value):
        value = self.to_host(value) if self.is_device(value) else value
        return value.dtype.str, value.shape, value.tolist()

    def describe(self, value):
        if self.is_device(value):
            order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
            return "device", self.values(value), order
        if isinstance(value, np.ndarray):
            return "host", self.values(value)
        if isinstance(value, (list, tuple)):
            return type(value).__name__, [self.describe(item) for item in value]
        return type(value).__name__, repr(value)


def walk(value, path, found):
    """The arrays of the arguments as the kernel has them, in order, and the shape of what is around them."""
    if isinstance(value, np.ndarray):
        found.append((path, value))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            walk(item, (*path, type(value).__name__, i), found)
    elif isinstance(value, dict):
        for name, item in value.items():
            walk(item, (*path, "dict", name), found)
    elif isinstance(value, Listed):
        walk(value.x, (*path, "Listed", "x"), found)
        walk(value.y, (*path, "Listed", "y"), found)
    else:
        found.append((path, f"{type(value).__module__}.{type(value).__name__}"))


def make_kernel(call, seen):
    """A kernel that notes what it gets, changes each array once, and returns or raises as the call says."""

    def body(args, keywords):
        found = []
        walk(list(args), (), found)
        walk(dict(sorted(keywords.items())), (), found)
        arrays = []
        for path, value in found:
            if not isinstance(value, np.ndarray):
                if not value.startswith(("pkwrap.emulator", "cupy", "cunumpy", "fakecupy")):
                    seen.append((path, value))
                else:
                    seen.append((path, "device array"))
                continue
            number = next((i for i, other in enumerate(arrays) if other is value), len(arrays))
            if number == len(arrays):
                arrays.append(value)
            seen.append((path, type(value).__name__, value.dtype.str, value.shape, value.tolist(), number, value.flags.writeable))
        for i, value in enumerate(arrays):
            if call["raises"] == i:
                raise ArithmeticError("of the kernel")
            value[...] = ~value if value.dtype == bool else value * 2 + i
        first = arrays[0] if arrays else np.zeros(2)
        return {
            "none": None,
            "scalar": 3.5,
            "numpy scalar": np.float64(2),
            "new": first * 1,
            "argument": first,
            "tuple": (first * 1, 5, None),
            "list": [first * 1, "x"],
            "nested": (1, [first * 1, (first * 1,)]),
            "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
            "zero": np.array(4.0),
        }[call["result"]]

    if call["named"]:

        def kernel(a0, a1=None, a2=None, a3=None, k0=None, k1=None):
            args = [a0, a1, a2, a3][: len(call["args"])]
            return body(args, {name: {"k0": k0, "k1": k1}[name] for name in call["keywords"]})
    else:

        def kernel(*args, **keywords):
            return body(args, keywords)

    return kernel


ours = Side(emulated, pkwrap.PyccelKernel, emulated.asnumpy, lambda value: isinstance(value, (emulated.ndarray, fake.ndarray)))
theirs = Side(fake, Reference, fake.asnumpy, lambda value: isinstance(value, fake.ndarray))


def refuses(side):
    """Whether a call ended because the declaration does not fit it."""
    return side["outcome"][0] == "raised" and side["outcome"][1] in ("IndexError", "KeyError")


def differs_on_purpose(call, our, their):
    """The rule (DIFFERENCES of test_kernel_reference.py) that allows this difference; "" if none."""
    converts = call["use_cupy"] is True or (call["use_cupy"] is None and any(key[0] == "device" for key in our["after"]))
    if refuses(our) and not refuses(their) and not converts and is_wrong_where_it_converts(call):
        return "C31"
    if refuses(our) != refuses(their) and call["named"] and call["outputs"]:
        return "C30"
    return ""


def is_wrong_where_it_converts(call):
    """Whether the other implementation refuses the declaration of the same call, too, once it converts."""
    return refuses(theirs.run(call | {"use_cupy": True}))


@settings(max_examples=int(sys.argv[1]), deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(calls())
def compare(call):
    our, their = ours.run(call), theirs.run(call)
    reason = differs_on_purpose(call, our, their)
    if reason:
        compared[reason] += 1
        return
    compared["equal"] += 1
    if refuses(our) and refuses(their):  # of two wrong entries, C30 may make the first one right
        our["outcome"] = their["outcome"]
    if our != their:
        for key in our:
            if our[key] != their[key]:
                print("ours:  ", key, our[key], file=sys.stderr)
                print("theirs:", key, their[key], file=sys.stderr)
        raise AssertionError(f"a difference in {call}")


compare()
print(dict(compared))

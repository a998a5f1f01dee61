"""Kernels of Struphy, compiled by Pyccel: called directly, through the wrapper with NumPy arrays, and with device arrays."""

import importlib
import sys

import numpy as np
import pytest
from struphy_build import MODULES, wrapped

RANDOM = np.random.default_rng(20240607)
KNOTS = np.array([-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75])  # periodic, degree 3, four cells
ETA = (0.3, 0.6, 0.45)
N = np.zeros


def some(*shape):
    return RANDOM.random(shape)


def ints(*values):
    return np.array(values)


class Domain:
    """Stands for a DomainArguments object, made by whichever module is under test."""

    def __init__(self, kind, *params):
        spans, coefficients = (np.zeros((4, 4), int),) * 3, (some(7, 7, 7),) * 3
        self.arguments = (kind, np.array(params), ints(3, 3, 3), KNOTS, KNOTS, KNOTS, *spans, *coefficients)


CUBOID = Domain(10, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0)
HOLLOW_CYLINDER = Domain(20, 0.2, 1.0, 3.0, 1.0)
MATRIX = some(3, 3) + 2 * np.eye(3)

# (module, function, arguments); an array that starts as zeros is an output or workspace.
CASES = [
    ("linalg_kernels", "matrix_vector", (MATRIX, some(3), N(3))),
    ("linalg_kernels", "matrix_matrix", (MATRIX, some(3, 3), N((3, 3)))),
    ("linalg_kernels", "transpose", (MATRIX, N((3, 3)))),
    ("linalg_kernels", "scalar_dot", (some(3), some(3))),
    ("linalg_kernels", "det", (MATRIX,)),
    ("linalg_kernels", "cross", (some(3), some(3), N(3))),
    ("linalg_kernels", "outer", (some(3), some(3), N((3, 3)))),
    ("linalg_kernels", "matrix_inv", (MATRIX, N((3, 3)))),
    ("linalg_kernels", "matrix_inv_with_det", (MATRIX, 2.0, N((3, 3)))),
    ("linalg_kernels", "matrix_matrix4", (some(4, 4), some(4, 4), N((4, 4)))),
    ("linalg_kernels", "det4", (some(4, 4),)),
    ("bsplines_kernels", "find_span", (KNOTS, 3, 0.3)),
    ("bsplines_kernels", "basis_funs", (KNOTS, 3, 0.3, 4, N(3), N(3), N(4))),
    ("bsplines_kernels", "basis_funs_all", (KNOTS, 3, 0.3, 4, N(3), N(3), N((4, 4)), N(3))),
    ("bsplines_kernels", "b_splines_slim", (KNOTS, 3, 0.3, 4, N(4))),
    ("bsplines_kernels", "d_splines_slim", (KNOTS, 3, 0.3, 4, N(3))),
    ("bsplines_kernels", "b_d_splines_slim", (KNOTS, 3, 0.3, 4, N(4), N(3))),
    ("bsplines_kernels", "b_der_splines_slim", (KNOTS, 3, 0.3, 4, N(4), N(4))),
    ("bsplines_kernels", "scaling", (KNOTS, 2, 4, some(3))),
    ("bsplines_kernels", "piecewise", (3, 0.25, 0.1)),
    ("sorting_kernels", "flatten_index", (1, 2, 3, 4, 5, 6)),
    ("sorting_kernels", "unflatten_index", (17, 4, 5, 6)),
    ("sorting_kernels", "find_box", (*ETA, 2, 2, 2, ints(0.0, 1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 1.0, 0.5))),
    ("stencil_dot_kernels", "matvec_1d_kernel", (some(20, 5), some(20), N(20), 0, 2, 2, 0, 5, 2)),
    ("stencil_transpose_kernels", "transpose_1d_kernel", (some(20, 5), N((20, 5)), 0, 2, 2, 0, 5, 2)),
    ("mappings_kernels", "cuboid", (*ETA, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, N(3))),
    ("mappings_kernels", "hollow_torus", (*ETA, 0.2, 1.0, 3.0, 0.0, 1.0, 1.0, N(3))),
    ("mappings_kernels", "hollow_torus_df", (*ETA, 0.2, 1.0, 3.0, 0.0, 1.0, 1.0, N((3, 3)))),
    ("mappings_kernels", "colella", (*ETA, 1.0, 2.0, 0.1, 3.0, N(3))),
    ("evaluation_kernels", "f", (*ETA, CUBOID, N(3))),
    ("evaluation_kernels", "f", (*ETA, HOLLOW_CYLINDER, N(3))),
    ("evaluation_kernels", "df", (*ETA, HOLLOW_CYLINDER, N((3, 3)))),
    ("evaluation_kernels", "det_df", (*ETA, HOLLOW_CYLINDER, N((3, 3)))),
    ("evaluation_kernels", "df_inv", (*ETA, HOLLOW_CYLINDER, N((3, 3)), False, N((3, 3)))),
    ("evaluation_kernels", "g", (*ETA, HOLLOW_CYLINDER, N((3, 3)), N((3, 3)), False, N((3, 3)))),
    ("evaluation_kernels", "g_inv", (*ETA, CUBOID, N((3, 3)), N((3, 3)), N((3, 3)), True, N((3, 3)))),
    ("evaluation_kernels", "kernel_evaluate",
     (some(2, 3, 4), some(2, 3, 4), some(2, 3, 4), 1, HOLLOW_CYLINDER, N((2, 3, 4, 3, 3)), False, False)),
]  # fmt: skip


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """{name: (wrapper, compiled module)}"""
    output = tmp_path_factory.mktemp("struphy")
    folders = [str(output), str(wrapped(output))]
    sys.path[:0] = folders
    try:
        return {
            module.split("/")[-1]: (
                importlib.import_module(f"{module.split('/')[-1]}_pkwrap"),
                importlib.import_module(f"struphy.{module.replace('/', '.')}"),
            )
            for module in MODULES
        }
    finally:
        for folder in folders:
            sys.path.remove(folder)


def call(function, classes, arguments, make, look):
    """Calls with arrays of its own; the result, and every array afterwards."""

    def made(argument):
        if isinstance(argument, Domain):
            return classes.DomainArguments(*map(made, argument.arguments))
        return make(argument.copy()) if isinstance(argument, np.ndarray) else argument

    given = [made(argument) for argument in arguments]
    result = function(*given)
    arrays = [look(value) for value, argument in zip(given, arguments) if isinstance(argument, np.ndarray)]
    return result, arrays


def assert_equal(found, expected):
    assert found[0] == expected[0] and type(found[0]) is type(expected[0])
    assert len(found[1]) == len(expected[1])
    for one, other in zip(found[1], expected[1]):
        np.testing.assert_array_equal(one, other)


def test_enough_kernels_are_called():
    assert len({case[:2] for case in CASES}) >= 35


@pytest.mark.parametrize("place", ["numpy", "device"])
@pytest.mark.parametrize("module, name, arguments", CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrapped_kernel_does_what_the_compiled_one_does(modules, request, place, module, name, arguments):
    wrapper, direct = modules[module]
    classes = modules["pusher_args_kernels"]
    make, look = np.asarray, np.asarray
    if place == "device":
        xp = request.getfixturevalue("xp")
        make, look = xp.asarray, xp.asnumpy
    expected = call(getattr(direct, name), classes[1], arguments, np.asarray, np.asarray)
    assert_equal(call(getattr(wrapper, name), classes[0], arguments, make, look), expected)
    changed = [array for array, argument in zip(expected[1], [a for a in arguments if isinstance(a, np.ndarray)])
               if not np.array_equal(array, argument)]  # fmt: skip
    assert changed or expected[0] is not None, "the kernel does nothing: this case shows nothing"


def test_a_compiled_argument_object_is_taken_too(modules):
    """One made by the compiled module itself, over NumPy arrays."""
    direct_classes = modules["pusher_args_kernels"][1]
    wrapper, direct = modules["evaluation_kernels"]
    arguments = (*ETA, HOLLOW_CYLINDER, N(3))
    expected = call(direct.f, direct_classes, arguments, np.asarray, np.asarray)
    assert_equal(call(wrapper.f, direct_classes, arguments, np.asarray, np.asarray), expected)

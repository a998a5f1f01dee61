"""PyccelKernel around kernels that others have compiled: Pyccel in C and in Fortran, Numba, NumPy's ufuncs, C extensions."""

import functools
import importlib.util
import runpy

import numpy as np
import pkwrap
import pytest
from pkwrap import PyccelKernel
from pyccel_build import DATA, compiled

SOURCE = DATA / "kernel_compiled.py"
NAMES = ("smooth", "rows", "columns", "push", "total", "count", "rotate")
PLAIN = runpy.run_path(str(SOURCE))


def pyccel(language):
    (library,) = compiled(SOURCE, language).glob(f"{SOURCE.stem}*.so")
    spec = importlib.util.spec_from_file_location(SOURCE.stem, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in NAMES}


def numba():
    module = pytest.importorskip("numba")
    return {name: module.njit(PLAIN[name]) for name in NAMES}


@functools.cache
def functions(kind):
    return {"c": lambda: pyccel("c"), "fortran": lambda: pyccel("fortran"), "numba": numba, "python": lambda: PLAIN}[kind]()


@pytest.fixture(params=["c", "fortran", "numba", "python"])
def compiled_kernels(request):
    return functions(request.param)


def arguments(name, asarray):
    """Host or device arguments of a kernel."""
    values = np.arange(12.0)
    matrix = values.reshape(3, 4)
    return {
        "smooth": lambda: (asarray(values), asarray(np.zeros(12))),
        "rows": lambda: (asarray(matrix), 2.0, asarray(np.zeros(3))),
        "columns": lambda: (asarray(np.asfortranarray(matrix)), asarray(np.zeros(4))),
        "push": lambda: (asarray(matrix), asarray(matrix * 2), 0.5, 3),
        "total": lambda: (asarray(values),),
        "count": lambda: (asarray(np.arange(9)), 4),
        "rotate": lambda: (asarray(values + 1j), asarray(np.zeros(12, complex))),
    }[name]()


@pytest.mark.parametrize("name", NAMES)
def test_a_compiled_kernel_gives_on_the_device_what_it_gives_on_the_host(compiled_kernels, xp, name):
    kernel = PyccelKernel(compiled_kernels[name])
    host, device = arguments(name, np.array), arguments(name, xp.asarray)
    plain = arguments(name, np.array)
    expected = PLAIN[name](*plain)
    assert kernel(*host) == expected
    result = kernel(*device)
    assert result == expected and type(result) is type(compiled_kernels[name](*arguments(name, np.array)))
    for on_host, on_device, wanted in zip(host, device, plain, strict=True):
        np.testing.assert_array_equal(on_host, wanted)
        if isinstance(on_device, xp.ndarray):
            np.testing.assert_array_equal(xp.asnumpy(on_device), wanted)


def test_every_layout_reaches_a_compiled_kernel(compiled_kernels, xp):
    base = xp.asarray(np.arange(48.0).reshape(6, 8))
    kernel = PyccelKernel(compiled_kernels["push"], outputs=(0,))
    for view in (base[::2, ::2], base[1:4, :4], base[::-2, 3:7], base.reshape(3, 16)[:, :4], base[:3, ::-2]):
        before = xp.asnumpy(view)
        kernel(view, xp.ones((3, 4)), 1.0, 2)
        np.testing.assert_array_equal(xp.asnumpy(view), before + 2)
    tall = xp.empty((4, 1), order="F")  # F13: C and F order at once
    tall.fill(1)
    kernel(tall, tall.copy(), 1.0, 1)
    assert xp.asnumpy(tall).tolist() == [[2]] * 4


def test_outputs_of_a_compiled_kernel_by_position_and_keyword(compiled_kernels, xp):
    kernel = PyccelKernel(compiled_kernels["smooth"], outputs=(1,))
    field, out = xp.asarray(np.arange(4.0)), xp.zeros(4)
    kernel(field, out)
    assert xp.asnumpy(out).tolist() == [0, 1, 2, 3]
    named = PyccelKernel(compiled_kernels["smooth"], outputs=("out",), parameters=("field", "out"))
    second = xp.zeros(4)
    named(field, second)
    assert xp.asnumpy(second).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", ["c", "fortran"])
def test_c16_F14_a_pyccel_kernel_refuses_the_wrong_dtype_and_order_itself(xp, kind):
    kernels = functions(kind)
    x = xp.asarray(np.arange(4, dtype=np.float32))
    with pytest.raises(TypeError) as ours:
        PyccelKernel(kernels["total"])(x)
    with pytest.raises(TypeError) as theirs:
        kernels["total"](xp.asnumpy(x))
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(TypeError):
        PyccelKernel(kernels["columns"])(xp.asarray(np.ones((2, 5))), xp.zeros(5))


def test_ufuncs_and_builtins(xp):
    x, y, out = xp.asarray(np.arange(3.0)), xp.ones(3), xp.zeros(3)
    result = PyccelKernel(np.add, outputs=())(x, y)
    assert isinstance(result, xp.ndarray) and xp.asnumpy(result).tolist() == [1, 2, 3]
    assert PyccelKernel(np.multiply, outputs=("out",))(x, y, out=out) is out and xp.asnumpy(out).tolist() == [0, 1, 2]
    assert PyccelKernel(np.copyto, outputs=(0,))(out, y) is None and xp.asnumpy(out).tolist() == [1, 1, 1]
    assert PyccelKernel(len)(x) == 3 and PyccelKernel(max)([1, 2]) == 2
    assert isinstance(PyccelKernel(np.vectorize(lambda a: a + 1))(x), xp.ndarray)


def test_functions_of_a_generated_module(kernels, xp):
    x, y = xp.asarray(np.arange(3.0)), xp.ones(3)
    with pkwrap.count_transfers() as counter:
        PyccelKernel(kernels.axpy, outputs=("y",))(2.0, x, y)
    assert counter.kernel_conversions == 1 and xp.asnumpy(y).tolist() == [1, 3, 5]

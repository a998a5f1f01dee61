"""Arguments whose own code runs while a call is prepared, and changes other arguments of it: no address is read before."""

import numpy as np
import pkwrap
import pytest


class Changing:
    """A number that does something whenever it is asked for its value."""

    def __init__(self, action, value=3.0):
        self.action, self.value = action, value

    def __float__(self):
        self.action()
        return float(self.value)

    def __index__(self):
        self.action()
        return int(self.value)


def grow(array):
    array.resize(1 << 16, refcheck=False)


def replace(array):
    array.__setstate__(np.arange(1e4).__reduce__()[2])


@pytest.mark.parametrize("change", [grow, replace])
def test_a_scalar_that_changes_an_array(kernels, change):
    x = np.ones(4)
    out = kernels.scaled(x, factor=Changing(lambda: change(x)))
    assert len(out) == len(x) > 4 and np.array_equal(out, 3 * x)
    x, y = np.ones(4), np.ones(4)
    with pytest.raises(ValueError, match="elements in dimension 0"):
        kernels.axpy(Changing(lambda: change(y)), x, y)
    assert y.size > 4


@pytest.mark.parametrize("change", [grow, replace])
def test_a_device_array_that_changes_a_host_array(kernels, xp, change):
    class Foreign:
        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            change(x)
            return self.array.__cuda_array_interface__

    x, y = np.ones(4), Foreign(xp.zeros(4))
    with pytest.raises(ValueError, match="elements in dimension 0"):
        kernels.axpy(2.0, x, y)
    assert (y.array.get() == 0).all() and x.size > 4


@pytest.mark.parametrize("change", [grow, replace])
def test_a_subclass_whose_mask_changes_an_array(kernels, change):
    class Masked(np.ndarray):
        @property
        def mask(self):
            change(x)
            return np.False_

    x, y = np.ones(4), np.ones(4).view(Masked)
    with pytest.raises(ValueError, match="elements in dimension 0"):
        kernels.axpy(2.0, x, y)


@pytest.mark.parametrize("change", [grow, replace])
def test_a_library_that_makes_an_array_and_changes_another(kernels, xp, change, monkeypatch):
    make = xp.empty

    def empty(*args, **keywords):
        change(x)
        return make(*args, **keywords)

    monkeypatch.setattr(xp, "empty", empty)
    x = np.ones(4)
    with (
        pkwrap.use_backend("cupy"),
        pytest.raises(RuntimeError, match=r"scaled\(\): argument 'x' has got other memory or another shape while the call was"),
    ):
        kernels.scaled(x)


@pytest.mark.parametrize("wrong", [(2,), (8,), (4, 1), ()])
def test_a_library_that_makes_another_array_than_was_asked_for(kernels, xp, wrong, monkeypatch):
    make = xp.empty
    x = xp.asarray(np.ones(4))
    monkeypatch.setattr(xp, "empty", lambda shape, *rest, **keywords: make(wrong, *rest, **keywords))
    calls = (lambda: kernels.scaled(x), lambda: pkwrap.PyccelKernel(lambda a: a + 1)(x))
    for call in calls:
        with pkwrap.use_backend("cupy"), pytest.raises(TypeError, match=r"cannot be made: the library of .* another array"):
            call()
    monkeypatch.setattr(xp, "empty", lambda shape, dtype, **_: make(shape, np.float32))
    for call in calls:
        with pkwrap.use_backend("cupy"), pytest.raises(TypeError, match="another array than was asked for"):
            call()
    monkeypatch.setattr(xp, "empty", lambda *_, **__: np.zeros(4))
    for call in calls:
        with pkwrap.use_backend("cupy"), pytest.raises(TypeError, match="ndarray is not a device array"):
            call()


def test_c23_a_device_array_that_stands_for_another(kernels, xp):
    class Field(xp.ndarray):
        def __new__(cls):
            return super().__new__(cls, (3,))

        def __host_args__(self):
            return self.inner

    field = Field()
    field.inner = np.ones(3)
    y = np.zeros(3)
    kernels.axpy(2.0, field, y)
    assert y.tolist() == [2, 2, 2]

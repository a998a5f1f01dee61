"""Results that are memory of an argument: views of the caller's own arrays, so that no write to them is lost (C44)."""

import numpy as np
import pytest
from pyccel_build import DATA, wrapped


@pytest.fixture(scope="module", params=["c", "fortran"])
def module(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"views_{request.param}")
    return wrapped(folder, DATA / "pyccel_views.py", request.param)[0]


def on_host(array):
    return array if isinstance(array, np.ndarray) else array.get()


def layouts(values, xp):
    """The same values in host and device memory, in layouts that are used as they are and in those that are copied."""
    plain = np.array(values, float)
    flipped = tuple(slice(None, None, -1) for _ in plain.shape)
    gaps = tuple(slice(None, None, 2) for _ in plain.shape)
    yield plain.copy()
    yield np.asfortranarray(plain)
    yield plain[flipped].copy()[flipped]
    yield plain.astype(">f8")
    wide = np.zeros([2 * n for n in plain.shape])
    wide[gaps] = plain
    yield wide[gaps]
    yield xp.asarray(plain)
    yield xp.asarray(np.asfortranarray(plain))
    yield xp.asarray(plain[flipped].copy())[flipped]
    yield xp.asarray(wide)[gaps]


MATRIX = np.arange(12.0).reshape(3, 4)
CASES = {
    "row": ((1,), MATRIX, lambda m: m[1]),
    "column": ((2,), MATRIX, lambda m: m[:, 2]),
    "block": ((), MATRIX, lambda m: m[1:]),
    "plane": ((1,), np.arange(24.0).reshape(2, 3, 4), lambda m: m[1]),
    "same": ((), np.arange(5.0), lambda x: x),
    "ends": ((), np.arange(5.0), lambda x: x[1:4]),
}


@pytest.mark.parametrize("name", CASES)
def test_c44_a_part_of_an_argument_is_a_view_of_it(module, xp, name):
    rest, values, part = CASES[name]
    for given in layouts(values, xp):
        expected = on_host(given).copy()
        made = getattr(module, name)(given, *rest)
        assert isinstance(made, np.ndarray) == isinstance(given, np.ndarray)
        assert np.array_equal(on_host(made), part(expected))
        made[...] = 50.0
        part(expected)[...] = 50.0
        assert np.array_equal(on_host(given), expected)


def test_c44_several_parts_and_new_arrays(module, xp):
    for given in layouts(np.arange(5.0), xp):
        low, high = module.split(given, 2)
        low[:] = 1.0
        high[:] = 2.0
        assert on_host(given).tolist() == [1, 1, 2, 2, 2]
        new = module.fresh(given)
        new[:] = 9.0
        assert on_host(given).tolist() == [1, 1, 2, 2, 2]
        assert isinstance(new, np.ndarray) == isinstance(given, np.ndarray)


def test_c44_methods_properties_and_functions_of_objects(module, xp):
    for given in layouts(np.arange(5.0), xp):
        box = module.Box(given, 5)
        box.get()[0] = 10.0
        box.tail()[0] = 11.0
        box.end[0] = 12.0
        module.inner(box)[2] = 13.0
        box.p[4] = 14.0
        assert on_host(given).tolist() == [10, 11, 12, 13, 14]
        assert box.total() == 60


def test_c44_an_objects_own_memory_stays_on_the_host(module, xp):
    for given in layouts(np.arange(5.0), xp):
        box = module.Box(given, 5)
        mine, (tail, other) = box.mine(given), box.both(given)
        mine[1] = 7.0
        assert box.own[1] == 7 and isinstance(mine, np.ndarray)
        tail[0] = 8.0
        assert on_host(given)[1] == 8
        other[1] = 9.0
        assert on_host(given)[2] == 9


def test_c44_attributes_that_are_parts(module, xp):
    for given in layouts(MATRIX, xp):
        expected = on_host(given).copy()
        part = module.Part(given, 3)
        part.row[0] = 20.0
        expected[1, 0] = 20.0
        part.block[0, 0] = 21.0
        expected[1, 0] = 21.0
        assert np.array_equal(on_host(given), expected)
        assert part.first() == 21 and part.corner() == 21


def test_F10_a_part_of_a_read_only_array_is_read_only(module):
    plain = np.arange(5.0)
    for given in (plain, plain[::-1]):
        given = given.view()
        given.flags.writeable = False
        for made in (module.ends(given), module.same(given), *module.split(given, 2)):
            with pytest.raises(ValueError, match="read-only"):
                made[0] = 1.0
    box = module.Box(given, 5)
    with pytest.raises(ValueError, match="read-only"):
        box.tail()[0] = 1.0


def test_c44_memory_lives_as_long_as_its_parts(module, xp):
    for given in layouts(MATRIX, xp):
        made = module.row(given, 1)
        del given
        assert on_host(made).tolist() == [4, 5, 6, 7]


def test_c44_what_cannot_be_a_view_is_an_error(module, xp):
    class Plain:
        """A device array of a library that cannot index."""

        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    class Slicing(Plain):
        def __getitem__(self, index):
            return Slicing(self.array[index])

        def __setitem__(self, index, values):
            self.array[index] = values

    class Copying(Plain):
        def __getitem__(self, index):
            return Copying(self.array[index].copy())

    array = xp.asarray(MATRIX)
    for kind in (Plain, Copying):
        with pytest.raises(ValueError, match=r"row\(\): the result is a part of .* what is written to it would be lost"):
            module.row(kind(array), 1)
    made = module.row(Slicing(array), 1)
    made[...] = 3.0
    assert type(made) is Slicing and array[1].get().tolist() == [3] * 4
    made = module.block(Slicing(array))
    made[...] = 4.0
    assert array.get()[1:].tolist() == [[4] * 4] * 2
    assert module.column(Slicing(array), 0).array.get().tolist() == [0, 4, 4]

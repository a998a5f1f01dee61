"""Attributes of argument classes that are views of the caller's arrays, or share one."""

import numpy as np
import pytest
from pyccel_build import DATA, wrapped


@pytest.fixture(scope="module", params=["c", "fortran"])
def module(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"attributes_{request.param}")
    return wrapped(folder, DATA / "pyccel_attributes.py", request.param)[0]


def test_F9_what_is_written_through_a_view_of_an_argument_comes_back(module, xp):
    matrix = xp.asarray(np.arange(6.0).reshape(3, 2))
    made = module.Row(matrix, 1)
    module.fill_row(made, 9.0)  # overwrites the row, not the matrix
    assert xp.asnumpy(matrix).tolist() == [[0, 1], [9, 9], [4, 5]]
    matrix[...] = 7.0
    made.put(xp.asarray(np.array([1.0, 2.0])))
    assert xp.asnumpy(matrix).tolist() == [[7, 7], [1, 2], [7, 7]]
    assert made.row.tolist() == [1, 2]


def test_c24_one_array_for_two_attributes(module, xp):
    array = xp.asarray(np.zeros(3))
    made = module.Two(array, array)
    made.put(5.0)
    assert xp.asnumpy(array)[0] == 5
    module.put(made, 6.0)
    assert xp.asnumpy(array)[0] == 6
    made.b = made.a = xp.asarray(np.ones(3))
    made.put(8.0)
    assert xp.asnumpy(made.a)[0] == 8 and made.a is made.b


def test_c25_arrays_of_an_object_that_overlap(module, xp):
    memory = xp.asarray(np.zeros(6))
    made = module.Two(memory[:4], memory[2:])
    with pytest.raises(ValueError, match=r"Two.put\(\): arguments 'self.b' and 'self.a' overlap, and 'self.a' is written"):
        made.put(1.0)
    assert not xp.asnumpy(memory).any()
    module.Two(memory[::2], memory[1::2]).put(1.0)
    assert xp.asnumpy(memory).tolist() == [1, 0, 0, 0, 0, 0]


def test_arguments_of_a_method_are_made_right(module, xp):
    matrix = xp.asarray(np.zeros((2, 2)))
    made = module.Row(matrix, 1)
    for values in (np.array([1.0, 2.0])[::-1], np.broadcast_to(3.0, (2,)), np.array([4.0, 5.0]).astype(">f8")):
        made.put(values)
        assert (xp.asnumpy(matrix)[1] == values).all()


def test_F10_a_read_only_host_array_that_had_to_be_copied(module, xp):
    first = xp.asarray(np.zeros(2))
    module.Two(first, np.broadcast_to(0.0, (2,))).put(3.0)
    assert xp.asnumpy(first)[0] == 3
    with pytest.raises(ValueError, match=r"Two.put\(\): argument 'self.a' is written by the kernel, but .* read-only"):
        module.Two(np.broadcast_to(0.0, (2,)), first).put(3.0)

"""The rarer keys of a manifest, called (pkwrap-manifest(5)): rare/rare.json says which."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from conftest import build_module


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    return build_module(Path(__file__).parent / "rare/rare.json", tmp_path_factory.mktemp("rare"))


SIGNATURES = {
    "scaled": "(x, scale=None, calls=None)",
    "lengths": "(text, suffix=None)",
    "codes": "(text)",
    "filled": "()",
    "fortran": "(n, a, m=1)",
    "rows": "(x)",
    "real_parts": "(z, out=None)",
    "count_true": "(mask)",
    "column_sums": "(a, sums=None)",
    "numbers": "(n, out=None)",
    "choose": "(list, side=20)",
    "twice": "(n, out=None)",
    "sly": "(x)",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(rare, name):
    assert str(inspect.signature(getattr(rare, name))) == SIGNATURES[name]


def test_a_null_scalar_is_none(rare):
    assert rare.scaled(3.0) == (3.0, None)
    assert rare.scaled(3.0, None) == (3.0, None)
    assert rare.scaled(3.0, 2.0) == (6.0, None)
    assert rare.scaled(3.0, None, 4) == (3.0, 5)
    assert rare.scaled(3.0, calls=4, scale=0.5) == (1.5, 5)


def test_strings(rare):
    assert rare.lengths("abc") == 3103
    assert rare.lengths("abc", "") == 3003
    assert rare.lengths("äö", b"x") == 3005
    assert rare.codes(np.frombuffer(b"ab", dtype=np.int8)) == 195


def test_filled_in_scalars(rare):
    assert rare.filled() == 65 + 1000 - 0.25 + 6 + 20 + 255 + 1e6


def test_sizes_behind_pointers(rare):
    a = np.arange(6.0)
    assert rare.fortran(6, a) == sum(i * i for i in range(6))
    assert rare.fortran(2, a, 3) == 1 + 3 + 5
    with pytest.raises(ValueError, match="'a' has 6 elements in dimension 0, expected n\\*m = 4"):
        rare.fortran(2, a, 2)


def test_a_macro_is_an_extent(rare):
    assert rare.rows(np.ones((4, 3))) == 12
    with pytest.raises(ValueError, match="dimension 1"):
        rare.rows(np.ones((4, 2)))


def test_narrower_readings(rare):
    z = np.array([1 + 2j, -3 - 4j])
    np.testing.assert_array_equal(rare.real_parts(z), z.real)
    assert rare.count_true(np.array([True, False, True])) == 2
    with pytest.raises(TypeError, match="'mask'"):
        rare.count_true(np.array([1, 0], dtype=np.uint8))
    with pytest.raises(ValueError, match="'mask'"):
        rare.count_true(np.array([], dtype=bool))


@pytest.mark.parametrize("order", ["C", "F"])
def test_F14_fortran_order(rare, order):
    a = np.array([[1.0, 2, 3], [4, 5, 6]], order=order)
    np.testing.assert_array_equal(rare.column_sums(a), [5, 7, 9])


def test_results_in_c_order(rare):
    count, out, total = rare.numbers(4)
    assert (count, total) == (4, 6.0)
    np.testing.assert_array_equal(out, [0, 1, 2, 3])
    given = np.empty(3)
    count, out, total = rare.numbers(out=given)
    assert (count, total) == (3, 3.0)
    assert out is given


def test_unnamed_parameters_and_enumerators(rare):
    assert rare.choose(np.array([7, 8], dtype=np.intc)) == 2 * 20 + 7
    assert rare.choose(np.array([7], dtype=np.intc), side=10) == 17


def test_values_computed_from_values(rare):
    np.testing.assert_array_equal(rare.twice(2), np.full(8, 6.0))
    with pytest.raises(OverflowError, match="2\\*n"):
        rare.twice(2**30)


def test_a_reason_overrules_the_analysis(rare):
    x = np.zeros(2)
    x.flags.writeable = False
    rare.sly(x)  # what is declared as read only may be read-only

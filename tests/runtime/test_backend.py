"""The backend: which library `pkwrap.zeros` is, and whose choice is followed (C9)."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest


def run(code, **environment):
    """Runs code in a fresh interpreter without CuPy's or a device's settings; what it printed, a line each."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PKWRAP_DEVICE", "CUNUMPY_BACKEND")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=variables | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_c9_default_is_numpy_and_attributes_come_from_it():
    assert run("""
        import numpy, pkwrap as xp
        print(xp.get_backend(), xp.zeros is numpy.zeros, xp.random is numpy.random)
        try:
            xp.no_such_thing
        except AttributeError as error:
            print(error)
        print(hasattr(xp, "__wrapped__"), "linspace" in dir(xp), "stats" in dir(xp))
        """) == ["numpy True True", "neither 'pkwrap' nor its backend 'numpy' has an attribute 'no_such_thing'", "False True True"]


def test_c9_other_names_are_refused():
    assert run("""
        import pkwrap
        for choose in pkwrap.set_backend, pkwrap.use_backend:
            try:
                choose("torch")
            except ValueError as error:
                print(error)
        print(pkwrap.get_backend())
        """) == ["the backend must be 'numpy' or 'cupy', not 'torch'"] * 2 + ["numpy"]


# CuPy may be installed, but no device is there: hidden by CUDA_VISIBLE_DEVICES.
NO_DEVICE = {"CUDA_VISIBLE_DEVICES": ""}


def test_c9_unusable_cupy_falls_back_with_one_warning():
    assert run(
        """
        import warnings, pkwrap
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pkwrap.set_backend("cupy")
            with pkwrap.use_backend("cupy"):
                print(pkwrap.get_backend())
        print(len(caught), caught[0].category.__name__, "CuPy cannot be used" in str(caught[0].message), caught[0].filename)
        """,
        **NO_DEVICE,
    ) == ["numpy", "1 RuntimeWarning True <string>"]


def test_c9_strict_raises_and_keeps_the_backend():
    assert (
        run(
            """
        import pkwrap
        for choose in pkwrap.set_backend, lambda *name, strict: pkwrap.use_backend(*name, strict=strict).__enter__():
            try:
                choose("cupy", strict=True)
            except RuntimeError as error:
                print(str(error).startswith("CuPy cannot be used: "), pkwrap.get_backend())
        """,
            **NO_DEVICE,
        )
        == ["True numpy"] * 2
    )


def test_c9_use_backend_nests_and_restores_after_exceptions():
    assert run(
        """
        import pkwrap
        seen = []
        try:
            with pkwrap.use_backend("cupy"):
                seen.append(pkwrap.get_backend())
                with pkwrap.use_backend("numpy"):
                    seen.append(pkwrap.get_backend())
                seen.append(pkwrap.get_backend())
                1 / 0
        except ZeroDivisionError:
            seen.append(pkwrap.get_backend())
        @pkwrap.use_backend("cupy")
        def inside(depth):
            return [pkwrap.get_backend()] + (inside(depth - 1) if depth else [])
        print(*seen, *inside(1), pkwrap.get_backend())
        """,
        PKWRAP_DEVICE="emulator",
    ) == ["cupy numpy cupy numpy cupy cupy numpy"]


def test_c9_cupy_is_the_emulators_with_the_emulated_device():
    assert run(
        """
        import pkwrap as xp
        with xp.use_backend("cupy"):
            array = xp.arange(6.0).reshape(2, 3)
            print(type(array).__module__.startswith("pkwrap.emulator"), xp.is_gpu(array), xp.to_numpy(array).tolist())
            print(xp.is_gpu(xp.to_cupy([1, 2])), xp.to_cupy(array) is array)
        print(xp.is_gpu([1.0]), type(xp.arange(3)).__module__)
        """,
        PKWRAP_DEVICE="emulator",
    ) == ["True True [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]", "True True", "False numpy"]


def test_to_numpy_keeps_host_arrays_and_orders():
    assert run(
        """
        import numpy as np, pkwrap as xp
        from pkwrap.emulator import cupy
        host = np.arange(6.0).reshape(2, 3)
        print(xp.to_numpy(host) is host, xp.to_numpy([1, 2]).tolist())
        for order in "CF":
            array = xp.to_numpy(cupy.asarray(np.asarray(host, order=order)))
            print(np.array_equal(array, host), array.flags.c_contiguous, array.flags.f_contiguous, array.flags.owndata)
        with xp.count_transfers() as counter:
            xp.to_numpy(xp.to_cupy(host))
        print(counter.to_host, counter.to_device, counter.bytes_to_host, counter.bytes_to_device)
        """,
        PKWRAP_DEVICE="emulator",
    ) == ["True [1, 2]", "True True False True", "True False True True", "1 1 48 48"]


def test_to_cupy_without_cupy_is_an_import_error():
    assert run(
        """
        import pkwrap
        try:
            pkwrap.to_cupy([1])
        except ImportError as error:
            print(str(error).startswith("CuPy cannot be used: "))
        """,
        **NO_DEVICE,
    ) == ["True"]


FOLLOWING = """
    {first}
    {second}
    seen = [pkwrap.get_backend()]
    with cunumpy.use_backend("cupy"):
        seen.append(pkwrap.get_backend())
        seen.append(pkwrap.empty is cunumpy.xp.array_backend.xp.empty)
        with pkwrap.use_backend("numpy"):
            seen.append(pkwrap.get_backend())
        seen.append(pkwrap.get_backend())
    seen.append(pkwrap.get_backend())
    cunumpy.set_backend("cupy")
    seen.append(pkwrap.get_backend())
    pkwrap.set_backend("numpy")
    cunumpy.set_backend("numpy"), cunumpy.set_backend("cupy")
    seen.append(pkwrap.get_backend())
    print(*seen)
    """


@pytest.mark.parametrize("order", [("import pkwrap", "import cunumpy"), ("import cunumpy", "import pkwrap")], ids=["first", "last"])
def test_c9_cunumpy_is_followed_until_set_backend(order):
    code = FOLLOWING.format(first=order[0], second=order[1])
    assert run(code, CUNUMPY_FAKE_CUPY="1") == ["numpy cupy True numpy cupy numpy cupy numpy"]


def test_c9_cunumpy_imports_as_it_would_alone():
    assert run("""
        import pkwrap, sys
        before = len(sys.meta_path)
        import cunumpy, importlib
        print(before - len(sys.meta_path), type(cunumpy.xp.__loader__).__name__, type(cunumpy.xp.__spec__.loader).__name__)
        """) == ["1 SourceFileLoader SourceFileLoader"]


def test_host_results_do_not_depend_on_the_backend():
    import pkwrap

    assert np.array_equal(pkwrap.to_numpy(np.arange(3)), [0, 1, 2])

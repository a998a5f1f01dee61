"""Every function that the emulator's CuPy forwards, on random arrays: values, mutations and views are NumPy's (emulator_random.py).

`make soak` does the same for long.
"""

from emulator_random import Calls


def test_functions_do_on_the_device_what_numpy_does_on_the_host(emulator, xp):
    calls = Calls(xp, 4)
    names = list(calls.names())
    assert len(names) > 300
    for _ in range(3):
        for name in names:
            calls.run(*name)


def test_what_differs_is_found(emulator, xp, monkeypatch):
    """The comparison itself: a write that is lost, a copy for a view and a wrong value are each noticed."""
    lost = [
        ("fill_diagonal", lambda a, val, wrap=False: None),
        ("broadcast_to", lambda array, shape: xp.array(xp.broadcast_to(array, shape))),
        ("cumsum", lambda a, axis=None, dtype=None, out=None: a + 1),
    ]
    for name, wrong in lost:
        right = getattr(xp, name)
        monkeypatch.setattr(xp, name, wrong)
        calls, noticed = Calls(xp, 1), 0
        for _ in range(5):
            try:
                calls.run("", name)
            except AssertionError:
                noticed += 1
        assert noticed > 0, name
        monkeypatch.setattr(xp, name, right)

"""Arrays of argument objects that are declared constant: they come to the host once, and verify mode sees to the promise."""

import subprocess

import numpy as np
import pkwrap
import pytest
from pyccel_build import DATA, wrapped

SOURCE = DATA / "pyccel_constant.py"


@pytest.fixture(scope="module", params=["c", "fortran"])
def module(request, tmp_path_factory):
    """Nothing is declared constant in the manifest."""
    return wrapped(tmp_path_factory.mktemp(f"constant_{request.param}"), SOURCE, request.param)[0]


@pytest.fixture(scope="module", params=[["Domain"], ["Domain.nodes", "Domain.weights"]], ids=["class", "attributes"])
def declared(request, tmp_path_factory):
    name = f"declared_{len(request.param)}"
    return wrapped(tmp_path_factory.mktemp(name), SOURCE, "c", name, outputs={"move": []}, constant=request.param)[0]


def arrays(xp, n=4):
    return [xp.asarray(np.arange(float(n)) + k) for k in range(3)]


def down(counted, call):
    before = counted.bytes_to_host
    call()
    return counted.bytes_to_host - before


def check_once(domain, kernels, markers, counted, xp):
    """32 bytes an array; `nodes` and `weights` come down once, all else at every call."""
    assert [down(counted, domain.volume) for _ in range(3)] == [64, 0, 0]
    particles = kernels.Particles(markers, domain)
    assert [down(counted, lambda: kernels.push(particles, 1.0)) for _ in range(3)] == [32, 32, 32]
    x, out = xp.asarray(np.ones(4)), xp.asarray(np.zeros(4))
    assert [down(counted, lambda: kernels.integrate(domain, x, out)) for _ in range(2)] == [64, 64]
    assert out.tolist() == [0, 2, 6, 12] and markers.tolist() == [2, 6, 10, 14]


def test_what_the_manifest_declares(declared, xp, counted):
    nodes, weights, markers = arrays(xp)
    domain = declared.Domain(nodes, weights, 4)
    check_once(domain, declared, markers, counted, xp)
    domain.nodes = xp.asarray(np.full(4, 2.0))  # another array is another one
    assert domain.volume() == 2 * (1 + 2 + 3 + 4) and down(counted, domain.volume) == 0


@pytest.mark.parametrize("constant", [True, ("nodes", "weights"), ["weights", "nodes"]])
def test_what_the_owner_declares(module, xp, counted, constant):
    nodes, weights, markers = arrays(xp)
    domain = module.Domain(nodes, weights, 4, constant=constant)
    check_once(domain, module, markers, counted, xp)


def test_only_what_is_named_stays(module, xp, counted):
    nodes, weights, _ = arrays(xp)
    domain = module.Domain(nodes, weights, n=4, constant=("nodes",))
    assert [down(counted, domain.volume) for _ in range(3)] == [64, 32, 32]
    weights[0] = 100.0
    nodes[0] = 1.0  # not what was promised: the host copy stays
    assert domain.volume() == 0 * 100 + 1 * 2 + 2 * 3 + 3 * 4
    for nothing in ((), False):
        domain = module.Domain(nodes, weights, 4, constant=nothing)
        assert [down(counted, domain.volume) for _ in range(2)] == [64, 64]


def test_filled_after_construction(module, xp):
    nodes, weights = xp.zeros(4), xp.ones(4)
    domain = module.Domain(nodes, weights, 4, constant=True)
    nodes[:] = 2.0  # before the first call
    assert domain.volume() == 8


def test_host_arrays_that_are_copied(module):
    nodes = np.arange(4.0)[::-1]
    domain = module.Domain(nodes, np.ones(4), 4, constant=True)
    assert domain.volume() == 6
    nodes[:] = 0
    assert domain.volume() == 6
    assert np.shares_memory(domain.part(), nodes)


def test_c50_verify_mode_sees_what_was_changed(module, xp):
    nodes, weights, markers = arrays(xp)
    domain = module.Domain(nodes, weights, 4, constant=True)
    particles = module.Particles(markers, domain)
    with pkwrap.verify():
        assert domain.volume() == domain.volume() == 20
        nodes[2] = 7.0
        words = r"argument '{}' is declared constant, but since it was used first somebody has changed {}\[2\] from 2.0 to 7.0"
        with pytest.raises(pkwrap.UndeclaredWriteError, match=r"volume\(\): " + words.format("self.nodes", "self.nodes")):
            domain.volume()
        with pytest.raises(pkwrap.UndeclaredWriteError, match=r"push\(\): argument '.*' is declared constant"):
            module.push(particles, 1.0)
    assert domain.volume() == 20 and markers.tolist() == [2, 3, 4, 5]


def test_a_kernel_that_writes_a_constant_array_is_refused(module, xp):
    nodes, weights, _ = arrays(xp)
    domain = module.Domain(nodes, weights, 4, constant=("nodes",))
    with pytest.raises(ValueError, match=r"move\(\): argument 'domain.nodes' is written by the kernel, but attribute 'nodes'"):
        module.move(domain, 1.0)
    module.move(module.Domain(nodes, weights, 4, constant=("weights",)), 1.0)
    assert nodes[0] == 1


def test_what_constant_may_be(module, xp):
    nodes, weights, _ = arrays(xp)
    for wrong in ("nodes", None, 3):
        with pytest.raises(TypeError):
            module.Domain(nodes, weights, 4, constant=wrong)
    for wrong in (("node",), ("n",), (1,)):
        with pytest.raises(ValueError, match=r"Domain\(\): argument 'constant' names .*, which is no attribute that refers"):
            module.Domain(nodes, weights, 4, constant=wrong)
    odd = module.Odd(nodes, constant=3)  # a parameter of the class's own
    assert odd.constant == 3


def test_a_manifest_that_contradicts_a_kernel_is_refused(tmp_path, capfd):
    with pytest.raises(subprocess.CalledProcessError):
        wrapped(tmp_path, SOURCE, "c", "refused", constant=["Domain.nodes"])
    assert '"Domain.nodes" is declared constant, but move() writes it ("domain.nodes")' in capfd.readouterr().err

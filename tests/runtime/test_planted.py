"""200 random kernels, half in C and half in Pyccel's Python, with planted faults: what the analysis finds, what verify and learn
mode observe, and what an interpreter of the same kernels does agree."""

import contextlib
import importlib.util
import json
import math
import os
import subprocess

import numpy as np
import pkwrap
import planted
import pytest
from conftest import build_module
from planted import ARRAYS

N_KERNELS = 100  # in each language


def inspected(folder, *files):
    """{kernel: {array: "no", "yes" or "maybe"}}"""
    done = subprocess.run(
        [os.environ["PKWRAP_TOOL"], "inspect", "--json", *files], cwd=folder, check=True, capture_output=True, text=True
    )
    return {
        kernel["name"]: {param["name"]: param["writes"] for param in kernel["params"] if param["name"] in ARRAYS}
        for kernel in json.loads(done.stdout)["kernels"]
    }


def interpreted(kernel):
    """({array: values after}, arrays that changed, be it only a sign of zero)"""
    before, after = planted.start(), planted.start()
    planted.interpret(kernel, after)
    return after, {name for name in ARRAYS if repr(before[name]) != repr(after[name])}


def usable(kernel):
    """Numbers that stay exact, so that C, NumPy and Python compute the same."""
    after, _ = interpreted(kernel)
    return all(math.isfinite(number) and abs(number) < 2**40 for values in after.values() for number in values)


def missing_one(kernel):
    """The outputs of a kernel without one of those that really change: (outputs, the one left out), or None."""
    _, changed = interpreted(kernel)
    if not changed:
        return None
    left_out = sorted(changed)[len(kernel.body) % len(changed)]
    return sorted(planted.writes_of(kernel) - {left_out}), left_out


class Language:
    """The kernels of one language, and how they are called: call(kernel, outputs)(n, *arrays); outputs None: what was found."""

    def __init__(self, seed, folder):
        self.folder = folder
        self.helpers, kernels = planted.make(seed, 2 * N_KERNELS)
        self.kernels = [kernel for kernel in kernels if usable(kernel)][:N_KERNELS]
        assert len(self.kernels) == N_KERNELS


class C(Language):
    def __init__(self, folder):
        super().__init__(20260, folder)
        (folder / "k.h").write_text("".join(planted.c_head(kernel) + ";\n" for kernel in self.kernels))
        (folder / "k.c").write_text(
            '#include "k.h"\n#include <string.h>\n\n'
            + "\n".join(planted.as_c(kernel, static=True) for kernel in self.helpers)
            + "\n".join(planted.as_c(kernel) for kernel in self.kernels)
        )
        self.found = inspected(folder, "k.h", "k.c")
        self.right = self.build("right", {})
        self.wrong = self.build(
            "wrong", {kernel.name: missing_one(kernel)[0] for kernel in self.kernels if missing_one(kernel) is not None}
        )

    def build(self, module, outputs):
        """A proven write that is not declared needs a reason to be built; the manifest that is left for `check` has none."""
        kernels, built = {}, {}
        for kernel in self.kernels:
            shapes = {name: {"shape": ["n"]} for name in ARRAYS}
            kernels[kernel.name] = built[kernel.name] = {"params": shapes}
            if kernel.name in outputs:
                listed = outputs[kernel.name]
                lies = {name: param if name in listed else {**param, "read_only": "a lie"} for name, param in shapes.items()}
                kernels[kernel.name] = {"params": shapes, "outputs": listed}
                built[kernel.name] = {"params": lies, "outputs": listed}
        manifest = {"module": module, "headers": ["k.h"], "sources": ["k.c"]}
        path, folder = self.folder / f"{module}.json", self.folder / module
        folder.mkdir()
        path.write_text(json.dumps(manifest | {"kernels": built}))
        result = build_module(path, folder)
        path.write_text(json.dumps(manifest | {"kernels": kernels}))
        return result

    def call(self, kernel, outputs):
        function = getattr(self.right if outputs is None else self.wrong, kernel.name)
        return lambda n, *arrays: function(*arrays)


class Python(Language):
    def __init__(self, folder):
        super().__init__(20261, folder)
        (folder / "k.py").write_text("\n\n".join(planted.as_python(kernel) for kernel in [*self.helpers, *self.kernels]))
        self.found = inspected(folder, "k.py")
        spec = importlib.util.spec_from_file_location("planted_kernels", folder / "k.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def call(self, kernel, outputs):
        if outputs is None:
            outputs = [name for name, writes in self.found[kernel.name].items() if writes != "no"]
        positions = tuple(1 + ARRAYS.index(name) for name in outputs)
        return pkwrap.PyccelKernel(getattr(self.module, kernel.name), outputs=positions)


@pytest.fixture(scope="module", params=[C, Python], ids=["C", "Python"])
def language(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("planted"))


def host_arrays():
    return [np.array(values) for values in planted.start().values()]


def test_the_kernels_are_worth_testing(language):
    """Enough of each kind: nothing written, stores that are never executed or change nothing, several arrays, helpers."""
    written = [planted.writes_of(kernel) for kernel in language.kernels]
    changed = [interpreted(kernel)[1] for kernel in language.kernels]
    assert all(now <= ever for now, ever in zip(changed, written, strict=True))
    assert sum(not ever for ever in written) >= 8
    assert sum(now < ever for now, ever in zip(changed, written, strict=True)) >= 8
    assert sum(len(now) > 1 for now in changed) >= 20
    assert sum("call" in str(kernel.body) for kernel in language.kernels) >= 15


def test_the_analysis_finds_exactly_the_stores(language):
    wrong = {}
    for kernel in language.kernels:
        truth = planted.writes_of(kernel)
        found = {name for name, writes in language.found[kernel.name].items() if writes != "no"}
        if found != truth:
            wrong[kernel.name] = (sorted(truth), sorted(found))
    assert wrong == {}


def test_values_and_observed_changes_are_those_of_the_interpreter(language):
    wrong = {}
    with pkwrap.verify(), pkwrap.learn() as seen:
        for kernel in language.kernels:
            arrays = host_arrays()
            language.call(kernel, None)(len(arrays[0]), *arrays)  # verify mode finds nothing undeclared
            after, changed = interpreted(kernel)
            ((arguments),) = [calls for (_, name), calls in seen.calls.items() if name == kernel.name]
            observed = {name for name, (_, changes) in arguments.items() if changes}
            if [array.tolist() for array in arrays] != list(after.values()) or observed != changed:
                wrong[kernel.name] = (sorted(changed), sorted(observed))
    assert wrong == {}


@pytest.mark.parametrize("on_device", [False, True], ids=["host", "device"])
def test_verify_mode_names_the_planted_fault(language, xp, on_device):
    wrong, n = [], 0
    for kernel in language.kernels:
        fault = missing_one(kernel)
        if fault is None:
            continue
        n += 1
        arrays = [xp.asarray(array) for array in host_arrays()] if on_device else host_arrays()
        with pkwrap.verify(), contextlib.suppress(pkwrap.UndeclaredWriteError):
            try:
                language.call(kernel, fault[0])(planted.COUNT, *arrays)
                wrong.append((kernel.name, fault, "nothing raised"))
            except pkwrap.UndeclaredWriteError as error:
                if f"{kernel.name}(): argument '{fault[1]}'" not in str(error):
                    wrong.append((kernel.name, fault, str(error)))
    assert wrong == [] and n >= 50


def test_without_verify_mode_a_fault_loses_the_write_on_the_device(language, xp):
    for kernel in language.kernels[:40]:
        fault = missing_one(kernel)
        if fault is None:
            continue
        arrays = [xp.asarray(array) for array in host_arrays()]
        language.call(kernel, fault[0])(planted.COUNT, *arrays)
        before, (after, _) = planted.start(), interpreted(kernel)
        for name, array in zip(ARRAYS, arrays, strict=True):
            assert xp.asnumpy(array).tolist() == (before if name == fault[1] else after)[name]


def test_check_contradicts_exactly_the_faults(language):
    if isinstance(language, Python):
        pytest.skip("check reads manifests; Python kernels have none here")
    done = subprocess.run(
        [os.environ["PKWRAP_TOOL"], "check", "--json", "-o", "wrong", "wrong.json"],
        cwd=language.folder, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    named = {
        (finding["kernel"], name): finding["severity"]
        for finding in json.loads(done.stdout)["findings"]
        for name in ARRAYS
        if f'writes "{name}"' in finding["text"]
    }
    faults = [(kernel.name, missing_one(kernel)[1]) for kernel in language.kernels if missing_one(kernel) is not None]
    # A store through a pointer that may point elsewhere proves nothing of one array: a warning.
    assert named == {fault: {"yes": "error", "maybe": "warning"}[language.found[fault[0]][fault[1]]] for fault in faults}

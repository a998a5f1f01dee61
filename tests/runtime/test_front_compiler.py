"""libclang reads the program that the compiler compiles: its predefined macros, its flags, the environment's."""

import shutil

import pytest

from front import inspect, kernels, tool

STORE = "void f(double *x)\n{\n#if %s\n    x[0] = 1.0;\n#else\n    (void)x;\n#endif\n}\n"


def writes(folder, source, *arguments, **environment):
    (folder / "k.c").write_text(source)
    (kernel,) = inspect(folder, None, "k.c", *arguments, **environment)["kernels"]
    return kernel["params"][0]["writes"]


@pytest.mark.parametrize(
    "condition, environment",
    [
        ("!defined __clang__", {}),
        ("__GNUC__ >= 5", {}),
        ("defined __OPTIMIZE__", {}),
        ("defined __PIC__", {}),
        ("!defined __has_feature || !__has_feature(c_static_assert)", {}),
        ("defined __GNUC_STDC_INLINE__ && !defined __clang_major__ && !defined __llvm__", {}),
        ("defined __FAST_MATH__", {"CFLAGS": "-ffast-math"}),
        ("defined __AVX2__", {"CFLAGS": "-mavx2"}),
        ("defined __SSE4_2__", {"CFLAGS": "-march=x86-64-v2"}),
        ("defined WANTED && WANTED == 3", {"CFLAGS": "-DWANTED=2 -UWANTED '-DWANTED=3'"}),
        ("_OPENMP > 201000", {"CFLAGS": "-fopenmp"}),
        ("!defined __OPTIMIZE__", {"CFLAGS": "-O0"}),
        ("defined __SANITIZE_ADDRESS__", {"CFLAGS": "-fsanitize=address"}),
        ("defined _REENTRANT", {"CFLAGS": "-pthread"}),
        ("__STDC_VERSION__ < 201000", {"CFLAGS": "-std=gnu99"}),
        ("!defined linux", {"CFLAGS": "-std=c17"}),
        ("defined FROM_CC", {"CC": "gcc -DFROM_CC"}),
        ("defined __clang__", {"CC": "clang-19"}),
    ],
)
def test_a_body_that_depends_on_the_compiler(tmp_path, condition, environment):
    if environment.get("CC") == "clang-19":
        shutil.which("clang-19") or pytest.skip("no clang-19")
    environment = {"CC": "gcc", "CFLAGS": "", **environment}
    assert writes(tmp_path, STORE % condition, **environment) == "yes"
    assert writes(tmp_path, STORE % f"!({condition})", **environment) == "no"


def test_the_flags_of_a_database_count(tmp_path):
    (tmp_path / "compile_commands.json").write_text(
        f'[{{"directory": "{tmp_path}", "file": "k.c", "arguments": ["cc", "-mavx2", "-include", "w.h", "-c", "k.c"]}}]'
    )
    (tmp_path / "w.h").write_text("#ifndef W_H\n#define W_H\nenum { WANTED = 1 };\n#endif\n")
    source = "#if defined __AVX2__\nvoid f(double *x)\n{\n    x[0] = WANTED;\n}\n#endif\n"
    assert writes(tmp_path, source, "-p", ".", CC="gcc") == "yes"


def test_headers_of_the_system_in_the_compilers_mode(tmp_path):
    names = "math complex stdlib string stdio stdint limits float tgmath stdatomic threads pthread wchar fenv assert inttypes"
    header = "".join(f"#include <{name}.h>\n" for name in names.split()) + "double f(double x);\n"
    for flags in ("", "-O3 -ffast-math -D_FORTIFY_SOURCE=2", "-std=c99", "-ansi -pedantic", "-std=gnu2x -fopenmp"):
        text = header.replace("#include <tgmath.h>\n", "").replace("#include <complex.h>\n", "") if "-ansi" in flags else header
        assert list(kernels(tmp_path, text, CC="gcc", CFLAGS=flags)) == ["f"]


def test_extents_from_the_environments_flags(tmp_path):
    header = "#ifndef NX\n#define NX 16\n#endif\nvoid fill(double u[NX]);\n"
    (param,) = kernels(tmp_path, header, CFLAGS="-DNX=64")["fill"]["params"]
    assert param["shape"] == ["NX"]
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "nx.h").write_text("#define NX 32\n")
    header = '#include "nx.h"\ntypedef double vec[NX];\nvoid fill(vec u);\n'
    (param,) = kernels(tmp_path, header, CFLAGS="-I d")["fill"]["params"]
    assert param["shape"] == ["32"]


def test_characters_may_be_unsigned(tmp_path):
    (param,) = kernels(tmp_path, "void f(char *s);", CFLAGS="-funsigned-char")["f"]["params"]
    assert param["dtype"] == "uint8"
    (param,) = kernels(tmp_path, "void f(char *s);", CFLAGS="-fsigned-char")["f"]["params"]
    assert param["dtype"] == "int8"


def test_a_compiler_that_does_not_answer_is_said(tmp_path):
    (tmp_path / "k.h").write_text("void f(int n);\n")
    done = tool("inspect", "k.h", cwd=tmp_path, CC="gcc", CFLAGS="--no-such-flag")
    assert done.returncode == 0
    assert "warning: the compiler gcc does not tell its predefined macros, so clang's are taken: " in done.stderr
    assert "--no-such-flag" in done.stderr
    assert tool("inspect", "k.h", cwd=tmp_path, CC="no-such-compiler").returncode == 0


def test_a_quote_that_is_not_closed(tmp_path):
    (tmp_path / "k.h").write_text("void f(int n);\n")
    done = tool("inspect", "k.h", cwd=tmp_path, CFLAGS="'-DX")
    assert done.returncode == 3
    assert "CFLAGS has a quote that is not closed" in done.stderr

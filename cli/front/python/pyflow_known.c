/* pyflow_known.c - what functions and methods do that kernels use without our having their source. What is not listed may
 * write every array it is given.
 */
#include <string.h>

#include "pyflow_parts_internal.h"

/* Modules whose functions have these names and do the same. */
static const char *const modules[] = {"numpy.", "math.", "cmath."};

#define PURE(name, inputs, result) {name, KNOWN_PURE, inputs, result, false}
#define SHAPE(name) {name, KNOWN_PURE, 99, FLOW_ARRAY, true}
#define VIEW(name) {name, KNOWN_VIEW, 99, FLOW_UNKNOWN, false}
#define WRITES(name) {name, KNOWN_WRITES, 99, FLOW_SCALAR, false}

static const struct known_function functions[] = {
    PURE("sum", 3, FLOW_UNKNOWN), PURE("max", 2, FLOW_UNKNOWN), PURE("min", 2, FLOW_UNKNOWN),
    /* the base of a logarithm is no output */
    PURE("math.log", 2, FLOW_UNKNOWN), PURE("cmath.log", 2, FLOW_UNKNOWN),
    /* new arrays */
    SHAPE("zeros"), SHAPE("empty"), SHAPE("ones"), SHAPE("full"),
    PURE("zeros_like", 99, FLOW_ARRAY), PURE("empty_like", 99, FLOW_ARRAY), PURE("ones_like", 99, FLOW_ARRAY),
    PURE("full_like", 99, FLOW_ARRAY), PURE("arange", 99, FLOW_ARRAY), PURE("linspace", 99, FLOW_ARRAY),
    PURE("eye", 99, FLOW_ARRAY), PURE("identity", 99, FLOW_ARRAY), PURE("copy", 99, FLOW_ARRAY), PURE("array", 99, FLOW_ARRAY),
    PURE("where", 99, FLOW_ARRAY), PURE("nonzero", 99, FLOW_CONTAINER), PURE("outer", 2, FLOW_ARRAY),
    PURE("cross", 99, FLOW_ARRAY), PURE("kron", 99, FLOW_ARRAY), PURE("tile", 99, FLOW_ARRAY), PURE("repeat", 99, FLOW_ARRAY),
    PURE("concatenate", 2, FLOW_ARRAY), PURE("vstack", 99, FLOW_ARRAY), PURE("hstack", 99, FLOW_ARRAY),
    PURE("stack", 2, FLOW_ARRAY), PURE("roll", 99, FLOW_ARRAY), PURE("sort", 99, FLOW_ARRAY), PURE("argsort", 99, FLOW_ARRAY),
    PURE("cumsum", 3, FLOW_ARRAY), PURE("cumprod", 3, FLOW_ARRAY), PURE("diff", 99, FLOW_ARRAY),
    /* of one argument, element by element */
#define ONE(name) PURE(name, 1, FLOW_UNKNOWN)
    ONE("sin"), ONE("cos"), ONE("tan"), ONE("arcsin"), ONE("arccos"), ONE("arctan"), ONE("asin"), ONE("acos"), ONE("atan"),
    ONE("sinh"), ONE("cosh"), ONE("tanh"), ONE("arcsinh"), ONE("arccosh"), ONE("arctanh"), ONE("asinh"), ONE("acosh"),
    ONE("atanh"), ONE("exp"), ONE("exp2"), ONE("expm1"), ONE("log2"), ONE("log10"), ONE("log1p"), ONE("sqrt"),
    ONE("cbrt"), ONE("abs"), ONE("absolute"), ONE("fabs"), ONE("sign"), ONE("floor"), ONE("ceil"), ONE("trunc"), ONE("rint"),
    ONE("isnan"), ONE("isinf"), ONE("isfinite"), ONE("negative"), ONE("square"), ONE("reciprocal"), ONE("conj"),
    ONE("conjugate"), ONE("angle"), ONE("logical_not"), ONE("invert"), ONE("deg2rad"), ONE("rad2deg"), ONE("degrees"),
    ONE("radians"), ONE("erf"), ONE("erfc"), ONE("gamma"), ONE("lgamma"), ONE("phase"), ONE("polar"), ONE("rect"),
    ONE("isqrt"), ONE("factorial"), PURE("log", 1, FLOW_UNKNOWN), PURE("round", 2, FLOW_UNKNOWN),
#undef ONE
    /* of two arguments */
#define TWO(name) PURE(name, 2, FLOW_UNKNOWN)
    TWO("add"), TWO("subtract"), TWO("multiply"), TWO("divide"), TWO("true_divide"), TWO("floor_divide"), TWO("mod"),
    TWO("fmod"), TWO("remainder"), TWO("power"), TWO("arctan2"), TWO("atan2"), TWO("hypot"), TWO("maximum"), TWO("minimum"),
    TWO("fmax"), TWO("fmin"), TWO("copysign"), TWO("logical_and"), TWO("logical_or"), TWO("logical_xor"), TWO("equal"),
    TWO("not_equal"), TWO("less"), TWO("greater"), TWO("less_equal"), TWO("greater_equal"), TWO("dot"), TWO("matmul"),
    TWO("gcd"), TWO("lcm"), TWO("ldexp"), TWO("bitwise_and"), TWO("bitwise_or"), TWO("bitwise_xor"),
#undef TWO
    /* numbers out of arrays; an axis makes some of them arrays */
    PURE("amax", 2, FLOW_UNKNOWN), PURE("amin", 2, FLOW_UNKNOWN), PURE("prod", 3, FLOW_UNKNOWN), PURE("mean", 3, FLOW_UNKNOWN),
    PURE("std", 3, FLOW_UNKNOWN), PURE("var", 3, FLOW_UNKNOWN), PURE("any", 2, FLOW_UNKNOWN), PURE("all", 2, FLOW_UNKNOWN),
    PURE("argmax", 2, FLOW_UNKNOWN), PURE("argmin", 2, FLOW_UNKNOWN), PURE("count_nonzero", 99, FLOW_UNKNOWN),
    PURE("vdot", 99, FLOW_SCALAR), PURE("allclose", 99, FLOW_SCALAR), PURE("isclose", 99, FLOW_UNKNOWN),
    PURE("array_equal", 99, FLOW_SCALAR), PURE("shape", 99, FLOW_CONTAINER), PURE("size", 99, FLOW_SCALAR),
    PURE("ndim", 99, FLOW_SCALAR), PURE("result_type", 99, FLOW_SCALAR), PURE("fsum", 99, FLOW_SCALAR),
    PURE("linalg.norm", 99, FLOW_UNKNOWN), PURE("linalg.det", 99, FLOW_UNKNOWN), PURE("linalg.inv", 99, FLOW_ARRAY),
    PURE("linalg.solve", 99, FLOW_ARRAY), PURE("random.rand", 99, FLOW_ARRAY), PURE("random.randint", 99, FLOW_ARRAY),
    PURE("random.random", 99, FLOW_ARRAY), PURE("random.normal", 99, FLOW_ARRAY), PURE("random.uniform", 99, FLOW_ARRAY),
    PURE("random.randn", 99, FLOW_ARRAY), PURE("random.seed", 99, FLOW_SCALAR),
    PURE("clip", 3, FLOW_UNKNOWN), PURE("interp", 99, FLOW_UNKNOWN),
    /* Python's own */
    PURE("builtins.range", 99, FLOW_CONTAINER), PURE("builtins.len", 99, FLOW_SCALAR), PURE("builtins.int", 99, FLOW_SCALAR),
    PURE("builtins.float", 99, FLOW_SCALAR), PURE("builtins.complex", 99, FLOW_SCALAR), PURE("builtins.bool", 99, FLOW_SCALAR),
    PURE("builtins.str", 99, FLOW_SCALAR), PURE("builtins.repr", 99, FLOW_SCALAR), PURE("builtins.print", 99, FLOW_SCALAR), PURE("builtins.pow", 99, FLOW_UNKNOWN),
    PURE("builtins.divmod", 2, FLOW_UNKNOWN), PURE("builtins.isinstance", 99, FLOW_SCALAR), PURE("builtins.issubclass", 99, FLOW_SCALAR),
    PURE("builtins.type", 99, FLOW_SCALAR), PURE("builtins.hash", 99, FLOW_SCALAR), PURE("builtins.ord", 99, FLOW_SCALAR),
    PURE("builtins.chr", 99, FLOW_SCALAR), PURE("builtins.hex", 99, FLOW_SCALAR), PURE("builtins.format", 99, FLOW_SCALAR),
    PURE("builtins.callable", 99, FLOW_SCALAR), PURE("builtins.slice", 99, FLOW_CONTAINER),
    PURE("builtins.abs", 1, FLOW_UNKNOWN), PURE("builtins.round", 2, FLOW_UNKNOWN),
    /* NumPy's scalar types */
    PURE("int8", 99, FLOW_UNKNOWN), PURE("int16", 99, FLOW_UNKNOWN), PURE("int32", 99, FLOW_UNKNOWN),
    PURE("int64", 99, FLOW_UNKNOWN), PURE("float32", 99, FLOW_UNKNOWN), PURE("float64", 99, FLOW_UNKNOWN),
    PURE("complex64", 99, FLOW_UNKNOWN), PURE("complex128", 99, FLOW_UNKNOWN), PURE("bool_", 99, FLOW_UNKNOWN),
    PURE("uint8", 99, FLOW_UNKNOWN), PURE("uint16", 99, FLOW_UNKNOWN), PURE("uint32", 99, FLOW_UNKNOWN),
    PURE("uint64", 99, FLOW_UNKNOWN),
    /* may give back what they were given, or a part of it */
    VIEW("builtins.max"), VIEW("builtins.min"), VIEW("builtins.sum"), VIEW("builtins.list"), VIEW("builtins.tuple"), VIEW("builtins.set"), VIEW("builtins.dict"), VIEW("builtins.frozenset"),
    VIEW("builtins.sorted"), VIEW("builtins.reversed"), VIEW("builtins.enumerate"), VIEW("builtins.zip"), VIEW("builtins.iter"), VIEW("builtins.next"),
    VIEW("asarray"), VIEW("asanyarray"), VIEW("ascontiguousarray"), VIEW("asfortranarray"), VIEW("reshape"),
    VIEW("ravel"), VIEW("transpose"), VIEW("squeeze"), VIEW("swapaxes"), VIEW("moveaxis"), VIEW("expand_dims"),
    VIEW("broadcast_to"), VIEW("atleast_1d"), VIEW("atleast_2d"), VIEW("atleast_3d"), VIEW("real"), VIEW("imag"),
    VIEW("diag"), VIEW("diagonal"), VIEW("split"), VIEW("array_split"), VIEW("flip"), VIEW("fliplr"), VIEW("flipud"), VIEW("rot90"),
    WRITES("copyto"), WRITES("put"), WRITES("place"), WRITES("putmask"), WRITES("fill_diagonal"), WRITES("random.shuffle"),
};

static const struct known_function array_methods[] = {
    PURE("sum", 2, FLOW_UNKNOWN), PURE("min", 1, FLOW_UNKNOWN), PURE("max", 1, FLOW_UNKNOWN), PURE("mean", 2, FLOW_UNKNOWN),
    PURE("prod", 2, FLOW_UNKNOWN), PURE("std", 2, FLOW_UNKNOWN), PURE("var", 2, FLOW_UNKNOWN), PURE("any", 1, FLOW_UNKNOWN),
    PURE("all", 1, FLOW_UNKNOWN), PURE("argmax", 1, FLOW_UNKNOWN), PURE("argmin", 1, FLOW_UNKNOWN),
    PURE("copy", 99, FLOW_ARRAY), PURE("dot", 1, FLOW_UNKNOWN), PURE("cumsum", 2, FLOW_ARRAY), PURE("round", 1, FLOW_ARRAY),
    PURE("clip", 2, FLOW_ARRAY), PURE("conj", 0, FLOW_ARRAY), PURE("conjugate", 0, FLOW_ARRAY), PURE("flatten", 99, FLOW_ARRAY),
    PURE("tolist", 99, FLOW_CONTAINER), PURE("item", 99, FLOW_SCALAR), PURE("nonzero", 99, FLOW_CONTAINER),
    PURE("repeat", 99, FLOW_ARRAY), PURE("trace", 4, FLOW_UNKNOWN), PURE("argsort", 99, FLOW_ARRAY),
    VIEW("astype"), VIEW("reshape"), VIEW("ravel"), VIEW("transpose"), VIEW("view"), VIEW("squeeze"), VIEW("swapaxes"),
    VIEW("diagonal"),
    WRITES("fill"), WRITES("sort"), WRITES("partition"), WRITES("put"), WRITES("itemset"), WRITES("resize"),
    WRITES("byteswap"), WRITES("setflags"),
};

#define KEEPS(name) {name, KNOWN_KEEPS, 99, FLOW_UNKNOWN, false}

static const struct known_function container_methods[] = {
    PURE("index", 99, FLOW_SCALAR), PURE("count", 99, FLOW_SCALAR), PURE("isdisjoint", 99, FLOW_SCALAR),
    PURE("issubset", 99, FLOW_SCALAR), PURE("issuperset", 99, FLOW_SCALAR),
    VIEW("copy"), VIEW("get"), VIEW("keys"), VIEW("values"), VIEW("items"), VIEW("union"), VIEW("intersection"),
    VIEW("difference"), VIEW("symmetric_difference"),
    WRITES("clear"), WRITES("remove"), WRITES("discard"), WRITES("reverse"), WRITES("sort"),
    KEEPS("pop"), KEEPS("popitem"), KEEPS("append"), KEEPS("insert"), KEEPS("extend"), KEEPS("add"), KEEPS("update"),
    KEEPS("setdefault"),
};

static const struct known_function *
find(const struct known_function *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool
known_module(const char *name)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strncmp(modules[i], name, strlen(name)) == 0 && modules[i][strlen(name)] == '.')
            return true;
    return strncmp(name, "pyccel.", 7) == 0;
}

const struct known_function *
known_function(const char *dotted)
{
    const struct known_function *exact = find(functions, sizeof functions / sizeof *functions, dotted);
    if (exact)
        return exact;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        size_t n = strlen(modules[i]);
        if (strncmp(dotted, modules[i], n) == 0)
            return find(functions, sizeof functions / sizeof *functions, dotted + n);
    }
    return NULL;
}

const struct known_function *
known_array_method(const char *name)
{
    return find(array_methods, sizeof array_methods / sizeof *array_methods, name);
}

const struct known_function *
known_container_method(const char *name)
{
    return find(container_methods, sizeof container_methods / sizeof *container_methods, name);
}

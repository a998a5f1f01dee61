/* watch.c - see watch.h. */
#include "watch.h"

#include <string.h>

#include "base/errors.h"
#include "base/runtime.h"

static PyObject *learned; /* owned; NULL: not learning */

int
watch_set(bool verify, PyObject *new_learned)
{
    if (new_learned != Py_None && !PyCallable_Check(new_learned)) {
        PyErr_SetString(PyExc_TypeError, "what is learned goes to a callable");
        return -1;
    }
    PyObject *old = learned;
    learned = new_learned == Py_None ? NULL : Py_NewRef(new_learned);
    watching_active = (verify ? WATCH_VERIFY : 0) | (learned != NULL ? WATCH_LEARN : 0);
    Py_XDECREF(old);
    return 0;
}

int
watch_tell(const char *module, const char *kernel, const char *argument, bool changed, size_t n_bytes)
{
    if (learned == NULL)
        return 0;
    PyObject *target = Py_NewRef(learned);
    PyObject *done = PyObject_CallFunction(target, "sssOn", module, kernel, argument, changed ? Py_True : Py_False,
                                           (Py_ssize_t)n_bytes);
    Py_DECREF(target);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

size_t
watch_n_bytes(const struct watched_memory *memory)
{
    size_t n_bytes = memory->item_size;
    for (int i = 0; i < memory->rank; i++)
        n_bytes *= (size_t)memory->shape[i];
    return n_bytes;
}

struct byte_range
watch_range(const struct watched_memory *memory)
{
    struct byte_range range = {memory->data, memory->data + memory->item_size};
    for (int i = 0; i < memory->rank; i++) {
        int64_t reach = (memory->shape[i] - 1) * memory->strides[i];
        if (reach < 0)
            range.low += reach;
        else
            range.high += reach;
    }
    return range;
}

/* Element by element in C order: the address of each, and the next index. */
struct walk {
    const struct watched_memory *memory;
    int64_t index[PKW_MAX_RANK];
    int64_t left; /* elements */
    char *element;
};

static void
walk_init(struct walk *walk, const struct watched_memory *memory)
{
    walk->memory = memory;
    walk->left = 1;
    walk->element = memory->data;
    for (int i = 0; i < memory->rank; i++) {
        walk->index[i] = 0;
        walk->left *= memory->shape[i];
    }
}

static void
walk_next(struct walk *walk)
{
    const struct watched_memory *memory = walk->memory;
    walk->left--;
    for (int i = memory->rank - 1; i >= 0; i--) {
        walk->element += memory->strides[i];
        if (++walk->index[i] < memory->shape[i])
            return;
        walk->element -= memory->strides[i] * memory->shape[i];
        walk->index[i] = 0;
    }
}

static void
copy_index(int64_t *index, const struct walk *walk)
{
    for (int i = 0; i < walk->memory->rank; i++)
        index[i] = walk->index[i];
}

void *
watch_copy(const struct watched_memory *memory)
{
    struct walk walk;
    walk_init(&walk, memory);
    char *copy = PyMem_Malloc((size_t)walk.left * memory->item_size + 1);
    if (copy == NULL)
        return PyErr_NoMemory();
    for (char *to = copy; walk.left > 0; walk_next(&walk), to += memory->item_size)
        memcpy(to, walk.element, memory->item_size);
    return copy;
}

/* Whether a byte of the element belongs to a range. */
static bool
is_exempt(const struct watched_memory *memory, const char *element)
{
    for (int i = 0; i < memory->n_exempt; i++)
        if (element < memory->exempt[i].high && memory->exempt[i].low < element + memory->item_size)
            return true;
    return false;
}

bool
watch_find_change(const struct watched_memory *memory, const void *copy, int64_t *index)
{
    struct walk walk;
    walk_init(&walk, memory);
    for (const char *before = copy; walk.left > 0; walk_next(&walk), before += memory->item_size)
        if (memcmp(before, walk.element, memory->item_size) != 0 && !is_exempt(memory, walk.element)) {
            copy_index(index, &walk);
            return true;
        }
    return false;
}

void
watch_restore(const struct watched_memory *memory, const void *copy)
{
    struct walk walk;
    walk_init(&walk, memory);
    for (const char *before = copy; walk.left > 0; walk_next(&walk), before += memory->item_size)
        if (memcmp(before, walk.element, memory->item_size) != 0 && !is_exempt(memory, walk.element))
            memcpy(walk.element, before, memory->item_size);
}

/* Ends an element with the exponent and quiet bit of a NaN in the IEEE formats; the rest is arbitrary, but not all ones, so that
 * -1 is no poison. */
static const unsigned char poison[] = {0xa7, 0x5b, 0xf5, 0x7f};

static unsigned char
poison_byte(size_t item_size, size_t i)
{
    return poison[(sizeof poison - item_size % sizeof poison + i) % sizeof poison];
}

void
watch_poison(const struct watched_memory *memory)
{
    struct walk walk;
    for (walk_init(&walk, memory); walk.left > 0; walk_next(&walk))
        for (size_t i = 0; i < memory->item_size; i++)
            walk.element[i] = (char)poison_byte(memory->item_size, i);
}

static bool
is_poison(const char *element, size_t item_size)
{
    for (size_t i = 0; i < item_size; i++)
        if ((unsigned char)element[i] != poison_byte(item_size, i))
            return false;
    return true;
}

bool
watch_find_poison(const struct watched_memory *memory, int64_t *index)
{
    struct walk walk;
    walk_init(&walk, memory);
    bool all = memory->item_size == 1, found = false;
    for (; walk.left > 0 && (all || !found); walk_next(&walk)) {
        bool left_over = is_poison(walk.element, memory->item_size);
        if (left_over && !found)
            copy_index(index, &walk);
        if (all && !left_over)
            return false;
        found = found || left_over;
    }
    return found;
}

/* The pattern's bits in a number of `size` bytes, as computing leaves them: made quiet, with any sign. */
static bool
is_derived(const char *number, size_t size)
{
    uint64_t bits = 0, pattern = 0;
    for (size_t i = 0; i < size; i++) {
        size_t shift = 8 * (PY_LITTLE_ENDIAN ? i : size - 1 - i);
        bits |= (uint64_t)(unsigned char)number[i] << shift;
        pattern |= (uint64_t)poison_byte(size, i) << shift;
    }
    uint64_t quiet = size == sizeof(float) ? (uint64_t)1 << 22 : (uint64_t)1 << 51;
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return ((bits | quiet) & ~sign) == (pattern | quiet);
}

bool
watch_find_derived(const struct watched_memory *memory, size_t size, int64_t *index)
{
    struct walk walk;
    for (walk_init(&walk, memory); walk.left > 0; walk_next(&walk))
        for (size_t i = 0; i + size <= memory->item_size; i += size)
            if (is_derived(walk.element + i, size)) {
                if (memory->rank > 0)
                    copy_index(index, &walk);
                return true;
            }
    return false;
}

/* "3" or "1, 2": an index as it is written in brackets. A new reference, or NULL. */
static PyObject *
index_text(int rank, const int64_t *index)
{
    PyObject *text = PyUnicode_FromString(rank == 0 ? "()" : "");
    for (int i = 0; text != NULL && i < rank; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s%lld", text, i == 0 ? "" : ", ", (long long)index[i]);
        Py_DECREF(text);
        text = longer;
    }
    return text;
}

static PyObject *
element_object(const void *element, PyArray_Descr *descr)
{
    PyObject *bytes = PyBytes_FromStringAndSize(element, PyDataType_ELSIZE(descr)); /* PyArray_Scalar wants it writable */
    PyObject *value = bytes == NULL ? NULL : PyArray_Scalar(PyBytes_AS_STRING(bytes), descr, NULL);
    Py_XDECREF(bytes);
    return value;
}

int
raise_undeclared_write(const char *function, const char *argument, const struct watched_memory *memory, const void *copy,
                       const int64_t *index, PyArray_Descr *descr)
{
    return raise_undeclared_write_inside(function, argument, argument, memory, copy, index, descr);
}

/* Raises UndeclaredWriteError: the argument, then `words`, with the place of the element and its values before and after. */
static int
raise_change(const char *function, const char *argument, const char *words, const char *path, const struct watched_memory *memory,
             const void *copy, const int64_t *index, PyArray_Descr *descr)
{
    int64_t position = 0;
    const char *element = memory->data;
    for (int i = 0; i < memory->rank; i++) {
        position = position * memory->shape[i] + index[i];
        element += index[i] * memory->strides[i];
    }
    PyObject *before = element_object((const char *)copy + (size_t)position * memory->item_size, descr);
    PyObject *after = element_object(element, descr);
    PyObject *place = index_text(memory->rank, index);
    if (before != NULL && after != NULL && place != NULL)
        raise_argument_error(undeclared_write_error, function, argument, "%s %s[%U] from %S to %S", words, path, place, before, after);
    Py_XDECREF(before);
    Py_XDECREF(after);
    Py_XDECREF(place);
    return -1;
}

int
raise_undeclared_write_inside(const char *function, const char *argument, const char *path,
                              const struct watched_memory *memory, const void *copy, const int64_t *index,
                              PyArray_Descr *descr)
{
    return raise_change(function, argument, "is not declared as written, but the kernel changed", path, memory, copy, index, descr);
}

int
raise_changed_constant(const char *function, const char *argument, const struct watched_memory *memory, const void *copy,
                       const int64_t *index, PyArray_Descr *descr)
{
    return raise_change(function, argument, "is declared constant, but since it was used first somebody has changed", argument, memory,
                        copy, index, descr);
}

struct watched_memory
watched_array(PyArrayObject *array)
{
    return (struct watched_memory){
        .data = PyArray_DATA(array),
        .rank = PyArray_NDIM(array),
        .shape = PyArray_DIMS(array),
        .strides = PyArray_STRIDES(array),
        .item_size = (size_t)PyArray_ITEMSIZE(array),
    };
}

int
raise_left_unwritten(const char *function, const char *argument, int rank, const int64_t *index)
{
    PyObject *place = index_text(rank, index);
    if (place != NULL)
        raise_argument_error(undeclared_write_error, function, argument,
                             "is declared overwritten, but the kernel did not write %s[%U]", argument, place);
    Py_XDECREF(place);
    return -1;
}

int
raise_read_too_early(const char *function, PyObject *arguments, const char *where, int rank, const int64_t *index)
{
    PyObject *place = index == NULL ? PyUnicode_FromString("") : index_text(rank, index);
    if (place != NULL)
        PyErr_Format(undeclared_write_error,
                     "%s(): argument %U is declared overwritten, but the kernel reads what was there before: %s%s%U%s has come of it",
                     function, arguments, where, index == NULL ? "" : "[", place, index == NULL ? "" : "]");
    Py_XDECREF(place);
    return -1;
}

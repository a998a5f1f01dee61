"""Device arrays as other libraries export them, made of an array of the test's device module: the interfaces of
__cuda_array_interface__ and DLPack in every version and with every oddity, written out by hand."""

import ctypes

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]

ABSENT = object()


class Interface:
    """Exports `array` by __cuda_array_interface__ with some of its entries replaced, or left out (ABSENT)."""

    def __init__(self, array, **entries):
        self.array = array
        self.entries = entries

    @property
    def __cuda_array_interface__(self):
        interface = {**self.array.__cuda_array_interface__, **self.entries}
        return {key: value for key, value in interface.items() if value is not ABSENT}


class OnInstance:
    """The interface as an attribute of the instance, not of the class."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class ByAnyName:
    """The interface through __getattr__ alone."""

    def __init__(self, array):
        object.__setattr__(self, "_array", array)

    def __getattr__(self, name):
        return getattr(self._array, name)


class OnHost:
    """A NumPy array behind the interface of a device array, for DLPack on the CPU."""

    def __init__(self, array):
        interface = array.__array_interface__
        self.array = array
        self.__cuda_array_interface__ = {key: interface[key] for key in ("shape", "typestr", "data", "strides")}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
CUDA, CUDA_HOST, MANAGED, CPU = 2, 3, 13, 1


class DLPack:
    """Exports `array` by DLPack. Counts the capsules that were made and the deleters that were called."""

    def __init__(self, array, versioned=True, read_only=False, device_type=CUDA, strides=True, byte_offset=0, **fields):
        self.array = array
        self.versioned = versioned
        self.read_only = read_only
        self.device_type = device_type
        self.strides = strides
        self.byte_offset = byte_offset
        self.fields = fields
        self.calls = []
        self.capsules = []
        self.deleted = 0
        self.kept = []
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._delete)

    def _delete(self, _managed):
        self.deleted += 1

    def __dlpack_device__(self):
        return (self.device_type, 0)

    def tensor(self):
        interface = self.array.__cuda_array_interface__
        shape = interface["shape"]
        size = int(interface["typestr"][2:])
        strides = interface.get("strides")
        if strides is None:
            strides, step = [], size
            for extent in reversed(shape):
                strides.insert(0, step)
                step *= max(extent, 1)
        ints = ctypes.c_int64 * len(shape)
        shape, strides = ints(*shape), ints(*(stride // size for stride in strides))
        self.kept += [shape, strides]
        values = {"code": CODES[interface["typestr"][1]], "bits": 8 * size, "lanes": 1, **self.fields}
        return Tensor(
            interface["data"][0] - self.byte_offset,
            self.device_type,
            0,
            len(shape),
            values["code"],
            values["bits"],
            values["lanes"],
            shape,
            strides if self.strides else None,
            self.byte_offset,
        )

    def __dlpack__(self, *, stream=None, max_version=None):
        if max_version is not None and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.calls.append({"stream": stream, "max_version": max_version})
        deleter = ctypes.cast(self.deleter, ctypes.c_void_p).value
        if self.versioned:
            managed = Versioned(self.fields.get("major", 1), 0, None, deleter, int(self.read_only), self.tensor())
            capsule = api.PyCapsule_New(ctypes.addressof(managed), b"dltensor_versioned", None)
        else:
            managed = Managed(self.tensor(), None, deleter)
            capsule = api.PyCapsule_New(ctypes.addressof(managed), b"dltensor", None)
        self.kept.append(managed)
        self.capsules.append(capsule)
        return capsule


class ExchangeTable(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("managed_from_object", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))),
        ("managed_to_object", ctypes.c_void_p),
        ("tensor_from_object", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))),
        ("current_work_stream", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
    ]


def exchange_class(stream, major=1):
    """A class like DLPack with the C table of DLPack 1.3; its work stream is `stream`."""

    def managed_from_object(instance, out):
        deleter = ctypes.cast(instance.deleter, ctypes.c_void_p).value
        managed = Versioned(1, 3, None, deleter, int(instance.read_only), instance.tensor())
        instance.kept.append(managed)
        instance.capsules.append(None)
        out[0] = ctypes.addressof(managed)
        return 0

    def tensor_from_object(instance, out):
        out[0] = instance.tensor()
        return 0

    def current_work_stream(_device_type, _device_id, out):
        out[0] = stream
        return 0

    types = dict(ExchangeTable._fields_)
    table = ExchangeTable(
        major,
        3,
        None,
        None,
        types["managed_from_object"](managed_from_object),
        None,
        types["tensor_from_object"](tensor_from_object),
        types["current_work_stream"](current_work_stream),
    )

    class Exchanged(DLPack):
        table_kept = table
        __dlpack_c_exchange_api__ = api.PyCapsule_New(ctypes.addressof(table), b"dlpack_exchange_api", None)

    # ctypes makes callbacks that hold the GIL by themselves.
    return Exchanged

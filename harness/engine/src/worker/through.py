"""Makes the calls of rules through a Python module, in the interpreter of a worker.

The worker calls `start` once, with the module's name, its functions as the catalog lists them, the folders in which
modules are found, and its source if it is embedded. The result is a C function that makes a call, and a byte for each function: 1 if the module
offers it. The C function takes the position of the function, the number of arguments, the arguments as 64-bit words,
the word for the result, and the room for a message.
"""

import ctypes
import importlib
import operator
import os
import sys
import traceback
import types


# The name of this text in tracebacks.
SELF = "<through>"


class Broken(Exception):
    """A call that did not have its documented form."""


def load(parameters):
    """Imports the module. An embedded module is made from its source."""
    sys.path[:] = parameters["path"]
    sys.argv = [""]
    for name, _ in parameters["sources"]:
        module = types.ModuleType(name)
        module.__file__ = "<embedded %s>" % name
        if any(other.startswith(name + ".") for other, _ in parameters["sources"]):
            module.__path__ = []
        parent, _, last = name.rpartition(".")
        sys.modules[name] = module
        if parent:
            setattr(sys.modules[parent], last, module)
    # Packages are executed after their parts, which they may import.
    for name, text in reversed(parameters["sources"]):
        exec(compile(text, "<embedded %s>" % name, "exec"), sys.modules[name].__dict__)
    return importlib.import_module(parameters["module"])


def member(module, name):
    """The function with this dotted name; None if the module lacks it."""
    at, package = module, module.__name__
    for part in name.split("."):
        package += "." + part
        found = getattr(at, part, None)
        if found is None and at is not None:
            try:
                found = importlib.import_module(package)
            except ImportError:
                return None
        at = found
    return at


def shown(value):
    """A value for a message."""
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


INTEGERS = {
    (1, True): ctypes.c_int8, (1, False): ctypes.c_uint8, (2, True): ctypes.c_int16, (2, False): ctypes.c_uint16,
    (4, True): ctypes.c_int32, (4, False): ctypes.c_uint32, (8, True): ctypes.c_int64, (8, False): ctypes.c_uint64,
}


def text_at(address):
    return ctypes.string_at(address).decode("utf-8", "surrogateescape")


def argument(taken):
    """A function from C arguments to a Python argument."""
    kind, at = taken["kind"], taken["at"]
    if kind == "integer":
        ty = INTEGERS[taken["bytes"], taken["signed"]]
        return lambda words: ty(words[at]).value
    if kind == "text":
        return lambda words: text_at(words[at]) if words[at] else None
    ty = INTEGERS[taken["bytes"], taken["signed"]]
    count = taken["count"]
    return lambda words: list((ty * words[count]).from_address(words[at])) if words[count] else []


def integer(value, taken, name):
    """The bytes of an integer result, which must fit in the C type."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Broken("returned %s for %s, which is documented as int" % (shown(value), name)) from None
    size, signed = taken["bytes"], taken["signed"]
    try:
        return number.to_bytes(size, sys.byteorder, signed=signed)
    except OverflowError:
        kind = "%s%d-bit" % ("" if signed else "unsigned ", size * 8)
        raise Broken("returned %s for %s, which is %s in C" % (shown(value), name, kind)) from None


def real(value, taken, name):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise Broken("returned %s for %s, which is documented as float" % (shown(value), name))
    return bytes((ctypes.c_float if taken["bytes"] == 4 else ctypes.c_double)(float(value)))


def text(value, name, room):
    if not isinstance(value, str):
        raise Broken("returned %s for %s, which is documented as str" % (shown(value), name))
    written = value.encode("utf-8", "surrogateescape") + b"\0"
    if room is not None and len(written) > room:
        raise Broken("returned %d bytes for %s, with room for %d" % (len(written), name, room))
    return written


# Texts that functions returned: a C program may keep the address.
kept = {}


class Function:
    """A function of the module, called with C arguments."""

    def __init__(self, module, form, success):
        self.name = "%s.%s" % (module.__name__, form["call"])
        self.call = member(module, form["call"])
        self.arguments = [argument(taken) for taken in form["takes"]]
        self.returns = form["returns"]
        self.names = form["parameters"]
        self.success = success
        self.code = next((position for position, one in enumerate(self.returns) if one["at"] is None), None)

    def result_name(self, position):
        at = self.returns[position]["at"]
        return "the code" if at is None else self.names[at]

    def results(self, answer):
        wanted = len(self.returns)
        if wanted == 0:
            return []
        if wanted == 1:
            if isinstance(answer, (tuple, list)) and len(answer) == 1:
                raise Broken("returned %s, and a single result is documented" % shown(answer))
            return [answer]
        if not isinstance(answer, (tuple, list)) or len(answer) != wanted:
            raise Broken("returned %s, and %d results are documented" % (shown(answer), wanted))
        return list(answer)

    def make(self, words, result):
        """Makes a call and stores its results as a C function would."""
        try:
            given = [make(words) for make in self.arguments]
        except Exception as error:
            raise Broken("cannot be given these arguments: %r" % error) from None
        answer = self.call(*given)
        results = self.results(answer)
        refused = False
        if self.code is not None:
            returned = self.returns[self.code]
            value = results[self.code]
            if returned["kind"] == "text":
                raw = self.keep(value)
            else:
                # Reported under its C name, so that a swapped order is seen.
                raw = integer(value, returned, self.result_name(self.code))
                refused = self.success is not None and operator.index(value) != self.success
            ctypes.memmove(result, widened(raw, returned), 8)
        if refused:
            # The other results of a refused call mean nothing; a C function leaves its variables.
            return
        for position, returned in enumerate(self.returns):
            if returned["at"] is not None:
                self.store(words, position, results[position])

    def keep(self, value):
        if value is None:
            return bytes(8)
        written = text(value, "the text", None)
        buffer = kept.setdefault(written, ctypes.create_string_buffer(written))
        return ctypes.addressof(buffer).to_bytes(8, sys.byteorder)

    def store(self, words, position, value):
        returned, name = self.returns[position], self.result_name(position)
        target = words[returned["at"]]
        if not target:
            raise Broken("has no argument for %s, and the rule passes null for it" % name)
        if returned["kind"] == "integer":
            # A null address may be None.
            value = 0 if value is None and returned["bytes"] == 8 and not returned["signed"] else value
            raw = integer(value, returned, name)
        elif returned["kind"] == "real":
            raw = real(value, returned, name)
        else:
            raw = text(value, name, words[returned["room"]])
        ctypes.memmove(target, raw, len(raw))


def widened(raw, returned):
    """A result as a word, extended by its sign."""
    signed = returned.get("signed", False)
    return int.from_bytes(raw, sys.byteorder, signed=signed).to_bytes(8, sys.byteorder, signed=signed)


def error_text(function):
    kind, error, trace = sys.exc_info()
    if kind is Broken:
        return "%s %s" % (function.name, error)
    text = "".join(traceback.format_exception_only(kind, error)).strip()
    frames = traceback.extract_tb(trace)
    inner = [frame for frame in frames if frame.filename != SELF]
    place = " at %s:%d" % (os.path.basename(inner[-1].filename), inner[-1].lineno) if inner else ""
    return "%s raised %s%s" % (function.name, text, place)


CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_uint32, *[ctypes.c_void_p] * 3, ctypes.c_size_t)


def start(parameters):
    module = load(parameters)
    functions = [Function(module, form, success) for form, success in parameters["functions"]]

    @CALL
    def call(position, count, words, result, message, room):
        function = functions[position]
        try:
            function.make((ctypes.c_uint64 * count).from_address(words) if count else (), result)
            return 0
        except BaseException:
            told = error_text(function).encode("utf-8", "replace")[: room - 1] + b"\0"
            ctypes.memmove(message, told, len(told))
            return 1

    offered = bytes(callable(function.call) for function in functions)
    return call, offered

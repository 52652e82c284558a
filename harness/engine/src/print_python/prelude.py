# Host memory, patterns, and checks for the steps. Addresses are int.
import ctypes
import hashlib
import os
import sys
import time

memory = []
held = []
deferred = []


def host(size, align):
    """Host memory with a guard on both sides."""
    buffer = ctypes.create_string_buffer(size + align + 128)
    memory.append(buffer)
    return (ctypes.addressof(buffer) + 64 + align - 1) // align * align


def data(size, tag):
    return hashlib.shake_128(b"%d" % tag).digest(size) if size else b""


def pattern(size, tag):
    address = host(size, 64)
    fill(address, size, tag)
    return address


def fill(address, size, tag):
    ctypes.memmove(address, data(size, tag), size)


def set_bytes(address, size, value):
    ctypes.memset(address, value & 255, size)


def poison(address, size):
    fill(address, size, -1)


def poisoned(address, size):
    return ctypes.string_at(address, size) == data(size, -1)


def same(left, right, size):
    return ctypes.string_at(left, size) == ctypes.string_at(right, size)


def all_bytes(address, size, value):
    return ctypes.string_at(address, size) == bytes([value & 255]) * size


def disjoint(left, left_size, right, right_size):
    return left + left_size <= right or right + right_size <= left


def align_up(value, step):
    return (value + step - 1) // step * step


def is_pow2(value):
    return value > 0 and value & (value - 1) == 0


def alignment(address):
    return address & -address


def resident():
    with open("/proc/self/statm") as counts:
        return int(counts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pause_for(milliseconds):
    time.sleep(milliseconds / 1000)


def divide(left, right):
    """The quotient as in C, toward zero."""
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def wrap(value, size, signed):
    """A number in a type of C."""
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> 8 * size - 1 else value


def array(size):
    return host(size, 64)


def read(address, size, signed):
    return int.from_bytes(ctypes.string_at(address, size), sys.byteorder, signed=signed)


def write(address, size, value):
    ctypes.memmove(address, (value & (1 << 8 * size) - 1).to_bytes(size, sys.byteorder), size)


def numbers(address, count, size, signed):
    return [read(address + at * size, size, signed) for at in range(count)]


def text(address):
    return ctypes.string_at(address).decode("utf-8", "surrogateescape") if address else None


def put(address, value):
    raw = value.encode("utf-8", "surrogateescape") + b"\0"
    ctypes.memmove(address, raw, len(raw))


def end(status, line):
    print(line)
    sys.stdout.flush()
    os._exit(status)


def expect(code, success, call, status=1):
    if code != success:
        end(status, "%s returned %s, expected success" % (call, code))


def must_fail(code, success, codes, call):
    if code == success:
        end(1, "%s returned success, it must fail" % call)
    if codes and code not in codes:
        end(1, "%s returned %s, documented is %s" % (call, code, " or ".join(map(str, codes))))


def check(holds, condition, status=1):
    if not holds:
        end(status, "`%s` does not hold" % condition)


def note(holds, condition):
    if not holds:
        print("observed: `%s` does not hold" % condition)


def hold(functions, handle, release):
    held.append((functions, handle, release))


def gone(function, handle):
    for at in reversed(range(len(held))):
        if function in held[at][0] and held[at][1] == handle:
            del held[at]
            return


def clean_up(success):
    while deferred:
        deferred.pop()()
    while held:
        functions, handle, release = held.pop()
        expect(release(handle), success, "releasing with %s" % functions[0])


def literal(value):
    address = host(len(value) * 4 + 1, 1)
    put(address, value)
    return address

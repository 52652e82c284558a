// A kernel without device code: its operands are copied to the host, a host function computes, and the results are
// copied back, all as tasks of the stream. So the kernel runs in stream order and touches device memory only by copies.
// They go through memory of the stream's device: memory that another device shares has no copies to the host.

#pragma once

#include <acl/acl.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <utility>

class Kernel {
public:
    explicit Kernel(aclrtStream stream) : stream(stream) {}

    // Host memory for an operand. Never freed: a sample drops tasks that use it.
    template <typename T>
    T *make(size_t count)
    {
        T *host = nullptr;
        check("host memory", aclrtMallocHost(reinterpret_cast<void **>(&host), count * sizeof(T)));
        return host;
    }

    // The host's copy of an operand in device memory.
    template <typename T>
    T *read(const T *device, size_t count)
    {
        T *host = make<T>(count);
        void *own = on_device(count * sizeof(T));
        copy(own, device, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_DEVICE);
        copy(host, own, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
        return host;
    }

    void compute(std::function<void()> work)
    {
        check("the function", aclrtLaunchHostFunc(stream, call, new std::function<void()>(std::move(work))));
    }

    template <typename T>
    void write(T *device, const T *host, size_t count)
    {
        void *own = on_device(count * sizeof(T));
        copy(own, host, count * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
        copy(device, own, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_DEVICE);
    }

    // The first code that was not success.
    aclError code = ACL_SUCCESS;

private:
    static void call(void *work) { (*static_cast<std::function<void()> *>(work))(); }

    void *on_device(size_t bytes)
    {
        void *own = nullptr;
        check("device memory", aclrtMalloc(&own, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
        return own;
    }

    void copy(void *to, const void *from, size_t bytes, aclrtMemcpyKind kind)
    {
        check("a copy", aclrtMemcpyAsync(to, bytes, from, bytes, kind, stream));
    }

    void check(const char *part, aclError result)
    {
        if (result != ACL_SUCCESS) {
            printf("[ERROR] a kernel cannot be queued: %s: %d\n", part, result);
            code = code == ACL_SUCCESS ? result : code;
        }
    }

    aclrtStream stream;
};

// The few functions that load a kernel from a file and launch it, which are out of the suite's scope. No file is read:
// every binary holds the one kernel that the samples load, an addition of 16-bit floats. So a sample linked with this
// shows that its memory, copies and streams work, and nothing about binaries.

#include "kernels.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <vector>

namespace {
// The elements that the kernel adds if its arguments do not tell their number.
constexpr uint32_t ELEMENTS = 8 * 2048;

struct Arguments {
    std::vector<uint64_t> words;
    // Memory that the program fills and the kernel gets the addresses of; never moved.
    std::deque<std::vector<char>> buffers;
    bool complete = false;
};

// The device addresses of registered host memory, with the host's. A kernel uses such an address and a copy must not,
// so the kernel here uses the host's.
std::map<void *, void *> MAPPED;

char BINARY;
char FUNCTION;

aclError add(const Arguments &arguments, aclrtStream stream)
{
    auto address = [&](size_t index) { return reinterpret_cast<aclFloat16 *>(arguments.words[index]); };
    uint32_t count = ELEMENTS;
    if (arguments.words.size() > 3) {
        memcpy(&count, reinterpret_cast<void *>(arguments.words[3]), sizeof count);
    }
    Kernel kernel(stream);
    auto operand = [&](aclFloat16 *given) {
        const auto host = MAPPED.find(given);
        return host == MAPPED.end() ? kernel.read(given, count) : static_cast<aclFloat16 *>(host->second);
    };
    const aclFloat16 *left = operand(address(0));
    const aclFloat16 *right = operand(address(1));
    const auto mapped = MAPPED.find(address(2));
    auto *sum = mapped == MAPPED.end() ? kernel.make<aclFloat16>(count) : static_cast<aclFloat16 *>(mapped->second);
    kernel.compute([=] {
        for (uint32_t index = 0; index < count; ++index) {
            sum[index] = aclFloatToFloat16(aclFloat16ToFloat(left[index]) + aclFloat16ToFloat(right[index]));
        }
    });
    if (mapped == MAPPED.end()) {
        kernel.write(address(2), sum, count);
    }
    return kernel.code;
}
} // namespace

extern "C" {
aclError aclrtHostGetDevicePointer(void *host, void **device, uint32_t flag)
{
    using Call = aclError (*)(void *, void **, uint32_t);
    static const auto call = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "aclrtHostGetDevicePointer"));
    const aclError code = call(host, device, flag);
    if (code == ACL_SUCCESS) {
        MAPPED[*device] = host;
    }
    return code;
}

aclError aclrtBinaryLoadFromFile(const char *path, aclrtBinaryLoadOptions *, aclrtBinHandle *binary)
{
    *binary = &BINARY;
    return path != nullptr ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binary) { return binary == &BINARY ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }

aclError aclrtBinaryGetFunction(const aclrtBinHandle binary, const char *name, aclrtFuncHandle *function)
{
    *function = &FUNCTION;
    return binary == &BINARY && strcmp(name, "add_custom") == 0 ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle function, aclrtArgsHandle *handle)
{
    *handle = new Arguments;
    return function == &FUNCTION ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle handle, void *value, size_t size, aclrtParamHandle *parameter)
{
    auto &words = static_cast<Arguments *>(handle)->words;
    if (size != sizeof(uint64_t)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    words.push_back(0);
    memcpy(&words.back(), value, size);
    *parameter = reinterpret_cast<aclrtParamHandle>(words.size());
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle handle, aclrtParamHandle *parameter)
{
    auto &words = static_cast<Arguments *>(handle)->words;
    words.push_back(0);
    *parameter = reinterpret_cast<aclrtParamHandle>(words.size());
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle handle, aclrtParamHandle parameter, size_t size,
                                             void **buffer)
{
    auto &arguments = *static_cast<Arguments *>(handle);
    *buffer = arguments.buffers.emplace_back(size).data();
    arguments.words[reinterpret_cast<size_t>(parameter) - 1] = reinterpret_cast<uint64_t>(*buffer);
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle handle)
{
    static_cast<Arguments *>(handle)->complete = true;
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle function, uint32_t, aclrtStream stream, aclrtLaunchKernelCfg *,
                                     aclrtArgsHandle handle, void *)
{
    const auto &arguments = *static_cast<Arguments *>(handle);
    return function == &FUNCTION && arguments.complete ? add(arguments, stream) : ACL_ERROR_INVALID_PARAM;
}
}

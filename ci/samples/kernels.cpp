// The kernels that the vendor's samples launch, without device code. Written from what the samples' pages say of them.

#include "kernels.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <thread>

namespace {
using std::chrono::milliseconds;

// Longer than the second after which a sample gives up waiting.
constexpr milliseconds LONG{1500};
// A card would have run a short kernel by then.
constexpr milliseconds SOON{500};

// Changes one element in each block.
void change(uint32_t blocks, void *stream, uint32_t *x, std::function<void(uint32_t &)> one)
{
    Kernel kernel(stream);
    uint32_t *values = kernel.read(x, blocks);
    kernel.compute([=] {
        for (uint32_t block = 0; block < blocks; ++block) {
            one(values[block]);
        }
    });
    kernel.write(x, values, blocks);
}

// Queues the end of a kernel and gives it the time to run: samples destroy its stream in the next line.
void end(Kernel &kernel)
{
    auto *done = new std::promise<void>;
    std::future<void> ready = done->get_future();
    kernel.compute([done] { done->set_value(); });
    ready.wait_for(SOON);
}
} // namespace

void EasyOP(uint32_t blocks, void *stream, uint32_t *x)
{
    change(blocks, stream, x, [](uint32_t &value) { value += 1; });
}

void ShortOP(uint32_t blocks, void *stream, uint32_t *x)
{
    change(blocks, stream, x, [](uint32_t &value) { value *= 2; });
}

void LongOP(uint32_t blocks, void *stream, uint32_t *x)
{
    change(blocks, stream, x, [](uint32_t &value) {
        std::this_thread::sleep_for(LONG);
        value += 1;
    });
}

// A task that fails. The simulated device has no faults, so it is a wait that runs into its time limit; only the code
// that the stream reports differs from that of a kernel that traps.
void ErrorOP(uint32_t, void *stream)
{
    aclrtNotify notify = nullptr;
    const aclError created = aclrtCreateNotify(&notify, 0);
    const aclError queued = created == ACL_SUCCESS ? aclrtWaitAndResetNotify(notify, stream, 1) : created;
    if (queued != ACL_SUCCESS) {
        printf("[ERROR] a failing task cannot be queued: %d\n", queued);
    }
}

void WriteDo(uint32_t blocks, void *stream, int *x, int value)
{
    Kernel kernel(stream);
    int *values = kernel.make<int>(blocks);
    kernel.compute([=] {
        for (uint32_t block = 0; block < blocks; ++block) {
            values[block] = value;
            printf("Source data: %d\n", value);
        }
    });
    kernel.write(x, values, blocks);
    end(kernel);
}

void ReadDo(uint32_t blocks, void *stream, int *x)
{
    Kernel kernel(stream);
    int *values = kernel.read(x, blocks);
    kernel.compute([=] {
        for (uint32_t block = 0; block < blocks; ++block) {
            printf("Destination data: %d\n", values[block]);
        }
    });
    end(kernel);
}

void PrintDo(uint32_t blocks, void *stream)
{
    Kernel(stream).compute([=] {
        for (uint32_t block = 0; block < blocks; ++block) {
            printf("Hello World\n");
        }
    });
}

int32_t VectorAddDo(uint32_t, void *stream, float *a, float *b, float *sum, float alpha, uint32_t count)
{
    Kernel kernel(stream);
    float *left = kernel.read(a, count);
    float *right = kernel.read(b, count);
    kernel.compute([=] {
        for (uint32_t index = 0; index < count; ++index) {
            left[index] += alpha * right[index];
        }
    });
    kernel.write(sum, left, count);
    return kernel.code;
}

// Blocks share the elements evenly; a remainder stays as it is.
void AddDo(uint32_t blocks, void *stream, float *a, float *b, float *sum, uint32_t total)
{
    if (blocks != 0) {
        VectorAddDo(blocks, stream, a, b, sum, 1, total / blocks * blocks);
    }
}

// The property of `toy.case.axes`, drawn and checked by rapidcheck. Prints the nanoseconds of a case.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <rapidcheck.h>
#include <string>

extern "C" {
#include "../../tests/toy/specs/toy/abi.h"
}

int main(int, char **arguments)
{
    const std::string cases = arguments[1];
    setenv("RC_PARAMS", ("seed=1 noshrink=1 max_success=" + cases).c_str(), 1);
    const auto begun = std::chrono::steady_clock::now();
    const bool held = rc::check([] {
        const auto size = *rc::gen::inRange<size_t>(1, (64 << 20) + 1);
        const auto offset = *rc::gen::inRange<size_t>(0, size);
        const auto way = *rc::gen::element(TOY_IN, TOY_OUT);
        void *p = nullptr;
        RC_ASSERT(toy_alloc(&p, size) == TOY_OK);
        const auto r = toy_copy(p, "abc", offset, way);
        const auto n = toy_blocks();
        RC_ASSERT(r == TOY_OK);
        RC_ASSERT(n <= size);
        RC_ASSERT(reinterpret_cast<uintptr_t>(p) != 0);
        RC_ASSERT(reinterpret_cast<uintptr_t>(p) % 64 == 0);
        RC_ASSERT(toy_free(p) == TOY_OK);
    });
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begun;
    std::printf("%.0f\n", elapsed.count() / std::stod(cases));
    return held ? 0 : 1;
}

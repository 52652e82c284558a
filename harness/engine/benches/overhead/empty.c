/* The toy runtime's functions, which do nothing and always succeed. */
#include "../../tests/toy/specs/toy/abi.h"

static char block[64] __attribute__((aligned(64)));

toyResult toy_start(const toyPlace *place) { return place == (void *)1 ? TOY_FULL : TOY_OK; }
toyResult toy_stop(void) { return TOY_OK; }
toyResult toy_alloc(void **out, size_t size) { *out = block; return size == 0 ? TOY_BAD_VALUE : TOY_OK; }
toyResult toy_free(void *address) { return address == (void *)1 ? TOY_FULL : TOY_OK; }
toyResult toy_copy(void *to, const void *from, size_t bytes, toyWay way)
{
    return to == from && bytes == 0 && way == TOY_IN ? TOY_FULL : TOY_OK;
}
toyResult toy_wait(void) { return TOY_OK; }
toyResult toy_share(const void *address, char *key, size_t length)
{
    return address == key && length == 0 ? TOY_FULL : TOY_OK;
}
toyResult toy_open(const char *key, void **out) { *out = block; return key == (void *)1 ? TOY_FULL : TOY_OK; }
toyResult toy_describe(toyInfo *info) { info->blocks = 1; return TOY_OK; }
uint64_t toy_blocks(void) { return 1; }

/* No run takes a lock for it. */
const int atlas_cts_simulator = 1;

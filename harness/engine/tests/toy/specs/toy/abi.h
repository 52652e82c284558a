/*
 * A runtime that exists only to test the engine: blocks of memory that other processes can open. It shares no name, no
 * code and no convention with a real runtime: its result is an enumeration, and its codes are small numbers.
 */
#ifndef TOY_ABI_H
#define TOY_ABI_H

#include <stddef.h>
#include <stdint.h>

/* What most functions return. */
typedef enum toyResult {
    TOY_OK = 0,
    TOY_BAD_VALUE = 1,
    TOY_BAD_STATE = 2,
    TOY_FULL = 3,
    TOY_BAD_KEY = 4,
    TOY_BAD_WAY = 5,
    TOY_BROKEN = 6
} toyResult;

/* Where a copy goes. Nothing supports TOY_BACKWARDS and TOY_LATER_BACKWARDS. */
typedef enum toyWay {
    TOY_IN = 0,
    TOY_OUT = 1,
    TOY_INSIDE = 2,
    TOY_BACKWARDS = 3,
    TOY_LATER_BACKWARDS = 4
} toyWay;

typedef struct toyPlace {
    int32_t id;
    toyWay way;
} toyPlace;

typedef struct toyInfo {
    char name[16];
    toyPlace place;
    uint64_t blocks;
    uint32_t sizes[4];
} toyInfo;

/* Second names of types. */
typedef uint64_t toyCount;
typedef toyWay toyDirection;
typedef toyPlace toySpot;
typedef const char *toyText;

/* Length of a key, its terminating zero included. */
#define TOY_KEY_LENGTH 48

/* Largest block in bytes. */
#define TOY_LARGEST (1ULL << 24)

/* Starts the runtime for this process; a place may be given. */
toyResult toy_start(const toyPlace *place);
toyResult toy_stop(void);

/* Gives a block of at least `size` bytes, whose start is a multiple of 64. */
toyResult toy_alloc(void **out, size_t size);
toyResult toy_free(void *block);

toyResult toy_copy(void *to, const void *from, size_t bytes, toyWay way);
/* Waits for copies that were put off. */
toyResult toy_wait(void);

/* Writes the key by which other processes open a block. */
toyResult toy_share(const void *block, char *key, size_t length);
toyResult toy_open(const char *key, void **out);

toyResult toy_describe(toyInfo *info);
/* Number of blocks that this process holds. */
uint64_t toy_blocks(void);
/* The same, through a pointer. The library also exports a first version, which only old programs call. */
#define toy_count toy_count_v2
toyResult toy_count(toyCount *blocks);

#endif

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

/* One of four lanes. */
typedef enum toyLane {
    TOY_LANE_0 = 0,
    TOY_LANE_1 = 1,
    TOY_LANE_2 = 2,
    TOY_LANE_3 = 3
} toyLane;

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

/* Handles that are not addresses. A range of addresses by its number; it is given back with the size that it has. */
toyResult toy_reserve(uint64_t *range, size_t size);
toyResult toy_unreserve(uint64_t range, size_t size);
/* A ticket, a negative number; it is given back on the way TOY_INSIDE. */
toyResult toy_take(int16_t *ticket);
toyResult toy_give(toyWay way, int16_t ticket);
/* The first lane that is free, from TOY_LANE_0 on. */
toyResult toy_enter(toyLane *lane);
toyResult toy_leave(toyLane lane);
/* Keeps a region of memory from being moved; it is let go under the same label. */
toyResult toy_pin(void *region, const char *label, uint32_t bytes);
toyResult toy_unpin(const char *label, void *region);
/* Number of ranges, tickets, lanes and pinned regions that this process holds. */
uint64_t toy_handles(void);

/* A queue, whose tasks run one after the other on a thread of the runtime. */
typedef struct toyQueueRecord *toyQueue;
/* What a program hands to a queue, and what the runtime asks it when it is short of memory. */
typedef void (*toyCall)(void *argument);
typedef toyResult (*toyPlea)(void *argument, size_t bytes);
/* What makes a thing for a lane, and the callbacks about the runtime; what a runtime could not ask with words alone. */
typedef void *(*toyMaker)(int32_t number, toyLane lane, void *argument);
typedef void (*toyNotice)(const toyInfo *info, int16_t number);
typedef double (*toyScale)(double size);
toyResult toy_queue(toyQueue *queue);
/* Finishes the tasks of a queue and ends it. */
toyResult toy_unqueue(toyQueue queue);
toyResult toy_queue_copy(toyQueue queue, void *to, const void *from, size_t bytes);
/* The tasks behind it wait until the function has returned. */
toyResult toy_queue_call(toyQueue queue, toyCall call, void *argument);
toyResult toy_finish(toyQueue queue);
/* Number of tasks of a queue that are not finished. */
uint64_t toy_pending(toyQueue queue);
/* Says whom to ask before an allocation fails. */
toyResult toy_plead(toyPlea plea, void *argument);
/* Calls the maker at once, for TOY_LANE_3, and gives what it made. */
toyResult toy_make(toyMaker maker, int32_t number, void *argument, void **made);
/* Calls the function at once. */
toyResult toy_notify(toyNotice notice, int16_t number);

#endif

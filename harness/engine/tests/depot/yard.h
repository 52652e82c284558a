/* The yard of the depot, a part of its library. */
#ifndef YARD_H
#define YARD_H

#include "specs/depot/abi.h"
#include "wrong.h"

#define YARD ((size_t)1 << 24)
#define PLACES 32

struct depot_lane_st {
    int open;
};

static struct taken {
    size_t start;
    size_t bytes;
    depot_side side;
} taken[PLACES];
static struct depot_lane_st lanes[4];
static unsigned char *yard;

/* The place of the yard's first byte is far from any address of this process. */
static const depot_place FIRST_PLACE = 0x700000000000;

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct taken *taken_at(depot_place place)
{
    for (size_t i = 0; i < PLACES; i++)
        if (taken[i].bytes != 0 && FIRST_PLACE + taken[i].start == place)
            return &taken[i];
    return NULL;
}

/* The bytes of the yard from a place, if all of them were taken at once. */
static unsigned char *in_yard(depot_place place, size_t bytes)
{
    for (size_t i = 0; i < PLACES; i++) {
        depot_place start = FIRST_PLACE + taken[i].start;
        if (taken[i].bytes != 0 && place >= start && place - start <= taken[i].bytes
            && bytes <= taken[i].bytes - (place - start))
            return yard + (place - FIRST_PLACE);
    }
    return NULL;
}

static int is_free(size_t start, size_t bytes)
{
    for (size_t i = 0; i < PLACES; i++)
        if (taken[i].bytes != 0 && start < taken[i].start + rounded(taken[i].bytes)
            && taken[i].start < start + rounded(bytes))
            return 0;
    return start + rounded(bytes) <= YARD;
}

depot_status depot_yard_take(depot_place *place, size_t bytes, depot_side side)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(place, sizeof *place);
        return DEPOT_DONE;
    }
    if (yard == NULL)
        yard = calloc(1, YARD);
    size_t slot = 0, start = 0;
    while (slot < PLACES && taken[slot].bytes != 0)
        slot++;
    for (size_t i = 0; !is_free(start, bytes) && i < PLACES; i++)
        if (taken[i].bytes != 0)
            start = taken[i].start + rounded(taken[i].bytes);
    if (wrong("yard.overlap") && start >= 64)
        start -= 64;
    if (wrong("yard.unaligned-large") && bytes > 4096)
        start += 32;
    if (bytes == 0 || slot == PLACES || start + bytes > YARD)
        return DEPOT_FULL;
    taken[slot] = (struct taken){start, bytes, side};
    *place = FIRST_PLACE + start;
    return DEPOT_DONE;
}

depot_status depot_yard_give(depot_place place)
{
    struct taken *found = taken_at(place);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (found == NULL)
        return DEPOT_BAD_VALUE;
    if (!wrong("yard.kept"))
        found->bytes = 0;
    return DEPOT_DONE;
}

long long depot_yard_left(void)
{
    size_t used = 0;
    if (refuses() || does_nothing())
        return -1;
    for (size_t i = 0; i < PLACES; i++)
        if (!(wrong("yard.far-uncounted") && taken[i].side == DEPOT_FAR))
            used += rounded(taken[i].bytes);
    return (long long)YARD - (long long)used;
}

static int is_lane(depot_lane lane)
{
    if (lane == DEPOT_MAIN_LANE)
        return !wrong("lane.main-closed");
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (lane == &lanes[i])
            return lanes[i].open;
    return 0;
}

depot_status depot_lane_open(depot_lane *lane)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(lane, sizeof *lane);
        return DEPOT_DONE;
    }
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (!lanes[i].open) {
            lanes[i].open = 1;
            *lane = &lanes[i];
            return DEPOT_DONE;
        }
    return DEPOT_FULL;
}

depot_status depot_lane_close(depot_lane lane)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (!is_lane(lane) || lane == DEPOT_MAIN_LANE)
        return DEPOT_BAD_VALUE;
    lane->open = 0;
    return DEPOT_DONE;
}

depot_status depot_carry_in(depot_place to, const void *from, size_t bytes, depot_lane lane)
{
    unsigned char *at = in_yard(to, bytes);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (at == NULL || !is_lane(lane))
        return DEPOT_BAD_VALUE;
    memcpy(at, from, bytes);
    /* The other lanes carry whole words only. */
    if (wrong("lane.whole-words") && lane != DEPOT_MAIN_LANE)
        memset(at + bytes / 8 * 8, 0, bytes % 8);
    return DEPOT_DONE;
}

depot_status depot_carry_out(void *to, depot_place from, size_t bytes, depot_lane lane)
{
    unsigned char *at = in_yard(from, bytes);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(to, bytes);
        return DEPOT_DONE;
    }
    if (at == NULL || !is_lane(lane))
        return DEPOT_BAD_VALUE;
    memcpy(to, at, bytes);
    return DEPOT_DONE;
}

depot_status depot_extent_of(depot_place_v2 place, struct depot_extent *extent)
{
    struct taken *found = taken_at(place);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(extent, sizeof *extent);
        return DEPOT_DONE;
    }
    if (found == NULL)
        return DEPOT_BAD_VALUE;
    extent->start = wrong("extent.of-32-bits") ? (uint32_t)place : place;
    extent->end = place + (wrong("extent.end-rounded") ? rounded(found->bytes) : found->bytes);
    extent->side = found->side;
    return DEPOT_DONE;
}

depot_status depot_seal_of(depot_place place, depot_seal *seal)
{
    struct taken *found = taken_at(place);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(seal, sizeof *seal);
        return DEPOT_DONE;
    }
    if (found == NULL)
        return DEPOT_BAD_VALUE;
    memset(seal->mark, 0x5E, sizeof seal->mark);
    memcpy(seal->mark + 16, &place, sizeof place);
    return DEPOT_DONE;
}

depot_status depot_sealed(depot_seal seal, depot_place_v2 *place)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(place, sizeof *place);
        return DEPOT_DONE;
    }
    memcpy(place, seal.mark + 16, sizeof *place);
    if (wrong("seal.first-place"))
        for (size_t i = PLACES; i-- > 0;)
            if (taken[i].bytes != 0)
                *place = FIRST_PLACE + taken[i].start;
    if (wrong("seal.any-mark"))
        return DEPOT_DONE;
    for (size_t i = 0; i < 16; i++)
        if (seal.mark[i] != 0x5E)
            return DEPOT_BAD_VALUE;
    return taken_at(*place) == NULL ? DEPOT_BAD_VALUE : DEPOT_DONE;
}

#endif

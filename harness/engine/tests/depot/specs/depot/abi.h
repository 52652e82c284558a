/*
 * A runtime that exists only to test the engine, and has what the toy runtime lacks: a depot keeps lots, which are
 * known by numbers, and a second library writes a ledger of what happens there.
 */
#ifndef DEPOT_ABI_H
#define DEPOT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* What the functions of the depot return. */
typedef enum depot_status {
    DEPOT_DONE = 0,
    DEPOT_BAD_VALUE = 1,
    DEPOT_BAD_LOT = 2,
    DEPOT_BAD_STATE = 3,
    DEPOT_FULL = 4,
    DEPOT_NOT_OFFERED = 5,
    DEPOT_FLOODED = 6
} depot_status;

/* What the functions of the ledger return: here 1 is success. */
typedef int16_t audit_answer;
#define AUDIT_FINE 1
#define AUDIT_NO_PAGE 0
#define AUDIT_NO_TICKET (-3)
#define AUDIT_NO_LOT (-4)

/* The largest lot in bytes. */
#define DEPOT_LARGEST (1 << 20)

/* What is known of a lot. Editions before 2.0 have no `aisle`, and `bytes` of 32 bits. */
typedef struct depot_label {
    uint64_t lot;
    uint64_t bytes;
    uint32_t aisle;
    uint32_t stored;
} depot_label;

/* What a page of the ledger says. */
typedef struct audit_page {
    uint64_t lot;
    uint32_t entries;
    int16_t ticket;
} audit_page;

depot_status depot_open(void);
depot_status depot_close(void);
/* The version, for example 2010 for 2.1. */
depot_status depot_version(int32_t *version);
depot_status depot_name(char *name, size_t length);

/* Makes room for a lot; the version before this one took no bytes. */
#define depot_reserve depot_reserve_v2
depot_status depot_reserve(uint64_t *lot, size_t bytes);
/* Gives the room of a lot back; the bytes are those that it was reserved with. */
depot_status depot_release(uint64_t lot, size_t bytes);

/* Puts bytes into a lot, and takes them out of it. */
depot_status depot_put(uint64_t lot, size_t at, const void *from, size_t bytes);
depot_status depot_take(uint64_t lot, size_t at, void *to, size_t bytes);
/* Fills a lot with one byte; not every depot offers this. */
depot_status depot_paint(uint64_t lot, uint8_t byte);

/*
 * Shares a lot with other processes: stores a descriptor, which is an int. The memory of the lot exists as long as a
 * process has it or a descriptor of it.
 */
depot_status depot_export(uint64_t lot, void *descriptor);
/* Makes the memory behind a descriptor a lot of this process; the descriptor may be closed afterwards. */
depot_status depot_import(uint64_t *lot, int32_t descriptor, size_t bytes);

/* The label of a lot. */
depot_status depot_describe(uint64_t lot, depot_label *label);
/* What a depot has; depot_offers answers how many of it there are. */
typedef enum depot_feature {
    DEPOT_COLD = 1,
    DEPOT_LIFTS = 2
} depot_feature;
depot_status depot_offers(depot_feature feature, int32_t *number);
/* Puts a lot into the cold storage, where it keeps its bytes; a depot without one refuses it. */
depot_status depot_cool(uint64_t lot);
/* Whether the depot is insured; not every depot offers this. */
depot_status depot_insured(uint8_t *insured);

/* How many lots there are. */
uint32_t depot_lots(void);

/*
 * The yard: memory that no program reads, at places that are numbers. Lanes carry bytes there and back.
 */
typedef unsigned long long depot_place;
typedef depot_place depot_place_v2;
/* The name of a lane is not the tag of its struct. */
typedef struct depot_lane_st *depot_lane;
/* The lane that is always open. */
#define DEPOT_MAIN_LANE ((depot_lane)0x1)
typedef enum depot_side_enum { DEPOT_NEAR = 0, DEPOT_FAR = 1 } depot_side;
/* The seal of a place, by which others find it. */
typedef struct depot_seal_st {
    unsigned char mark[24];
} depot_seal;
/* Where a place begins and ends. This struct has a tag only. */
struct depot_extent {
    depot_place start;
    depot_place end;
    depot_side side;
};

/* Takes bytes of the yard; the place is a multiple of 64. */
depot_status depot_yard_take(depot_place *place, size_t bytes, depot_side side);
/* Gives the bytes at a place back. */
depot_status depot_yard_give(depot_place place);
/* How many bytes are left in the yard. */
long long depot_yard_left(void);
/* Opens a lane, and closes it. */
depot_status depot_lane_open(depot_lane *lane);
depot_status depot_lane_close(depot_lane lane);
/* Carries bytes into the yard, and out of it. */
depot_status depot_carry_in(depot_place to, const void *from, size_t bytes, depot_lane lane);
depot_status depot_carry_out(void *to, depot_place from, size_t bytes, depot_lane lane);
/* The extent of the bytes that were taken at a place. */
depot_status depot_extent_of(depot_place_v2 place, struct depot_extent *extent);
/* The seal of a place, and the place of a seal. */
depot_status depot_seal_of(depot_place place, depot_seal *seal);
depot_status depot_sealed(depot_seal seal, depot_place_v2 *place);

/* The version of the ledger, for example 2010 for 2.1. */
audit_answer audit_version(int32_t *version);
/* The library of the ledger. Opens the page of a lot; the ticket closes it. */
audit_answer audit_begin(uint64_t lot, int16_t *ticket);
audit_answer audit_end(int16_t ticket);
/* Writes an entry, and reads what the page says. */
audit_answer audit_note(int16_t ticket, uint32_t times);
audit_answer audit_read(int16_t ticket, audit_page *page);
/* Seals a page, which keeps its entries and takes no more; since 2.0. */
audit_answer audit_seal(int16_t ticket);
/* Whether a lot and the page agree about the lot's number. */
audit_answer audit_agrees(int16_t ticket, uint64_t lot);

#endif

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

/* The library of the ledger. Opens the page of a lot; the ticket closes it. */
audit_answer audit_begin(uint64_t lot, int16_t *ticket);
audit_answer audit_end(int16_t ticket);
/* Writes an entry, and reads what the page says. */
audit_answer audit_note(int16_t ticket, uint32_t times);
audit_answer audit_read(int16_t ticket, audit_page *page);
/* Whether a lot and the page agree about the lot's number. */
audit_answer audit_agrees(int16_t ticket, uint64_t lot);

#endif

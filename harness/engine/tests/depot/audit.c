/* The library of the ledger, which uses the other one. Its success code is 1. */
#include "specs/depot/abi.h"
#include "wrong.h"

#define TICKETS 8

#ifndef AUDIT_VERSION
#define AUDIT_VERSION 2010
#endif

int depot_internal_has(uint64_t number);

static struct page {
    int used;
    uint64_t lot;
    uint32_t entries;
    int sealed;
} pages[TICKETS];

/* The last ticket, which is not given to the next page since 2.0. */
static int16_t last = -1;

static int version(void)
{
    return edition_of("audit", AUDIT_VERSION);
}

/* The functions of later versions. */
int atlas_cts_simulator_lacks(const char *name)
{
    return version() < 2000 && strcmp(name, "audit_seal") == 0;
}

audit_answer audit_version(int32_t *out)
{
    *out = version();
    return AUDIT_FINE;
}

static struct page *find(int16_t ticket)
{
    return ticket >= 0 && ticket < TICKETS && pages[ticket].used ? &pages[ticket] : NULL;
}

audit_answer audit_begin(uint64_t lot, int16_t *ticket)
{
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing()) {
        zero(ticket, sizeof *ticket);
        return AUDIT_FINE;
    }
    if (!depot_internal_has(lot) && !wrong("audit.any-lot"))
        return wrong("audit.no-lot-code") ? AUDIT_NO_PAGE : AUDIT_NO_LOT;
    for (int16_t i = 0; i < TICKETS; i++) {
        int again = wrong("audit.ticket-again") || (wrong("audit.ticket-again-if-empty") && pages[i].entries == 0);
        if (!pages[i].used && (i != last || version() < 2000 || again)) {
            uint32_t entries = wrong("audit.old-entries") && last >= 0 ? pages[last].entries : 0;
            pages[i] = (struct page){.used = 1, .lot = lot, .entries = entries};
            *ticket = last = i;
            return AUDIT_FINE;
        }
    }
    return AUDIT_NO_PAGE;
}

audit_answer audit_end(int16_t ticket)
{
    struct page *page = find(ticket);
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing())
        return AUDIT_FINE;
    if (page == NULL)
        return wrong("audit.ended-again") ? AUDIT_FINE : AUDIT_NO_TICKET;
    if (!wrong("audit.stays-open"))
        page->used = 0;
    return AUDIT_FINE;
}

audit_answer audit_note(int16_t ticket, uint32_t times)
{
    struct page *page = find(ticket);
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing())
        return AUDIT_FINE;
    if (page == NULL)
        return AUDIT_NO_TICKET;
    if (page->sealed && !wrong("audit.seal-open"))
        return AUDIT_NO_PAGE;
    if (times == 0 && !wrong("audit.notes-nothing"))
        return AUDIT_NO_PAGE;
    page->entries += wrong("audit.counts-calls") ? 1 : times;
    if (wrong("audit.entries-of-8-bits"))
        page->entries &= 0xFF;
    return AUDIT_FINE;
}

audit_answer audit_seal(int16_t ticket)
{
    struct page *page = find(ticket);
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing())
        return AUDIT_FINE;
    if (page == NULL)
        return AUDIT_NO_TICKET;
    page->sealed = 1;
    if (wrong("audit.seal-clears"))
        page->entries--;
    return AUDIT_FINE;
}

audit_answer audit_read(int16_t ticket, audit_page *out)
{
    struct page *page = find(ticket);
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing()) {
        zero(out, sizeof *out);
        return AUDIT_FINE;
    }
    if (page == NULL)
        return AUDIT_NO_TICKET;
    out->lot = page->lot;
    out->entries = page->entries;
    out->ticket = ticket;
    return AUDIT_FINE;
}

audit_answer audit_agrees(int16_t ticket, uint64_t lot)
{
    struct page *page = find(ticket);
    if (refuses())
        return AUDIT_NO_PAGE;
    if (does_nothing())
        return AUDIT_FINE;
    if (page == NULL)
        return AUDIT_NO_TICKET;
    if (wrong("audit.agrees"))
        return AUDIT_FINE;
    if (wrong("audit.half-a-number"))
        return (uint32_t)page->lot == (uint32_t)lot ? AUDIT_FINE : AUDIT_NO_PAGE;
    return page->lot == lot ? AUDIT_FINE : AUDIT_NO_PAGE;
}

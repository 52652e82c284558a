/*
 * The library of the depot, and its simulated device; the environment lists its defects. -DVERSION=N makes it
 * report that version, and -DNO_VERSION none.
 */
#define _GNU_SOURCE
#include "specs/depot/abi.h"
#include "wrong.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION 2010
#endif

/* Marks this as a simulated device. */
const int atlas_cts_simulator = 1;

#define LOTS 64

static struct lot {
    uint64_t number;
    size_t bytes;
    size_t stored;
    unsigned char *content;
    /* The file that other processes may have mapped too; NULL for a lot that is not shared. */
    struct shared *shared;
    int exported;
} lots[LOTS];

/* The start of a shared lot's file. The content follows. */
struct shared {
    uint64_t bytes;
    int32_t exporter;
    int32_t gone;
    unsigned char content[];
};
static uint64_t made;
static uint32_t uncounted;
static int is_open;

/* The limits of the product. */
static int hillside(void)
{
    const char *product = getenv(PRODUCT);
    return product != NULL && strcmp(product, "hillside") == 0;
}

static size_t largest(void)
{
    return hillside() ? 1 << 16 : DEPOT_LARGEST;
}

static size_t room(void)
{
    return hillside() ? 16 : LOTS;
}

static struct lot *find(uint64_t number)
{
    for (size_t i = 0; i < LOTS; i++)
        if (lots[i].content != NULL && lots[i].number == number)
            return &lots[i];
    return NULL;
}

/* For the ledger, which is another library. */
int depot_internal_has(uint64_t number)
{
    return find(number) != NULL;
}

depot_status depot_open(void)
{
    if (is_open)
        return DEPOT_BAD_STATE;
    is_open = 1;
    return DEPOT_DONE;
}

depot_status depot_close(void)
{
    if (!is_open)
        return DEPOT_BAD_STATE;
    is_open = 0;
    return DEPOT_DONE;
}

depot_status depot_version(int32_t *version)
{
#ifdef NO_VERSION
    (void)version;
    return DEPOT_NOT_OFFERED;
#else
    *version = edition_of("depot", VERSION);
    return DEPOT_DONE;
#endif
}

depot_status depot_name(char *name, size_t length)
{
    snprintf(name, length, hillside() ? "Hillside-3" : "Harbour-1");
    return DEPOT_DONE;
}

/* The first version, for old programs only: the header maps `depot_reserve` to the second one. */
#undef depot_reserve
depot_status depot_reserve(uint64_t *lot)
{
    (void)lot;
    return DEPOT_FLOODED;
}

static uint64_t next_number(void)
{
    uint64_t step = wrong("variant.sparse-numbers") ? 977 : 1;
    if (wrong("lot.same-number") && made > 0)
        return ((uint64_t)1 << 33) + step;
    if (wrong("lot.numbers-fall"))
        return ((uint64_t)1 << 33) - ++made;
    return ((uint64_t)1 << 33) + ++made * step;
}

static struct lot *free_place(void)
{
    for (size_t i = 0; i < LOTS; i++)
        if (lots[i].content == NULL)
            return &lots[i];
    return NULL;
}

depot_status depot_reserve_v2(uint64_t *lot, size_t bytes)
{
    size_t limit = wrong("reserve.no-limit") ? SIZE_MAX / 2 : largest();
    size_t places = room() - (wrong("full.one-early") ? 1 : 0);
    struct lot *free_lot = NULL;
    size_t used = 0;
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(lot, sizeof *lot);
        return DEPOT_DONE;
    }
    if (bytes == 0 && wrong("reserve.zero-is-one"))
        bytes = 1;
    if (lot == NULL || bytes == 0 || bytes > limit) {
        uncounted += wrong("reserve.counts-refused") ? 1 : 0;
        return wrong("reserve.code") ? DEPOT_FULL : DEPOT_BAD_VALUE;
    }
    for (size_t i = 0; i < LOTS; i++) {
        if (lots[i].content != NULL)
            used++;
        else if (free_lot == NULL)
            free_lot = &lots[i];
    }
    if (used >= places)
        return wrong("full.code") ? DEPOT_BAD_VALUE : DEPOT_FULL;
    free_lot->content = calloc(1, bytes + 16);
    free_lot->bytes = bytes;
    free_lot->stored = 0;
    free_lot->shared = NULL;
    free_lot->exported = 0;
    /* Reuses the number of a released lot, which must never happen. */
    if (!(wrong("lot.number-reused") && free_lot->number != 0))
        free_lot->number = next_number();
    *lot = free_lot->number;
    return DEPOT_DONE;
}

depot_status depot_release(uint64_t lot, size_t bytes)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (found == NULL) {
        if (wrong("release.twice"))
            return DEPOT_DONE;
        return wrong("release.twice-code") ? DEPOT_BAD_VALUE : DEPOT_BAD_LOT;
    }
    if (bytes != found->bytes && !wrong("release.any-bytes") && !(bytes < found->bytes && wrong("release.fewer-bytes")))
        return DEPOT_BAD_VALUE;
    if (bytes != found->bytes && wrong("release.any-bytes"))
        return DEPOT_DONE;
    if (wrong("release.kept"))
        return DEPOT_DONE;
    /* With several lots, the first one is released instead of the given one. */
    if (wrong("release.first"))
        for (size_t i = 0; i < LOTS; i++)
            if (lots[i].content != NULL) {
                found = &lots[i];
                break;
            }
    if (found->shared == NULL) {
        free(found->content);
    } else {
        if (found->exported && wrong("export.no-reference")) {
            found->shared->gone = 1;
            memset(found->content, 0, found->bytes);
        }
        munmap(found->shared, sizeof *found->shared + found->bytes);
    }
    found->content = NULL;
    return DEPOT_DONE;
}

static struct shared *mapped(int file, size_t bytes)
{
    void *at = mmap(NULL, sizeof(struct shared) + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Moves the content of a lot to a file. The exporter keeps a mapping, and no descriptor. */
depot_status depot_export(uint64_t lot, void *descriptor)
{
    struct lot *found = find(lot);
    struct shared *shared;
    int file;
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(descriptor, sizeof(int));
        return DEPOT_DONE;
    }
    if (found == NULL || found->shared != NULL)
        return DEPOT_BAD_LOT;
    file = memfd_create("lot", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(sizeof *shared + found->bytes)) != 0 ||
        (shared = mapped(file, found->bytes)) == NULL)
        return DEPOT_FULL;
    shared->bytes = found->bytes;
    shared->exporter = getpid();
    memcpy(shared->content, found->content, wrong("export.whole-blocks") ? found->bytes / 512 * 512 : found->bytes);
    free(found->content);
    found->content = shared->content;
    found->shared = shared;
    found->exported = 1;
    if (wrong("export.closed"))
        close(file);
    memcpy(descriptor, &file, sizeof file);
    return DEPOT_DONE;
}

depot_status depot_import(uint64_t *lot, int32_t descriptor, size_t bytes)
{
    struct lot *place = free_place();
    struct shared *shared;
    struct stat known;
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(lot, sizeof *lot);
        return DEPOT_DONE;
    }
    if (place == NULL)
        return DEPOT_FULL;
    if (fstat(descriptor, &known) != 0 || (size_t)known.st_size != sizeof *shared + bytes ||
        (shared = mapped(descriptor, bytes)) == NULL)
        return DEPOT_BAD_VALUE;
    if (shared->gone || (wrong("export.dies-with-exporter") && kill(shared->exporter, 0) != 0)) {
        munmap(shared, sizeof *shared + bytes);
        return DEPOT_BAD_LOT;
    }
    place->bytes = place->stored = bytes;
    place->shared = shared;
    place->content = shared->content;
    place->exported = 0;
    if (wrong("import.copies")) {
        place->shared = NULL;
        place->content = memcpy(malloc(bytes + 16), shared->content, bytes);
        munmap(shared, sizeof *shared + bytes);
    }
    if (wrong("variant.import-keeps"))
        fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    place->number = next_number();
    *lot = place->number;
    return DEPOT_DONE;
}

static depot_status range(struct lot *lot, size_t at, size_t *bytes)
{
    if (lot == NULL)
        return DEPOT_BAD_LOT;
    if (at <= lot->bytes && *bytes <= lot->bytes - at)
        return DEPOT_DONE;
    if (wrong("range.one-more") && at + *bytes == lot->bytes + 1)
        return DEPOT_DONE;
    if (wrong("range.clipped") && at <= lot->bytes)
        *bytes = lot->bytes - at;
    return DEPOT_BAD_VALUE;
}

depot_status depot_put(uint64_t lot, size_t at, const void *from, size_t bytes)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    depot_status status = range(found, at, &bytes);
    if (status != DEPOT_DONE && !(status == DEPOT_BAD_VALUE && wrong("range.clipped")))
        return status;
    if (wrong("put.start-rounded"))
        at = at / 8 * 8;
    memcpy(found->content + at, from, bytes);
    if (wrong("put.spills") && at + bytes < found->bytes)
        found->content[at + bytes] ^= 0x55;
    if (wrong("put.last-of-odd") && bytes % 2 == 1)
        found->content[at + bytes - 1] ^= 0x01;
    if (at + bytes > found->stored)
        found->stored = at + bytes;
    return status;
}

depot_status depot_take(uint64_t lot, size_t at, void *to, size_t bytes)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(to, bytes);
        return DEPOT_DONE;
    }
    depot_status status = range(found, at, &bytes);
    if (status != DEPOT_DONE)
        return status;
    memcpy(to, found->content + at, bytes);
    if (wrong("take.zeros"))
        memset(to, 0, bytes);
    return DEPOT_DONE;
}

depot_status depot_paint(uint64_t lot, uint8_t byte)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (hillside())
        return DEPOT_NOT_OFFERED;
    if (found == NULL)
        return DEPOT_BAD_LOT;
    size_t bytes = wrong("paint.first-byte") ? 1 : found->bytes;
    if (wrong("paint.whole-words"))
        bytes = bytes / 8 * 8;
    memset(found->content, byte, bytes);
    found->stored = found->bytes;
    return DEPOT_DONE;
}

depot_status depot_describe(uint64_t lot, depot_label *label)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(label, sizeof *label);
        return DEPOT_DONE;
    }
    if (label == NULL && wrong("label.null"))
        return DEPOT_DONE;
    if (label == NULL)
        return wrong("label.null-code") ? DEPOT_BAD_LOT : DEPOT_BAD_VALUE;
    if (found == NULL)
        return DEPOT_BAD_LOT;
    label->lot = found->number;
    label->bytes = wrong("label.rounded") ? (found->bytes + 7) / 8 * 8 : found->bytes;
    label->aisle = wrong("variant.other-aisles") ? 7 : (uint32_t)(found - lots) % 4;
    label->stored = wrong("label.empty") ? 0 : (uint32_t)found->stored;
    return DEPOT_DONE;
}

/* The harbour has a cold storage, and one lift; the hillside has three lifts. -DDUMB makes depot_offers
 * fail, and -DCRASHING crash. */
depot_status depot_offers(depot_feature feature, int32_t *number)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(number, sizeof *number);
        return DEPOT_DONE;
    }
#ifdef DUMB
    return DEPOT_NOT_OFFERED;
#endif
#ifdef CRASHING
    if (feature == DEPOT_COLD)
        abort();
#endif
    if (feature == DEPOT_COLD)
        *number = hillside() || wrong("variant.warm") ? 0 : 2;
    else if (feature == DEPOT_LIFTS)
        *number = hillside() ? 3 : 1;
    else
        return DEPOT_BAD_VALUE;
    return DEPOT_DONE;
}

depot_status depot_insured(uint8_t *insured)
{
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing()) {
        zero(insured, sizeof *insured);
        return DEPOT_DONE;
    }
    if (hillside())
        return DEPOT_NOT_OFFERED;
    *insured = 1;
    return DEPOT_DONE;
}

depot_status depot_cool(uint64_t lot)
{
    struct lot *found = find(lot);
    if (refuses())
        return DEPOT_BAD_STATE;
    if (does_nothing())
        return DEPOT_DONE;
    if (found == NULL)
        return DEPOT_BAD_LOT;
    if (hillside() && wrong("cool.refused-and-lost"))
        found->content[0] ^= 1;
    if ((hillside() || wrong("variant.warm")) && !wrong("cool.without-storage"))
        return DEPOT_NOT_OFFERED;
    if (hillside() || wrong("cool.freezes"))
        memset(found->content, 0, found->bytes);
    if (wrong("cool.last-byte"))
        found->content[found->bytes - 1] ^= 1;
    return DEPOT_DONE;
}

uint32_t depot_lots(void)
{
    uint32_t count = uncounted;
    if (refuses() || does_nothing())
        return 0;
    for (size_t i = 0; i < LOTS; i++)
        if (lots[i].content != NULL && !(wrong("lots.without-large") && lots[i].bytes > 32768))
            count++;
    return wrong("lots.one-less") && count > 0 ? count - 1 : count;
}

#include "yard.h"

/* What the step language adds to C: verdicts and built-ins. SUCCESS and SALT are defined above. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Verdicts: each names the line of its statement; the first one that does not hold ends the program with 1. */

#define MUST_SUCCEED(call) must_succeed(__LINE__, #call, (long long)(call))
#define MUST_FAIL(call, ...) must_fail(__LINE__, #call, (long long)(call), 0, CODES(__VA_ARGS__))
#define MUST_FAIL_USUALLY(call, ...) must_fail(__LINE__, #call, (long long)(call), 1, CODES(__VA_ARGS__))
#define CODES(...) \
    (const long long[]){SUCCESS, __VA_ARGS__}, sizeof((const long long[]){SUCCESS, __VA_ARGS__}) / sizeof(long long)
#define CHECK(expression) check(__LINE__, #expression, (expression) ? 1 : 0)
#define INFO(expression) info(__LINE__, #expression, (expression) ? 1 : 0)
#define WRITTEN(variable) written(__LINE__, #variable, &(variable), sizeof(variable))
#define POISON(variable) poison_variable(&(variable), sizeof(variable))
#define EXCEEDS(call) exceeds(__LINE__, #call)
#define OBSERVE(name, expression) printf("observed: %s = %lld\n", name, (long long)(expression))
#define OBSERVE_TEXT(name, expression) printf("observed: %s = %s\n", name, expression)
#define IN(value, ...) \
    in_set((long long)(value), (const long long[]){__VA_ARGS__}, \
           sizeof((const long long[]){__VA_ARGS__}) / sizeof(long long))

static inline void failed(int line, const char *statement, const char *message)
{
    fprintf(stderr, "line %d: %s: %s\n", line, statement, message);
    exit(1);
}

static inline int in_set(long long value, const long long *set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (set[i] == value)
            return 1;
    }
    return 0;
}

static inline void must_succeed(int line, const char *call, long long answer)
{
    char message[64];
    if (answer == SUCCESS)
        return;
    snprintf(message, sizeof message, "returned %lld, expected success", answer);
    failed(line, call, message);
}

/* The first of the codes is success: it only keeps the list from being empty. */
static inline void must_fail(int line, const char *call, long long answer, int usually, const long long *codes,
                             size_t count)
{
    char message[64];
    if (answer == SUCCESS)
        failed(line, call, "returned success, it must fail");
    if (count == 1 || in_set(answer, codes + 1, count - 1))
        return;
    snprintf(message, sizeof message, "returned %lld, which is no documented code", answer);
    if (!usually)
        failed(line, call, message);
    printf("info: line %d: %s: %s\n", line, call, message);
}

static inline void check(int line, const char *expression, int holds)
{
    if (!holds)
        failed(line, expression, "does not hold");
}

static inline void info(int line, const char *expression, int holds)
{
    printf("info: line %d: %s: %s\n", line, expression, holds ? "holds" : "does not hold");
}

static inline void exceeds(int line, const char *call)
{
    printf("exceeds: line %d: %s: documented as unsupported, and it works\n", line, call);
}

/* Patterns: the high bit of each byte depends on salt and position only, and poison has the opposite one. */

#define HIGH_BITS 0x8080808080808080u

static inline uint64_t mix(uint64_t seed, uint64_t index)
{
    uint64_t x = seed + index * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 27);
}

static inline unsigned char pattern_byte(int64_t tag, size_t at)
{
    uint64_t tagged = mix(SALT ^ ((uint64_t)tag * 0xD6E8FEB86659FD93u), at / 8);
    return (unsigned char)(((tagged & ~HIGH_BITS) | (mix(~SALT, at / 8) & HIGH_BITS)) >> (at % 8 * 8));
}

static inline unsigned char poison_byte(size_t at)
{
    uint64_t rotated = (SALT << 17) | (SALT >> 47);
    return (unsigned char)(((mix(rotated, at / 8) & ~HIGH_BITS) | (~mix(~SALT, at / 8) & HIGH_BITS)) >> (at % 8 * 8));
}

static inline void poison_variable(void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = (unsigned char)(0xA5C3D7E1B9968F5Bu >> (i % 8 * 8));
}

static inline void written(int line, const char *variable, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (((const unsigned char *)p)[i] != (unsigned char)(0xA5C3D7E1B9968F5Bu >> (i % 8 * 8)))
            return;
    }
    failed(line, variable, "the call returned success and left this as it was");
}

static inline void fill(void *p, size_t n, int64_t tag)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = pattern_byte(tag, i);
}

static inline void poison(void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)p)[i] = poison_byte(i);
}

static inline int poisoned(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (((const unsigned char *)p)[i] != poison_byte(i))
            return 0;
    }
    return 1;
}

static inline void set_bytes(void *p, size_t n, int64_t value)
{
    memset(p, (int)(unsigned char)value, n);
}

static inline int all_bytes(const void *p, size_t n, int64_t value)
{
    for (size_t i = 0; i < n; i++) {
        if (((const unsigned char *)p)[i] != (unsigned char)value)
            return 0;
    }
    return 1;
}

static inline int same(const void *p, const void *q, size_t n)
{
    return n == 0 || memcmp(p, q, n) == 0;
}

static inline int differ(const void *p, const void *q, size_t n)
{
    return !same(p, q, n);
}

/* Host memory: kept until the program ends, when the bytes around each block must be as they were. */

struct block {
    struct block *next;
    unsigned char *base;
    size_t front;
    size_t bytes;
};

#define GUARD 64
#define GUARD_BYTE 0xC1

static struct block *blocks;

static inline void *checked(void *p)
{
    if (p == NULL) {
        perror("no host memory");
        exit(2);
    }
    return p;
}

static inline char *host(size_t n, size_t align)
{
    struct block *block = checked(malloc(sizeof *block));
    void *base;
    size_t front = align > GUARD ? align : GUARD;
    if (posix_memalign(&base, align > 16 ? align : 16, front + n + GUARD) != 0)
        base = NULL;
    *block = (struct block){.next = blocks, .base = checked(base), .front = front, .bytes = n};
    blocks = block;
    memset(block->base, GUARD_BYTE, front);
    memset(block->base + front + n, GUARD_BYTE, GUARD);
    return (char *)block->base + front;
}

static inline void check_guards(void)
{
    for (struct block *block = blocks; block != NULL; block = block->next) {
        if (!all_bytes(block->base, block->front, GUARD_BYTE)
            || !all_bytes(block->base + block->front + block->bytes, GUARD, GUARD_BYTE))
            failed(__LINE__, "host", "a byte outside a host buffer was written");
    }
}

static inline char *edge(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = n == 0 ? 1 : (n + page - 1) / page;
    FILE *zero = fopen("/dev/zero", "r+");
    char *base = MAP_FAILED;
    if (zero != NULL) {
        base = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(zero), 0);
        fclose(zero);
    }
    if (base == MAP_FAILED || mprotect(base + pages * page, page, PROT_NONE) != 0)
        checked(NULL);
    return base + pages * page - n;
}

static inline char *pattern(size_t n, int64_t tag)
{
    static struct known {
        struct known *next;
        size_t n;
        int64_t tag;
        char *bytes;
    } *known;
    for (struct known *old = known; old != NULL; old = old->next) {
        if (old->tag == tag && old->n >= n)
            return old->bytes;
    }
    struct known *made = checked(malloc(sizeof *made));
    void *bytes = NULL;
    if (posix_memalign(&bytes, 64, n + 1) != 0)
        bytes = NULL;
    *made = (struct known){.next = known, .n = n, .tag = tag, .bytes = checked(bytes)};
    known = made;
    fill(bytes, n, tag);
    return bytes;
}

/* A new file; removed when the program ends. */
static char *file_names[16];
static size_t file_count;

static inline char *file(const char *text)
{
    static const char name[] = "/tmp/atlas-cts-XXXXXX";
    char *path = checked(malloc(sizeof name));
    memcpy(path, name, sizeof name);
    int descriptor = mkstemp(path);
    size_t length = strlen(text);
    if (descriptor < 0 || write(descriptor, text, length) != (ssize_t)length || close(descriptor) != 0)
        failed(__LINE__, "file", strerror(errno));
    if (file_count < sizeof file_names / sizeof file_names[0])
        file_names[file_count++] = path;
    return path;
}

/* Numbers, addresses and text */

static inline int disjoint(const void *p, size_t n, const void *q, size_t m)
{
    return (uintptr_t)p + n <= (uintptr_t)q || (uintptr_t)q + m <= (uintptr_t)p;
}

static inline size_t ALIGN_UP(size_t x, size_t k)
{
    return (x + k - 1) / k * k;
}

static inline int is_pow2(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static inline size_t alignment(const void *p)
{
    return (uintptr_t)p & (~(uintptr_t)p + 1);
}

/* `*`, `?` and sets such as [0-9]. */
static inline int text_matches(const char *text, const char *glob)
{
    if (text == NULL)
        return 0;
    if (*glob == '\0')
        return *text == '\0';
    if (*glob == '*')
        return text_matches(text, glob + 1) || (*text != '\0' && text_matches(text + 1, glob));
    if (*text == '\0')
        return 0;
    const char *end = *glob == '[' ? strchr(glob, ']') : NULL;
    if (end == NULL)
        return (*glob == '?' || *glob == *text) && text_matches(text + 1, glob + 1);
    int inside = end - glob == 4 && glob[2] == '-' ? glob[1] <= *text && *text <= glob[3]
                                                  : memchr(glob + 1, *text, (size_t)(end - glob - 1)) != NULL;
    return inside && text_matches(text + 1, end + 1);
}

/* What the program acquired and has not released: released in reverse order at its end. */

struct held {
    struct held *below;
    const char *name;
    long long (*release)(void *handle);
    void *handle;
    size_t bytes;
};

static struct held *held;

/* bytes: the handle is a buffer of that length; 0: it is the address itself. */
static inline void acquired(const char *name, long long (*release)(void *handle), const void *handle, size_t bytes)
{
    struct held *entry = checked(malloc(sizeof *entry));
    *entry = (struct held){.below = held, .name = name, .release = release, .bytes = bytes};
    memcpy(&entry->handle, &handle, sizeof handle);
    if (bytes != 0)
        entry->handle = memcpy(checked(malloc(bytes)), handle, bytes);
    held = entry;
}

static inline void released(long long (*release)(void *handle), const void *handle)
{
    for (struct held **at = &held; *at != NULL; at = &(*at)->below) {
        struct held *entry = *at;
        if (entry->release == release
            && (entry->bytes == 0 ? entry->handle == handle : same(entry->handle, handle, entry->bytes))) {
            *at = entry->below;
            free(entry);
            return;
        }
    }
}

static inline void release_all(void)
{
    while (held != NULL) {
        struct held *entry = held;
        held = entry->below;
        must_succeed(__LINE__, entry->name, entry->release(entry->handle));
        free(entry);
    }
}

/* The end of a program whose rule holds. */
static inline int finish(void)
{
    check_guards();
    for (size_t i = 0; i < file_count; i++)
        unlink(file_names[i]);
    return 0;
}

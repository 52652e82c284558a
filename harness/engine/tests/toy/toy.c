/*
 * The toy runtime. -DDEFECT_x gives it one defect; -DLOCKED leaves out the symbol that marks a simulated library, so
 * that a run takes locks.
 */
#define _GNU_SOURCE
#include "specs/toy/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef DEFECT_ANY
#error "name one defect"
#endif

#ifndef LOCKED
const int atlas_cts_simulator = 1;
#endif

struct block {
    char *address;
    size_t size;
    int file;
    struct block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static uint64_t count;
static int started;
static int put_off;
#ifdef DEFECT_SICK
static int sick;
#endif
static toyPlace here;
#ifdef DEFECT_CRASH_IN_A_THREAD
static pthread_t main_thread;
#endif
#ifdef DEFECT_COMPANY
static int inside;
static void *volatile lent;
static volatile size_t lent_size;
#endif

#ifdef DEFECT_OVERFLOW
__attribute__((noinline)) static int deeper(const volatile char *above)
{
    volatile char room[4096];
    room[0] = above[0];
    return room[0] > 100 ? 0 : deeper(room) + room[0];
}
#endif
#ifdef DEFECT_CALLS_NOTHING
static void (*volatile nothing)(void);
#endif
#if defined DEFECT_OWN_HANDLER || defined DEFECT_HANDLER_CALLS_THE_PREVIOUS_ONE
static struct sigaction previous;

/* Without the previous handler, the fault occurs again and ends the process. */
static void own_handler(int number, siginfo_t *info, void *context)
{
#ifdef DEFECT_HANDLER_CALLS_THE_PREVIOUS_ONE
    previous.sa_sigaction(number, info, context);
#else
    (void)info, (void)context;
    signal(number, SIG_DFL);
#endif
}
#endif

static struct block *find(const void *address)
{
    for (struct block *block = blocks; block != NULL; block = block->next)
        if ((const char *)address >= block->address && (const char *)address < block->address + block->size)
            return block;
    return NULL;
}

static toyResult hold(int file, size_t size, int private, void **out)
{
    struct block *block = malloc(sizeof *block);
    block->address = mmap(NULL, size, PROT_READ | PROT_WRITE, private ? MAP_PRIVATE : MAP_SHARED, file, 0);
    if (block->address == MAP_FAILED) {
        free(block);
        return TOY_FULL;
    }
    block->size = size;
    block->file = file;
    block->next = blocks;
    blocks = block;
#ifdef DEFECT_RACY
    /* The lock is given up between reading and writing the number. */
    uint64_t before = count;
    pthread_mutex_unlock(&lock);
    usleep(50);
    pthread_mutex_lock(&lock);
    count = before + 1;
#else
    count++;
#endif
#ifndef DEFECT_UNWRITTEN
    *out = block->address;
#endif
    return TOY_OK;
}

toyResult toy_start(const toyPlace *place)
{
    /* Libraries print, even into the pipe of a protocol. */
    printf("toy: started\n");
    fflush(stdout);
    if (place != NULL && place->id < 0)
        return TOY_BAD_VALUE;
    if (started)
        return TOY_BAD_STATE;
    started = 1;
#ifdef DEFECT_CRASH_IN_A_THREAD
    main_thread = pthread_self();
#endif
#if defined DEFECT_OWN_HANDLER || defined DEFECT_HANDLER_CALLS_THE_PREVIOUS_ONE
    struct sigaction own = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &own, &previous);
#endif
    if (place != NULL)
        here = *place;
    return TOY_OK;
}

toyResult toy_stop(void)
{
    if (!started)
        return TOY_BAD_STATE;
    started = 0;
    return TOY_OK;
}

toyResult toy_alloc(void **out, size_t size)
{
    if (!started)
        return TOY_BAD_STATE;
#ifdef DEFECT_ZERO
    if (size == 0)
        size = 1;
#endif
    if (out == NULL || size == 0)
#ifdef DEFECT_CODE
        return TOY_BAD_STATE;
#else
        return TOY_BAD_VALUE;
#endif
    if (size > TOY_LARGEST)
        return TOY_FULL;
#ifdef DEFECT_FULL
    return TOY_FULL;
#endif
#ifdef DEFECT_BROKEN
    if (size == 13)
        return TOY_BROKEN;
#endif
#ifdef DEFECT_COMPANY
    /* A caller that comes while another one is inside gets the other one's block. */
    if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) == 2 && lent != NULL && lent_size >= size) {
        *out = lent;
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        return TOY_OK;
    }
#endif
    pthread_mutex_lock(&lock);
    int file = memfd_create("toy", MFD_CLOEXEC);
    toyResult result = file < 0 || ftruncate(file, (off_t)size) != 0 ? TOY_FULL : hold(file, size, 0, out);
    pthread_mutex_unlock(&lock);
#ifdef DEFECT_COMPANY
    lent_size = size;
    lent = result == TOY_OK ? *out : NULL;
    usleep(300);
    lent = NULL;
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
#endif
    return result;
}

toyResult toy_free(void *address)
{
    toyResult result = TOY_BAD_VALUE;
    pthread_mutex_lock(&lock);
    for (struct block **at = &blocks; *at != NULL; at = &(*at)->next)
        if ((*at)->address == address) {
            struct block *block = *at;
            *at = block->next;
            munmap(block->address, block->size);
            close(block->file);
            free(block);
            count--;
            result = TOY_OK;
#ifdef DEFECT_WEAR
            static unsigned freed;
            if (++freed % 10 == 0 && open("/dev/null", O_RDONLY) < 0)
                result = TOY_BROKEN;
#endif
#ifdef DEFECT_FREE
            result = TOY_BROKEN;
#endif
            break;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

toyResult toy_copy(void *to, const void *from, size_t bytes, toyWay way)
{
    if (!started)
        return TOY_BAD_STATE;
    if (to == NULL || from == NULL)
        return TOY_BAD_VALUE;
    if (way == TOY_LATER_BACKWARDS) {
        put_off = 1;
#ifdef DEFECT_LATER
        put_off = 0;
        memmove(to, from, bytes);
#endif
        return TOY_OK;
    }
#ifdef DEFECT_BACKWARDS
    if (way == TOY_BACKWARDS) {
        memmove(to, from, bytes);
        return TOY_OK;
    }
#endif
#ifdef DEFECT_BACKWARDS_WRONG
    if (way == TOY_BACKWARDS)
        return TOY_OK;
#endif
    if (way < TOY_IN || way > TOY_INSIDE)
        return TOY_BAD_WAY;
#ifdef DEFECT_CRASH
    if (bytes > 1000)
        *(volatile int *)8 = 1;
#endif
#ifdef DEFECT_OVERFLOW
    if (bytes > 1000)
        deeper("");
#endif
#ifdef DEFECT_CALLS_NOTHING
    if (bytes > 1000)
        nothing();
#endif
#ifdef DEFECT_ABORT
    if (bytes > 1000)
        abort();
#endif
#if defined DEFECT_OWN_HANDLER || defined DEFECT_HANDLER_CALLS_THE_PREVIOUS_ONE
    if (bytes > 1000)
        *(volatile int *)8 = 1;
#endif
#ifdef DEFECT_HANG
    if (bytes > 1000)
        pause();
#endif
#ifdef DEFECT_CRASH_IN_A_THREAD
    if (bytes > 100 && !pthread_equal(main_thread, pthread_self()))
        *(volatile int *)8 = 1;
#endif
#ifdef DEFECT_EXIT
    if (bytes > 1000) {
        fprintf(stderr, "toy: out of luck\n");
        exit(3);
    }
#endif
#ifdef DEFECT_SHORT
    if (way == TOY_IN && bytes > 4096)
        bytes--;
#endif
#ifdef DEFECT_SICK
    sick = bytes > 1000;
#endif
    memmove(to, from, bytes);
#ifdef DEFECT_BEYOND
    if (way == TOY_OUT)
        ((char *)to)[bytes] ^= 0x55;
#endif
#ifdef DEFECT_KEPT
    if (way == TOY_OUT) {
        static char *kept;
        if (kept != NULL)
            *kept ^= 0x55;
        kept = to;
    }
#endif
    return TOY_OK;
}

toyResult toy_wait(void)
{
    toyResult result = put_off ? TOY_BAD_WAY : TOY_OK;
    put_off = 0;
#ifdef DEFECT_SICK
    if (sick)
        return TOY_FULL;
#endif
    return result;
}

toyResult toy_share(const void *address, char *key, size_t length)
{
    pthread_mutex_lock(&lock);
    struct block *block = find(address);
    toyResult result = TOY_BAD_VALUE;
    if (block != NULL && key != NULL && length >= TOY_KEY_LENGTH) {
        memset(key, 0, length);
        snprintf(key, length, "toy:%d:%d", (int)getpid(), block->file);
        result = TOY_OK;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

toyResult toy_open(const char *key, void **out)
{
    int process, file;
    char path[64];
    struct stat seen;
    int private = 0;
#ifdef DEFECT_PRIVATE
    private = 1;
#endif
    if (key == NULL || out == NULL)
        return TOY_BAD_VALUE;
    if (sscanf(key, "toy:%d:%d", &process, &file) != 2)
        return TOY_BAD_KEY;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return TOY_BAD_KEY;
    if (fstat(file, &seen) != 0 || seen.st_size == 0) {
        close(file);
        return TOY_BAD_KEY;
    }
    pthread_mutex_lock(&lock);
    toyResult result = hold(file, (size_t)seen.st_size, private, out);
    pthread_mutex_unlock(&lock);
    return result;
}

toyResult toy_describe(toyInfo *info)
{
    if (info == NULL)
        return TOY_BAD_VALUE;
    memset(info, 0, sizeof *info);
    strcpy(info->name, "Toy-7");
    info->place = here;
    info->blocks = count;
    for (int at = 0; at < 4; at++)
        info->sizes[at] = 64u << at;
    return TOY_OK;
}

uint64_t toy_blocks(void)
{
    return count;
}

toyResult toy_count(toyCount *blocks)
{
    if (blocks == NULL)
        return TOY_BAD_VALUE;
    *blocks = count;
    return TOY_OK;
}

/* The first version of toy_count, under its original symbol. */
#undef toy_count
toyResult toy_count(toyCount *blocks);
toyResult toy_count(toyCount *blocks)
{
    (void)blocks;
    return TOY_BAD_STATE;
}

/* A handle in use: its kind, its number, and further arguments of its release. */
struct handle {
    int kind;
    uint64_t number;
    uint64_t also;
};

enum { RANGE = 1, TICKET, LANE, PIN };

static struct handle handles[64];

static toyResult take(int kind, uint64_t number, uint64_t also)
{
    toyResult result = TOY_FULL;
    pthread_mutex_lock(&lock);
    for (size_t at = 0; at < sizeof handles / sizeof handles[0] && result != TOY_OK; at++)
        if (handles[at].kind == 0) {
            handles[at] = (struct handle){kind, number, also};
            result = TOY_OK;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

static toyResult give(int kind, uint64_t number, uint64_t also)
{
    toyResult result = TOY_BAD_VALUE;
    pthread_mutex_lock(&lock);
    for (size_t at = 0; at < sizeof handles / sizeof handles[0] && result != TOY_OK; at++)
        if (handles[at].kind == kind && handles[at].number == number && handles[at].also == also) {
            handles[at].kind = 0;
            result = TOY_OK;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

static int taken(int kind, uint64_t number)
{
    for (size_t at = 0; at < sizeof handles / sizeof handles[0]; at++)
        if (handles[at].kind == kind && handles[at].number == number)
            return 1;
    return 0;
}

toyResult toy_reserve(uint64_t *range, size_t size)
{
    static uint64_t last = 0x7000000000000000;
    if (range == NULL || size == 0)
        return TOY_BAD_VALUE;
    *range = ++last;
    return take(RANGE, *range, size);
}

toyResult toy_unreserve(uint64_t range, size_t size)
{
    return give(RANGE, range, size);
}

toyResult toy_take(int16_t *ticket)
{
    if (ticket == NULL)
        return TOY_BAD_VALUE;
    int16_t number = -1;
    while (taken(TICKET, (uint64_t)number))
        number--;
    *ticket = number;
    return take(TICKET, (uint64_t)number, TOY_INSIDE);
}

toyResult toy_give(toyWay way, int16_t ticket)
{
    return give(TICKET, (uint64_t)ticket, way);
}

toyResult toy_enter(toyLane *lane)
{
    if (lane == NULL)
        return TOY_BAD_VALUE;
    toyLane number = TOY_LANE_0;
    while (number <= TOY_LANE_3 && taken(LANE, number))
        number++;
    if (number > TOY_LANE_3)
        return TOY_FULL;
    *lane = number;
    return take(LANE, number, 0);
}

toyResult toy_leave(toyLane lane)
{
    return give(LANE, lane, 0);
}

toyResult toy_pin(void *region, const char *label, uint32_t bytes)
{
    if (region == NULL || label == NULL || bytes == 0)
        return TOY_BAD_VALUE;
    return take(PIN, (uintptr_t)region, (uintptr_t)label);
}

toyResult toy_unpin(const char *label, void *region)
{
    return give(PIN, (uintptr_t)region, (uintptr_t)label);
}

uint64_t toy_handles(void)
{
    uint64_t held = 0;
    for (size_t at = 0; at < sizeof handles / sizeof handles[0]; at++)
        held += handles[at].kind != 0;
    return held;
}

/* A task: a call, or else a copy. */
struct task {
    toyCall call;
    void *to;
    const void *from;
    size_t bytes;
    struct task *next;
#ifdef DEFECT_ONE_QUEUE
    uint64_t number;
#endif
#ifdef DEFECT_HASTY
    pthread_t begun;
    int done;
#endif
};

struct toyQueueRecord {
    pthread_t thread;
    pthread_cond_t changed;
    struct task *first;
    struct task **last;
    uint64_t pending;
    int ending;
};

#ifdef DEFECT_ONE_QUEUE
/* The tasks of all queues run one after the other, in the order in which they were queued. */
static pthread_cond_t went_on = PTHREAD_COND_INITIALIZER;
static uint64_t queued, performed;
#endif

#ifdef DEFECT_HASTY
static void *begin(void *argument)
{
    struct task *task = argument;
    task->call(task->to);
    __atomic_store_n(&task->done, 1, __ATOMIC_RELEASE);
    return NULL;
}
#endif

static void perform(struct task *task)
{
    if (task->call == NULL) {
        memmove(task->to, task->from, task->bytes);
        return;
    }
#ifdef DEFECT_HASTY
    pthread_join(task->begun, NULL);
#else
    task->call(task->to);
#ifdef DEFECT_TWICE
    task->call(task->to);
#endif
#endif
}

static void *serve(void *argument)
{
    toyQueue queue = argument;
    pthread_mutex_lock(&lock);
    while (queue->first != NULL || !queue->ending) {
        struct task *task = queue->first;
        if (task == NULL) {
            pthread_cond_wait(&queue->changed, &lock);
            continue;
        }
#ifdef DEFECT_ONE_QUEUE
        while (task->number != performed)
            pthread_cond_wait(&went_on, &lock);
#endif
        pthread_mutex_unlock(&lock);
        perform(task);
        pthread_mutex_lock(&lock);
#ifdef DEFECT_ONE_QUEUE
        performed++;
        pthread_cond_broadcast(&went_on);
#endif
        queue->first = task->next;
        if (queue->first == NULL)
            queue->last = &queue->first;
        queue->pending--;
        free(task);
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static toyResult append(toyQueue queue, struct task wanted)
{
    struct task *task = malloc(sizeof *task);
    *task = wanted;
#ifdef DEFECT_HASTY
    /* A separate thread, which does not wait for the queue; a quick call has returned by now. */
    if (task->call != NULL) {
        pthread_create(&task->begun, NULL, begin, task);
        for (int at = 0; at < 100 && !__atomic_load_n(&task->done, __ATOMIC_ACQUIRE); at++)
            usleep(1000);
    }
#endif
    pthread_mutex_lock(&lock);
#ifdef DEFECT_ONE_QUEUE
    task->number = queued++;
#endif
    *queue->last = task;
    queue->last = &task->next;
    queue->pending++;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&lock);
    return TOY_OK;
}

toyResult toy_queue(toyQueue *queue)
{
    if (queue == NULL)
        return TOY_BAD_VALUE;
    toyQueue made = calloc(1, sizeof *made);
    made->last = &made->first;
    pthread_cond_init(&made->changed, NULL);
    if (pthread_create(&made->thread, NULL, serve, made) != 0) {
        free(made);
        return TOY_FULL;
    }
    *queue = made;
    return TOY_OK;
}

toyResult toy_unqueue(toyQueue queue)
{
    if (queue == NULL)
        return TOY_BAD_VALUE;
    pthread_mutex_lock(&lock);
    queue->ending = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&lock);
    pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->changed);
    free(queue);
    return TOY_OK;
}

toyResult toy_queue_copy(toyQueue queue, void *to, const void *from, size_t bytes)
{
    if (queue == NULL || to == NULL || from == NULL)
        return TOY_BAD_VALUE;
    return append(queue, (struct task){.to = to, .from = from, .bytes = bytes});
}

toyResult toy_queue_call(toyQueue queue, toyCall call, void *argument)
{
    if (queue == NULL || call == NULL)
        return TOY_BAD_VALUE;
    return append(queue, (struct task){.call = call, .to = argument});
}

toyResult toy_finish(toyQueue queue)
{
    if (queue == NULL)
        return TOY_BAD_VALUE;
    pthread_mutex_lock(&lock);
    while (queue->first != NULL)
        pthread_cond_wait(&queue->changed, &lock);
    pthread_mutex_unlock(&lock);
    return TOY_OK;
}

uint64_t toy_pending(toyQueue queue)
{
    pthread_mutex_lock(&lock);
    uint64_t pending = queue == NULL ? 0 : queue->pending;
    pthread_mutex_unlock(&lock);
    return pending;
}

toyResult toy_plead(toyPlea plea, void *argument)
{
    (void)argument;
    return plea == NULL ? TOY_BAD_VALUE : TOY_OK;
}

toyResult toy_make(toyMaker maker, int32_t number, void *argument, void **made)
{
    if (maker == NULL || made == NULL)
        return TOY_BAD_VALUE;
    *made = maker(number, TOY_LANE_3, argument);
    return TOY_OK;
}

toyResult toy_notify(toyNotice notice, int16_t number)
{
    static toyInfo info;
    if (notice == NULL)
        return TOY_BAD_VALUE;
    notice(&info, number);
    return TOY_OK;
}

//: failed failure_status
/* A failing statement ends its process: with 3 during the set-up, or with 1 after it. */
static _Thread_local int failure_status = 3;
static inline void failed(int line, const char *statement, const char *message, long long answer) {
    fprintf(stderr, "line %d: %s: ", line, statement);
    fprintf(stderr, message, answer);
    fputc('\n', stderr);
    fflush(stdout);
    _exit(failure_status);
}

//: CHECK
#define CHECK(expression) ((expression) ? (void)0 : failed(__LINE__, #expression, "does not hold", 0))

//: INFO
#define INFO(expression) \
    printf("info: line %d: %s: %s\n", __LINE__, #expression, (expression) ? "holds" : "does not hold")

//: EXCEEDS
#define EXCEEDS(call) printf("exceeds: line %d: %s: documented as unsupported, but it works\n", __LINE__, #call)

//: OBSERVE
#define OBSERVE(name, expression) printf("observed: %s = %lld\n", name, (long long)(expression))

//: OBSERVE_TEXT
#define OBSERVE_TEXT(name, expression) printf("observed: %s = %s\n", name, expression)

//: POISON
#define POISON(variable) memset(&(variable), 0xA5, sizeof(variable))

//: must_succeed
static inline void must_succeed(int line, const char *call, long long answer, long long success) {
    if (answer != success) failed(line, call, "returned %lld, expected success", answer);
}

//: MUST_SUCCEED
#define MUST_SUCCEED(call) must_succeed(__LINE__, #call, (long long)(call), SUCCESS)

//: MUST_SUCCEED_WITH
#define MUST_SUCCEED_WITH(success, call) must_succeed(__LINE__, #call, (long long)(call), success)

//: SHOULD_SUCCEED_WITH
/* This edition promises nothing here: if the call fails, nothing after it is judged. */
#define SHOULD_SUCCEED_WITH(success, call) should_succeed(__LINE__, #call, (long long)(call), success)
static inline void should_succeed(int line, const char *call, long long answer, long long success) {
    if (answer == success)
        return;
    printf("info: line %d: %s: returned %lld\n", line, call, answer);
    fflush(stdout);
    _exit(ENDS);
}

//: must_fail CODES
/* The first code is success. If there are no further codes, any other result passes. */
#define CODES(...) (const long long[]){__VA_ARGS__}, sizeof((const long long[]){__VA_ARGS__}) / sizeof(long long)
static inline void must_fail(int line, const char *call, long long answer, int judged, const long long *codes, size_t n) {
    size_t at = 0;
    while (at < n && codes[at] != answer) at++;
    if (at == 0) failed(line, call, "returned success, it must fail", answer);
    if (at < n || n == 1) return;
    if (judged) failed(line, call, "returned %lld, which is not a documented code", answer);
    printf("info: line %d: %s: returned %lld\n", line, call, answer);
}

//: MUST_FAIL
#define MUST_FAIL(call, ...) must_fail(__LINE__, #call, (long long)(call), 1, CODES(SUCCESS, __VA_ARGS__))

//: MUST_FAIL_USUALLY
#define MUST_FAIL_USUALLY(call, ...) must_fail(__LINE__, #call, (long long)(call), 0, CODES(SUCCESS, __VA_ARGS__))

//: MUST_FAIL_WITH
#define MUST_FAIL_WITH(success, call, ...) \
    must_fail(__LINE__, #call, (long long)(call), 1, CODES(success, __VA_ARGS__))

//: MUST_FAIL_USUALLY_WITH
#define MUST_FAIL_USUALLY_WITH(success, call, ...) \
    must_fail(__LINE__, #call, (long long)(call), 0, CODES(success, __VA_ARGS__))

//: IN
#define IN(value, ...) in_set((long long)(value), (const long long[]){__VA_ARGS__}, \
                              sizeof((const long long[]){__VA_ARGS__}) / sizeof(long long))
static inline int in_set(long long value, const long long *set, size_t count) {
    while (count > 0 && set[count - 1] != value)
        count--;
    return count > 0;
}

//: all_bytes
static inline int all_bytes(const void *p, size_t n, int64_t value) {
    while (n > 0 && ((const unsigned char *)p)[n - 1] == (unsigned char)value) n--;
    return n == 0;
}

//: WRITTEN
#define WRITTEN(variable) (all_bytes(&(variable), sizeof(variable), 0xA5) \
    ? failed(__LINE__, #variable, "the call returned success and left this as it was", 0) : (void)0)

//: mix HIGH_BITS
/* Patterns: each byte's high bit depends only on salt and position, and is inverted in poison. */
static inline uint64_t mix(uint64_t seed, uint64_t index) {
    uint64_t x = seed + index * 0x9E3779B97F4A7C15u, y = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    return y ^ (y >> 27);
}
#define HIGH_BITS 0x8080808080808080u

//: pattern_byte
static inline unsigned char pattern_byte(int64_t tag, size_t at) {
    uint64_t tagged = mix(SALT ^ ((uint64_t)tag * 0xD6E8FEB86659FD93u), at / 8);
    return (unsigned char)(((tagged & ~HIGH_BITS) | (mix(~SALT, at / 8) & HIGH_BITS)) >> (at % 8 * 8));
}

//: poison_byte
static inline unsigned char poison_byte(size_t at) {
    uint64_t mixed = mix((SALT << 17) | (SALT >> 47), at / 8);
    return (unsigned char)(((mixed & ~HIGH_BITS) | (~mix(~SALT, at / 8) & HIGH_BITS)) >> (at % 8 * 8));
}

//: fill
static inline void fill(void *p, size_t n, int64_t tag) {
    for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = pattern_byte(tag, i);
}

//: poison
static inline void poison(void *p, size_t n) {
    for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = poison_byte(i);
}

//: poisoned
static inline int poisoned(const void *p, size_t n) {
    while (n > 0 && ((const unsigned char *)p)[n - 1] == poison_byte(n - 1)) n--;
    return n == 0;
}

//: set_bytes
static inline void set_bytes(void *p, size_t n, int64_t value) { memset(p, (int)(unsigned char)value, n); }

//: same
static inline int same(const void *p, const void *q, size_t n) { return n == 0 || memcmp(p, q, n) == 0; }

//: differ
static inline int differ(const void *p, const void *q, size_t n) { return n != 0 && memcmp(p, q, n) != 0; }

//: LANE lane_lock
/* Lanes change the program's lists one at a time. */
#define LANE(call) do { lane_lock(); call; lane_unlock(); } while (0)
static inline void lane_lock(void) { while (__atomic_test_and_set(&shared->lock, __ATOMIC_ACQUIRE)) sched_yield(); }
static inline void lane_unlock(void) { __atomic_clear(&shared->lock, __ATOMIC_RELEASE); }

//: memory
static inline void *memory(size_t n, size_t align) {
    size_t unit = align > 16 ? align : 16;
    void *made = aligned_alloc(unit, (n / unit + 1) * unit);
    if (made == NULL) _exit(3);
    return made;
}

//: host check_guards
/* Host memory between guards of 64 bytes, which must not change until the end. */
static struct block { struct block *next; char *start; size_t n; } *blocks;
static inline char *host(size_t n, size_t align) {
    size_t front = align > 64 ? align : 64;
    struct block *block = memory(sizeof *block, 16);
    *block = (struct block){blocks, (char *)memory(front + n + 64, front) + front, n};
    blocks = block;
    return (char *)memset(block->start - 64, 0xC1, n + 128) + 64;
}
static inline void check_guards(void) {
    for (struct block *block = blocks; block != NULL; block = block->next)
        CHECK(all_bytes(block->start - 64, 64, 0xC1) && all_bytes(block->start + block->n, 64, 0xC1));
}

//: edge
/* Allocates n bytes that end at an inaccessible page. */
static inline char *edge(size_t n) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (n == 0 ? 1 : (n + page - 1) / page) * page;
    char *base = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + bytes, page, PROT_NONE) != 0)
        _exit(3);
    return base + bytes - n;
}

//: pattern
static inline char *pattern(size_t n, int64_t tag) {
    static struct known { struct known *next; size_t n; int64_t tag; uint64_t salt; char *bytes; } *all;
    struct known *known = all;
    while (known != NULL && (known->tag != tag || known->n < n || known->salt != SALT)) known = known->next;
    if (known != NULL) return known->bytes;
    known = memory(sizeof *known, 16);
    *known = (struct known){all, n, tag, SALT, memory(n, 64)};
    fill(known->bytes, n, tag);
    return (all = known)->bytes;
}

//: array
/* An array of variable length. v: the initial value of its bytes. */
static inline void *array(size_t bytes, int v) { return memset(memory(bytes, 16), v, bytes); }

//: shared_array
/* An array in memory that all processes share at the same address. */
static inline void *shared_array(size_t bytes, int v) {
    void *made = shared->arrays + shared->used;
    shared->used += (bytes + 15) / 16 * 16;
    if (shared->used > sizeof shared->arrays)
        _exit(3);
    return memset(made, v, bytes);
}

//: lane_host
static inline char *lane_host(size_t n, size_t align) {
    lane_lock();
    char *made = host(n, align);
    lane_unlock();
    return made;
}

//: lane_pattern
static inline char *lane_pattern(size_t n, int64_t tag) {
    lane_lock();
    char *made = pattern(n, tag);
    lane_unlock();
    return made;
}

//: file remove_files
/* Creates a file, which is removed at the end. */
static char file_names[16][32];
static size_t file_count;
static inline char *file(const char *text) {
    char *path = strcpy(file_names[file_count++ % 16], "/tmp/atlas-cts-XXXXXX");
    int descriptor = mkstemp(path);
    if (descriptor < 0 || write(descriptor, text, strlen(text)) != (ssize_t)strlen(text) || close(descriptor) != 0)
        _exit(3);
    return path;
}
static inline void remove_files(void) {
    while (file_count > 0)
        unlink(file_names[--file_count % 16]);
}

//: lane_file
static inline char *lane_file(const char *text) {
    lane_lock();
    char *made = file(text);
    lane_unlock();
    return made;
}

//: disjoint
static inline int disjoint(const void *p, size_t n, const void *q, size_t m) {
    return (uintptr_t)p + n <= (uintptr_t)q || (uintptr_t)q + m <= (uintptr_t)p;
}

//: ALIGN_UP
static inline size_t ALIGN_UP(size_t x, size_t k) { return (x + k - 1) / k * k; }

//: is_pow2
static inline int is_pow2(uint64_t x) { return x != 0 && (x & (x - 1)) == 0; }

//: alignment
static inline size_t alignment(const void *p) { return (uintptr_t)p & (~(uintptr_t)p + 1); }

//: pause_for
/* Waits for this many milliseconds, and lets other threads run. */
static inline void pause_for(int64_t milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

//: resident
/* This process's resident bytes, as the kernel counts them. */
static inline size_t resident(void) {
    unsigned long all = 0, here = 0;
    FILE *counts = fopen("/proc/self/statm", "r");
    if (counts == NULL || fscanf(counts, "%lu %lu", &all, &here) != 2) here = 0;
    if (counts != NULL) fclose(counts);
    return here * (size_t)sysconf(_SC_PAGESIZE);
}

//: text_matches
/* Supports `*`, `?` and sets such as [0-9]. */
static inline int text_matches(const char *text, const char *glob) {
    if (text == NULL || *glob == '\0')
        return text != NULL && *text == '\0';
    if (*glob == '*')
        return text_matches(text, glob + 1) || (*text != '\0' && text_matches(text + 1, glob));
    const char *end = *glob == '[' ? strchr(glob, ']') : NULL;
    if (*text == '\0')
        return 0;
    if (end == NULL)
        return (*glob == '?' || *glob == *text) && text_matches(text + 1, glob + 1);
    int inside = end - glob == 4 && glob[2] == '-' ? glob[1] <= *text && *text <= glob[3]
                                                  : memchr(glob + 1, *text, (size_t)(end - glob - 1)) != NULL;
    return inside && text_matches(text + 1, end + 1);
}

//: turn holder
/* Each actor walks through all steps and performs its own. The turn arrives as a byte in its pipe. */
static _Thread_local int me, holder;
static _Thread_local char gone[ACTORS + 1];
static int turns[ACTORS][2];
static inline void wait_for_turn(void) {
    char byte;
    if (read(turns[me][0], &byte, 1) != 1) _exit(3);
}
/* The actor that acts next gets its byte last, because it may end the process of the writer. */
static inline void pass_turn_to(int next) {
    if (me != holder && !gone[holder]) wait_for_turn();
    for (int at = 1; me == holder && at <= ACTORS; at++) {
        int other = (next + at) % ACTORS;
        if (other != me && !gone[other] && write(turns[other][1], "", 1) != 1) _exit(3);
    }
}
static inline void pass_turn(void) { pass_turn_to(me); }
static inline int turn(int actor) {
    if (gone[actor]) return 0;
    if (actor != holder) pass_turn_to(actor);
    holder = actor;
    return me == actor;
}

//: hand_over handed
/* A descriptor passes through the socket of the actor that gets it. The sockets are made before the processes. */
#define hand_over(to, descriptor) hand(__LINE__, #descriptor, to, descriptor)
#define handed(from) receive(__LINE__, #from, from)
static int handing[ACTORS][2];
__attribute__((constructor)) static void open_sockets(void) {
    for (int actor = 0; actor < ACTORS; actor++)
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, handing[actor]) != 0) _exit(3);
}
static inline struct msghdr message(struct iovec *byte, void *control, size_t n) {
    return (struct msghdr){.msg_iov = byte, .msg_iovlen = 1, .msg_control = control, .msg_controllen = n};
}
static inline void hand(int line, const char *name, int to, int descriptor) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec byte = {&(char){0}, 1};
    struct msghdr sent = message(&byte, control, sizeof control);
    struct cmsghdr *rights = CMSG_FIRSTHDR(&sent);
    *rights = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof descriptor), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    if (sendmsg(handing[to][1], &sent, 0) != 1) failed(line, name, "is %lld, which is not an open descriptor", descriptor);
}
static inline int receive(int line, const char *name, int from) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec byte = {&(char){0}, 1};
    struct msghdr got = message(&byte, control, sizeof control);
    int descriptor = -1;
    if (!gone[from] && recvmsg(handing[me][0], &got, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&got) != NULL)
        memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&got)), sizeof descriptor);
    if (descriptor < 0) failed(line, name, "handed no descriptor over", 0);
    return descriptor;
}

//: shut
/* Closes a descriptor. */
#define shut(descriptor) shut_at(__LINE__, #descriptor, descriptor)
static inline void shut_at(int line, const char *name, int descriptor) {
    if (close(descriptor) != 0) failed(line, name, "is %lld, which is not an open descriptor", descriptor);
}

//: begins
/* An actor makes a call while the others act: they do not wait for the turn to come back. */
static inline void begins(int actor) {
    turn(actor);
    pass_turn();
    holder = ACTORS;
    gone[ACTORS] = 1;
}

//: start_together
/* The lanes of a block start when all of them have arrived. */
static inline void start_together(int lanes) {
    int round = __atomic_load_n(&shared->round, __ATOMIC_SEQ_CST);
    if (__atomic_add_fetch(&shared->arrived, 1, __ATOMIC_SEQ_CST) == lanes) {
        shared->arrived = 0;
        __atomic_add_fetch(&shared->round, 1, __ATOMIC_SEQ_CST);
    }
    while (__atomic_load_n(&shared->round, __ATOMIC_SEQ_CST) == round) sched_yield();
}

//: join_lane
/* Waits until an actor has ended its lane. */
static inline void join_lane(int actor) {
    holder = actor;
    pass_turn();
}

//: lane_pause
/* Spins for less than 2 to the power of level microseconds, so that lanes overlap in different ways. */
static inline uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline void lane_pause(size_t level) {
    static _Thread_local uint64_t pauses;
    if (level == 0) return;
    uint64_t end = nanoseconds() + mix(SALT ^ (uint64_t)me, ++pauses) % ((uint64_t)1000 << level);
    while (nanoseconds() < end) sched_yield();
}

//: release_in_turn
static inline int next_number(void) {
    if (++shared->acquired == sizeof shared->owner / sizeof shared->owner[0]) _exit(3);
    shared->owner[shared->acquired] = (short)home[me];
    return shared->acquired;
}

//: held acquired released
/* Resources not yet released, most recent first. bytes: the size of a buffer handle; 0 for an address. */
static struct held {
    struct held *below;
    const char *name;
    long long (*release)(void *handle);
    void *handle;
    size_t bytes;
    int number;
} *held;
static inline void acquired(const char *name, long long (*release)(void *), const void *handle, size_t bytes) {
    struct held *entry = memory(sizeof *entry, 16);
    *entry = (struct held){held, name, release, (void *)(uintptr_t)handle, bytes, NUMBER};
    if (bytes != 0) entry->handle = memcpy(memory(bytes, 16), handle, bytes);
    held = entry;
}
static inline int holds(const struct held *entry, const void *handle) {
    return entry->bytes == 0 ? entry->handle == handle : memcmp(entry->handle, handle, entry->bytes) == 0;
}
static inline void released(long long (*release)(void *), const void *handle) {
    struct held **at = &held;
    while (*at != NULL && ((*at)->release != release || !holds(*at, handle))) at = &(*at)->below;
    if (*at != NULL) *at = (*at)->below;
}
static inline void release_last(void) {
    struct held *last = held;
    held = last->below;
    must_succeed(__LINE__, last->name, last->release(last->handle), SUCCESS);
}

//: release_all
static inline void release_all(void) { while (held != NULL) release_last(); }

//: release_in_turn
/* Releases resources in reverse order across all processes. */
static inline void release_in_turn(void) {
    for (int number = shared->acquired; number > 0; number--)
        if (turn(shared->owner[number]) && held != NULL && held->number == number) release_last();
}

//: debugged
/* With a debugger attached, or ATLAS_CTS_DEBUG set, a process may stop for any time. */
static inline int debugged(void) {
    char line[256];
    int tracer = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL && sscanf(line, "TracerPid: %d", &tracer) != 1) {
    }
    if (status != NULL)
        fclose(status);
    return tracer != 0 || getenv("ATLAS_CTS_DEBUG") != NULL;
}

//: thread_id
static inline size_t thread_id(void) { return (size_t)pthread_self(); }

//: gate open_gate open_gates passed pass argument
/* Gates: a hook waits until the program opens its gate, at most DEADLINE seconds. */
static struct gate { struct gate *next; int open; size_t passed, count; uint64_t latest[6]; } *gates;
static pthread_mutex_t gates_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gates_changed = PTHREAD_COND_INITIALIZER;
/* The gate of a call is the first of the candidates that is a gate: bit i stands for argument i, bit `count` for bound. */
static inline void *pass(unsigned candidates, size_t count, const uint64_t *arguments, const void *bound) {
    struct timespec end = {.tv_sec = time(NULL) + (debugged() ? INT32_MAX : DEADLINE)};
    pthread_mutex_lock(&gates_lock);
    struct gate *found = NULL;
    for (size_t i = 0; i <= count && found == NULL; i++) {
        uint64_t candidate = i < count ? arguments[i] : (uintptr_t)bound;
        found = (candidates >> i & 1) != 0 ? gates : NULL;
        while (found != NULL && (uintptr_t)found != candidate) /* the runtime may pass anything: it is only compared */
            found = found->next;
    }
    if (found != NULL)
        memcpy(found->latest, arguments, (found->count = count) * sizeof *arguments);
    while (found != NULL && !found->open) {
        if (pthread_cond_timedwait(&gates_changed, &gates_lock, &end) != 0)
            failed(__LINE__, "gate", "stayed closed too long", 0);
    }
    if (found != NULL)
        found->passed++;
    pthread_mutex_unlock(&gates_lock);
    return found;
}
static inline void open_gate(void *argument) {
    pthread_mutex_lock(&gates_lock);
    ((struct gate *)argument)->open = 1;
    pthread_cond_broadcast(&gates_changed);
    pthread_mutex_unlock(&gates_lock);
}
static inline void open_gates(void) {
    for (struct gate *each = gates; each != NULL; each = each->next)
        open_gate(each);
}
static inline void *gate(void) {
    struct gate *made = memset(memory(sizeof *made, 16), 0, sizeof *made);
    pthread_mutex_lock(&gates_lock);
    made->next = gates;
    gates = made;
    pthread_mutex_unlock(&gates_lock);
    return made;
}
static inline size_t passed(const void *argument) {
    pthread_mutex_lock(&gates_lock);
    size_t count = ((const struct gate *)argument)->passed;
    pthread_mutex_unlock(&gates_lock);
    return count;
}
static inline size_t argument(const void *of, int64_t number) {
    const struct gate *gate = of;
    pthread_mutex_lock(&gates_lock);
    size_t value = gate->count == 0 ? 0 : gate->latest[number];
    pthread_mutex_unlock(&gates_lock);
    return value;
}

//: open
#define open(gate) open_gate(gate)

//: leave
/* An actor's process exits or is killed. The others continue when the parent reports that it is gone. */
static inline void leave(int performer, int leaver) {
    if (turn(performer)) {
        shared->leaver = leaver + 1;
        if (performer == leaver)
            exit(HOLDS);
        kill(shared->processes[leaver], SIGKILL);
    }
    wait_for_turn();
    for (int actor = 0; actor < ACTORS; actor++)
        gone[actor] |= home[actor] == leaver;
}

//: verdict
/* Interprets how a process ended: a library that ends its process, or hangs, is broken. */
static inline int verdict(int status) {
    int end = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (end == HOLDS || end == ENDS) return 0;
    if (end == 1 || end == 3) return end;
    fprintf(stderr, "the process %s %d\n", end < 0 ? "ended by signal" : "was ended by the library, with status", abs(end));
    return 1;
}

//: run_alone
static inline int run_alone(void (*program)(void)) {
    int status = 3 << 8;
    if (debugged()) {
        program(); /* in this process, and without a deadline */
        return 0;
    }
    pid_t child = fork();
    if (child != 0) return waitpid(child, &status, 0) == child ? verdict(status) : 3;
    alarm(DEADLINE); /* seconds; then the process counts as hung, and signal 14 ends it */
    program();
    fflush(stdout);
    _exit(HOLDS);
}

//: run_together
/* A process ends after its threads, because other processes may wait for a turn that a thread has yet to pass. */
static inline void *perform(void *actor) {
    pthread_t threads[ACTORS];
    int here = me = (int)(intptr_t)actor;
    for (int other = 0; other < ACTORS; other++)
        if (other != here && home[other] == here
            && pthread_create(&threads[other], NULL, perform, (void *)(intptr_t)other) != 0) _exit(3);
    program();
    for (int other = 0; other < ACTORS; other++)
        if (other != here && home[other] == here) pthread_join(threads[other], NULL);
    return NULL;
}
static inline int run_together(void) {
    int status, processes = 0, in_time = !debugged();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int actor = 0; actor < ACTORS; actor++)
        if (shared == MAP_FAILED || pipe(turns[actor]) != 0) return 3;
    for (int actor = 0; actor < ACTORS; actor++) {
        pid_t child = home[actor] == actor ? fork() : -1;
        if (child == 0) {
            if (in_time)
                alarm(DEADLINE); /* seconds; then the process counts as hung, and signal 14 ends it */
            perform((void *)(intptr_t)actor);
            fflush(stdout);
            _exit(HOLDS);
        }
        shared->processes[actor] = child;
        processes += child > 0;
    }
    for (; processes > 0; processes--) {
        pid_t ended = wait(&status);
        int left = shared->leaver - 1;
        if (left >= 0 && shared->processes[left] == ended) {
            shared->leaver = 0;
            for (int actor = 0; actor < ACTORS; actor++)
                if (home[actor] != left && write(turns[actor][1], "", 1) != 1) return 3;
        } else if (!WIFEXITED(status) || WEXITSTATUS(status) != HOLDS) {
            for (int actor = 0; actor < ACTORS; actor++)
                if (shared->processes[actor] > 0 && shared->processes[actor] != ended) kill(shared->processes[actor], SIGKILL);
            return verdict(status);
        }
    }
    return 0;
}

//: selected select_device
/* A thread selects its process's device before its first step. */
static _Thread_local int selected;
static void device_up(void);
static inline void select_device(void) {
    int status = failure_status;
    failure_status = 3;
    if (!selected)
        device_up();
    selected = 1;
    failure_status = status;
}

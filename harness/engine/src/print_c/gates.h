/* Gates: what hook() hands to the runtime waits at one until the program opens it, a minute at most. */

#include <pthread.h>
#include <time.h>

#define hook(type) ((type)pass)
#define open(gate) open_gate(gate)

struct gate {
    struct gate *next;
    int open;
    size_t passed;
};

static struct gate *gates;
static pthread_mutex_t gates_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gates_changed = PTHREAD_COND_INITIALIZER;

/* The runtime may call with any argument: it is only compared. */
static inline struct gate *find_gate(const void *argument)
{
    struct gate *found = gates;
    while (found != NULL && found != argument)
        found = found->next;
    return found;
}

static inline void pass(void *argument)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&gates_lock);
    struct gate *found = find_gate(argument);
    while (found != NULL && !found->open) {
        if (pthread_cond_timedwait(&gates_changed, &gates_lock, &end) == ETIMEDOUT) {
            fprintf(stderr, "a gate stayed closed for a minute\n");
            _exit(1);
        }
    }
    if (found != NULL)
        found->passed++;
    pthread_mutex_unlock(&gates_lock);
}

/* For the end of the steps, and of the program, when the runtime may wait for its calls. */
static inline void open_gates(void)
{
    pthread_mutex_lock(&gates_lock);
    for (struct gate *each = gates; each != NULL; each = each->next)
        each->open = 1;
    pthread_cond_broadcast(&gates_changed);
    pthread_mutex_unlock(&gates_lock);
}

static inline void *gate(void)
{
    struct gate *made = checked(calloc(1, sizeof *made));
    pthread_mutex_lock(&gates_lock);
    if (gates == NULL)
        atexit(open_gates);
    made->next = gates;
    gates = made;
    pthread_mutex_unlock(&gates_lock);
    return made;
}

static inline void open_gate(void *argument)
{
    pthread_mutex_lock(&gates_lock);
    ((struct gate *)argument)->open = 1;
    pthread_cond_broadcast(&gates_changed);
    pthread_mutex_unlock(&gates_lock);
}

static inline size_t passed(const void *argument)
{
    pthread_mutex_lock(&gates_lock);
    size_t count = ((const struct gate *)argument)->passed;
    pthread_mutex_unlock(&gates_lock);
    return count;
}

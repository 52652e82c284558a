/*
 * Writes of threads that are late: the turns that a thread passes on arrive one after the other. Programs that are
 * compiled with -Dwrite=write_late make them.
 */
#define _GNU_SOURCE
#undef write
#include <unistd.h>

ssize_t write_late(int to, const void *from, size_t bytes);
ssize_t write_late(int to, const void *from, size_t bytes)
{
    if (gettid() != getpid())
        usleep(50000);
    return write(to, from, bytes);
}

/* The switches for defects, shared by both libraries of the depot. */
#ifndef WRONG_H
#define WRONG_H

#include <stdlib.h>
#include <string.h>

/* True if a name is in the list of the environment variable that the build names. */
static inline int wrong(const char *name)
{
    const char *list = getenv(DEFECTS);
    size_t length = strlen(name);
    while (list != NULL && *list != '\0') {
        const char *end = strchr(list, ',');
        size_t here = end == NULL ? strlen(list) : (size_t)(end - list);
        if (here == length && memcmp(list, name, length) == 0)
            return 1;
        list = end == NULL ? NULL : end + 1;
    }
    return 0;
}

/* The edition of a library: 2010 for 2.1. The variable lists `2.1` for all libraries, or `depot=2.1,audit=1.9`. */
static inline int edition_of(const char *library, int built)
{
    const char *list = getenv(EDITION);
    size_t length = strlen(library);
    while (list != NULL && *list != '\0') {
        size_t here = strcspn(list, ",");
        const char *equals = memchr(list, '=', here);
        int named = equals != NULL && (size_t)(equals - list) == length && memcmp(list, library, length) == 0;
        if (equals == NULL || named) {
            char *point;
            long major = strtol(named ? equals + 1 : list, &point, 10);
            return (int)(major * 1000 + (*point == '.' ? strtol(point + 1, NULL, 10) * 10 : 0));
        }
        list += here + (list[here] == ',');
    }
    return built;
}

/* Bad devices: wrong everywhere. */
static inline int refuses(void)
{
    return wrong("bad.refuses");
}

static inline int does_nothing(void)
{
    return wrong("bad.nothing") || wrong("bad.zeros");
}

static inline void zero(void *out, size_t bytes)
{
    if (out != NULL && wrong("bad.zeros"))
        memset(out, 0, bytes);
}

#endif

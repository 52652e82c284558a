/*
 * The part of <stddef.h> that headers below specs/ use, from the compiler's own predefined types. The generator
 * parses with these files instead of the machine's, so its output is the same everywhere.
 */
#ifndef BINDINGS_STUB_STDDEF_H
#define BINDINGS_STUB_STDDEF_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif

#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif

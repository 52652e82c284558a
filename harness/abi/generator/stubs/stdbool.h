/* <stdbool.h> for headers that use it (see stddef.h). */
#ifndef BINDINGS_STUB_STDBOOL_H
#define BINDINGS_STUB_STDBOOL_H

#define bool _Bool
#define true 1
#define false 0

#endif

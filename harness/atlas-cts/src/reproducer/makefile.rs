//! The Makefile of a reproducer.

use engine::print_c::linked;

use super::{Evidence, HEADERS, PRELUDE, SOURCE};

/// The Makefile's text. The program is built with the suite's header, or with other headers that have the same
/// declarations.
pub(super) fn text(evidence: &Evidence<'_>) -> String {
    let header = evidence.rules.header;
    let libraries = linked(evidence.rules, evidence.rule);
    format!(
        "# make                                          with the header in {HEADERS}/
# make HEADER='<vendor/one.h> <vendor/two.h>' INCLUDE=DIR      with headers that have the same declarations
# make LDFLAGS='-L DIR -Wl,-rpath,DIR'          with libraries in DIR
# make LIBRARIES=/path/of/a/library.so          with this library
CC ?= gcc
CFLAGS ?= -O1 -g
LIBRARIES ?={libraries}

# Always rebuilt: the header or the library may differ from the last time.
reproducer: {SOURCE} {PRELUDE} Makefile FORCE
ifdef HEADER
\tmkdir -p other-{HEADERS}
\tprintf '#include %s\\n' $(foreach name,$(HEADER),'$(name)') > other-{HEADERS}/{header}
\t$(CC) $(CFLAGS) -std=c11 -pthread -I other-{HEADERS} $(if $(INCLUDE),-I $(INCLUDE)) -o $@ {SOURCE} $(LDFLAGS) $(LIBRARIES)
else
\t$(CC) $(CFLAGS) -std=c11 -pthread -I {HEADERS} -o $@ {SOURCE} $(LDFLAGS) $(LIBRARIES)
endif

run: reproducer
\t./reproducer

clean:
\trm -rf reproducer other-{HEADERS}

FORCE:

.PHONY: run clean FORCE
"
    )
}

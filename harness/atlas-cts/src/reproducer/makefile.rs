//! The Makefile of a reproducer.

use engine::print_c::{PRELUDE, VENDOR_HEADERS, vendor_headers};

use super::evidence::{Evidence, HEADERS, SOURCE};
use super::libraries::LinkedLibraries;

/// The folder for a link to a library that is known by another name than its file's.
const RENAMED: &str = "renamed";

/// The Makefile's text. The program is built with the suite's header, or with other headers that have the same
/// declarations.
pub(super) fn text(evidence: &Evidence<'_>, libraries: &LinkedLibraries) -> String {
    let header = evidence.rules.header;
    let LinkedLibraries { first, behind, folders, .. } = libraries;
    let first = first.trim();
    let (behind, folders) = (behind.join(" "), folders.join(" "));
    let vendor = match vendor_headers(evidence.rules, evidence.rule).join("> <") {
        names if names.is_empty() => String::new(),
        names => format!("# make {VENDOR_HEADERS}=yes INCLUDE='DIR DIR'      with the vendor's <{names}>\n"),
    };
    let several = if evidence.rule.program.processes.len() > 1 {
        " -ex 'set detach-on-fork off' -ex 'set schedule-multiple on'"
    } else {
        ""
    };
    format!(
        "# make                                          with the header in {HEADERS}/
{vendor}# make HEADER='<vendor/one.h> <vendor/two.h>' INCLUDE=DIR      with headers that have the same declarations
# make LIB=/path/of/a/library.so                with this library instead of the run's
# make LDFLAGS='-L DIR -Wl,-rpath,DIR'          with libraries in DIR
# make debug                                    in gdb, without a time limit; DEBUGGER=lldb, DEBUGGER='gdb -tui'
CC ?= gcc
CFLAGS ?= -O1 -g
DEBUGGER ?= gdb
# The library under test, and the libraries behind it that export what it does not.
LIB ?= {first}
BEHIND ?= {behind}
# The loader looks in these folders for what the libraries need.
FOLDERS ?= {folders}
# A library that is known by another name than its file's is found through a link with that name.
SONAME = $(shell readelf -d $(LIB) 2>/dev/null | sed -n 's/.*(SONAME).*\\[\\(.*\\)\\]/\\1/p')
NAMED = $(or $(realpath $(dir $(LIB))$(SONAME)),missing)
RENAMED = $(if $(SONAME),$(if $(filter-out $(realpath $(LIB)),$(NAMED)),$(SONAME)))
OF_LIB = $(patsubst %/,%,$(dir $(abspath $(filter-out -l%,$(LIB)))))
SEARCHED = $(if $(RENAMED),$(CURDIR)/{RENAMED}) $(OF_LIB) $(filter-out $(OF_LIB),$(FOLDERS))
RPATHS = $(foreach folder,$(SEARCHED),-Wl,-rpath,$(folder))
OPTIONS = -Wl,--disable-new-dtags,--allow-shlib-undefined,--no-as-needed
LIBRARIES ?= $(OPTIONS) $(LIB) -Wl,--as-needed $(BEHIND) $(RPATHS)

# Always rebuilt: the header or the library may differ from the last time.
reproducer: {SOURCE} {PRELUDE} Makefile FORCE
\t$(if $(RENAMED),mkdir -p {RENAMED} && ln -sfn $(abspath $(LIB)) {RENAMED}/$(RENAMED))
ifdef HEADER
\tmkdir -p other-{HEADERS}
\tprintf '#include %s\\n' $(foreach name,$(HEADER),'$(name)') > other-{HEADERS}/{header}
\t$(CC) $(CFLAGS) -std=c11 -pthread -I other-{HEADERS} $(addprefix -I ,$(INCLUDE)) -o $@ {SOURCE} $(LDFLAGS) $(LIBRARIES)
else ifdef {VENDOR_HEADERS}
\t$(CC) $(CFLAGS) -std=c11 -pthread -D{VENDOR_HEADERS} $(addprefix -I ,$(INCLUDE)) -o $@ {SOURCE} $(LDFLAGS) $(LIBRARIES)
else
\t$(CC) $(CFLAGS) -std=c11 -pthread -I {HEADERS} -o $@ {SOURCE} $(LDFLAGS) $(LIBRARIES)
endif

run: reproducer
\t./reproducer

# The settings of gdb come before the commands of DEBUGGER. With ATLAS_CTS_DEBUG, no process has a time limit, and a
# program with one process does not fork.
PROGRAM = $(firstword $(DEBUGGER))
IS_GDB = $(findstring gdb,$(notdir $(PROGRAM)))
SETTINGS = -q -ex 'set breakpoint pending on'{several}
BEFORE = $(PROGRAM) $(if $(IS_GDB),$(SETTINGS)) $(wordlist 2,999,$(DEBUGGER))
debug: reproducer
\tATLAS_CTS_DEBUG=1 $(BEFORE) $(if $(IS_GDB),--args,--) ./reproducer

clean:
\trm -rf reproducer other-{HEADERS} {RENAMED}

FORCE:

.PHONY: run debug clean FORCE
"
    )
}

#!/usr/bin/env bash
# An epilog for Slurm (Epilog= in slurm.conf): the same burst as the prolog, after the job. It never fails, because the
# job is over; the next prolog finds what is broken.
set -uo pipefail
"$(dirname "${BASH_SOURCE[0]}")/prolog.sh" >/dev/null || true

#!/usr/bin/env bash
# What `atlas-cts diff` must show, on the simulated device (docs/diff.md): every seeded defect with the rules that claim it
# and ten others, faithful against broken; every legal variant; twenty pairs of the same device with other seeds. Four
# hours of a processor.
# ATLAS_CTS_DIFF_PROOF_LANES: how many devices are looked at at a time (twice as many as there are processors);
# ATLAS_CTS_DIFF_PROOF_PAGES: a folder for what was found.
#   ATLAS_CTS_DIFF_PROOF_EVERY=10 ATLAS_CTS_DIFF_PROOF_PAIRS=3 ci/diff-proof.sh    # a sample: every tenth, three pairs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo test -p atlas-cts --test tests -- --ignored --nocapture --test-threads 1 "${@:-diff_proof::}"

#!/usr/bin/env bash
# Proves `atlas-cts diff` on the simulated device (docs/results/compare.md): every seeded defect with the rules that
# claim it and ten others, compared with the faithful device; every legal variant; twenty pairs of the same device with
# different seeds. Takes four hours of processor time.
#
# ATLAS_CTS_DIFF_PROOF_LANES: number of devices compared at a time (default: twice the number of processors)
# ATLAS_CTS_DIFF_PROOF_PAGES: a folder for the results
#
#   ATLAS_CTS_DIFF_PROOF_EVERY=10 ATLAS_CTS_DIFF_PROOF_PAIRS=3 ci/diff-proof.sh    # a sample: every tenth, three pairs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo test -p atlas-cts --test tests -- --ignored --nocapture --test-threads 1 "${@:-diff_proof::}"

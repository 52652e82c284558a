#!/usr/bin/env bash
# The checks that take too long for .ci/run: false alarms on every legal variant, the kill matrix of the small products,
# the seeds of a release, bundles (needs root), the book, fuzzing (docs/engine/parts.md).
# Run it before a release and each night; its last line counts the steps.
#
# This script proves the suite itself on the simulated device; ci/package/nightly.sh tests real devices.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
passed=0
failed=0
step() {
    local name=$1
    shift
    echo "=== $name"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "=== $name: FAILED"; fi
}
step "every product reaches its floor" ci/products.sh
step "every product is proven, no false alarm on a legal variant" ci/prove.sh --variants=all
while IFS=$'\t' read -r product _; do
    case $product in '' | '#'*) continue ;; esac
    for edition in none 8.2 8.5 9.0 9.1; do
        step "$product, edition $edition" \
            cargo cts run --product "$product" --backend simulator --sim edition="$edition"
    done
done <specs/acl/floors.tsv
for product in 200-300-500 ipv350; do
    step "the kill matrix of $product" cargo cts catalog prove --product "$product" --backend simulator --matrix
done
step "tests that take minutes" cargo test -p atlas-cts --test tests -- --ignored print_c:: starts::
step "the bundles and wheels of both architectures" ci/package.sh
step "the bundles run without Rust" ci/roots.sh
step "examples for CI systems, the container file" ci/examples/check.sh
step "the command for the steps below" cargo build --release -p atlas-cts
step "good nights: every legal variant, with jitter" env CTS=target/release/atlas-cts ci/good-nights.sh 20
step "no call uses the memory of an earlier case" \
    cargo cts run --product a2 --backend simulator --tune fenced-memory=yes
step "verdicts do not depend on the speed of the machine" env CTS=target/release/atlas-cts ci/speed.sh
step "soaks notice what grows, and a faithful device is steady" env CTS=target/release/atlas-cts ci/soak.sh
step "reproducers agree with the engine" ci/reproducers.sh
for product in datacenter desktop wsl integrated; do
    for edition in 11.4 12.0 12.2 12.9 13.0; do
        step "$product, CUDA $edition" \
            cargo cts run --product "$product" --backend simulator --sim edition="$edition"
    done
    step "$product, a driver that is newer than the toolkit" \
        cargo cts run --product "$product" --backend simulator --sim edition=driver=13.0,edition=toolkit=12.9
done
step "CUDA's rules are C programs for the vendor's headers" env CTS=target/release/atlas-cts ci/cuda-headers.sh
step "CUDA's real toolkit library without a driver" env CTS=target/release/atlas-cts ci/cuda-without-a-gpu.sh
step "defects show in a diff, identical devices do not" ci/diff-proof.sh
# The vendor's sample programs, from a clone of its public repository (docs/run/programs.md).
if [ -n "${ATLAS_CTS_SAMPLES:-}" ]; then
    step "the vendor's samples behave as their READMEs say" \
        env CTS=target/release/atlas-cts ci/samples.sh "$ATLAS_CTS_SAMPLES"
else
    echo "=== the vendor's samples: NOT CHECKED, ATLAS_CTS_SAMPLES is not set (a folder with hicann/runtime)"
fi
step "pages in headless Chromium" ci/page.sh
step "the book, complete and without a network" ci/book.sh
if ! command -v cargo-deny >/dev/null; then
    echo "=== advisories against the crates: NOT CHECKED, cargo-deny is missing"
elif ! cargo deny fetch; then
    echo "=== advisories against the crates: NOT CHECKED, cannot fetch the database"
else
    step "advisories against the crates" cargo deny check advisories
fi
# Ten minutes for each parser of untrusted bytes, with different inputs each night.
export ATLAS_CTS_FUZZ_SECONDS=${ATLAS_CTS_FUZZ_SECONDS:-600} ATLAS_CTS_FUZZ_SEED=${ATLAS_CTS_FUZZ_SEED:-$(date +%Y%m%d)}
step "any bytes give an error or a valid value" cargo test -p fuzz
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

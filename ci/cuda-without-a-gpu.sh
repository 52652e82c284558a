#!/usr/bin/env bash
# The real library of CUDA's toolkit on a machine without a driver: installs the Python packages of two major versions
# into virtual environments (needs the network), and checks that each command names the cause. Nothing may crash, and no
# rule may pass. On a machine with a driver the check does not apply.
# CTS is the command under test (default: built from this checkout).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# Package, version, and the folder of the library in the package.
packages=(
    "nvidia-cuda-runtime-cu12 12.9.79 nvidia/cuda_runtime/lib/libcudart.so.12"
    "nvidia-cuda-runtime 13.0.96 nvidia/cu13/lib/libcudart.so.13"
)
if ldconfig -p | grep -q 'libcuda\.so\.1'; then
    echo "this machine has a driver (libcuda.so.1): the check does not apply"
    exit 0
fi
if [ -z "${CTS:-}" ]; then
    cargo build -q -p atlas-cts || exit 1
    CTS=target/debug/atlas-cts
fi
cts=$(realpath "$CTS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect STATUS TEXT COMMAND…: the command ends with this status, prints the text and has no passed rule.
expect() {
    local status=$1 text=$2 output got
    shift 2
    output=$(timeout 300 "$@" 2>&1)
    got=$?
    if [ "$got" -eq "$status" ] && grep -qF -- "$text" <<<"$output" && ! grep -q '^pass ' <<<"$output"; then
        echo "ok: $(basename "$1") ${*:2}"
        passed=$((passed + 1))
        return
    fi
    echo "FAILED: $* (exit status $got, expected $status and the text: $text)"
    echo "$output" | head -40
    failed=$((failed + 1))
}

for package in "${packages[@]}"; do
    read -r name version path <<<"$package"
    echo "=== $name $version"
    python3 -m venv "$work/$name" || exit 1
    "$work/$name/bin/pip" install -q "$name==$version" || exit 1
    library=$(find "$work/$name" -path "*/$path" | head -1)
    if [ -z "$library" ]; then
        echo "FAILED: $name $version has no $path"
        failed=$((failed + 1))
        continue
    fi
    export LD_LIBRARY_PATH=${library%/*}
    report="$work/report-$name"
    expect 3 "libcuda.so.1" "$cts" doctor --runtime cuda
    expect 3 "finds no driver" "$cts" doctor --runtime cuda
    expect 3 "install the NVIDIA driver" \
        "$cts" run --runtime cuda --backend device --report-dir "$report-device"
    expect 2 'is the library `toolkit` of cuda' \
        "$cts" run --runtime cuda --library "$library" --report-dir "$report-library"
    # Under the name of the driver's library, the toolkit's library lacks the driver's functions.
    mkdir -p "$work/renamed" && cp "$library" "$work/renamed/libcuda.so.1"
    expect 3 "cuInit" \
        "$cts" run --runtime cuda --library "$work/renamed/libcuda.so.1" --report-dir "$report-renamed"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

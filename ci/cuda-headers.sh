#!/usr/bin/env bash
# Each rule of CUDA as a C program: it compiles with the catalog's header and with NVIDIA's headers of two major versions
# (Python packages; needs the network), without a warning, and says on the simulated device what the engine says: it
# holds. Rules of several processes are compiled and run too. RULES limits the rules, CTS is the command under test
# (default: built from this checkout).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if [ -z "${CTS:-}" ]; then
    cargo build -q -p atlas-cts || exit 1
    CTS=target/debug/atlas-cts
fi
cts=$(realpath "$CTS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/twelve" && "$work/twelve/bin/pip" install -q --no-deps \
    nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-nvcc-cu12==12.9.86 || exit 1
python3 -m venv "$work/thirteen" && "$work/thirteen/bin/pip" install -q --no-deps \
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 || exit 1
# The flags that make the compiler use the headers below a folder.
includes() { find "$1" -type d -name include -path '*nvidia*' -printf '-I %p '; }
declare -A flags=(
    [catalog]="-I specs/cuda"
    [12.9]="-DVENDOR_HEADERS $(includes "$work/twelve")"
    [13.0]="-DVENDOR_HEADERS $(includes "$work/thirteen")"
)

mkdir "$work/lib"
library=$("$cts" simulator --runtime cuda --print-path "$work/lib") || exit 1
for name in libcuda.so.1 libcudart.so.13; do
    ln -sf "$library" "$work/lib/$name"
done

passed=0
failed=0
# A rule whose functions or types are newer than a version of the headers does not compile with that version.
too_new() { [ "$1" = 12.9 ] && [[ $explained == *'edition >=13'* ]]; }
# The edition of the simulated device for a rule that holds only before the newest edition.
edition() { if [[ $explained == *'edition <13'* ]]; then echo "--sim edition=12.9"; fi; }
for rule in $("$cts" list --runtime cuda --specs specs ${RULES:-} | awk '/^cuda\./ {print $1}'); do
    program="$work/program.c"
    explained=$("$cts" explain "$rule" --specs specs)
    if ! "$cts" print "$rule" --specs specs >"$program" 2>"$work/said"; then
        # Undefined behavior and rules that other editions have are not printed.
        echo "not printed: $rule: $(head -1 "$work/said")"
        continue
    fi
    for version in catalog 12.9 13.0; do
        # The flags are a list of words.
        # shellcheck disable=SC2086
        if gcc -std=c11 -pthread -Wall -Wextra -Werror ${flags[$version]} "$program" -o "$work/program" \
            -L "$work/lib" -l:libcuda.so.1 -l:libcudart.so.13 2>"$work/said"; then
            passed=$((passed + 1))
        elif too_new "$version"; then
            echo "newer than the headers of $version: $rule"
        else
            failed=$((failed + 1))
            echo "FAILED: $rule does not compile with the headers of $version"
            head -20 "$work/said"
        fi
    done
    if "$cts" simulator run --runtime cuda --specs specs $(edition) -- "$work/program" >"$work/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $rule does not hold as a program on the simulated device"
        tail -5 "$work/said"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

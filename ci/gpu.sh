#!/usr/bin/env bash
# A day on a borrowed GPU: the rules of CUDA in parts, each of which ends within 8 minutes.
#
#   ci/gpu.sh --pack [ARCH]   fill the folder gpu/ (network, Debian) with what the parts need: carry it to the GPU
#   gpu/gpu.sh [PART]         on the GPU, from that folder alone; without PART all of them, in about 15 minutes
#   gpu/gpu.sh reds RULE…     decide about these rules
#   gpu/gpu.sh --dry [PART]   the same on the simulated library, as if it were a device
#
# PART  facts   the machine, the doctor, one rule, the questions that no document answers
#       main    all rules but those of several processes, with kernels loaded at the start and 32 hardware queues
#       apart   the rules of several processes
#       plain   the rules that hold streams, with the driver's own settings
#       reds    the broken rules of the parts before (or of `main`, run first), five times each, with a C program
#       seed    the rules of allocation, attributes and graphs, with another seed
#
# Everything is written below $OUT (default: ./gpu-results) as it comes; a part that is cut leaves a journal that can be
# read. Nothing resets or configures the GPU, and nothing leaves the machine.
#
# Exit status: 0 nothing is red, 1 a rule is red, 2 usage, 3 no GPU that can be used, or a part without a result.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 3
parts=(facts main apart plain reds seed)
most_bytes=$((60 << 20))

refuse() {
    echo "gpu.sh: $*" >&2
    exit 3
}

# The folder that --pack fills: the bundle's executable for glibc 2.28, the toolkit's library of each major version, and
# the vendor's headers for the C programs.
pack() {
    cd "$here/.." && [ -x ci/package.sh ] || refuse "--pack needs a checkout; run ci/gpu.sh --pack there"
    local arch=${1:-$(uname -m)} bundle wheel name path bytes
    ci/package.sh "$arch" || refuse "the bundle was not built; see the lines above"
    work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
    mkdir -p gpu && rm -rf gpu/* && mkdir gpu/lib
    bundle=$(ls -t "target/bundle/atlas-cts-"*"-$arch-linux.tar.gz" | head -1)
    tar -xzf "$bundle" -C gpu --strip-components=1 --wildcards '*/atlas-cts' '*/LICENSE' &&
        install -m 755 ci/gpu.sh gpu/gpu.sh || refuse "$bundle has no executable"
    for wheel in nvidia-cuda-runtime-cu11==11.8.89 nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-runtime==13.0.96 \
        nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-crt==13.0.88; do
        name=${wheel%%=*}
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
            --platform "manylinux2014_$arch" --platform "manylinux1_$arch" --dest "$work/$name" "$wheel" &&
            python3 -m zipfile -e "$work/$name/"*.whl "$work/$name" || refuse "$wheel was not found; is the network there?"
    done
    find "$work" -name 'libcudart.so.1*' -exec cp {} gpu/lib/ \;
    for path in 12:nvidia-cuda-runtime-cu12 12:nvidia-cuda-nvcc-cu12 13:nvidia-cuda-runtime 13:nvidia-cuda-crt; do
        name=$(find "$work/${path#*:}" -type d -name include | head -1)
        mkdir -p "gpu/include/${path%%:*}"
        [ -n "$name" ] && cp -r "$name/." "gpu/include/${path%%:*}/"
    done
    bytes=$(du --bytes --summarize gpu | cut -f1)
    [ "$bytes" -le $most_bytes ] || refuse "gpu/ has $bytes bytes, more than $most_bytes"
    echo "gpu/: $bytes bytes, $(find gpu -type f | wc -l) files; carry the folder to the GPU and start gpu/gpu.sh"
}

# A machine with one simulated GPU: its libraries, and a tool that answers as the vendor's does.
pretend() {
    work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
    library=$("$here/atlas-cts" simulator --runtime cuda --print-path "$work") || refuse "no simulated library"
    ln -s "$library" "$work/libcuda.so.1" && ln -s "$library" "$work/libcudart.so.13"
    cat >"$work/nvidia-smi" <<'TOOL'
#!/bin/sh
case "$*" in
*mig.mode*) echo 'Disabled' ;;
*compute-apps*) ;;
*) echo '| NVIDIA-SMI 580.00     Driver Version: 580.00     CUDA Version: 13.0 |' ;;
esac
TOOL
    chmod +x "$work/nvidia-smi"
    export PATH=$work:$PATH LD_LIBRARY_PATH=$work ATLAS_CTS_SIM_DEVICES=1
    target=(--library "$work/libcuda.so.1")
}

# Refuses a machine on which the parts would say nothing, or would disturb others.
examine() {
    [ -x "$here/atlas-cts" ] || refuse "no atlas-cts next to it; fill the folder with ci/gpu.sh --pack and start its gpu.sh"
    if ! { mkdir -p "$OUT" && head -c 1048576 /dev/zero >"$OUT/.space" && rm "$OUT/.space"; } 2>/dev/null; then
        refuse "\$OUT ($OUT) is full or read-only; name a folder with 64 MiB of free space"
    fi
    [ "$(df --output=avail --block-size=1M "$OUT" | tail -1)" -ge 64 ] ||
        refuse "\$OUT ($OUT) has less than 64 MiB of free space; name another folder"
    [ "$dry" = no ] || pretend
    command -v nvidia-smi >/dev/null || refuse "no nvidia-smi; in a container, start it with --gpus all"
    # Newer tools give the version of the driver's library a longer name.
    local said major
    said=$(nvidia-smi 2>&1) || refuse "nvidia-smi fails: $(head -1 <<<"$said")"
    major=$(sed -n 's/.*CUDA[A-Z ]* Version: *\([0-9][0-9]*\)\..*/\1/p' <<<"$said" | head -1)
    case $major in
    11) toolkit=libcudart.so.11.0 ;;
    12 | 13) toolkit=libcudart.so.$major ;;
    *) refuse "nvidia-smi names no CUDA version from 11 to 13 (${major:-none}); the rules are for these drivers" ;;
    esac
    if nvidia-smi --query-gpu=mig.mode.current --format=csv,noheader 2>/dev/null | grep -q Enabled; then
        refuse "MIG is enabled; lend a whole GPU (nothing here changes the setting)"
    fi
    local users
    users=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | grep -c '[0-9]')
    [ "$users" -eq 0 ] || refuse "$users other processes use the GPU; free memory would change under the rules"
    headers=$here/include/$major
    [ "$dry" = yes ] && return
    [ -f "$here/lib/$toolkit" ] || refuse "no $toolkit for this driver in $here/lib; pack the folder again"
    # Only the toolkit's library of the driver's major version: a newer one fails in every call.
    mkdir -p "$OUT/lib" && ln -sf "$here/lib/$toolkit" "$OUT/lib/$toolkit"
    export LD_LIBRARY_PATH=$OUT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    target=(--backend device)
}

# A folder below $OUT for a part; what an earlier call wrote stays.
folder() {
    local name=$1 number=1
    while [ -e "$OUT/$name" ]; do
        number=$((number + 1))
        name=$1-$number
    done
    echo "$OUT/$name"
}

# rules SECONDS FOLDER ARGUMENT…: a run that ends in order when its time is over.
rules() {
    local seconds=$1 to=$2
    shift 2
    timeout --signal=TERM --kill-after=20 "$seconds" "$here/atlas-cts" run --runtime cuda "${target[@]}" \
        --tune deadline=8,rule-limit=40 --report-dir "$to" "$@" >"$to.txt" 2>&1
    grep -E '^(verdicts|result|error)' "$to.txt" || tail -1 "$to.txt"
    # A part that was cut has results, and yet not those of all its rules.
    grep -q '^{"end":' "$to/results.jsonl" 2>/dev/null && ! grep -q '^result .*did not finish' "$to.txt" || touch "$OUT/cut"
}

# The broken rules in the journals below a folder, each once.
broken() {
    find "$1" -name results.jsonl -print0 2>/dev/null |
        xargs -0 -r sed -n 's/^{"result":{"id":"\([^"]*\)".*"verdict":"\(fail\|crash\|timeout\|flaky\|error\)".*/\1/p' |
        sort -u
}

facts() {
    local to
    to=$(folder facts) && mkdir "$to"
    {
        nvidia-smi
        nvidia-smi -L
        nvidia-smi -q | grep -E 'Persist|Compute Mode|MIG|Driver V|CUDA V'
        ldd --version | head -1
        grep Cap /proc/self/status
        grep -i lock /proc/self/limits
        env | grep -E '^(CUDA|NVIDIA)'
    } >"$to/machine.txt" 2>&1
    timeout 90 "$here/atlas-cts" doctor --runtime cuda "${target[@]}" --probe >"$to/doctor.txt" 2>&1
    rules 60 "$to/first" cuda.memory.roundtrip cuda.dev
    rules 120 "$to/questions" --record "$to/answers.json" cuda.question --exclude free-while-held
}

main() {
    local to
    to=$(folder main)
    CUDA_DEVICE_MAX_CONNECTIONS=32 CUDA_MODULE_LOADING=EAGER rules "${1:-420}" "$to" --record "$to-answers.json" \
        --exclude cuda.question --exclude cuda.pool-ipc --exclude cuda.ipc --exclude cuda.vmm.share
}

apart() {
    rules 180 "$(folder apart)" cuda.pool-ipc cuda.ipc cuda.vmm.share
}

plain() {
    (
        unset CUDA_DEVICE_MAX_CONNECTIONS
        export CUDA_MODULE_LOADING=LAZY
        rules 150 "$(folder plain)" cuda.alloc.returns cuda.alloc.queued cuda.reuse cuda.event cuda.free \
            cuda.callback cuda.trim.unobserved cuda.vmm.alias-across cuda.pool.destroy-with-pending
    )
}

reds() {
    local to rule end=$((SECONDS + 240)) ids=("$@")
    if [ ${#ids[@]} -eq 0 ]; then
        [ -n "$(find "$OUT" -name results.jsonl -print -quit)" ] || { main 220 && end=$((SECONDS + 240)); }
        mapfile -t ids < <(broken "$OUT")
    fi
    to=$(folder reds) && mkdir "$to"
    echo "${#ids[@]} broken rules"
    for rule in "${ids[@]}"; do
        if [ $((end - SECONDS)) -lt 20 ]; then
            echo "no time is left for $rule and the rules after it; start gpu.sh reds RULE…" | tee "$to/undecided.txt"
            break
        fi
        printf '%s: ' "$rule"
        rules $((end - SECONDS < 60 ? end - SECONDS : 60)) "$to/r-$rule" --repeat 5 "$rule" | head -1
        printf '  the C program: '
        program "$to/r-$rule" "$rule" "$to/c-$rule" 2>&1 | tee "$to/c-$rule.txt" | tail -1
    done
    dmesg 2>/dev/null | grep -i xid | tail >"$to/xid.txt"
}

# program RUN RULE FOLDER: does the failure's C program show it without the suite? The vendor's headers are used where
# they are packed.
program() {
    "$here/atlas-cts" reproducer "$1" "$2" --to "$3" || { echo "not written" && return; }
    command -v gcc >/dev/null && command -v make >/dev/null || { echo "written; there is no compiler" && return; }
    local with=() ended
    [ ! -d "$headers" ] || with=(VENDOR_HEADERS=yes "INCLUDE=$headers")
    make -C "$3" "${with[@]}" || { echo "does not compile" && return; }
    timeout 30 "$3/reproducer"
    ended=$?
    case $ended in
    0) echo "holds" ;;
    124) echo "does not return" ;;
    *) echo "shows it (exit status $ended)" ;;
    esac
}

seed() {
    rules 150 "$(folder seed)" --seed 7 cuda.alloc cuda.attr cuda.trim cuda.graph
}

dry=no
[ "${1-}" != --dry ] || { dry=yes && shift; }
case ${1-} in
--pack)
    pack "${2-}"
    exit
    ;;
'') ;;
facts | main | apart | plain | reds | seed)
    parts=("$1")
    shift
    ;;
*)
    sed -n '2,20p' "${BASH_SOURCE[0]}" | sed 's/^# \{0,1\}//' >&2
    echo "gpu.sh: no part ${1}" >&2
    exit 2
    ;;
esac
if [ $# -gt 0 ] && [ "${parts[*]}" != reds ]; then
    echo "gpu.sh: only the part reds takes rules" >&2
    exit 2
fi
OUT=$(realpath -m "${OUT:-gpu-results}")
toolkit='' headers='' work=''
target=()
examine
rm -f "$OUT/cut"
for part in "${parts[@]}"; do
    echo "=== $part"
    begun=$SECONDS
    "$part" "$@"
    echo "=== $part: $((SECONDS - begun)) s"
done
count=$(broken "$OUT" | wc -l)
echo "$count broken rules; everything is in $OUT"
if [ -e "$OUT/cut" ]; then
    echo "a run was cut or did not begin: its folder's .txt says why"
    exit 3
fi
[ "$count" -eq 0 ]

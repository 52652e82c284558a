#!/usr/bin/env bash
# Runs the bundles of ci/package.sh on systems without Rust: the whole suite on a Debian 12 root for x86_64, and a part
# of it under qemu on an aarch64 root with only a C library.
#
#   ci/roots.sh [x86_64|aarch64]…
#
# Needs root (chroot), Linux 6.7 for aarch64 (a separate binfmt_misc), apt and Debian's archive keyring. The roots are
# kept in ATLAS_CTS_ROOTS (default: /var/tmp/atlas-cts-roots). The last line counts the checks.
set -uo pipefail
# The words of the output are read below.
export ATLAS_CTS_LANG=en
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
roots=${ATLAS_CTS_ROOTS:-/var/tmp/atlas-cts-roots}
bundles=$PWD/target/bundle
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
mkdir -p "$roots" || exit 2

# Runs a command and checks its exit status and that a line of its output matches an expression.
expect() {
    local name=$1 wanted=$2 line=$3
    shift 3
    local begun=$SECONDS status=0
    "$@" >"$scratch/log" 2>&1 || status=$?
    if [ $status -eq "$wanted" ] && grep -qE -- "$line" "$scratch/log"; then
        passed=$((passed + 1))
        echo "ok      $name ($((SECONDS - begun)) s): $(grep -E -- "$line" "$scratch/log" | head -n 1)"
    else
        failed=$((failed + 1))
        tail -n 40 "$scratch/log"
        echo "FAILED  $name: exit status $status, expected $wanted and a line matching: $line"
    fi
}

# Runs a command in a root, with a separate process namespace and /dev/shm. ROOT USER COMMAND…
within() {
    local root=$1 user=$2
    shift 2
    unshare "${unshare[@]}" --mount --pid --fork sh -c '
        root=$1 user=$2 qemu=$3 && shift 3 && cd /
        if [ -n "$qemu" ]; then
            # The kernel opens the interpreter now (F), so the roots do not need it.
            mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 125
            magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
            mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
            printf "%s" ":aarch64:M::$magic:$mask:$qemu:F" >/proc/sys/fs/binfmt_misc/register || exit 125
        fi
        mount --rbind /dev "$root/dev" && mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" &&
            mount -t proc proc "$root/proc" || exit 125
        # A user namespace has only one user, and groups cannot be set.
        [ "$user" = 0:0 ] && exec chroot "$root" "$@"
        exec chroot --userspec="$user" "$root" "$@"
    ' sh "$root" "$user" "$qemu" "$@"
}

# Unpacks the bundle in a root, and checks it as its README says.
unpack() {
    local arch=$1 root=$2
    local name=atlas-cts-$version-$arch-linux
    rm -rf "$root/opt/atlas-cts" "$root/srv/run" && mkdir -p "$root"/{opt,proc,dev,tmp,srv/run} &&
        chmod 1777 "$root"/{tmp,srv/run} &&
        (cd "$bundles" && sha256sum --check "$name.tar.gz.sha256") &&
        tar --extract --gzip --no-same-owner --file="$bundles/$name.tar.gz" --directory="$root/opt" &&
        mv "$root/opt/$name" "$root/opt/atlas-cts"
}

# Lists completions and manual pages of the bundle in a root; fails if one of them is missing.
texts() {
    (cd "$1/opt/atlas-cts" && ls completions/{atlas-cts.bash,_atlas-cts,atlas-cts.fish} man/man1/atlas-cts{,-run}.1)
}

# Checks that a seeded defect breaks the run, and that the replay command in the failure uses the bundle and fails too.
catches() {
    local root=$1 user=$2 replay
    shift 2
    within "$root" "$user" "$cts" run --product a2 --backend simulator --report-dir /srv/run/defect \
        --defect malloc.aligned-only-from-4KiB "$@" acl.malloc.align64 >"$scratch/defect"
    [ $? -eq 1 ] || { cat "$scratch/defect" && return 100; }
    replay=$(grep -o '"replay":"[^"]*\(\\"[^"]*\)*"' "$root/srv/run/defect/results.jsonl" | head -n 1)
    replay=$(printf '{%s}' "$replay" | python3 -c 'import json, sys; print(json.load(sys.stdin)["replay"])')
    echo "replay: $replay"
    [[ $replay == "atlas-cts run acl."* ]] || return 100
    eval "set -- ${replay#atlas-cts}"
    within "$root" "$user" "$cts" "$@" --report-dir /srv/run/replay
}

cts=/opt/atlas-cts/atlas-cts

on_x86_64() {
    local root=$roots/bookworm-x86_64 user=65534:65534
    unshare=() qemu=
    if ! [ -f "$root.complete" ]; then
        ci/package/debian.sh "$roots/debootstrap" -- debootstrap || return 1
        rm -rf "$root"
        DEBOOTSTRAP_DIR=$roots/debootstrap/usr/share/debootstrap PATH=$PATH:/usr/sbin:/sbin \
            sh "$roots/debootstrap/usr/sbin/debootstrap" --variant=minbase bookworm "$root" \
            http://deb.debian.org/debian >"$root.log" 2>&1 || { tail "$root.log" && return 1; }
        touch "$root.complete"
    fi
    local floor
    floor=$(awk -F'\t' '$1 == "a2" { print $2 }' specs/acl/floors.tsv)
    expect "x86_64: the bundle matches its checksum" 0 'tar.gz: OK' unpack x86_64 "$root"
    expect "x86_64: it has completions and manual pages" 0 '^man/man1/atlas-cts-run.1$' texts "$root"
    expect "x86_64: this root has no Rust and no compiler" 0 '^Debian 12' within "$root" $user sh -c \
        'echo "Debian $(cat /etc/debian_version)"
        for tool in cargo rustc gcc cc python3; do ! command -v $tool || exit 1; done'
    expect "x86_64: it prints its version" 0 "^atlas-cts $version$" within "$root" $user $cts --version
    expect "x86_64: its built-in catalog has no mistakes" 0 'no mistakes' within "$root" $user $cts catalog lint
    expect "x86_64: the whole suite, unprivileged" 0 'conformant: no rule that ran is broken' \
        within "$root" $user \
        $cts run --product a2 --backend simulator --tune min-executed="$floor" --report-dir /srv/run/suite
    expect "x86_64: a defect is found, and again by its replay" 1 '^replay: atlas-cts run' catches "$root" $user
    expect "x86_64: the second of two nights names the defect" 1 '^Regressions \(1\)' within "$root" $user sh -c \
        'cd /srv/run && export ATLAS_CTS_PRODUCT=a2 ATLAS_CTS_BACKEND=simulator ATLAS_CTS_PROFILE=smoke &&
        /opt/atlas-cts/nightly.sh acl.malloc.align64 &&
        /opt/atlas-cts/nightly.sh acl.malloc.align64 --defect malloc.aligned-only-from-4KiB'
}

on_aarch64() {
    local root=$roots/libc-aarch64
    # A user namespace has a separate binfmt_misc, so this machine is not changed. It has only the user root.
    unshare=(--user --map-root-user)
    ci/package/debian.sh "$roots/qemu" -- qemu-user-static || return 1
    ci/package/debian.sh "$root" -- libc6:arm64 busybox-static:arm64 || return 1
    qemu=$roots/qemu/usr/bin/qemu-aarch64-static
    # Under emulation, a case and the reservation of addresses take a hundred times as long, so devices are small.
    local small=(--sim memory=2048 --devices 2 --tune deadline=120)
    expect "aarch64: the bundle matches its checksum" 0 'tar.gz: OK' unpack aarch64 "$root"
    expect "aarch64: it has completions and manual pages" 0 '^man/man1/atlas-cts-run.1$' texts "$root"
    expect "aarch64: this root is aarch64" 0 '^aarch64$' within "$root" 0:0 /bin/busybox uname -m
    expect "aarch64: it prints its version" 0 "^atlas-cts $version$" within "$root" 0:0 $cts --version
    expect "aarch64: its built-in catalog has no mistakes" 0 'no mistakes' within "$root" 0:0 $cts catalog lint
    # Copies, and rules with memory shared between processes.
    expect "aarch64: more than fifty rules, some of several processes" 0 'conformant: no rule that ran is broken' \
        within "$root" 0:0 $cts run --product a2 --backend simulator --tune min-executed=50 --report-dir /srv/run/suite \
        "${small[@]}" acl.copy acl.malloc.align acl.set acl.ipc
    expect "aarch64: a defect is found, and again by its replay" 1 '^replay: atlas-cts run' \
        catches "$root" 0:0 "${small[@]}"
}

[ $# -gt 0 ] || set -- x86_64 aarch64
for arch; do
    case $arch in
    x86_64 | aarch64) ;;
    *) echo "ci/roots.sh: no bundle for $arch; give x86_64 or aarch64" >&2 && exit 2 ;;
    esac
    if ! "on_$arch"; then
        failed=$((failed + 1))
        echo "FAILED  $arch: cannot create the root"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

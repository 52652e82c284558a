#!/usr/bin/env bash
# Builds the portable bundle: one executable with engine, catalog, schemas and simulated devices, for machines without
# Rust; and from the same files a wheel for pip. Checks the promises of docs/run/bundle.md.
#
#   ci/package.sh [x86_64|aarch64]…        # default: both; bundles and wheels are in target/bundle
#
# Needs an x86_64 machine with apt, Debian's archive keyring, cargo, python3 and binutils. Everything else is downloaded
# to target/bundle; nothing is installed. The same commit and tools must give the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
out=$PWD/target/bundle
mkdir -p "$out"

# The newest glibc that a bundle may need: that of manylinux_2_28, older than those of all images in docs/run/bundle.md.
glibc=2.28
# The size limit: a bundle is downloaded over slow networks and kept in the image of every runner.
most_bytes=$((40 << 20))

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# The compiler is Debian's, because it has a standard library for both architectures.
ci/package/debian.sh "$out/rust" rustc-web -- libstd-rust-web-dev:arm64
# The linker that can target a glibc version, and the check of the bill of materials; the file pins the versions.
python3 -m venv "$out/python"
"$out/python/bin/pip" --quiet --disable-pip-version-check install --requirement ci/package/requirements.txt
PATH=$out/python/bin:$PATH

cat >"$out/rustc" <<EOF
#!/bin/sh
LD_LIBRARY_PATH='$out/rust/usr/lib/x86_64-linux-gnu' exec '$out/rust/usr/bin/rustc' "\$@"
EOF
chmod +x "$out/rustc"
export RUSTC=$out/rustc
# A bundle does not contain the path where it was built, neither in panic messages nor as the folder of a checkout.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s=atlas-cts\x1f--remap-path-prefix=%s=cargo' \
    "$PWD" "$cargo_home")
export CARGO_ENCODED_RUSTFLAGS ATLAS_CTS_BUNDLE=1

# The compiler's standard library calls gettid, which glibc has since 2.30. This is that function for older ones.
cat >"$out/gettid.c" <<'EOF'
#include <sys/syscall.h>
#include <unistd.h>
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }
EOF

# Builds the executable of an architecture; does nothing if it is up to date.
build() {
    python3 -m ziglang cc -target "$1-linux-gnu.$glibc" -O2 -c "$out/gettid.c" -o "$out/gettid-$1.o"
    cargo-zigbuild rustc --locked --profile bundle --package atlas-cts --bin atlas-cts \
        --target "$1-unknown-linux-gnu.$glibc" --target-dir "$out/build" -- "-Clink-arg=$out/gettid-$1.o"
}

# Writes the completions and the manual pages. They are the same for every architecture, and this machine is x86_64.
write_texts() {
    local folder=$1 command=$out/build/x86_64-unknown-linux-gnu/bundle/atlas-cts
    mkdir "$folder/completions"
    "$command" completions bash >"$folder/completions/atlas-cts.bash"
    "$command" completions zsh >"$folder/completions/_atlas-cts"
    "$command" completions fish >"$folder/completions/atlas-cts.fish"
    "$command" catalog man "$folder/man/man1" >/dev/null
    "$command" catalog schema "$folder/schema" --reports "$folder/schema" >/dev/null
    install -m 644 reports/schema/junit.xsd "$folder/schema"
    bash -n "$folder/completions/atlas-cts.bash"
}

# Writes the books of the catalogs, which are the same for every architecture too.
write_books() {
    local folder=$1 built=$out/build/books runtime
    rm -rf "$built"
    for runtime in specs/*/api.yaml; do
        "$out/build/x86_64-unknown-linux-gnu/bundle/atlas-cts" list --runtime "$(basename "$(dirname "$runtime")")" >/dev/null
    done
    mkdir "$folder/books"
    install -m 644 "$built"/*.book "$folder/books"
}

package() {
    local arch=$1
    local target=$arch-unknown-linux-gnu
    local name=atlas-cts-$version-$arch-linux
    local folder=$out/$name
    build "$arch"
    build x86_64
    rm -rf "$folder" "$folder.tar.gz" "$folder.tar.gz.sha256"
    mkdir "$folder"
    install -m 755 "$out/build/$target/bundle/atlas-cts" "$folder/atlas-cts"
    install -m 755 ci/package/nightly.sh "$folder/nightly.sh"
    install -m 644 LICENSE "$folder/LICENSE"
    write_texts "$folder"
    write_books "$folder"
    "$out/python/bin/python" ci/package/contents.py "$target" "$RUSTC" "$out/rust" "$folder"
    sed -e "s/@NAME@/$name/g" -e "s/@VERSION@/$version/g" -e "s/@ARCH@/$arch/g" -e "s/@GLIBC@/$glibc/g" \
        ci/package/README.md >"$folder/README.md"
    python3 ci/package/elf.py --glibc "$glibc" --arch "$arch" --without "$PWD" --without "$cargo_home" \
        "$folder/atlas-cts"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=go-w,a+rX \
        --create --file=- --directory="$out" "$name" | gzip -9 --no-name >"$folder.tar.gz"
    (cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && sha256sum --check --quiet "$name.tar.gz.sha256")
    local bytes
    bytes=$(stat --format=%s "$folder/atlas-cts")
    if [ "$bytes" -gt $most_bytes ]; then
        echo "$folder/atlas-cts has $bytes bytes, more than $most_bytes; make it smaller (docs/run/bundle.md)" >&2
        return 1
    fi
    echo "$name.tar.gz: $(stat --format=%s "$folder.tar.gz") bytes, the executable $bytes," \
        "sha256 $(cut -c1-64 "$folder.tar.gz.sha256")"
    rm -f "$out/atlas_cts-$version-"*"_$arch.whl"
    python3 ci/package/wheel.py --arch "$arch" --version "$version" --glibc "$glibc" "$folder" "$out"
    # This machine cannot start an aarch64 executable.
    [ "$arch" != x86_64 ] || ci/package/try-wheel.sh "$out/atlas_cts-$version-"*"_$arch.whl" "$version"
}

[ $# -gt 0 ] || set -- x86_64 aarch64
for arch; do
    case $arch in
    x86_64 | aarch64) package "$arch" ;;
    *)
        echo "ci/package.sh: no bundle for $arch; give x86_64 or aarch64" >&2
        exit 2
        ;;
    esac
done

#!/usr/bin/env bash
# Unpacks packages of Debian 12 into a folder: those before `--` with their dependencies that this machine lacks, those
# after it alone. Nothing is installed, and no architecture is added to this machine: apt works with separate lists.
#
#   ci/package/debian.sh FOLDER [PACKAGE…] [-- PACKAGE[:arm64]…]
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
if ! [ -f $keyring ] || ! command -v apt-get >/dev/null; then
    echo "ci/package/debian.sh: needs apt and $keyring (package debian-archive-keyring)" >&2
    exit 2
fi
state=$folder.apt
mkdir -p "$state"/{lists/partial,archives/partial,packages}
cat >"$state/sources.list" <<EOF
deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb [signed-by=$keyring] http://deb.debian.org/debian-security bookworm-security main
EOF
cat >"$state/apt.conf" <<EOF
Dir::State "$state"; Dir::State::status "/var/lib/dpkg/status"; Dir::Cache "$state";
Dir::Etc::sourcelist "$state/sources.list"; Dir::Etc::sourceparts "-";
APT::Architecture "amd64"; APT::Architectures { "amd64"; "arm64"; }; APT::Sandbox::User "";
EOF
export APT_CONFIG=$state/apt.conf
apt-get update -qq
with=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do with+=("$1") && shift; done
[ $# -eq 0 ] || shift
wanted=("$@")
if [ ${#with[@]} -gt 0 ]; then
    mapfile -t -O ${#wanted[@]} wanted < <(apt-get install --no-install-recommends --simulate --quiet "${with[@]}" |
        sed -n 's/^Inst \([^ ]*\) .*/\1/p')
fi
# Names with versions: unpacked packages are kept until one of them changes.
uris=$(apt-get download --print-uris "${wanted[@]}")
[ -n "$uris" ] || { echo "ci/package/debian.sh: apt finds nothing for ${wanted[*]}" >&2 && exit 1; }
[ "$(cat "$state/unpacked" 2>/dev/null)" != "$uris" ] || exit 0
rm -rf "${folder:?}" "$state/unpacked" "$state"/packages/*
mkdir "$folder"
(cd "$state/packages" && apt-get download -qq "${wanted[@]}")
for package in "$state"/packages/*.deb; do dpkg-deb --extract "$package" "$folder"; done
rm -f "$state"/packages/*
echo "$uris" >"$state/unpacked"

# Sourced in the repository's root: CTS is the command to use, a release build if the caller named none.
if [ -z "${CTS:-}" ]; then
    cargo build --quiet --release -p atlas-cts || exit 1
    CTS=target/release/atlas-cts
fi

#!/bin/sh
# Tests the replay page in headless Chromium; installs what is missing. An argument names a folder for screenshots.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "browser test of the replay page: $1" >&2; exit 1; }

find_chromium() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return 0
    done
    return 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo -n "$@"; else return 1; fi
}

install_packages() {
    command -v apt-get >/dev/null || return 1
    as_root apt-get install -y --no-install-recommends "$@" >&2 ||
        { as_root apt-get update >&2 && as_root apt-get install -y --no-install-recommends "$@" >&2; }
}

command -v cargo >/dev/null || fail "cargo is not there"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    install_packages nodejs npm || fail "node and npm are not there and could not be installed"
fi
chromium=$(find_chromium) || { install_packages chromium && chromium=$(find_chromium); } ||
    fail "chromium is not there and could not be installed"
if [ ! -d "$here/node_modules/playwright-core" ]; then
    (cd "$here" && npm install --no-audit --no-fund --no-package-lock >&2) || fail "playwright-core could not be installed"
fi

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
(cd "$here" && cargo run --quiet -p stiction-replay --example sample_pages -- "$pages")
[ $# -eq 0 ] || mkdir -p "$1"
node "$here/check.mjs" "$chromium" "$pages" ${1+"$1"}

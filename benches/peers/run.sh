#!/bin/sh
# Our `auto` beside QuantEcon's Lemke on the same friction pyramids, in one run.
# Makes its own Python environment in benches/peers/.venv; writes benches/results and docs/pictures/pyramids.svg.
#
#   benches/peers/run.sh [--contacts 10,25,50] [--scenes pile,wall] [--full] [--help]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$here/.venv

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"

cd "$root"
cargo build --quiet --release --package stiction-bench
binaries=${CARGO_TARGET_DIR:-$root/target}/release
exec "$venv/bin/python" "$here/peers.py" --binaries "$binaries" "$@"

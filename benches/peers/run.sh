#!/bin/sh
# Ours beside others in one run; the first word says what. Makes its own Python environment beside this file.
#
#   pyramids   our `auto` beside QuantEcon's Lemke on the same friction pyramids (also without a word);
#              writes benches/results and docs/pictures/pyramids.svg
#   mechanics  our tree algorithms beside Pinocchio's on the same mechanisms; writes benches/results/mechanics.md
#   box        a box on the ground beside Drake, MuJoCo, DART and Rapier; writes benches/results/box.md and
#              docs/pictures/box-work-precision.svg
#
#   benches/peers/run.sh [pyramids] [--contacts 10,25,50] [--scenes pile,wall] [--full] [--help]
#   benches/peers/run.sh mechanics [--rounds 100] [--help]
#   benches/peers/run.sh box [--rounds 5] [--help]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case ${1:-} in
mechanics)
    shift
    script=mechanics.py requirements=requirements-mechanics.txt venv=$here/.venv-mechanics
    ;;
box)
    shift
    script=box.py requirements=requirements-box.txt venv=$here/.venv-box
    ;;
*)
    if [ "${1:-}" = pyramids ]; then shift; fi
    script=peers.py requirements=requirements.txt venv=$here/.venv
    ;;
esac

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/$requirements"

cd "$root"
cargo build --quiet --release --package stiction-bench
target=${CARGO_TARGET_DIR:-$root/target}
if [ "$script" = box.py ]; then
    # outside of the workspace, in a folder of its own
    cargo build --quiet --release --locked --manifest-path benches/rapier/Cargo.toml --target-dir "$target/rapier"
fi
exec "$venv/bin/python" "$here/$script" --binaries "$target/release" "$@"

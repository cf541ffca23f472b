#!/bin/sh
# Ours beside others in one run; the first word says what. Makes its own Python environment beside this file.
#
#   pyramids   our `auto` beside QuantEcon's Lemke on the same friction pyramids (also without a word);
#              writes benches/results and docs/pictures/pyramids.svg
#   mechanics  our tree algorithms beside Pinocchio's on the same mechanisms; writes benches/results/mechanics.md
#   box        a box on the ground beside Drake, MuJoCo, DART and Rapier; writes benches/results/box.md and
#              docs/pictures/box-work-precision.svg
#
#   piles      the scenes of `stiction bench` beside MuJoCo, Drake, DART, Bullet and Rapier; writes benches/results/piles.*
#   corpora    `auto` on a folder of problem files beside QuantEcon, Drake's Lemke and, where Debian's python3-siconos is
#              installed, Siconos; writes benches/results/corpora-peers.md
#
#   cannonball piles of the cannonball table as friction pyramids beside QuantEcon's Lemke, many minutes;
#              writes benches/results/cannonball-peers.*
#
#   benches/peers/run.sh [pyramids] [--contacts 10,25,50] [--scenes pile,wall] [--full] [--help]
#   benches/peers/run.sh mechanics [--rounds 100] [--help]
#   benches/peers/run.sh box [--rounds 5] [--help]
#   benches/peers/run.sh piles [--scenes wall-510,crane] [--peers MuJoCo,Rapier] [--limit 120] [--help]
#   benches/peers/run.sh corpora FOLDER [--sets fc-,lcp-st] [--help]
#   benches/peers/run.sh cannonball [--rows 4,10,20] [--mu 0.8,0.2] [--limit 600] [--help]
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
piles | corpora | cannonball)
    script=$1.py requirements=requirements-piles.txt venv=$here/.venv-piles
    shift
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

if [ "$script" = piles.py ]; then
    # built from source, which needs a C++ compiler: the piles go on without it
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements-bullet.txt" ||
        echo "pybullet cannot be built here: Bullet is left out"
fi

cd "$root"
case $script in
piles.py | corpora.py | cannonball.py) cargo build --quiet --profile peers --package stiction --package stiction-bench ;;
*) cargo build --quiet --profile peers --package stiction-bench ;;
esac
target=${CARGO_TARGET_DIR:-$root/target}
if [ "$script" = box.py ] || [ "$script" = piles.py ]; then
    # outside of the workspace, in a folder of its own
    cargo build --quiet --release --locked --manifest-path benches/rapier/Cargo.toml --target-dir "$target/rapier"
fi
exec "$venv/bin/python" "$here/$script" --binaries "$target/peers" "$@"

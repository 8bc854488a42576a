#!/usr/bin/env bash
# On a machine with a GPU and nothing else installed by hand: run the differential tests and every variant
# over a folder of graphs. Needs NVIDIA's driver library; WHEELS holds wheels of what is missing there.
#
#   benches/device_check.sh WHEELS DATA OUT
set -uo pipefail
wheels=$1 data=$2 out=$3
site=$(mktemp -d)
python3 -m pip install -q --no-index --no-deps --no-compile --target "$site" "$wheels"/*.whl || exit 1
# The four folders as setup.cfg maps them, without a build.
mkdir -p "$site/pointerjump"
cp -r src/pointerjump/. reference accel kernels_cl "$site/pointerjump/"
export PYTHONPATH=$site PYTHONUNBUFFERED=1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
python3 -m pointerjump devices
python3 -m pointerjump cc urand:scale=20,degree=16,seed=1 --verify
python3 -m pytest -q -p no:cacheprovider tests/accel/test_kernels.py tests/graphs/test_face.py tests/accel/test_devices.py 2>&1 | tail -25
python3 benches/every_variant.py "$data" --device gpu --json "$out/every_variant.json"

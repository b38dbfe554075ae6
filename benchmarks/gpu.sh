#!/bin/sh
# Everything that needs a CUDA card, in one command and under 8 minutes:
#
#    sh benchmarks/gpu.sh            writes assets/scale/latency_<card>.json for the Scale page
#    sh benchmarks/gpu.sh --dry-run  20 seconds on any CPU: does it work?
#
# Nothing is downloaded: all weights are random, because times do not depend on them.
set -eu
cd "$(dirname "$0")/.."
export HF_HUB_OFFLINE=1
case "${1:-}" in
--dry-run) exec python -m benchmarks.gpu --dry-run --out "${TMPDIR:-/tmp}/latency_dry_run.json" ;;
esac
python -c 'import sys, torch
sys.exit(None if torch.cuda.is_available() else "there is no CUDA device here; try --dry-run")'
python -m benchmarks.gpu --seconds 300 "$@"
# float64, every architecture: tokens must be equal, without exception
timeout 150 python -m pytest -q -m gpu tests/test_exactness_gpu.py

# Sourced by the findings about llama.cpp: its server out of a pinned wheel, in a folder that goes when they end.
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
"$python" -m pip install -q xllamacpp==2026.10.11549
export PYTHONPATH="$root/findings:$root/tests/servers" FINDINGS_FOLDER="$folder"

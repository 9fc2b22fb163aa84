#!/bin/sh
# python_test.sh SOURCE LIBRARY PROGRAM: the tests of the Python module and of the notebook widget, where there is a Python.
if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not installed, and nothing else needs it"
    exit 77
fi
export SPECLENS_LIBRARY="$2" SPECLENS_PROGRAM="$3" PYTHONPATH="$1/packaging/python" PYTHONDONTWRITEBYTECODE=1
python3 "$1/tests/packages/widget_test.py" && exec python3 "$1/tests/packages/python_test.py"

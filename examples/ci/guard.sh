#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards latency curves: runs each scenario of a directory and compares it with its recorded curve.
#
#   guard.sh record SCENARIOS CURVES           keeps CURVES/NAME.csv of each SCENARIOS/NAME.yaml
#   guard.sh check SCENARIOS CURVES REPORTS    REPORTS/NAME.csv and NAME.xml (JUnit), and NAME.png of a curve that is off by more than
#                                              TOLERANCE (default '2% worse'): then it ends with 2
#
# NETSIM is the program (default: netsim in PATH). Pictures need python3-matplotlib, and are left out without it.
set -euo pipefail

netsim=${NETSIM:-netsim}
tolerance=${TOLERANCE:-2% worse}
work=$1 scenarios=$2 curves=$3
mkdir -p "$curves"
code=0
for scenario in "$scenarios"/*.yaml; do
    name=$(basename "$scenario" .yaml)
    if [[ $work == record ]]; then
        "$netsim" run "$scenario" --quiet --format csv >"$curves/$name.csv"
        echo "$curves/$name.csv"
        continue
    fi
    reports=${4:?a directory for the reports}
    mkdir -p "$reports"
    "$netsim" run "$scenario" --quiet --format csv >"$reports/$name.csv"
    "$netsim" compare "$curves/$name.csv" "$reports/$name.csv" --tolerance "$tolerance" --format junit >"$reports/$name.xml" || true
    "$netsim" compare "$curves/$name.csv" "$reports/$name.csv" --tolerance "$tolerance" && continue
    code=2
    "$netsim" plot "$curves/$name.csv" "$reports/$name.csv" --out "$reports/$name.png" || true
done
exit "$code"

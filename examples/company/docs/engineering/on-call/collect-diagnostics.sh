#!/bin/sh
# Collects logs and counters of one service into an archive. Reads only.
# Usage: collect-diagnostics.sh SERVICE [SINCE]     (SINCE defaults to 15m)
set -eu

service=${1:?name of the service, for example payment-api}
since=${2:-15m}
out="diagnostics-$service-$(date -u +%Y%m%dT%H%M%SZ)"

mkdir "$out"
kubectl logs --selector "app=$service" --since "$since" --prefix > "$out/log.txt"
kubectl get pods --selector "app=$service" -o wide > "$out/pods.txt"
kubectl exec "deploy/$service" -- wget -qO- http://127.0.0.1:9090/metrics > "$out/metrics.txt"
grep -c 'ERR-' "$out/log.txt" > "$out/errors.txt" || true
tar -czf "$out.tar.gz" "$out"
rm -r "$out"
echo "$out.tar.gz"

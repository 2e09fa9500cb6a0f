#!/bin/sh
# Start a Keycloak with the realm of company-realm.json, run the tests that need it, stop it.
# Needs a JDK 17 and Maven; fetches 160 MB once, into .data/keycloak.
#
#   tests/keycloak/run.sh [PYTHON]
set -eu
cd "$(dirname "$0")/../.."
python=${1:-python}
version=26.4.0
port=${KEYCLOAK_PORT:-8180}
data=.data/keycloak
server=$data/keycloak-$version

for tool in java mvn unzip curl; do
    command -v $tool >/dev/null || { echo "tests/keycloak/run.sh needs $tool" >&2; exit 2; }
done
if [ ! -x "$server/bin/kc.sh" ]; then
    mkdir -p "$data"
    mvn -q dependency:copy -DoutputDirectory="$PWD/$data" \
        -Dartifact=org.keycloak:keycloak-quarkus-dist:$version:zip
    unzip -q "$data/keycloak-quarkus-dist-$version.zip" -d "$data"
    rm "$data/keycloak-quarkus-dist-$version.zip"
fi
mkdir -p "$server/data/import"
cp tests/keycloak/company-realm.json "$server/data/import/"

log=$data/keycloak.log
KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD=admin \
    JAVA_OPTS_KC_HEAP="-Xms128m -Xmx512m" \
    "$server/bin/kc.sh" start-dev --import-realm --http-port "$port" --http-host 127.0.0.1 \
    --cache=local >"$log" 2>&1 &
keycloak=$!
trap 'kill $keycloak 2>/dev/null; wait $keycloak 2>/dev/null || true' EXIT INT TERM

url=http://127.0.0.1:$port/realms/company
waited=0
until curl -sf -o /dev/null "$url"; do
    kill -0 $keycloak 2>/dev/null || { tail -20 "$log" >&2; exit 1; }
    waited=$((waited + 1))
    [ $waited -le 180 ] || { echo "Keycloak did not start in 180 s; see $log" >&2; exit 1; }
    sleep 1
done
WELLREAD_TEST_KEYCLOAK=$url "$python" -m pytest tests/test_keycloak.py

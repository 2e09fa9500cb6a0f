#!/bin/sh
# What `make demo` shows: the example company indexed, searched, grepped and read.
set -eu
demo=$1
wellread="$(cd "$BIN" && pwd)/wellread"

rm -rf "$demo"
mkdir -p "$demo"
cp -R examples/company "$demo/company"
cd "$demo/company"

say() { printf '\n\033[1m$ wellread %s\033[0m\n' "$*"; }
show() { say "$@"; "$wellread" "$@" || [ $? -eq 1 ]; }

show index
show search "payment terms northern steel" --limit 2 --as ann
show search "сколько суточных положено за границей" --limit 2
show search "enterprise refund approval" --type guideline --limit 3
show search "average raise 2026" --limit 2 --as vera
show search "average raise 2026" --limit 2 --as boris
show grep INV-2026-0041 --limit 5
show read contracts/northern-steel.md#payment-terms

cat <<END

That was the example company, in $demo/company. What to try next, there:
  cd $demo/company
  $wellread status
  $wellread search "onboarding cusotmer" --explain
  $wellread lint
and with your own documents, anywhere:
  $wellread index ~/handbook
  $wellread search "parental leave"
END

#!/bin/sh
# Compare what each theorem of `theorems` rests on with what that file allows.
set -eu
cd "$(dirname "$0")"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
grep -v '^#' theorems | LC_ALL=C sort > "$temporary/allowed"
{
    cut -d. -f1 "$temporary/allowed" | sort -u | sed 's/.*/From Littlestone Require &./'
    cut -d: -f1 "$temporary/allowed" | sed 's/.*/Goal True. idtac "theorem &". Abort. Print Assumptions &./'
} > "$temporary/Assumptions.v"
# An axiom begins a line: its name and a colon, perhaps on the next line. What follows is indented.
coqc -Q . Littlestone "$temporary/Assumptions.v" | awk '
    function show() { if (name) print name ":" axioms }
    /^theorem / { show(); name = $2; axioms = ""; next }
    /^(Axioms:|Closed under the global context|Section Variables:|Opaque constants:|Transparent constants:)/ { next }
    /^[^ ]/ { sub(/.*\./, "", $1); list[$1]; axioms = axioms " " $1 }
    END { show() }' |
    while read -r name axioms; do
        # shellcheck disable=SC2086
        echo "$name" $(printf '%s\n' $axioms | LC_ALL=C sort)
    done > "$temporary/found"
if diff "$temporary/allowed" "$temporary/found"; then
    echo "$(wc -l < "$temporary/found") theorems rest on what coq/theorems allows; $(grep -c ':$' "$temporary/found") of them on no axiom"
else
    echo "a theorem rests on other axioms (>) than coq/theorems allows (<)" >&2
    exit 1
fi

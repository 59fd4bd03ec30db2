#!/bin/sh
# Shows what Niwaki does, with the English model in the box. Usage: demo.sh NIWAKI
set -eu
niwaki=$1
say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say 'niwaki validate examples/garden.conllu'
"$niwaki" validate examples/garden.conllu

say 'niwaki parse examples/sentences.txt | niwaki draw -'
"$niwaki" parse examples/sentences.txt | "$niwaki" draw -

say 'niwaki parse examples/sentences.txt | head -n 12'
"$niwaki" parse examples/sentences.txt | head -n 12

say "tail -n 1 examples/sentences.txt | niwaki parse -k 2 --to conllu | niwaki draw -   # the two best trees"
tail -n 1 examples/sentences.txt | "$niwaki" parse -k 2 --to conllu | "$niwaki" draw -

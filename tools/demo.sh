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

say "tail -n 1 examples/sentences.txt | niwaki parse -k 2 --to conllu | niwaki draw -   # the two best trees"
tail -n 1 examples/sentences.txt | "$niwaki" parse -k 2 --to conllu | "$niwaki" draw -

say 'niwaki parse examples/letter.txt --from text --probabilities | grep -v "^#" | cut -f 2,4,7,8,10 | head -n 8'
"$niwaki" parse examples/letter.txt --from text --probabilities | grep -v '^#' | cut -f 2,4,7,8,10 | head -n 8

say 'niwaki parse examples/sentences.txt | niwaki reorder - --rules ja   # in the word order of Japanese'
"$niwaki" parse examples/sentences.txt | "$niwaki" reorder - --rules ja

say 'niwaki train examples/triples.toml --init en -o facts.niwaki   # trained on for a job: who did what'
"$niwaki" train examples/triples.toml --init en -o "$work/facts.niwaki"

#!/bin/sh
# Shows what Niwaki does, with the bundled English model. Usage: demo.sh NIWAKI
# What is shown is what is run, in a folder that is removed afterwards.
set -eu
bin=$(cd "$(dirname "$1")" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
ln -s "$root/examples" "$work/examples"
cd "$work"
PATH="$bin:$PATH"
export PATH

bold='' dim='' plain=''
if [ -t 1 ]; then bold='\033[1m' dim='\033[2m' plain='\033[0m'; fi
title() { printf "\n$bold%s$plain\n" "$1"; }
run() {
    printf "$dim\$ %s$plain\n" "$1"
    sh -c "$1"
}

title '1. Parse'
run 'niwaki parse examples/sentences.txt | niwaki draw -'

title '2. Doubts: which arcs should a person look at first?'
run 'niwaki parse examples/letter.txt --from text --probabilities -o letter.conllu'
run 'niwaki doubts letter.conllu --first 3 --of arcs --of labels'

title '3. A query: who did what?'
run "niwaki find 'VERB=did >nsubj *=who >obj *=what' letter.conllu"
run 'niwaki find --set facts letter.conllu    # a bundled set of queries: passives too'

title '4. Word order: English as Japanese would put it'
run 'niwaki parse examples/sentences.txt | niwaki reorder - --rules ja'

title '5. Adapt to a job: notes written in haste, of which only the main verb is known (some ten seconds)'
run "echo 'water ferns before frost' > note.txt"
run 'niwaki parse note.txt --from tokens | niwaki draw -'
run 'niwaki adapt en --for examples/notes.toml -o notes.niwaki --minutes 0.1 --quiet'
run 'niwaki parse note.txt --from tokens -m notes.niwaki | niwaki draw -'

title '6. The accurate model: a small network, 90.4 LAS where the bundled one has 86.8'
accurate=$root/packages/niwaki-en-accurate
if ! python -c 'import onnxruntime' 2>/dev/null; then
    python -m pip install --quiet --disable-pip-version-check --retries 0 --timeout 15 \
        --only-binary :all: onnxruntime 2>/dev/null || true
fi
if python -c 'import onnxruntime' 2>/dev/null; then
    ln -s "$accurate/src/niwaki_en_accurate/en-accurate.niwaki" .
    run "echo 'show me which gates the monks left open last night' > question.txt"
    run 'niwaki parse question.txt --from tokens -m en-accurate.niwaki | niwaki draw -'
else
    echo '(not shown: it needs onnxruntime, which cannot be installed here)'
fi

title 'Next: niwaki serve (in the browser), niwaki --help, docs/tutorial.md'

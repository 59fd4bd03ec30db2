#!/bin/sh
# Shows what Niwaki does, on examples/garden.conllu. Usage: demo.sh NIWAKI
set -eu
niwaki=$1
say() { printf '\n\033[1m$ niwaki %s\033[0m\n' "$*"; "$niwaki" "$@"; }

say validate examples/garden.conllu
say draw examples/garden.conllu --first 1
say draw examples/garden.conllu --id garden-2 --tree

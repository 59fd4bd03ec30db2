#!/bin/sh
# The HTTP API with curl. Start the server first: niwaki serve
# Then: sh examples/serve.sh [http://127.0.0.1:8470]
set -eu
server=${1:-http://127.0.0.1:8470}
post() { curl --silent --show-error --fail-with-body "$server$1" -H 'Content-Type: application/json' -d "$2"; echo; }

echo "# trees of a text, as CoNLL-U"
post /api/parse '{"text": "We saw a heron on the roof. It flew away.", "to": "conllu"}'

echo "# many sentences in one request, with how sure each arc is"
post /api/parse '{"tokens": [["Rain", "falls", "."], ["Snow", "melts", "."]]}'

echo "# the three best trees"
post /api/kbest '{"tokens": [["We", "saw", "the", "man", "with", "the", "telescope", "."]], "k": 3}'

echo "# the same if the telescope is known to belong to the man"
post /api/kbest '{"tokens": [["We", "saw", "the", "man", "with", "the", "telescope", "."]], "k": 3,
  "constraints": [[{"word": 7, "head": 4}]]}'

echo "# the words in Japanese order, and which rule moved what"
post /api/reorder '{"text": "The monks planted a pine.", "rules": "ja"}'

echo "# word links, learned from the pairs that are sent"
post /api/align '{"pairs": [
  {"source": ["a", "pine"], "target": ["松"]}, {"source": ["a", "pond"], "target": ["池"]},
  {"source": ["the", "pine"], "target": ["松"]}, {"source": ["the", "pond"], "target": ["池"]}]}'

echo "# what is wrong is said in one line"
curl --silent "$server/api/parse" -H 'Content-Type: application/json' -d '{"txet": "oops"}'; echo

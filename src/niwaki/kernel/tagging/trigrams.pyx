"""A trigram tagger: the best sequence of tags under a hidden Markov model (Brants 2000, TnT).

The probability of words and tags is a product over the words, and one factor for the end:

    P(t1 .. tn, w1 .. wn) = prod P(ti | ti-2, ti-1) P(wi | ti)  *  P(end | tn-1, tn)

P(w | t) is only needed up to a factor of the word: as q(t) / P(t), where q are the shares
of the tags among the occurrences of a known word, or what the endings of a new one say:

    q_0(t) = P(t),   q_i(t) = (share of t among words with this ending + theta q_{i-1}(t))
                              / (1 + theta)

over ever longer endings, as long as rare words of the training data had them. Where the
ending of a known word is asked for, that word itself does not count.

A state of the search is the pair of the last two tags. States that are `beam` times less
likely than the best one are dropped; with a beam of 0 the search is exact.
"""

import numpy as np

from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch, Bytes, Span
from niwaki.kernel.tagging.lexicon cimport KEYS, Item, Lexicon, Share, find_keys

cdef enum:
    FORM_COLUMN = 1
    RAREST = 10                 # occurrences of a word whose endings are counted
    MAX_COUNT = 255             # of tags
    MAX_KEPT_WORDS = 1 << 12    # then all are forgotten
    MAX_STATES = 1 << 10        # of a word; the least likely of more are dropped

MAX_TAGS = MAX_COUNT
RARE = RAREST


cdef struct Node:
    # A state: the word has `tag` and the one before it `before`.
    double best         # of the likeliest way here, relative to the best state of the word
    double forward      # sum over all ways here, relative
    double backward     # sum over all ways from here to the end, relative
    float emission
    int32_t parent      # on the likeliest way
    int32_t next        # with the same tag, while sums are passed back
    uint16_t before
    uint16_t tag


cdef class Room:
    # What one thread needs: emissions of the words that it has seen, and the states of
    # one sentence.
    cdef int tags
    cdef uint64_t* keys         # of words, open addressing
    cdef uint64_t mask
    cdef int kept
    cdef int32_t* counts        # of the tags that a word can have,
    cdef uint16_t* choices      # these tags,
    cdef float* emissions       # and how much they say
    cdef Node* nodes
    cdef size_t capacity
    cdef size_t* layers         # where the states of each word begin
    cdef size_t layer_capacity
    cdef double* best           # by pair of tags; -1: not reached
    cdef double* sums
    cdef int32_t* parents
    cdef int32_t* reached
    cdef double* shares         # by tag
    cdef int32_t* chains        # by tag
    cdef uint16_t* allowed
    cdef float* weights

    def __cinit__(self, int tags):
        cdef size_t pairs = <size_t>(tags + 1) * (tags + 1), pair
        self.tags = tags
        self.best = <double*>malloc(pairs * sizeof(double))
        self.sums = <double*>calloc(pairs, sizeof(double))
        self.parents = <int32_t*>malloc(pairs * sizeof(int32_t))
        self.reached = <int32_t*>malloc(pairs * sizeof(int32_t))
        self.shares = <double*>calloc(tags + 1, sizeof(double))
        self.chains = <int32_t*>malloc((tags + 1) * sizeof(int32_t))
        self.allowed = <uint16_t*>malloc((tags + 1) * sizeof(uint16_t))
        self.weights = <float*>malloc((tags + 1) * sizeof(float))
        if (self.best == NULL or self.sums == NULL or self.parents == NULL
                or self.reached == NULL or self.shares == NULL or self.chains == NULL
                or self.allowed == NULL or self.weights == NULL or not self.forget()):
            raise MemoryError()
        for pair in range(pairs):
            self.best[pair] = -1

    def __dealloc__(self):
        free(self.keys)
        free(self.counts)
        free(self.choices)
        free(self.emissions)
        free(self.nodes)
        free(self.layers)
        free(self.best)
        free(self.sums)
        free(self.parents)
        free(self.reached)
        free(self.shares)
        free(self.chains)
        free(self.allowed)
        free(self.weights)

    cdef bint forget(self) noexcept nogil:
        """Empty the table of words."""
        cdef size_t size = 2 * MAX_KEPT_WORDS
        if self.keys == NULL:
            self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
            self.counts = <int32_t*>malloc(size * sizeof(int32_t))
            self.choices = <uint16_t*>malloc(size * self.tags * sizeof(uint16_t))
            self.emissions = <float*>malloc(size * self.tags * sizeof(float))
            if (self.keys == NULL or self.counts == NULL or self.choices == NULL
                    or self.emissions == NULL):
                return False
        memset(self.keys, 0, size * sizeof(uint64_t))
        self.mask = size - 1
        self.kept = 0
        return True

    cdef bint reserve(self, size_t nodes) noexcept nogil:
        cdef size_t size = max(<size_t>1024, self.capacity)
        cdef Node* larger
        if nodes <= self.capacity:
            return True
        while size < nodes:
            size *= 2
        larger = <Node*>realloc(self.nodes, size * sizeof(Node))
        if larger == NULL:
            return False
        self.nodes = larger
        self.capacity = size
        return True

    cdef bint open_layers(self, size_t length) noexcept nogil:
        if length + 2 > self.layer_capacity:
            free(self.layers)
            self.layers = <size_t*>malloc((length + 2) * sizeof(size_t))
            self.layer_capacity = length + 2 if self.layers != NULL else 0
        return self.layers != NULL


cdef class TrigramTagger:
    """Tags the words of batches.

    `transitions[a, b, c]` is P(c | a, b); the last number stands for what lies outside the
    sentence. `prior` is P(t). With a `smoothing` above 0, known words can have all tags:
    the ending counts as so many occurrences. Else they have those that they were seen with.
    `pairs` lists the tags as (UPOS, XPOS) numbers, an XPOS of -1 meaning none.
    """

    cdef Lexicon lexicon
    cdef const float[:, :, ::1] transitions
    cdef const double[::1] prior
    cdef double theta
    cdef double smoothing
    cdef double beam
    cdef bint lowercase
    cdef readonly int count
    cdef int outside
    cdef int32_t pair_upos[MAX_COUNT]
    cdef int32_t pair_xpos[MAX_COUNT]
    cdef list idle

    def __cinit__(self, Lexicon lexicon not None, const float[:, :, ::1] transitions not None,
                  const double[::1] prior not None, list pairs not None, double theta,
                  double smoothing, double beam, bint lowercase):
        cdef int i, u, x
        self.count = self.outside = len(pairs)
        if not 0 < self.count <= MAX_COUNT:
            raise ValueError(f"{self.count} tags, but 1 to {MAX_COUNT} are possible")
        if prior.shape[0] != self.count or lexicon.largest_tag >= self.count:
            raise ValueError("words have tags that there are not")
        for i in range(3):
            if transitions.shape[i] != self.count + 1:
                raise ValueError("transitions do not fit the tags")
        if not np.asarray(transitions).min() > 0 or not np.isfinite(transitions).all():
            raise ValueError("a transition is not a probability above 0")
        if not np.asarray(prior).min() >= 0 or not np.asarray(prior).max() > 0:
            raise ValueError("no tag is likely")
        if not theta >= 0 or not smoothing >= 0 or not beam >= 0:
            raise ValueError("theta, smoothing and beam are at least 0")
        for i, (u, x) in enumerate(pairs):
            self.pair_upos[i] = u
            self.pair_xpos[i] = x
        self.lexicon = lexicon
        self.transitions = transitions
        self.prior = prior
        self.theta = theta
        self.smoothing = smoothing
        self.beam = beam
        self.lowercase = lowercase
        self.idle = []

    # -- words ---------------------------------------------------------------------

    cdef int place_of(self, Room room, Bytes text, Py_ssize_t length) noexcept nogil:
        """Where the room keeps what a word says of its tags."""
        cdef uint64_t keys[KEYS]
        cdef int count = find_keys(text, length, self.lowercase, keys)
        cdef uint64_t place = keys[0] & room.mask
        while room.keys[place] != 0:
            if room.keys[place] == keys[0]:
                return <int>place
            place = (place + 1) & room.mask
        if room.kept == MAX_KEPT_WORDS:
            room.forget()
            place = keys[0] & room.mask
        room.keys[place] = keys[0]
        room.kept += 1
        room.counts[place] = self.emit(
            keys, count, room.shares, room.choices + place * self.count,
            room.emissions + place * self.count)
        return <int>place

    cdef int emit(self, const uint64_t* keys, int count, double* q, uint16_t* choices,
                  float* emissions) noexcept nogil:
        """The tags that a word can have, with q(t) / P(t); returns their number."""
        cdef const Item* known = self.lexicon.find(keys[0])
        cdef const Item* item
        cdef double weight = self.smoothing, total
        cdef int i, t, found = 0
        cdef bint itself = known != NULL and known.total <= RAREST
        if known == NULL or self.smoothing > 0:
            for t in range(self.count):
                q[t] = self.prior[t]
            for i in range(1, count):
                item = self.lexicon.find(keys[i])
                if item == NULL or itself and item.total <= known.total:
                    break
                for t in range(self.count):
                    q[t] *= self.theta / (1 + self.theta)
                total = (item.total - known.total if itself else item.total) * (1 + self.theta)
                self.add_shares(item, 1 / total, q)
                if itself:
                    self.add_shares(known, -1 / total, q)
                    for t in range(self.count):
                        q[t] = max(q[t], <double>0)    # what rounding leaves
        else:
            memset(q, 0, self.count * sizeof(double))
            weight = 0
        if known != NULL:
            for t in range(self.count):
                q[t] *= weight / (known.total + weight)
            self.add_shares(known, 1 / (known.total + weight), q)
        for t in range(self.count):
            if q[t] > 0 and self.prior[t] > 0:
                choices[found] = <uint16_t>t
                emissions[found] = <float>(q[t] / self.prior[t])
                # What a float cannot hold is no choice.
                found += emissions[found] > 0
        return found

    cdef void add_shares(self, const Item* item, double weight, double* q) noexcept nogil:
        cdef uint16_t i
        cdef const Share* share = self.lexicon.shares + item.start
        for i in range(item.shares):
            q[share[i].tag] += weight * share[i].count

    cdef int choices_of(self, Room room, const Span* form, int32_t upos,
                        int32_t xpos) noexcept nogil:
        """Fill in the tags of a word that agree with what is given (-1: nothing is)."""
        cdef int place = self.place_of(room, form.at, form.length), i, found = 0, t
        cdef const uint16_t* choices = room.choices + <size_t>place * self.count
        cdef const float* emissions = room.emissions + <size_t>place * self.count
        for i in range(room.counts[place]):
            if self.agrees(choices[i], upos, xpos):
                room.allowed[found] = choices[i]
                room.weights[found] = emissions[i]
                found += 1
        if found == 0:
            # The word was never seen so: then it says nothing about the tags that are left.
            for t in range(self.count):
                if self.agrees(t, upos, xpos):
                    room.allowed[found] = t
                    room.weights[found] = 1
                    found += 1
        return found

    cdef inline bint agrees(self, int tag, int32_t upos, int32_t xpos) noexcept nogil:
        return ((upos < 0 or self.pair_upos[tag] == upos)
                and (xpos < 0 or self.pair_xpos[tag] == xpos))

    # -- search --------------------------------------------------------------------

    cdef bint search(self, Batch batch, Py_ssize_t s, Room room, const int32_t* upos,
                     const int32_t* xpos) noexcept nogil:
        """Make the states of a sentence, word by word; False when memory is out."""
        cdef int32_t start = batch.starts[s], word
        cdef int length = batch.starts[s + 1] - start, i, choices
        cdef const Span* form
        if not room.open_layers(length) or not room.reserve(1):
            return False
        room.layers[0] = 0
        room.layers[1] = 1
        memset(&room.nodes[0], 0, sizeof(Node))
        room.nodes[0].best = room.nodes[0].forward = 1
        room.nodes[0].before = room.nodes[0].tag = <uint16_t>self.outside
        for i in range(length):
            word = start + i
            # A known pair agrees with what is given, or else with half of it, or nothing does.
            form = &batch.columns[FORM_COLUMN][word]
            choices = self.choices_of(room, form, upos[word], xpos[word])
            if choices == 0:
                choices = self.choices_of(room, form, upos[word], -1)
            if choices == 0:
                choices = self.choices_of(room, form, -1, -1)
            if not self.add_layer(room, i, choices):
                return False
        return True

    cdef bint add_layer(self, Room room, int i, int choices) noexcept nogil:
        """The states of the next word, from those of layer i and the choices in the room."""
        cdef size_t first = room.layers[i], stop = room.layers[i + 1], u
        cdef int side = self.count + 1, c, pair, reached = 0, kept = 0, j
        cdef const float* row
        cdef const Node* node
        cdef Node* made
        cdef double p, top = 0, total = 0, least
        for u in range(first, stop):
            node = &room.nodes[u]
            row = &self.transitions[node.before, node.tag, 0]
            for c in range(choices):
                p = <double>row[room.allowed[c]] * room.weights[c]
                pair = node.tag * side + room.allowed[c]
                if room.best[pair] < 0:
                    room.reached[reached] = pair
                    reached += 1
                room.sums[pair] += node.forward * p
                if node.best * p > room.best[pair]:
                    room.best[pair] = node.best * p
                    room.parents[pair] = <int32_t>u
        for j in range(reached):
            top = max(top, room.best[room.reached[j]])
        least = self.threshold(room, reached, top)
        for j in range(reached):
            kept += room.best[room.reached[j]] >= least
        if not room.reserve(stop + kept):
            return False
        made = room.nodes + stop
        for j in range(reached):
            pair = room.reached[j]
            if room.best[pair] >= least and made < room.nodes + stop + MAX_STATES:
                made.best = room.best[pair] / top
                made.forward = room.sums[pair]
                total += made.forward
                made.parent = room.parents[pair]
                made.before = <uint16_t>(pair // side)
                made.tag = <uint16_t>(pair % side)
                made += 1
            room.best[pair] = -1
            room.sums[pair] = 0
        room.layers[i + 2] = made - room.nodes
        for c in range(choices):
            room.shares[room.allowed[c]] = room.weights[c]
        for u in range(stop, room.layers[i + 2]):
            room.nodes[u].forward /= total
            room.nodes[u].emission = <float>room.shares[room.nodes[u].tag]
        return True

    cdef double threshold(self, Room room, int reached, double top) noexcept nogil:
        """What a state must reach; higher where more than MAX_STATES would be left."""
        cdef double least = top / self.beam if self.beam > 0 else 0
        cdef int j, kept
        while reached > MAX_STATES and least < top:
            kept = 0
            for j in range(reached):
                kept += room.best[room.reached[j]] >= least
            if kept <= MAX_STATES:
                break
            least = min(top, max(4 * least, top * 1e-12))
        return least

    cdef void pass_back(self, Room room, int length) noexcept nogil:
        """Sums over all ways from each state to the end."""
        cdef size_t u, v
        cdef int i, t
        cdef double total, weight
        cdef Node* node
        cdef int32_t at
        for u in range(room.layers[length], room.layers[length + 1]):
            node = &room.nodes[u]
            node.backward = self.transitions[node.before, node.tag, self.outside]
        for i in range(length - 1, 0, -1):
            for t in range(self.count + 1):
                room.chains[t] = -1
            for u in range(room.layers[i], room.layers[i + 1]):
                node = &room.nodes[u]
                node.backward = 0
                node.next = room.chains[node.tag]
                room.chains[node.tag] = <int32_t>u
            total = 0
            for v in range(room.layers[i + 1], room.layers[i + 2]):
                weight = room.nodes[v].backward * room.nodes[v].emission
                at = room.chains[room.nodes[v].before]
                while at >= 0:
                    node = &room.nodes[at]
                    node.backward += weight * self.transitions[
                        node.before, node.tag, room.nodes[v].tag]
                    at = node.next
            for u in range(room.layers[i], room.layers[i + 1]):
                total += room.nodes[u].backward
            for u in range(room.layers[i], room.layers[i + 1]):
                room.nodes[u].backward /= total

    cdef void weigh_tags(self, Room room, int i) noexcept nogil:
        """The shares of the tags of word i among all ways."""
        cdef double total = 0
        cdef size_t u
        cdef int t
        memset(room.shares, 0, (self.count + 1) * sizeof(double))
        for u in range(room.layers[i + 1], room.layers[i + 2]):
            room.shares[room.nodes[u].tag] += room.nodes[u].forward * room.nodes[u].backward
            total += room.nodes[u].forward * room.nodes[u].backward
        for t in range(self.count):
            room.shares[t] /= total

    # -- answers -------------------------------------------------------------------

    def tag(self, Batch batch not None, const int32_t[::1] given_upos not None,
            const int32_t[::1] given_xpos not None):
        """Tag all words: (pair, probability, second pair, its probability), one each a word.

        The pairs are those of the likeliest sequence; a probability is the share of all
        sequences that the beam keeps. The second pair is the likeliest other one of the
        word, -1 if there is none. A given number (not -1) is kept.
        """
        pairs = np.empty(batch.words, dtype=np.int32)
        seconds = np.empty(batch.words, dtype=np.int32)
        probabilities = np.empty(batch.words, dtype=np.float32)
        second_probabilities = np.empty(batch.words, dtype=np.float32)
        cdef int32_t[::1] pairs_view = pairs, seconds_view = seconds
        cdef float[::1] p = probabilities, q = second_probabilities
        cdef Room room = self._room()
        cdef Py_ssize_t s
        cdef int32_t start
        cdef bint fits = True
        if given_upos.shape[0] != batch.words or given_xpos.shape[0] != batch.words:
            raise ValueError("given tags do not fit the batch")
        if batch.words:
            with nogil:
                for s in range(batch.sentences):
                    fits = self.search(batch, s, room, &given_upos[0], &given_xpos[0])
                    if not fits:
                        break
                    start = batch.starts[s]
                    if batch.starts[s + 1] > start:
                        self.read(room, batch.starts[s + 1] - start, &pairs_view[start],
                                  &p[start], &seconds_view[start], &q[start])
        self.idle.append(room)
        if not fits:
            raise MemoryError()
        return pairs, probabilities, seconds, second_probabilities

    cdef void read(self, Room room, int length, int32_t* pairs, float* p, int32_t* seconds,
                   float* q) noexcept nogil:
        cdef size_t u
        cdef int32_t at = <int32_t>room.layers[length]
        cdef double value, top = -1
        cdef int i, t, second
        for u in range(room.layers[length], room.layers[length + 1]):
            value = room.nodes[u].best * self.transitions[
                room.nodes[u].before, room.nodes[u].tag, self.outside]
            if value > top:
                top = value
                at = <int32_t>u
        for i in range(length - 1, -1, -1):
            pairs[i] = room.nodes[at].tag
            at = room.nodes[at].parent
        self.pass_back(room, length)
        for i in range(length):
            self.weigh_tags(room, i)
            second = -1
            for t in range(self.count):
                if t != pairs[i] and room.shares[t] > 0 and (
                        second < 0 or room.shares[t] > room.shares[second]):
                    second = t
            p[i] = <float>room.shares[pairs[i]]
            seconds[i] = second
            q[i] = <float>room.shares[second] if second >= 0 else 0

    def distribution(self, Batch batch not None):
        """Probabilities of all pairs for all words, over all sequences that the beam keeps."""
        out = np.zeros((batch.words, self.count), dtype=np.float32)
        none = np.full(batch.words, -1, dtype=np.int32)
        cdef float[:, ::1] view = out
        cdef const int32_t[::1] given = none
        cdef Room room = self._room()
        cdef Py_ssize_t s
        cdef int i, t
        for s in range(batch.sentences):
            if batch.starts[s + 1] == batch.starts[s]:
                continue
            if not self.search(batch, s, room, &given[0], &given[0]):
                raise MemoryError()
            self.pass_back(room, batch.starts[s + 1] - batch.starts[s])
            for i in range(batch.starts[s + 1] - batch.starts[s]):
                self.weigh_tags(room, i)
                for t in range(self.count):
                    view[batch.starts[s] + i, t] = <float>room.shares[t]
        self.idle.append(room)
        return out

    cdef Room _room(self):
        # Appending and popping are atomic, so threads need no further lock.
        try:
            return self.idle.pop()
        except IndexError:
            return Room(self.count)

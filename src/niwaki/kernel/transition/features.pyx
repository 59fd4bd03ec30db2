"""Feature templates of the transition parsers, compiled to a small program over a state."""

import numpy as np

from niwaki.kernel.transition.contiguity cimport is_contiguous, is_right_contiguous
from niwaki.kernel.hashing cimport FIRST_VALUE, NONE_VALUE, atom, join, mix
from niwaki.kernel.linear import MAX_FEATURES
from niwaki.kernel.transition.systems._system cimport Node, State

# Places that a template can name.
cdef enum:
    S0
    S1
    S2
    S3
    B0
    B1
    B2
    B3
    S0_LEFT
    S0_LEFT2
    S0_RIGHT
    S0_RIGHT2
    S1_LEFT
    S1_LEFT2
    S1_RIGHT
    S1_RIGHT2
    S2_LEFT
    S2_RIGHT
    B0_LEFT
    B0_LEFT2
    S0_HEAD
    S0_HEAD2
    SLOTS

SLOT_NAMES = (
    "s0", "s1", "s2", "s3", "b0", "b1", "b2", "b3",
    "s0.left", "s0.left2", "s0.right", "s0.right2",
    "s1.left", "s1.left2", "s1.right", "s1.right2",
    "s2.left", "s2.right", "b0.left", "b0.left2", "s0.head", "s0.head2",
)

# What an atom says about its place.
cdef enum:
    WORD            # an attribute of the word there
    LABEL           # the label of its arc
    LEFTS           # how many children it has on a side
    RIGHTS
    LEFT_LABELS     # the set of their labels
    RIGHT_LABELS
    DISTANCE        # from one place to another
    CONTIGUOUS      # whether the subtrees of two places stay together in the translation
    RIGHT_CONTIGUOUS

KINDS = {
    "word": WORD, "label": LABEL, "lefts": LEFTS, "rights": RIGHTS,
    "left-labels": LEFT_LABELS, "right-labels": RIGHT_LABELS, "distance": DISTANCE,
    "contiguous": CONTIGUOUS, "right-contiguous": RIGHT_CONTIGUOUS,
}
# Places of which children are known.
NODES = ("s0", "s1", "s2", "b0")
# Places whose subtrees lie side by side.
NEIGHBOURS = (("s2", "s1"), ("s1", "s0"), ("s0", "b0"))

cdef enum:
    MOST_CHILDREN = 5       # more count as this many


cdef struct Places:
    # Everything about a state that atoms may ask for.
    int32_t words[SLOTS]
    uint32_t labels[SLOTS]
    const Node* nodes[SLOTS]    # of s0, s1, s2, b0; NULL where nothing is known


cdef inline uint32_t labelled(int word, int none, uint32_t label) noexcept nogil:
    return NONE_VALUE if word == none else FIRST_VALUE + label


cdef inline void place_children(Places* places, const Node* node, int slot, int none) noexcept nogil:
    """The two outermost children on each side of a node, from `slot` on."""
    if node == NULL:
        places.words[slot] = places.words[slot + 1] = none
        places.words[slot + 2] = places.words[slot + 3] = none
        places.labels[slot] = places.labels[slot + 1] = NONE_VALUE
        places.labels[slot + 2] = places.labels[slot + 3] = NONE_VALUE
        return
    places.words[slot] = node.left
    places.words[slot + 1] = node.left2
    places.words[slot + 2] = node.right
    places.words[slot + 3] = node.right2
    places.labels[slot] = labelled(node.left, none, node.left_label)
    places.labels[slot + 1] = labelled(node.left2, none, node.left2_label)
    places.labels[slot + 2] = labelled(node.right, none, node.right_label)
    places.labels[slot + 3] = labelled(node.right2, none, node.right2_label)


cdef int place_returned(const State* swap, Places* places) noexcept nogil:
    """Words that came back from the stack stand first in the buffer; how many there are, up to 4."""
    cdef int slot = 0
    while swap != NULL and slot < 4:
        places.words[B0 + slot] = swap.parent.stack.below.word
        swap = swap.parent.returned
        slot += 1
    return slot


cdef void find_places(const State* state, int n, Places* places) noexcept nogil:
    cdef const Node* node = state.stack
    cdef const Node* front = state.front
    cdef int none = n + 1, slot, word
    for slot in range(S0, S3 + 1):
        places.nodes[slot] = node
        places.words[slot] = node.word if node != NULL else none
        places.labels[slot] = (
            FIRST_VALUE + node.label if node != NULL and node.has_head else NONE_VALUE)
        node = node.below if node != NULL else NULL
    slot = 0
    if state.returned != NULL:
        slot = place_returned(state.returned, places)
    word = state.buffer - slot
    for slot in range(slot, 4):
        places.words[B0 + slot] = word + slot if word + slot <= n else none
    for slot in range(B0, B3 + 1):
        places.labels[slot] = NONE_VALUE
        places.nodes[slot] = NULL
    places.nodes[B0] = front
    place_children(places, places.nodes[S0], S0_LEFT, none)
    place_children(places, places.nodes[S1], S1_LEFT, none)
    node = places.nodes[S2]
    places.words[S2_LEFT] = node.left if node != NULL else none
    places.words[S2_RIGHT] = node.right if node != NULL else none
    places.labels[S2_LEFT] = (
        labelled(node.left, none, node.left_label) if node != NULL else NONE_VALUE)
    places.labels[S2_RIGHT] = (
        labelled(node.right, none, node.right_label) if node != NULL else NONE_VALUE)
    places.words[B0_LEFT] = front.left if front != NULL else none
    places.words[B0_LEFT2] = front.left2 if front != NULL else none
    places.labels[B0_LEFT] = (
        labelled(front.left, none, front.left_label) if front != NULL else NONE_VALUE)
    places.labels[B0_LEFT2] = (
        labelled(front.left2, none, front.left2_label) if front != NULL else NONE_VALUE)
    # A word with a head lies right above it (arc-eager); elsewhere heads are not known yet.
    places.words[S0_HEAD] = places.words[S0_HEAD2] = none
    places.labels[S0_HEAD] = places.labels[S0_HEAD2] = NONE_VALUE
    node = places.nodes[S0]
    if node != NULL and node.has_head:
        places.words[S0_HEAD] = node.below.word
        places.labels[S0_HEAD] = places.labels[S1]
        if node.below.has_head:
            places.words[S0_HEAD2] = node.below.below.word
            places.labels[S0_HEAD2] = places.labels[S2]


cdef inline uint32_t bucket_of(int distance) noexcept nogil:
    """1, 2, 3, 4, 5-6, 7-10 and more."""
    if distance <= 4:
        return distance
    return 5 if distance <= 6 else 6 if distance <= 10 else 7


cdef class Program:
    """Templates over a state.

    `templates` is a list of features, each a list of atoms (kind, slot, other,
    attribute); see KINDS, SLOT_NAMES and, for attributes, the caller's own list.
    """

    def __cinit__(self, list templates not None, int attribute_count):
        known = {}
        if not 0 < len(templates) <= min(MAX_TEMPLATES, MAX_FEATURES):
            raise ValueError(f"{len(templates)} templates, but 1 to {MAX_TEMPLATES} are possible")
        if not 0 <= attribute_count <= MAX_ATTRIBUTES:
            raise ValueError(f"at most {MAX_ATTRIBUTES} attributes")
        self.attribute_count = attribute_count
        order = sorted(range(len(templates)), key=lambda number: len(templates[number]))
        for number in order:
            self._add(number, templates[number], known)

    def _add(self, int number, list template, dict known):
        cdef int place
        arity = len(template)
        if not 0 < arity <= MAX_ARITY or len({tuple(part) for part in template}) < arity:
            raise ValueError(f"a template has 1 to {MAX_ARITY} different parts")
        for place, part in enumerate(template):
            self.parts[self.template_count][place] = self._atom(tuple(part), known)
        # A salt depends on the template's place in the list, not on its neighbours.
        self.salts[self.template_count] = mix(<uint64_t>number + 1)
        self.template_count += 1
        for place in range(arity + 1, MAX_ARITY + 2):
            self.first[place] = self.template_count

    def _atom(self, tuple part, dict known):
        cdef AtomSpec* spec
        if part in known:
            return known[part]
        kind, slot, other, attribute = part
        if self.atom_count == MAX_ATOMS:
            raise ValueError(f"more than {MAX_ATOMS} different parts of templates")
        if not 0 <= slot < SLOTS or not 0 <= other < SLOTS or kind not in KINDS.values():
            raise ValueError(f"no such part: {part}")
        if kind == WORD and not 0 <= attribute < self.attribute_count:
            raise ValueError(f"no attribute {attribute}")
        if kind in (LEFTS, RIGHTS, LEFT_LABELS, RIGHT_LABELS) and SLOT_NAMES[slot] not in NODES:
            raise ValueError(f"the children of {SLOT_NAMES[slot]} are not kept")
        if kind in (CONTIGUOUS, RIGHT_CONTIGUOUS):
            if (SLOT_NAMES[slot], SLOT_NAMES[other]) not in NEIGHBOURS:
                raise ValueError(f"{SLOT_NAMES[slot]} and {SLOT_NAMES[other]} are no neighbours")
            self.uses_links = True
        spec = &self.atoms[self.atom_count]
        spec.kind = kind
        spec.slot = slot
        spec.other = other
        spec.attribute = attribute
        spec.salt = mix(0x5A17ULL + kind + 64 * (slot + 64 * (other + 64 * attribute)))
        known[part] = self.atom_count
        self.atom_count += 1
        return known[part]

    cdef int keys(self, const Context* context, const State* state, uint64_t* keys) noexcept nogil:
        """The feature keys of a state, in the order of the (sorted) templates."""
        cdef Places places
        cdef uint64_t values[MAX_ATOMS]
        cdef const AtomSpec* spec
        cdef int i, t
        cdef const int* p
        find_places(state, context.n, &places)
        for i in range(self.atom_count):
            spec = &self.atoms[i]
            if spec.kind == WORD:
                values[i] = atom(
                    context.attributes[spec.attribute][places.words[spec.slot]], spec.salt)
            else:
                values[i] = atom(other_value(spec, &places, context, state), spec.salt)
        for t in range(self.first[1], self.first[2]):
            keys[t] = join(self.salts[t] ^ values[self.parts[t][0]])
        for t in range(self.first[2], self.first[3]):
            p = self.parts[t]
            keys[t] = join(self.salts[t] ^ values[p[0]] ^ values[p[1]])
        for t in range(self.first[3], self.first[4]):
            p = self.parts[t]
            keys[t] = join(self.salts[t] ^ values[p[0]] ^ values[p[1]] ^ values[p[2]])
        for t in range(self.first[4], self.template_count):
            p = self.parts[t]
            keys[t] = self.salts[t] ^ values[p[0]] ^ values[p[1]] ^ values[p[2]] ^ values[p[3]]
            if t >= self.first[5]:
                keys[t] ^= values[p[4]]
            if t >= self.first[6]:
                keys[t] ^= values[p[5]]
            keys[t] = join(keys[t])
        return self.template_count


cdef uint32_t contiguity(const AtomSpec* spec, const Places* places, const Context* context,
                         const State* state) noexcept nogil:
    """Whether the words of two neighbouring subtrees stay together in the translation.

    A subtree goes on to where the next one begins; that of the buffer's front ends with it.
    Nothing is known of a sentence without links, nor where a place is empty or the root.
    """
    cdef const Node* left = places.nodes[spec.slot]
    cdef const Node* next
    cdef int last
    cdef bint together
    if left == NULL or left.word == 0 or places.words[spec.other] > context.n or (
            context.links.targets == 0):
        return NONE_VALUE
    if spec.other == B0:
        last = places.words[B0]
    elif spec.other == S1:
        last = places.nodes[S0].first - 1
    else:
        next = state.front
        last = (next.first if next != NULL else state.buffer) - 1
    if spec.kind == CONTIGUOUS:
        together = is_contiguous(&context.links, left.first, last)
    else:
        together = is_right_contiguous(&context.links, left.first, last)
    return FIRST_VALUE + together


cdef inline uint32_t other_value(const AtomSpec* spec, const Places* places,
                                 const Context* context, const State* state) noexcept nogil:
    cdef const Node* node
    cdef int first, second, n = context.n
    if spec.kind >= CONTIGUOUS:
        return contiguity(spec, places, context, state)
    if spec.kind == LABEL:
        return places.labels[spec.slot]
    if spec.kind == DISTANCE:
        first = places.words[spec.slot]
        second = places.words[spec.other]
        if first > n or second > n:
            return NONE_VALUE
        return FIRST_VALUE + bucket_of(second - first if second > first else first - second)
    node = places.nodes[spec.slot]
    if node == NULL:
        # The front of the buffer has no node before it has children.
        return NONE_VALUE if places.words[spec.slot] > n else FIRST_VALUE
    if spec.kind == LEFTS:
        return FIRST_VALUE + min(node.lefts, MOST_CHILDREN)
    if spec.kind == RIGHTS:
        return FIRST_VALUE + min(node.rights, MOST_CHILDREN)
    # A set of labels has 32 bits; mixed, so that it cannot be mistaken for a small number.
    return FIRST_VALUE + (
        <uint32_t>mix(node.left_set) if spec.kind == LEFT_LABELS and node.left_set else
        <uint32_t>mix(node.right_set) if spec.kind == RIGHT_LABELS and node.right_set else 0)

"""Feature templates of the transition parsers, compiled to a small program over a state."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from niwaki.kernel.features.columns cimport MAX_ATTRIBUTES
from niwaki.kernel.transition.contiguity cimport LinkTables
from niwaki.kernel.transition.systems._system cimport State

cdef enum:
    MAX_ATOMS = 160
    MAX_TEMPLATES = 256
    MAX_ARITY = 6


cdef struct AtomSpec:
    int kind
    int slot
    int other           # the second slot of a distance or of a span
    int attribute       # of the words; an index into Context.attributes
    uint64_t salt


cdef struct Context:
    # A sentence as the templates see it: values by attribute and position, where
    # position 0 is the artificial root and n + 1 is "no such word".
    const uint32_t* attributes[MAX_ATTRIBUTES]
    int n
    # Links to a translation, for templates that ask for them; otherwise not set.
    LinkTables links


cdef class Program:
    cdef AtomSpec atoms[MAX_ATOMS]
    cdef int atom_count
    # Templates sorted by arity: those with k atoms are first[k] .. first[k + 1] - 1.
    cdef int parts[MAX_TEMPLATES][MAX_ARITY]
    cdef uint64_t salts[MAX_TEMPLATES]
    cdef int first[MAX_ARITY + 2]
    cdef readonly int template_count
    cdef readonly int attribute_count
    cdef readonly bint uses_links

    cdef int keys(self, const Context* context, const State* state, uint64_t* keys) noexcept nogil

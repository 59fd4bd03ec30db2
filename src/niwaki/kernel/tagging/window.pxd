"""Features of a word in its sentence: templates over the words and tags around it."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.features.words cimport Clusters, Word

cdef enum:
    REACH = 2               # words looked at on either side
    OFFSETS = 2 * REACH + 1
    MAX_PARTS = 6           # of one template
    MAX_TEMPLATES = 200     # with the character n-grams, still below linear.MAX_KEYS


cdef struct Part:
    int kind
    int offset          # of the word or tag, relative to the current one
    int attribute
    uint64_t salt


cdef struct Template:
    Part parts[MAX_PARTS]
    int part_count
    uint64_t salt


cdef struct Type:
    # A word form with all that its letters show; `summed` is for the owner of the
    # sums that the Memory keeps with it.
    Word word
    bint summed


cdef struct Sentence:
    int length
    const Type** types      # with REACH of padding on either side
    const uint64_t* tags    # a value for each word; those not chosen yet are not looked at
    const uint64_t* feats   # the same of FEATS; NULL where they are not known
    uint32_t case           # how much of the sentence is capitalised


cdef class Memory:
    # What one thread needs: the types that it has seen, with sums of features if
    # the owner keeps any, and room for one sentence.
    cdef uint64_t* keys     # open addressing
    cdef uint32_t* numbers  # of the type at this place, in the order in which they were met
    cdef Type* types
    cdef float* sums        # `width` numbers a type
    cdef uint64_t mask
    cdef int count
    cdef int width
    cdef const Type** line
    cdef uint64_t* tags
    cdef Py_ssize_t longest

    cdef bint reserve(self, Py_ssize_t length) noexcept nogil
    cdef bint forget(self, Py_ssize_t length) noexcept nogil


cdef class Window:
    cdef Template templates[MAX_TEMPLATES]
    cdef readonly int template_count
    # Templates in the order: looking at one word only (by its offset), at several
    # words or at the sentence, at tags. `first[k]` is where kind k begins.
    cdef int first[OFFSETS + 3]
    cdef readonly bint lowercase
    cdef Clusters clusters

    cdef uint64_t value(self, const Part* part, const Sentence* sentence, int at) noexcept nogil
    cdef int keys(self, int start, int stop, const Sentence* sentence, int at,
                  uint64_t* keys) noexcept nogil
    cdef const Type* find_type(self, Memory memory, const unsigned char* form,
                               Py_ssize_t length) noexcept nogil
    cdef bint open_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                            Sentence* sentence) noexcept nogil

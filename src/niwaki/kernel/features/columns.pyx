"""What models see of the words of a batch, as pointers."""

from libc.stdint cimport uint32_t


cdef class Columns:
    """Pointers to the attributes of a batch's words; keeps the arrays alive.

    Two more arrays are links: how many the words up to each one have (0 first, so one more
    than there are words), and the words of the translation, as numbers in its order.
    """

    def __cinit__(self, list attributes not None, int count, Py_ssize_t words):
        cdef const uint32_t[::1] view
        cdef int a
        self.arrays = []
        self.pointers[count] = self.pointers[count + 1] = NULL
        if len(attributes) == count + 2:
            self._take_links(attributes[count], attributes[count + 1], count, words)
        elif len(attributes) != count:
            raise ValueError(f"{len(attributes)} attributes, but the templates use {count}")
        for a in range(count):
            view = attributes[a]
            if view.shape[0] != words:
                raise ValueError(f"attribute {a} has {view.shape[0]} values for {words} words")
            self.arrays.append(view)
            self.pointers[a] = &view[0] if words else NULL

    def _take_links(self, const uint32_t[::1] ends not None, const uint32_t[::1] ranks not None,
                    int count, Py_ssize_t words):
        cdef Py_ssize_t i, links = ranks.shape[0]
        cdef bint sound = ends.shape[0] == words + 1 and ends[0] == 0 and ends[words] == links
        for i in range(words if sound else 0):
            sound = sound and ends[i] <= ends[i + 1]
        for i in range(links):
            sound = sound and ranks[i] < links
        if not sound:
            raise ValueError("links do not fit the words")
        if links:
            self.arrays += [ends, ranks]
            self.pointers[count] = &ends[0]
            self.pointers[count + 1] = &ranks[0]

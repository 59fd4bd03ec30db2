"""Kernel of the segmenter: from characters to lines of CoNLL-U."""

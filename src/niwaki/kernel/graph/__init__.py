"""Trees from scores of arcs: the best ones, and sums over all of them."""

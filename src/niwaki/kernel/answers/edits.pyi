from niwaki.typing import FloatArray, IntArray

def edit_distance(
    left: IntArray,
    other_left: IntArray,
    removed: FloatArray,
    added: FloatArray,
    changed: FloatArray,
) -> float: ...

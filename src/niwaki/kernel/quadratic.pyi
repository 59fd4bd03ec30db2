from niwaki.typing import FloatArray

def solve_simplex(
    products: FloatArray, bounds: FloatArray, start: FloatArray, exact: float, steps: int
) -> FloatArray: ...

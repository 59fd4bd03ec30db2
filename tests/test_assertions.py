"""Every test asserts something whatever its data are: none passes because there was nothing.

The rule: each test has an assertion that runs for certain. An assertion is an `assert`, a
`with pytest.raises` or `pytest.warns`, a call of something named `assert...`, or a call of a
function of the test files that itself asserts for certain. What does not run for certain:

* a branch of an `if`, unless the other way asserts something too; what stands behind a
  statement that may leave (`return`, `continue`, `break`); the body of a `while`, unless it
  is `while True`;
* the body of a loop, and `all(...)` and `not any(...)` of a comprehension, over something that
  may be empty.

Not empty are literals with something in them, ranges of such numbers, constants of modules
(`WORDS`), what a name was given that is not empty, and what `zip`, `enumerate`, `product` and
their like make of such things. Of all else a test first says that it is there: `assert found`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# What has as many items as what it is given, or at least one if that has.
_KEEPING = {"enumerate", "iter", "list", "reversed", "set", "sorted", "tuple", "permutations"}
_VIEWS = {"items", "keys", "values"}


@dataclass
class Names:
    """What is known where a statement stands: functions by name, and expressions of names."""

    functions: Mapping[str, Function]
    methods: Mapping[str, Function]
    values: Mapping[str, ast.expr] = field(default_factory=dict)

    def inside(self, function: Function) -> Names:
        nodes = list(_nodes(function.body))
        defined = {node.name: node for node in nodes if isinstance(node, Function)}
        return Names({**self.functions, **defined}, self.methods, _assigned_once(nodes))


def _assigned_once(nodes: Sequence[ast.AST]) -> dict[str, ast.expr]:
    # `found: list[str]` alone gives nothing to a name.
    bare = [node.target for node in nodes if isinstance(node, ast.AnnAssign) and not node.value]
    stored = [
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in bare
    ]
    given: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        else:
            continue
        if isinstance(target, ast.Name) and node.value and stored.count(target.id) == 1:
            given[target.id] = node.value
    return given


def _nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All that stands in some statements, without the insides of functions in them."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from _nodes(list(ast.iter_child_nodes(node)))


# -- blocks ------------------------------------------------------------------------------


def asserts(function: Function, names: Names, above: frozenset[str] = frozenset()) -> bool:
    """Whether a function asserts something each time that it is called."""
    if function.name in above:
        return False
    return _Block(names.inside(function), above | {function.name}).asserts(function.body)


@dataclass(frozen=True)
class _Block:
    """Statements of one function."""

    names: Names
    above: frozenset[str]  # functions that are being looked at

    def asserts(self, body: Sequence[ast.stmt]) -> bool:
        """Whether all ways through some statements assert something, or fail."""
        for at, statement in enumerate(body):
            if isinstance(statement, ast.If):
                rest = body[at + 1 :]
                ways = ([*statement.body, *rest], [*statement.orelse, *rest])
                return self._calls(statement.test) or all(map(self.asserts, ways))
            if self._statement(statement):
                return True
            if _may_leave(statement):
                return False
        return False

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Raise():
                return True
            case ast.Assert():
                return not self._may_be_of_nothing(node.test) or self._calls(node)
            case ast.With() | ast.AsyncWith():
                if any(_is_expectation(item.context_expr) for item in node.items):
                    return True
                return any(self._calls(item) for item in node.items) or self.asserts(node.body)
            case ast.For() | ast.AsyncFor():
                runs = self.is_full(node.iter) and self.asserts(node.body)
                return runs or self._calls(node.iter)
            case ast.While(test=ast.Constant(value=True)):
                return self.asserts(node.body)
            case ast.While():
                return self._calls(node.test)
            case ast.Try():
                caught = all(self.asserts(handler.body) for handler in node.handlers)
                through = caught and self.asserts([*node.body, *node.orelse])
                return through or self.asserts(node.finalbody)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return False
        return self._calls(node)

    def _calls(self, node: ast.AST) -> bool:
        """Whether an assertion is called for certain."""
        if isinstance(node, ast.Lambda):
            return False
        if isinstance(node, _COMPREHENSIONS) and not self._runs(node):
            return self._calls(node.generators[0].iter)
        if isinstance(node, ast.Call) and self._is_assertion(node.func):
            return True
        return any(self._calls(child) for child in ast.iter_child_nodes(node))

    def _is_assertion(self, called: ast.expr) -> bool:
        name = _last_name(called)
        known = self.names.functions if isinstance(called, ast.Name) else self.names.methods
        if name in known:
            return asserts(known[name], self.names, self.above)
        return name.startswith("assert")

    def _runs(self, node: ast.AST) -> bool:
        """Whether the element of a comprehension is looked at."""
        assert isinstance(node, _COMPREHENSIONS)
        return all(self.is_full(each.iter) and not each.ifs for each in node.generators)

    def _may_be_of_nothing(self, test: ast.expr) -> bool:
        """`all(...)` and `not any(...)` of a comprehension that may be empty."""
        wanted = "all"
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, wanted = test.operand, "any"
        if not isinstance(test, ast.Call) or _last_name(test.func) != wanted or not test.args:
            return False
        (over,) = test.args
        if isinstance(over, _COMPREHENSIONS):
            # What a comprehension leaves out is what `any` looks for; its data must be there.
            return not all(self.is_full(each.iter) for each in over.generators)
        return isinstance(over, ast.Call) and _last_name(over.func) == "map"

    # -- data ----------------------------------------------------------------------------

    def is_full(self, node: ast.expr) -> bool:
        """Whether there is something to loop over."""
        match node:
            case ast.Constant(value=str() | bytes()):
                return len(node.value) > 0
            case ast.Tuple() | ast.List() | ast.Set():
                return any(
                    not isinstance(x, ast.Starred) or self.is_full(x.value) for x in node.elts
                )
            case ast.Dict():
                return any(key is not None for key in node.keys)
            case ast.Name():
                given = self.names.values.get(node.id)
                return node.id.isupper() or (given is not None and self.is_full(given))
            case ast.Attribute():
                return node.attr.isupper()
            case ast.BinOp(op=ast.Add()):
                return self.is_full(node.left) or self.is_full(node.right)
            case ast.BinOp(op=ast.Mult()):
                return self.is_full(node.left) and _number(node.right) > 0
            case ast.Call():
                return self._makes_something(node)
        return isinstance(node, _COMPREHENSIONS) and self._runs(node)

    def _makes_something(self, node: ast.Call) -> bool:
        name = _last_name(node.func)
        full = [self.is_full(each) for each in node.args]
        if name == "range":
            return _has_numbers(node.args)
        if name == "zip":
            strict = any(each.arg == "strict" for each in node.keywords)
            return any(full) if strict else bool(full) and all(full)
        if name == "product":
            return bool(full) and all(full)
        if name == "chain":
            return any(full)
        if name in _VIEWS and isinstance(node.func, ast.Attribute):
            return self.is_full(node.func.value)
        return name in _KEEPING and bool(full) and full[0]


def _may_leave(node: ast.AST) -> bool:
    """Whether what stands behind a statement may not be reached, though all went well."""
    if isinstance(node, (ast.Return, ast.Continue, ast.Break)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    found = any(_may_leave(child) for child in ast.iter_child_nodes(node))
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        # Its own `break` and `continue` end in it.
        return found and any(isinstance(inner, ast.Return) for inner in _nodes([node]))
    return found


def _is_expectation(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in ("raises", "warns")


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
    return ""


def _number(node: ast.expr) -> int:
    """A number that is written out; 0 for any other expression."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else 0


def _has_numbers(bounds: Sequence[ast.expr]) -> bool:
    try:
        numbers = [ast.literal_eval(each) for each in bounds]
    except ValueError:
        return all(_last_name(each).isupper() for each in bounds)
    return len(range(*numbers)) > 0


# -- files -------------------------------------------------------------------------------


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _names_of(path: Path) -> Names:
    """The functions that a file defines or has from other files of the tests."""
    tree = _tree(path)
    functions: dict[str, Function] = {}
    methods: dict[str, Function] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                other = _file_of(whole) or _file_of(node.module or "")
                if other is not None:
                    found = _defined(_tree(other))
                    if alias.name in found:
                        functions[alias.asname or alias.name] = found[alias.name]
                    # `slow.check()` of a module is written as a method is.
                    methods |= _methods(_tree(other)) | (found if _file_of(whole) else {})
    return Names(functions | _defined(tree), methods | _methods(tree))


def _file_of(module: str) -> Path | None:
    path = TESTS.parent.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.exists() else None


def _defined(tree: ast.Module) -> dict[str, Function]:
    return {node.name: node for node in tree.body if isinstance(node, Function)}


def _methods(tree: ast.Module) -> dict[str, Function]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name: node for each in classes for node in each.body if isinstance(node, Function)}


def _tests_of(tree: ast.Module) -> list[Function]:
    found = [node for node in ast.walk(tree) if isinstance(node, Function)]
    return [node for node in found if node.name.startswith("test_")]


def test_every_test_asserts_whatever_its_data_are() -> None:
    faulty, tests = [], 0
    for path in sorted(TESTS.rglob("test_*.py")):
        names = _names_of(path)
        for test in _tests_of(_tree(path)):
            tests += 1
            if not asserts(test, names):
                place = path.relative_to(TESTS.parent)
                faulty.append(f"{place}:{test.lineno}: {test.name} may pass without asserting")
    assert tests > 1000
    assert not faulty, "\n" + "\n".join(faulty)


# -- the rule itself ---------------------------------------------------------------------

CERTAIN = [
    "assert x",
    "with pytest.raises(ValueError):\n    f()",
    "with open(x) as file:\n    assert file",
    "for x in (1, 2):\n    assert x",
    "for x in range(3):\n    for y in enumerate(NAMES):\n        assert f(x, y)",
    "cases = {1: 2}\nfor x, y in cases.items():\n    assert x < y",
    "cases: list[int]\ncases = [1]\nfor x in cases:\n    assert x",
    "for x, y in zip(found, ['a', 'b'], strict=True):\n    assert x == y",
    "for x, y in itertools.product(NAMES, 'ab'):\n    helper(x)",
    "if x:\n    assert y\nelse:\n    assert z",
    "if x:\n    with pytest.raises(ValueError):\n        f()\n    return\nassert f()",
    "try:\n    f()\nexcept ValueError:\n    assert x\nelse:\n    assert y",
    "np.testing.assert_allclose(x, y)",
    "assert all(x in y for x in (1, 2))",
    "def inner():\n    assert x\ninner()",
]
UNCERTAIN = [
    "f()",
    "for x in found:\n    assert x",
    "for x in found[:3]:\n    helper(x)",
    "for x in range(n):\n    assert x",
    "for x in ():\n    assert x",
    "cases = [1]\ncases = f(cases)\nfor x in cases:\n    assert x",
    "for x, y in zip(found, NAMES):\n    assert x == y",
    "for x in NAMES:\n    if x:\n        continue\n    assert x",
    "if x:\n    assert y",
    "if x:\n    return\nassert y",
    "while x:\n    assert y",
    "try:\n    assert x\nexcept ValueError:\n    pass",
    "assert all(x in y for x in found)",
    "assert not any(map(f, found))",
    "[helper(x) for x in found]",
    "def inner():\n    assert x",
    "looping(x)",
]
HELPERS = """
def helper(x):
    assert x

def looping(x):
    for y in x:
        assert y
"""


@pytest.mark.parametrize(
    ("body", "certain"), [*((x, True) for x in CERTAIN), *((x, False) for x in UNCERTAIN)]
)
def test_the_rule(body: str, certain: bool) -> None:
    test = ast.parse("def test_it():\n    " + body.replace("\n", "\n    ")).body[0]
    assert isinstance(test, ast.FunctionDef)
    assert asserts(test, Names(_defined(ast.parse(HELPERS)), {})) == certain

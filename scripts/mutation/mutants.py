"""The mutants of a source file: one small change each, as a change of its syntax tree."""

import ast
import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BINARY = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_CALLED = {
    "min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "minimum": "maximum", "maximum": "minimum", "any": "all",
    "all": "any", "mean": "max", "sum": "mean", "floor": "ceil", "ceil": "floor", "nanmin": "nanmax", "nanmax": "nanmin",
    "flatnonzero": "nonzero_of_not", "cumsum": "cumprod", "median": "mean", "std": "var",
}  # fmt: skip
_BLOCK_SIZES = ("_BLOCK", "_FAST")
_DRAWS = ("charts", "pen", "draw")


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    path: The file, relative to the repository.
    line: The line of the change.
    function: The function or class that it is in.
    before: The code that is changed.
    after: What it becomes.
    number: Counts equal changes within a function.
    place: Which node of the file is changed, and how: indices into `_places` and `_changes`.
    """

    path: str
    line: int
    function: str
    before: str
    after: str
    number: int
    place: tuple[int, int]

    @property
    def id(self) -> str:
        """The same wherever the function moves within its file."""
        parts = (self.path, self.function, self.before, self.after, str(self.number))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def tree(self, root: Path) -> ast.Module:
        """The changed syntax tree."""
        tree = parse(root / self.path)
        node = list(_places(tree))[self.place[0]]
        changed = list(_changes(node))[self.place[1]]
        return ast.fix_missing_locations(_Replace(node, changed).visit(tree))

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.before}  →  {self.after}"


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """All mutants of a file. Annotations, docstrings, messages, block sizes, charts and records of metrics are left alone."""
    tree = parse(path)
    functions = _functions(tree)
    found: list[Mutant] = []
    counts: dict[tuple[str, str, str], int] = {}
    for at, node in enumerate(_places(tree)):
        for which, changed in enumerate(_changes(node)):
            before, after = ast.unparse(node), ast.unparse(changed)
            if before == after:
                continue
            function = functions.get(id(node), "")
            key = (function, before, after)
            counts[key] = counts.get(key, 0) + 1
            number, line = counts[key], getattr(node, "lineno", 0)
            found.append(Mutant(str(path.relative_to(root)), line, function, before, after, number, (at, which)))
    return found


def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions(tree: ast.Module) -> dict[int, str]:
    """For every node, the dotted name of what it is in."""
    names: dict[int, str] = {}

    def visit(node: ast.AST, inside: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = f"{inside}.{node.name}" if inside else node.name
        names[id(node)] = inside
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, "")
    return names


def _places(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes inside functions that can be changed with effect."""

    def visit(node: ast.AST, *, inside: bool) -> Iterator[ast.AST]:
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from visit(statement, inside=True)
            return
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
            return  # texts and errors
        if _is_block_size(node):
            return  # how many rows are held in memory at once, which changes no number
        if _is_drawn(node):
            return  # charts and drawings are looked at, as exhibits are
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return  # zip(strict=True) is a check of what cannot happen, like an assertion
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from visit(node.value, inside=inside)
            return
        if inside:
            yield node
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside=inside)

    yield from visit(tree, inside=False)


def _is_block_size(node: ast.AST) -> bool:
    """Whether a node is max(1, _BLOCK // n)."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "max"):
        return False
    return any(isinstance(inside, ast.Name) and inside.id in _BLOCK_SIZES for inside in ast.walk(node))


def _is_drawn(node: ast.AST) -> bool:
    """Whether a node is charts.bars(…) or a call of Pillow's pen."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return isinstance(node.func.value, ast.Name) and node.func.value.id in _DRAWS


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        if not any(isinstance(side, ast.JoinedStr | ast.List) or _is_text(side) for side in (node.left, node.right)):
            yield ast.BinOp(node.left, _BINARY[type(node.op)](), node.right)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield ast.Compare(node.left, [_COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if (other := _CALLED.get(name)) is not None and other != "nonzero_of_not":
            func = copy.copy(node.func)
            setattr(func, "id" if isinstance(func, ast.Name) else "attr", other)
            yield ast.Call(func, node.args, node.keywords)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
        if type(node.value) is float and node.value not in (0.0, 1.0):
            yield ast.Constant(node.value / 2)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class _Replace(ast.NodeTransformer):
    """Replaces one node."""

    def __init__(self, node: ast.AST, changed: ast.AST) -> None:
        self.node, self.changed = node, changed

    def visit(self, found: ast.AST) -> ast.AST:
        if found is self.node:
            return ast.copy_location(self.changed, self.node)
        return super().visit(found)

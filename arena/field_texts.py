"""What the source says of the fields of records: the strings below them."""

import ast
import inspect
from types import ModuleType


def field_texts(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return, for each record of a module, the text of each field; Python itself drops them."""
    tree = ast.parse(inspect.getsource(module))
    return {node.name: _texts_of(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_of(record: ast.ClassDef) -> dict[str, str]:
    texts: dict[str, str] = {}
    for field, below in zip(record.body, record.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                texts[name] = str(text)
    return texts

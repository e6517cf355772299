"""A tiny HTML builder: elements are functions, text is always escaped, and there is no way to pass markup as text.

    p("accuracy of ", bdi("<tabby> & co"), class_="lead")   ->   <p class="lead">accuracy of <bdi>&lt;tabby&gt; &amp; co</bdi></p>

Only `Markup` passes unescaped, and only this file and constants of this package make it.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from eyechart.errors import StoreError

# What HTML forbids even when escaped: control characters other than tab and line ends, lone surrogates, non-characters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_URL_ATTRIBUTES = {"href", "src"}
_SAFE_URL = re.compile(r"#|data:image/|[A-Za-z0-9_][A-Za-z0-9_./-]*$")
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass(frozen=True)
class Markup:
    """HTML that is known to be safe, because its text was escaped or it is a constant of ours."""

    text: str


Child: TypeAlias = "str | int | Markup | Iterable[Child] | None"


def printable(text: str) -> str:
    """The text with every character that HTML forbids shown as the replacement character."""
    return _FORBIDDEN.sub("\ufffd", text)


def render(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child.text
    if isinstance(child, str) or not isinstance(child, Iterable):
        return escape(printable(str(child)), quote=True)
    return "".join(render(c) for c in child)


def _attribute(name: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.startswith("on") or name in {"style", "srcdoc"}:
        raise ValueError(f"attribute {name!r} is not one that this page may have")
    if value is True:
        return f" {name}"
    text = str(value)
    if name in _URL_ATTRIBUTES and not _SAFE_URL.match(text):
        raise ValueError(f"{name}={text!r}: the page may only point to itself and to files next to it")
    return f' {name}="{escape(printable(text), quote=True)}"'


def element(tag: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """One element. Attribute names lose a trailing underscore, inner ones become hyphens: class_, aria_label, data_row."""
    opening = f"<{tag}{''.join(_attribute(k, v) for k, v in attributes.items())}>"
    if tag in _VOID:
        return Markup(opening)
    return Markup(f"{opening}{''.join(render(c) for c in children)}</{tag}>")


Tag = Callable[..., Markup]


def _tag(name: str) -> Tag:
    def make(*children: Child, **attributes: str | int | bool | None) -> Markup:
        return element(name, *children, **attributes)

    return make


a = _tag("a")
article = _tag("article")
bdi = _tag("bdi")
button = _tag("button")
code = _tag("code")
dd = _tag("dd")
details = _tag("details")
div = _tag("div")
dl = _tag("dl")
dt = _tag("dt")
figcaption = _tag("figcaption")
figure = _tag("figure")
footer = _tag("footer")
h1 = _tag("h1")
h2 = _tag("h2")
h3 = _tag("h3")
h4 = _tag("h4")
header = _tag("header")
img = _tag("img")
li = _tag("li")
main = _tag("main")
nav = _tag("nav")
ol = _tag("ol")
p = _tag("p")
section = _tag("section")
span = _tag("span")
summary = _tag("summary")
table = _tag("table")
tbody = _tag("tbody")
td = _tag("td")
th = _tag("th")
thead = _tag("thead")
tr = _tag("tr")
ul = _tag("ul")
field = _tag("input")
label = _tag("label")


def embedded_json(value: Any) -> str:
    """JSON for a script element: nothing in it can end the element or open a comment."""
    try:
        # Tables of a probe may hold dates and the like.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    except ValueError as error:
        raise StoreError(f"an exhibit holds what no page can show ({error}); examine again") from None
    # json.dumps keeps lone surrogates, which cannot be written as UTF-8.
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def data_script(identity: str, value: Any) -> Markup:
    """A block of data for the page's scripts; the browser does not run it."""
    opening = f'<script type="application/json" id="{escape(identity, quote=True)}">'
    return Markup(f"{opening}{embedded_json(value)}</script>")

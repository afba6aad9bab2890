"""The table of boundary rules, compiler/support/boundaries.def, and the files that are written from it."""
import pathlib
import re
import textwrap
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "compiler/support/boundaries.def"
HEADER = ROOT / "runtime/include/stencil/boundary_rules.h"
MODULE = ROOT / "python/stencilc/_boundary_rules.py"
LANGUAGE = ROOT / "docs/reference/language.md"
ORIGIN = "tools/generate writes this file from compiler/support/boundaries.def"


@dataclass
class Row:
    kind: str
    keyword: str
    takes: str
    image: str
    sign: int
    addend: str
    adjoint: str
    documentation: str

    @property
    def name(self):
        """The function or constant of the builders."""
        return self.keyword.replace(" ", "_")

    @property
    def value(self):
        """The letter that stands for the value (BoundaryRow::value_name); "" if the rule takes none."""
        return {"Nothing": "", "Value": "c", "Slope": "g"}[self.takes]

    @property
    def written(self):
        return f"{self.keyword} {self.value}".rstrip()

    @property
    def comment(self):
        """The documentation as plain text."""
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", self.documentation)
        return re.sub(r"(?<!\w)\*(\w)\*", r"\1", text)


STRING = r'((?:"[^"]*"\s*)+)'


def rows():
    text = re.sub(r"(?m)^//.*$", "", TABLE.read_text())
    columns = [r"(\w+)", STRING, r"(\w+)", r"(\w+)", "([+-]1)", r"(\w+)", STRING, STRING]
    pattern = r"STENCIL_BOUNDARY\(" + r",\s*".join(columns) + r"\)"
    found = []
    for match in re.finditer(pattern, text):
        parts = ["".join(re.findall(r'"([^"]*)"', part)) if part.startswith('"') else part for part in match.groups()]
        found.append(Row(*parts[:4], int(parts[4]), *parts[5:]))
    assert len(found) == text.count("STENCIL_BOUNDARY("), f"{TABLE}: a row that this script does not understand"
    return found


def wrapped(text, start, width):
    return "\n".join(textwrap.wrap(text, width, initial_indent=start, subsequent_indent=start))


def header():
    out = f"""\
// The boundary rules of stencil/builder.h.
// {ORIGIN}.
#pragma once

#include <optional>

#include "stencil/builder_expressions.h"

namespace stencil::dsl {{

#pragma GCC visibility push(default)

// The value that an access beyond a field's edge reads: docs/reference/language.md, "Accesses and
// boundaries".
struct Rule {{
  enum class Kind {{
"""
    out += ",\n".join(f"    {row.kind}" for row in rows())
    out += """
  } kind = Kind::None;
  std::optional<Expr> value = {};  // of a rule that takes one
};
struct PlainRule {
  Rule::Kind kind;
  operator Rule() const { return {kind, {}}; }
};

// The keywords of all rules, in the order of Rule::Kind.
// clang-format off
inline constexpr const char* kRuleKeywords[] = {
"""
    out += "".join(f'    "{row.keyword}",\n' for row in rows()) + "};\n// clang-format on\n"
    for row in rows():
        out += "\n" + wrapped(f"{row.written}: {row.comment}.", "// ", 100) + "\n"
        if row.value:
            out += f"inline Rule {row.name}(const Expr& value) {{\n  return {{Rule::Kind::{row.kind}, value}};\n}}\n"
        else:
            out += f"inline constexpr PlainRule {row.name}{{Rule::Kind::{row.kind}}};\n"
    return out + "\n#pragma GCC visibility pop\n\n}  // namespace stencil::dsl\n"


def module():
    without = [row for row in rows() if not row.value]
    with_value = [row for row in rows() if row.value]
    out = f'"""The boundary rules. {ORIGIN}."""\n\nfrom __future__ import annotations\n\n'
    out += "from typing import Any\n\nfrom ._boundary import Boundary\n\n"
    out += "__all__ = [\n" + "".join(f'    "{row.name}",\n' for row in with_value) + "]\n\n"
    out += "WITHOUT_VALUE = (\n" + "".join(f'    "{row.keyword}",\n' for row in without) + ")\n"
    for row in with_value:
        doc = wrapped(f"`{row.written}`: {row.comment}.".replace("`", "``"), "    ", 97)
        out += f'\n\ndef {row.name}(value: Any) -> Boundary:\n    """{doc.strip()}"""\n'
        out += f'    return Boundary("{row.keyword}", value)\n'
    return out


def replaced(text, begin, end, by):
    """`text` with what stands between the first `begin` and the `end` after it replaced."""
    start = text.index(begin) + len(begin)
    return text[:start] + by + text[text.index(end, start):]


def language():
    text = LANGUAGE.read_text()
    table = "\n".join(f"| `{row.written}` | {row.documentation} |" for row in rows())
    text = replaced(text, "| rule | the value beyond the edge |\n| --- | --- |\n", "\n\n", table)
    rules = [f'"{row.keyword}"'.replace(" ", '" "') + (" expr" if row.value else "") for row in rows()]
    lines = []
    for rule in rules:
        if lines and len(lines[-1]) + len(rule) + 3 <= 88:
            lines[-1] += f" | {rule}"
        else:
            lines.append(rule)
    production = "\n           | ".join(lines)
    return replaced(text, "\nrule       = ", " .\ntable ", production)


def files():
    return {HEADER: header(), MODULE: module(), LANGUAGE: language()}

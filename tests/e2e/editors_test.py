#!/usr/bin/env python3
"""Checks the grammars in tools/editors and the Pygments lexer: editors_test.py STENCILC SOURCE."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[2])
EDITORS = SOURCE / "tools/editors"
PROGRAM = """\
param N : integer = 16; // where
grid G = [0..N-1] steps 1e3;
field A : real on G boundary clamp .. mirror;
stencil s : A { let q = sqrt(A[-1]); G = q; } /* let
let */
grid C of G by 2 cells;
cycle v { if level < 2 { coarser { v; } } else { s; } }
stencil r : A on G = fine A[0];
"""


def lexer():
    """The lexer as a file alone, without the package in which it is; None without Pygments."""
    if importlib.util.find_spec("pygments") is None:
        return None
    spec = importlib.util.spec_from_file_location("lexer", SOURCE / "python/stencilc/pygments_lexer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.StencilLexer()


def vim_has_syntax():
    vim = shutil.which("vim")
    return bool(vim) and "+syntax" in subprocess.run([vim, "--version"], capture_output=True, text=True).stdout


class Editors(unittest.TestCase):
    def test_words_are_those_of_the_compiler(self):
        done = subprocess.run([sys.executable, EDITORS / "generate", "--check"], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_reserved_words_of_the_reference(self):
        reference = (SOURCE / "docs/reference/language.md").read_text()
        words = set(re.search(r"\*\*Reserved words\*\*:\n  `([^`]*)`", reference).group(1).split())
        vim = (EDITORS / "vim/syntax/stencil.vim").read_text()
        self.assertGreater(len(words), 20)
        self.assertLessEqual(words, set(re.findall(r"\w+", vim)))

    def test_vscode(self):
        package = json.loads((EDITORS / "vscode/package.json").read_text())
        citation = (SOURCE / "CITATION.cff").read_text()
        self.assertEqual(package["version"], re.search(r"^version: (\S+)$", citation, re.M).group(1))
        language, = package["contributes"]["languages"]
        json.loads((EDITORS / "vscode" / language["configuration"]).read_text())
        grammar, = package["contributes"]["grammars"]
        self.assertEqual(grammar["language"], language["id"])
        rules = json.loads((EDITORS / "vscode" / grammar["path"]).read_text())
        self.assertEqual(rules["scopeName"], grammar["scopeName"])
        for rule in rules["patterns"]:
            for key in ("match", "begin", "end"):
                re.compile(rule.get(key, ""))

    def scopes(self, line):
        """The scopes of the words of a line without comments, by the first rule that matches earliest."""
        rules = json.loads((EDITORS / "vscode/syntaxes/stencil.tmLanguage.json").read_text())["patterns"]
        found, at = {}, 0
        while True:
            matches = [(m.start(), i, m) for i, rule in enumerate(rules) if "match" in rule
                       for m in [re.compile(rule["match"]).search(line, at)] if m]
            if not matches:
                return found
            _, i, match = min(matches, key=lambda each: each[:2])
            captures = rules[i].get("captures", {"0": {"name": rules[i].get("name")}})
            for group, capture in captures.items():
                found[match.group(int(group))] = capture["name"]
            at = max(match.end(), at + 1)

    def test_vscode_scopes(self):
        lines = PROGRAM.splitlines()
        self.assertEqual(self.scopes(lines[0])["// where"], "comment.line.double-slash.stencil")
        self.assertEqual(self.scopes(lines[0])["param"], "keyword.declaration.stencil")
        self.assertEqual(self.scopes(lines[0])["integer"], "storage.type.stencil")
        grid = self.scopes(lines[1])
        self.assertEqual((grid["0"], grid[".."], grid["1e3"]),
                         ("constant.numeric.stencil", "keyword.operator.stencil", "constant.numeric.stencil"))
        self.assertEqual(grid["steps"], "keyword.control.stencil")
        self.assertEqual(self.scopes(lines[2])["clamp"], "support.constant.boundary.stencil")
        self.assertEqual(self.scopes(lines[3])["sqrt"], "support.function.stencil")
        self.assertEqual(self.scopes(lines[5])["cells"], "keyword.control.stencil")
        self.assertEqual(self.scopes(lines[6])["cycle"], "keyword.declaration.stencil")
        for word in ("if", "coarser", "else"):
            self.assertEqual(self.scopes(lines[6])[word], "keyword.control.stencil")
        self.assertEqual(self.scopes(lines[7])["fine"], "keyword.control.stencil")

    @unittest.skipUnless(lexer(), "no Pygments")
    def test_pygments(self):
        tokens = [(str(kind).removeprefix("Token."), text) for kind, text in lexer().get_tokens(PROGRAM) if text.strip()]
        self.assertEqual("".join(text for _, text in lexer().get_tokens(PROGRAM)), PROGRAM)
        self.assertEqual(tokens[:8], [
            ("Keyword.Declaration", "param"), ("Name.Variable", "N"), ("Punctuation", ":"), ("Keyword.Type", "integer"),
            ("Operator", "="), ("Literal.Number.Integer", "16"), ("Punctuation", ";"), ("Comment.Single", "// where")])
        for token in [("Literal.Number.Integer", "0"), ("Operator", ".."), ("Literal.Number.Float", "1e3"),
                      ("Keyword", "steps"), ("Name.Builtin.Pseudo", "clamp"), ("Name.Builtin", "sqrt"),
                      ("Keyword", "cells"), ("Keyword.Declaration", "cycle"), ("Name.Variable", "v"), ("Keyword", "coarser"),
                      ("Keyword", "if"), ("Keyword", "fine"), ("Keyword", "let"), ("Name", "q"), ("Comment.Multiline", " let\nlet ")]:
            self.assertIn(token, tokens)

    @unittest.skipUnless(lexer(), "no Pygments")
    def test_pygments_knows_every_character_of_the_examples(self):
        for program in sorted((SOURCE / "dsl-examples").glob("*.stn")):
            text = program.read_text()
            tokens = list(lexer().get_tokens_unprocessed(text))
            self.assertEqual("".join(each for _, _, each in tokens), text)
            unknown = [each for _, kind, each in tokens if str(kind) in ("Token.Text", "Token.Error")]
            self.assertEqual(unknown, [], program.name)

    @unittest.skipUnless(vim_has_syntax(), "no vim with syntax highlighting")
    def test_vim(self):
        with tempfile.TemporaryDirectory() as directory:
            program, out = directory + "/a.stn", directory + "/out"
            pathlib.Path(program).write_text(PROGRAM)
            script = pathlib.Path(directory + "/check.vim")
            places = [(1, "param"), (1, "where"), (1, "integer"), (2, "1e3"), (2, "steps"), (3, "clamp"), (4, "sqrt"),
                      (4, "let"), (5, "let"), (4, "q")]
            lines = PROGRAM.splitlines()
            commands = [f"call add(g:r, synIDattr(synID({n}, {lines[n - 1].index(w) + 1}, 1), 'name'))" for n, w in places]
            script.write_text("\n".join([
                "let g:r = [&filetype, &commentstring]", *commands, f"call writefile(g:r, '{out}')", "qall!"]) + "\n")
            subprocess.run(["vim", "-u", "NONE", "-N", "-n", "-es", "--cmd", f"set rtp^={EDITORS}/vim",
                            "--cmd", "filetype plugin on", "--cmd", "syntax on", "-S", str(script), program],
                           stdin=subprocess.DEVNULL, timeout=60, env={**os.environ, "HOME": directory})
            self.assertEqual(pathlib.Path(out).read_text().splitlines(),
                             ["stencil", "// %s", "stencilItem", "stencilComment", "stencilType", "stencilNumber",
                              "stencilKeyword", "stencilRule", "stencilFunction", "stencilKeyword", "stencilComment",
                              ""])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

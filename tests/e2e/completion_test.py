#!/usr/bin/env python3
"""Compares the completion scripts with --help: completion_test.py STENCILC SOURCE."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

STENCILC = sys.argv[1]


def output(*arguments):
    return subprocess.run([STENCILC, *arguments], capture_output=True, text=True, check=True).stdout


def options_in_help(command):
    """Every option in the left column of --help."""
    names = set()
    for line in output(*([command] if command else []), "--help").splitlines():
        column = re.match(r"  (-\S.*?)(  |$)", line)
        if column:
            names.update(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", column.group(1)))
    return names


def commands():
    after = output("--help").split("Subcommands:")[1].split("Examples:")[0]
    return re.findall(r"^  ([a-z]+) ", after, re.M)


class Bash(unittest.TestCase):
    def complete(self, *words):
        """The completions of the last word."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(output("completion", "bash"))
            script.write("\nCOMP_WORDS=(stencilc \"$@\")\nCOMP_CWORD=$#\n_stencilc\n"
                         "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
            script.flush()
            done = subprocess.run(["bash", script.name, *words], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_every_option(self):
        self.assertIn("--schedule", options_in_help(""))
        for command in ["", *commands()]:
            with self.subTest(command):
                self.assertEqual(self.complete(command or "heat.stn", "-"), options_in_help(command))

    def test_commands(self):
        self.assertLessEqual(set(commands()), self.complete(""))
        self.assertEqual(self.complete("ver"), {"verify"})

    def test_values(self):
        self.assertEqual(self.complete("run", "--fp", ""), {"strict", "contract", "fast"})
        self.assertEqual(self.complete("run", "--fp", "=", "f"), {"fast"})
        self.assertEqual(self.complete("run", "--fp", "="), {"strict", "contract", "fast"})
        self.assertLessEqual({"auto", "host", "cuda"}, self.complete("run", "--device", ""))
        self.assertEqual(self.complete("completion", ""), {"bash", "zsh"})

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            open(directory + "/heat.stn", "w").close()
            self.assertEqual(self.complete("run", directory + "/h"), {directory + "/heat.stn"})
            self.assertEqual(self.complete("run", "--restart", directory + "/h"),
                             {directory + "/heat.stn"})


class Zsh(unittest.TestCase):
    def test_every_option(self):
        script = output("completion", "zsh")
        sections = dict(re.findall(r"^    (\*|\w+)\)\n(.*?)^      ;;$", script, re.M | re.S))
        for command in ["", *commands()]:
            with self.subTest(command):
                found = re.findall(r"^        '(?:\([^)]*\)|\*)(--?[\w-]+)[+=]?\[",
                                   sections[command or "*"], re.M)
                self.assertEqual(set(found), options_in_help(command))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_syntax(self):
        subprocess.run(["zsh", "-n"], input=output("completion", "zsh"), text=True, check=True)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_typed(self):
        """Types words and the tab key into an interactive zsh."""
        with tempfile.TemporaryDirectory() as directory:
            open(directory + "/heat.stn", "w").close()
            shell = Terminal(["zsh", "-f"], directory)
            with open(directory + "/script", "w") as script:
                script.write(output("completion", "zsh"))
            shell.type("PS1='> '; autoload -Uz compinit; compinit -u -D; source script; echo rea''dy\n")
            shell.until("ready")
            for typed, expected in [("stencilc ver\t", "verify"), ("stencilc run --dev\t", "--device"),
                                    ("stencilc run --device refe\t", "reference"),
                                    ("stencilc run he\t", "heat.stn")]:
                with self.subTest(typed):
                    shell.type(typed)
                    shell.until(expected)
                    shell.type("\x15")  # clears the line; background jobs ignore the interrupt key
            shell.close()


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, command, directory):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, {**os.environ, "TERM": "dumb"})

    def type(self, text):
        os.write(self.file, text.encode())

    def until(self, expected):
        """Reads what the program prints until it contains `expected`."""
        text = ""
        while expected not in text:
            if not select.select([self.file], [], [], 60)[0]:
                raise AssertionError(f"no '{expected}' in {text!r}")
            text += os.read(self.file, 65536).decode(errors="replace")
            text = re.sub(r"\x07|\x1b\[[?0-9;]*[A-Za-z]", "", text)

    def close(self):
        os.close(self.file)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Checks `stencilc fmt`: format_test.py STENCILC SOURCE."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

STENCILC, SOURCE = sys.argv[1:3]

SLOPPY = """\


param   N:integer=16;param a :real=1.0e-3 ;   // trailing
/* block
     comment */
  require N>=2  and(a<1) or not(a>3);


grid G=[ 0..N-1 , 0..N - 1 ] steps 4*N  origin -1 spacing [ .5, 2. ];
field T :real on G history 2 boundary [clamp..mirror,constant -1];
field F:real on G boundary [fixed -2 .. mirror  gradient -a*2,gradient - w[0]];
field H :real on G boundary fixed - 1;
table cx : integer[3] = { 0, 1, -1 };
table w  : real[3]    = {4.0/9, 1 , .5};
function lap( u : field ) {let d=u@-1 [1 , 0]-u[-1,0] ;
= d*-1;}
stencil  s:T every 2{
      // inside
   let q = - T [0,0];
 [0..N-1,0] where(q>0) =q+a*
 select( q<0,1,
        2 );   /* c */
      [0..N-1, 1..N-1]=sum( a2 in -1..1:cx[a2+1]*T[a2,0] )+w[0]  ;
   // before the end
  };
grid C of G by[2]cells levels(2)by 2;
cycle  v{ repeat( 2 ){s;}
  if level<1 {    // coarser
coarser{ v ; }}else { s; }
};
step{ v ;}
reduce m=max ( abs(T[0,0]) )on G where T[0,0]!=0 every 3 initial 0;
init T[ i,j ]=spacing(0)*position (i);   // first
                                         // second
"""

FORMATTED = """\
param N : integer = 16; param a : real = 1.0e-3; // trailing
/* block
     comment */
require N>=2 and (a<1) or not (a>3);

grid G = [0..N-1, 0..N - 1] steps 4*N origin -1 spacing [.5, 2.];
field T : real on G history 2 boundary [clamp..mirror,constant -1];
field F : real on G boundary [fixed -2 .. mirror gradient -a*2,gradient -w[0]];
field H : real on G boundary fixed -1;
table cx : integer[3] = { 0, 1, -1 };
table w  : real[3]    = {4.0/9, 1, .5};
function lap(u : field) { let d = u@-1[1, 0]-u[-1,0];
  = d*-1; }
stencil s : T every 2 {
  // inside
  let q = -T[0,0];
  [0..N-1,0] where (q>0) = q+a *
      select(q<0, 1,
         2); /* c */
  [0..N-1, 1..N-1] = sum(a2 in -1..1 : cx[a2+1]*T[a2,0])+w[0];
  // before the end
};
grid C of G by [2] cells levels (2) by 2;
cycle v { repeat (2) { s; }
  if level<1 {    // coarser
    coarser { v; } } else { s; }
};
step { v; }
reduce m = max(abs(T[0,0])) on G where T[0,0]!=0 every 3 initial 0;
init T[i,j] = spacing(0)*position(i);    // first
                                         // second
"""


def fmt(*arguments, text=None):
    return subprocess.run([STENCILC, "fmt", *arguments], input=text, capture_output=True, text=True,
                          env={**os.environ, "STENCIL_TUNED": "off"})


class Format(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def file(self, name, text):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", newline="") as file:
            file.write(text)
        return path

    def text(self, path):
        with open(path, newline="") as file:
            return file.read()

    def test_layout(self):
        done = fmt("-", text=SLOPPY)
        self.assertEqual((done.stdout, done.stderr, done.returncode), (FORMATTED, "", 0))
        self.assertEqual(fmt("-", text=FORMATTED).stdout, FORMATTED)

    def test_line_ends(self):
        text = "\ufeff" + FORMATTED.replace("\n", "\r\n").rstrip()
        self.assertEqual(fmt("-", text=text).stdout, FORMATTED)

    def test_in_place(self):
        path = self.file("a.stn", SLOPPY)
        os.chmod(path, 0o640)
        link = os.path.join(self.directory.name, "link.stn")
        os.symlink("a.stn", link)
        done = fmt(link)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))
        self.assertEqual(self.text(path), FORMATTED)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(sorted(os.listdir(self.directory.name)), ["a.stn", "link.stn"])

    @unittest.skipIf(os.getuid() == 0, "root may write every file")
    def test_read_only_file_stays(self):
        path = self.file("a.stn", SLOPPY)
        os.chmod(path, 0o444)
        done = fmt(path)
        self.assertIn("R011", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.text(path), SLOPPY)

    def test_formatted_file_is_not_written(self):
        path = self.file("a.stn", FORMATTED)
        before = os.stat(path)
        self.assertEqual(fmt(path).returncode, 0)
        after = os.stat(path)
        self.assertEqual((before.st_mtime_ns, before.st_ino), (after.st_mtime_ns, after.st_ino))

    def test_check(self):
        good, bad = self.file("good.stn", FORMATTED), self.file("bad.stn", SLOPPY)
        done = fmt("--check", good, bad)
        self.assertEqual((done.stdout, done.returncode), (bad + "\n", 1))
        self.assertEqual(self.text(bad), SLOPPY)
        self.assertEqual(fmt("--check", good).returncode, 0)
        self.assertEqual(fmt("--check", "-", text=SLOPPY).stdout, "<stdin>\n")

    def test_syntax_error(self):
        wrong, other = self.file("wrong.stn", "param  N : integer = ;\n"), self.file("b.stn", SLOPPY)
        done = fmt(wrong, other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("wrong.stn:1:22: error P001: unexpected ';'", done.stderr)
        self.assertEqual(self.text(wrong), "param  N : integer = ;\n")
        self.assertEqual(self.text(other), FORMATTED)

    def test_usage(self):
        self.assertIn("error U005: no program given", fmt().stderr)
        self.assertEqual(fmt(os.path.join(self.directory.name, "absent.stn")).returncode, 2)

    def test_examples_are_formatted(self):
        programs = sorted(glob.glob(os.path.join(SOURCE, "dsl-examples", "*.stn")))
        self.assertGreater(len(programs), 10)
        done = fmt("--check", *programs)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

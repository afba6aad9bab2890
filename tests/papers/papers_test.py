#!/usr/bin/python3
"""Tests of tools/papers: suites, results, tables, charts, the models of papers, and the script.

    tests/papers/papers_test.py [-v] [Class.test]
"""
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/papers"))

import counters
import holewinski_2012
import krotkiewski_dabrowski_2013
import measurements
import pages
import schaefer_fey_2011
import style
import vizitiu_2014
from measurements import Problem, Results, Scale

PAPERS = (holewinski_2012, schaefer_fey_2011, vizitiu_2014, krotkiewski_dabrowski_2013)


def jobs(entries):
    return sum(len(measurements.expand(line)) for entry in entries for line in entry["schedules"])


class Temporary(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)

    def results_of(self, paper, timed=(), counted=(), scale=Scale(), texts=None):
        for suffix, records in (("", timed), ("-counts", counted)):
            value = {"device": "cuda", "machine": "A GPU (of a test)", "results": list(records)}
            (self.directory / f"{paper.NAME}{suffix}.json").write_text(json.dumps(value))
        for name, text in (texts or {}).items():
            (self.directory / f"{paper.NAME}-{name}.txt").write_text(text)
        return Results(paper, [self.directory], scale)


class Suites(Temporary):
    def test_alternatives_expand_in_shell_order(self):
        self.assertEqual(measurements.expand("T={1,2} b={3,4}"), ["T=1 b=3", "T=1 b=4", "T=2 b=3", "T=2 b=4"])
        self.assertEqual(measurements.expand("direct"), ["direct"])

    def test_programs_exist(self):
        for paper in PAPERS:
            for scale in (Scale(), Scale(quick=True)):
                for entry in (*paper.timed(scale), *paper.counted(scale)):
                    self.assertTrue((ROOT / entry["program"]).is_file(), entry["program"])

    def test_the_search_fits_one_gpu_call(self):
        self.assertLessEqual(jobs(holewinski_2012.timed(Scale())), 800)
        self.assertLessEqual(sum(jobs(paper.timed(Scale())) for paper in PAPERS), 1060)

    def test_a_substitute_replaces_only_presets(self):
        entries = [{"schedules": ["@name", "direct", "overlapped T={1,2}"]}]
        self.assertEqual(measurements.suite_of(entries, Scale(stand_in="planes"))[0]["schedules"],
                         ["planes", "direct", "overlapped T={1,2}"])
        self.assertEqual(measurements.suite_of(entries, Scale())[0]["schedules"][0], "@name")

    def test_shared_suites_run_once(self):
        measurements.make(PAPERS, Scale(), self.directory)
        script = (self.directory / "measure").read_text()
        self.assertEqual(script.count("called devices '' devices --measure"), 1)
        self.assertIn(f"timed {holewinski_2012.NAME}", script)

    def test_quick_suites_do_not_time_auto(self):
        for paper in PAPERS:
            for entry in paper.timed(Scale(quick=True)):
                self.assertNotIn("auto", entry["schedules"])


class Script(Temporary):
    def run_with(self, bench_status, parts=measurements.PARTS, further="--check-only", told="told"):
        (self.directory / "bin").mkdir(exist_ok=True)
        fakes = {"stencil_bench": f'echo "$@" >>"{self.directory}/calls"; exit {bench_status}',
                 "stencilc": 'for last; do :; done; case "$last" in T=*) echo x >"${last#T=}";; esac; ' f'echo {told}'}
        for name, body in fakes.items():
            path = self.directory / "bin" / name
            path.write_text(f"#!/bin/bash\n{body}\n")
            path.chmod(0o755)
        suites = self.directory / "suites"
        measurements.make([vizitiu_2014], Scale(quick=True), suites, parts)
        out = self.directory / "out"
        done = subprocess.run([str(suites / "measure"), str(self.directory / "bin"), "host", str(out), further],
                              capture_output=True, text=True, check=False)
        return done, out

    def test_all_parts_run_and_arrays_are_hashed_and_removed(self):
        done, out = self.run_with(0)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = (self.directory / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith("--check-only"))
        self.assertIn("--counts", calls[1])
        text = (out / "vizitiu-2014-steady-3dbase.txt").read_text()
        self.assertRegex(text, r"^told\nsha256 [0-9a-f]{64}\n$")
        self.assertEqual(list(out.glob("*.npy")), [])

    def test_parts_can_be_omitted(self):
        done, out = self.run_with(0, ("counts",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len((self.directory / "calls").read_text().splitlines()), 1)
        self.assertEqual(list(out.iterdir()), [])

    def test_failed_parts_are_named_and_the_others_run(self):
        done, out = self.run_with(3)
        self.assertEqual(done.returncode, 3)
        self.assertIn("measure: vizitiu-2014: status 3", done.stderr)
        self.assertTrue((out / "vizitiu-2014-steady-2dshmreg.txt").is_file())
        self.assertTrue((out / "vizitiu-2014.failed").is_file())

    def test_continuing_repeats_failed_calls(self):
        _, out = self.run_with(0)
        (out / "vizitiu-2014-steady-2dreg.failed").touch()
        self.run_with(0, further="--continue", told="again")
        texts = {name: (out / f"vizitiu-2014-steady-{name}.txt").read_text().split()[0] for name in ("2dreg", "2dshm")}
        self.assertEqual(texts, {"2dreg": "again", "2dshm": "told"})
        self.run_with(0, told="anew")
        self.assertIn("anew", (out / "vizitiu-2014-steady-2dshm.txt").read_text())
        self.assertEqual(list(out.glob("*.failed")), [])


class OfResults(Temporary):
    def record(self, **values):
        return {"program": "heat3d", "real": "double", "schedule": "direct", "define": {"N": 128}, "gcells": 10.0,
                "time_ms": 4.0, "steps": 2, "check": "passed"} | values

    def test_the_best_is_the_fastest_of_the_alternatives(self):
        results = self.results_of(vizitiu_2014, [
            self.record(schedule="overlapped T=1", gcells=5.0), self.record(schedule="overlapped T=2", gcells=7.0),
            self.record(schedule="overlapped T=3", gcells=9.0), self.record(schedule="overlapped T=1", error="no")])
        self.assertEqual(results.rate("heat3d", "overlapped T={1,2}"), 7.0)
        self.assertEqual(results.rate("heat3d", "overlapped T={1,2,3}", N=128, real="double"), 9.0)
        self.assertIsNone(results.rate("heat3d", "overlapped T={1,2}", N=64))
        self.assertIsNone(results.rate("heat3d", "direct"))

    def test_failures_have_names_and_reasons(self):
        results = self.results_of(vizitiu_2014, [
            self.record(), self.record(schedule="@a", error="no such preset"), self.record(schedule="@b", check="differs at 3"),
            self.record(schedule="@c", left_out="the budget is spent")])
        self.assertEqual(results.failures(), [
            'vizitiu-2014: heat3d double by "@a": no such preset',
            'vizitiu-2014: heat3d double by "@b": results differ: differs at 3',
            'vizitiu-2014: heat3d double by "@c": the budget is spent'])

    def test_the_first_directory_with_a_file_wins(self):
        other = self.directory / "other"
        other.mkdir()
        for directory, rate in ((self.directory, 1.0), (other, 2.0)):
            value = {"results": [self.record(gcells=rate)]}
            (directory / "vizitiu-2014.json").write_text(json.dumps(value))
        (other / "vizitiu-2014-steady-2dreg.txt").write_text("told")
        results = Results(vizitiu_2014, [self.directory, other], Scale())
        self.assertEqual((results.rate("heat3d", "direct"), results.text("steady-2dreg")), (1.0, "told"))

    def test_missing_results_are_named(self):
        missing = Results(vizitiu_2014, [self.directory], Scale()).missing()
        self.assertEqual(len(missing), 9)
        self.assertIn("there is no vizitiu-2014.json", missing[0])

    def test_a_wrong_count_is_a_fault(self):
        def faults(loads):
            counts = {"loads64": loads, "stores64": 2000376, "points": 128**3, "steps": 1}
            record = self.record(schedule="@vizitiu-2dreg", counts=counts)
            return vizitiu_2014.faults(self.results_of(vizitiu_2014, counted=[record]))
        self.assertEqual(faults(10033632), [])
        self.assertEqual(faults(10033633), ["vizitiu-2014: 2DReg has 10033633 64-bit loads, not 10033632"])

    def test_another_steady_state_is_a_fault(self):
        stop = "steps     3000 of 1000000: the stop condition holds\nsha256 "
        texts = {f"steady-{kernel.lower()}": stop + "a" * 64 + "\n" for kernel in vizitiu_2014.KERNELS}
        results = self.results_of(vizitiu_2014, texts=texts)
        self.assertEqual(vizitiu_2014.steady(results, "2DReg"), (3000, "a" * 64))
        self.assertEqual(vizitiu_2014.faults(results), [])
        texts["steady-2dreg"] = stop + "b" * 64 + "\n"
        self.assertEqual(vizitiu_2014.faults(self.results_of(vizitiu_2014, texts=texts)),
                         ["vizitiu-2014: the steady state by 2DReg is not that by 3DBase"])

    def test_operations_are_read_from_explain(self):
        text = ("Stencil functions, in order\n  function  writes  reads  operations\n"
                "  a  A  A[-1..1]  13\n  b  B  A[0..0] B[0..0]  31\n\nTime tile\n")
        results = self.results_of(holewinski_2012, texts={"explain-rician2d": text, "explain-jacobi2d": text})
        self.assertEqual(holewinski_2012.operations_of(results, "rician2d"), 44)
        self.assertIn("holewinski-2012: jacobi2d has 44 operations a point; the paper's Jacobi 2-D has 5",
                      holewinski_2012.faults(results))

    def test_cycles_are_those_of_the_second_call(self):
        paper = krotkiewski_dabrowski_2013
        text = "schedule  direct\nsteps     500\ntime      0.25 s, 3.2 GCells/s\n"
        results = self.results_of(paper, texts={"cycles-513x513x257": text, "cycles-129-first": text})
        self.assertEqual(paper.cycles_per_second(results, "513 x 513 x 257"), 2000)
        self.assertIsNone(paper.cycles_per_second(results, "129 cubed"))
        rows = paper.table6(results).splitlines()
        self.assertEqual(rows[0], "| Machine | 129 cubed | 257 cubed | 513 x 513 x 257 |")
        self.assertEqual(rows[-1], "| here, `poisson27_cycles.stn` | not measured | not measured | 2 000 |")

    def test_rates_of_variants_are_read_from_runs(self):
        text = "steps     7\ntime      0.25 s, 3.2e+01 GCells/s\n"
        results = self.results_of(holewinski_2012, texts={"run-jacobi3d7": text})
        self.assertEqual(holewinski_2012.rate_of_run(results, "jacobi3d7"), 32)
        self.assertIsNone(holewinski_2012.rate_of_run(results, "rician2d_two"))

    def test_broken_results_are_a_problem(self):
        (self.directory / "vizitiu-2014.json").write_text("{")
        with self.assertRaisesRegex(Problem, "is not JSON.*measure it again"):
            Results(vizitiu_2014, [self.directory], Scale())


class Models(unittest.TestCase):
    def test_footprints_match_the_paper(self):
        self.assertEqual(krotkiewski_dabrowski_2013.values_read((32, 6), 4), 384)  # formula (8), M = 1
        self.assertEqual(krotkiewski_dabrowski_2013.footprint((32, 6), 4), 12)  # formula (9)
        self.assertAlmostEqual(krotkiewski_dabrowski_2013.footprint((32, 6), 8), 8 * 320 / 192 + 8)
        self.assertEqual(krotkiewski_dabrowski_2013.optimal_bytes(4), 8)  # formula (5)

    def test_tiles_of_presets_solve_formula_8(self):
        paper = krotkiewski_dabrowski_2013
        for line, size, m in ((paper.PREFETCH, 4, 1), (paper.TWO, 4, 2), (paper.DOUBLE, 8, 1)):
            x, y = paper.TILES[line]
            self.assertEqual(m * (paper.values_read((x, y), size) - x * y), x * y, line)

    def test_derived_loads_match_the_paper(self):
        for kernel, (_, value) in vizitiu_2014.EXPECTED.items():
            self.assertEqual(value(126), vizitiu_2014.KERNELS[kernel][2][3], kernel)

    def test_sizes_of_the_plane_sweep_have_both_kinds(self):
        self.assertTrue(any(n % 16 == 0 for n in schaefer_fey_2011.SIZES))
        self.assertTrue(any(n % 16 for n in schaefer_fey_2011.SIZES))
        self.assertTrue(set(schaefer_fey_2011.AUTO_SIZES) <= set(schaefer_fey_2011.SIZES))
        self.assertTrue(all(schaefer_fey_2011.steps_of(n) % 2 == 0 for n in schaefer_fey_2011.SIZES))


class Pages(Temporary):
    PAGE = "a\n<!-- table:one -->\nold\n<!-- /table -->\nb\n<!-- table:two -->\n<!-- /table -->\n"

    def test_tables_replace_their_placeholders(self):
        text = pages.fill(self.PAGE, {"one": "1\n", "two": "2\n"}, "page")
        self.assertEqual(text, "a\n<!-- table:one -->\n1\n<!-- /table -->\nb\n<!-- table:two -->\n2\n<!-- /table -->\n")
        self.assertEqual(pages.fill(text, {"one": "1\n", "two": "2\n"}, "page"), text)

    def test_placeholders_and_tables_must_match(self):
        with self.assertRaisesRegex(Problem, "unknown table: two"):
            pages.fill(self.PAGE, {"one": ""}, "page")
        with self.assertRaisesRegex(Problem, "no place for the table: three"):
            pages.fill(self.PAGE, {"one": "", "two": "", "three": ""}, "page")

    def test_pages_have_placeholders_for_all_tables(self):
        for paper in PAPERS:
            results = Results(paper, [self.directory], Scale())
            text = (ROOT / f"docs/papers/{paper.NAME}.md").read_text()
            pages.fill(text, paper.tables(results) | {"ncu": counters.table(results)}, paper.NAME)
            if not style.AVAILABLE:
                continue
            charts = {f"{paper.NAME}-{name}.svg" for name in paper.plots(results)}
            self.assertEqual(set(re.findall(r"\(([\w.-]+\.svg)\)", text)), charts)

    def test_pages_can_be_made_again_from_their_figures(self):
        done = subprocess.run([str(ROOT / "tools/papers/run"), "--remake", "--out", str(self.directory)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for paper in PAPERS:
            page = f"{paper.NAME}.md"
            self.assertEqual((self.directory / page).read_text(), (ROOT / "docs/papers" / page).read_text())

    def test_content_is_what_stands_in_a_place(self):
        self.assertEqual(pages.content(self.PAGE, "one"), "old\n")
        with self.assertRaisesRegex(Problem, "no place for the table three"):
            pages.content(self.PAGE, "three")

    def test_numbers(self):
        for value, text in ((None, "–"), (0.62, "0.62"), (12.3456, "12.3"), (14002632, "14 002 632"), (1234.5, "1 234"),
                            (128, "128"), ("x", "x"), (0.0, "0")):
            self.assertEqual(pages.number(value), text)
        self.assertEqual((pages.ratio(3, 2), pages.ratio(None, 2), pages.percent(1, 4)), ("1.50", "–", "25 %"))


@unittest.skipUnless(style.AVAILABLE, style.MISSING)
class Charts(unittest.TestCase):
    def group(self, text, identity):
        """The SVG's group of that id."""
        for each in xml.dom.minidom.parseString(text).getElementsByTagName("g"):
            if each.getAttribute("id") == identity:
                return each
        return None

    def test_lines_have_a_mark_for_every_point(self):
        text = style.lines("T & c", "x", "y", [("a", [(1, 2.0), (2, None), (4, 3.0)]), ("b", [(1, 1.0)])])
        marks = [len(self.group(text, f"series-{i}").getElementsByTagName("use")) for i in (0, 1)]
        self.assertEqual(marks, [2, 1])
        empty = style.lines("$t$", "x", "y", [("nobody", [(1, None)]), ("b", [(1, 1.0)])])
        self.assertNotIn("nobody", empty)
        self.assertIn("$t$", empty)
        self.assertIn("T &amp; c", text)

    def test_bars_are_as_high_as_their_values(self):
        text = style.bars("t", "y", ["a", "b"], [("g", [1.0, 2.0]), ("h", [None, 4.0])])
        heights = []
        for identity in ("bar-0-0", "bar-0-1", "bar-1-1"):
            shape = self.group(text, identity).getElementsByTagName("path")[0].getAttribute("d")
            places = [float(y) for y in re.findall(r"[ML] [\d.]+ ([\d.]+)", shape)]
            heights.append(max(places) - min(places))
        self.assertAlmostEqual(heights[1] / heights[0], 2, places=2)
        self.assertAlmostEqual(heights[2] / heights[0], 4, places=2)
        self.assertIsNone(self.group(text, "bar-1-0"))

    def test_missing_measurements_are_stated(self):
        for text in (style.lines("t", "x", "y", [("a", [(1, None)])]), style.bars("t", "y", ["a"], [("g", [None])])):
            xml.dom.minidom.parseString(text)
            self.assertIn("Not measured yet", text)

    def test_charts_are_deterministic_and_fit_light_and_dark_pages(self):
        first, second = (style.lines("t", "x", "y", [("a", [(1, 2.0), (2, 3.0)])]) for _ in range(2))
        self.assertEqual(first, second)
        self.assertIn("prefers-color-scheme: dark", first)
        self.assertIn("currentColor", first)
        self.assertNotIn(style.INK, first.replace(style.SCHEME, ""))


class Counters(Temporary):
    CSV = ('==PROF== Connected\n"ID","Kernel Name","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",'
           '"smsp__sass_branch_targets_threads_divergent.sum"\n"","","inst","inst"\n'
           '"0","heat3d_0000_k","1","2"\n"1","heat3d_0000_k","14,002,632","n/a"\n')

    def test_the_last_launch_is_used(self):
        path = self.directory / "ncu.csv"
        path.write_text(self.CSV)
        self.assertEqual(counters.read(path), {"heat3d_0000_k": {"load_sectors": 14002632.0}})

    def test_counters_are_shown_beside_counts(self):
        results = self.results_of(vizitiu_2014, counted=[{
            "name": "heat3d_0000", "program": "heat3d", "schedule": "direct", "counts": {
                "load_sectors": 7001316, "load_requests": 5, "store_requests": 2}}])
        results.counters = {"heat3d_0000_k": {"load_sectors": 14002632.0, "load_requests": 5.0, "store_requests": 0.0},
                            "other": {"load_sectors": 1.0}}
        lines = counters.table(results).splitlines()
        self.assertEqual(lines[2:], ["| heat3d `direct` | = | 2 / 0 | 0.50 | – | – | – | – | – |"])
        results.counters = {}
        self.assertIn("No counters", counters.table(results))

    def test_another_file_is_a_problem(self):
        path = self.directory / "x.csv"
        path.write_text("a,b\n")
        with self.assertRaisesRegex(Problem, "is not a CSV of ncu"):
            counters.read(path)


class CommandLine(Temporary):
    def call(self, *arguments):
        return subprocess.run([sys.executable, str(ROOT / "tools/papers/run"), *arguments], capture_output=True, text=True,
                              check=False)

    def test_usage_errors_give_a_reason(self):
        for arguments, reason in ((("--continue",), "--continue requires --keep"),
                                  (("--results", str(self.directory / "none"), "--out", str(self.directory)), "there is no directory"),
                                  (("--paper", "x"), "invalid choice"),
                                  (("--parts", "timed,x"), "--parts has no 'x'"),
                                  (("--bin", str(self.directory)), "build it (cmake --build build --target stencilc)")):
            done = self.call(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_a_page_without_results_is_unchanged(self):
        (self.directory / "devices.json").write_text('{"devices": []}')  # shared by the papers
        done = self.call("--paper", "schaefer-fey-2011", "--results", str(self.directory), "--out", str(self.directory / "o"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no schaefer-fey-2011.json", done.stderr)
        self.assertEqual(list((self.directory / "o").iterdir()), [])

    def test_pages_come_from_results(self):
        self.results_of(vizitiu_2014, [{"program": "heat3d", "real": "double", "schedule": "auto", "define": {"N": 128},
                                        "gcells": 123.0, "time_ms": 50.0, "steps": 5000, "settings": "a line"}])
        out = self.directory / "pages"
        done = self.call("--paper", "vizitiu-2014", "--results", str(self.directory), "--out", str(out))
        self.assertEqual(done.returncode, 1)  # the runs to the steady state are missing
        self.assertIn("there is no vizitiu-2014-steady-3dbase.txt", done.stderr)
        page = (out / "vizitiu-2014.md").read_text()
        self.assertIn("| `auto` | `a line` | – | – | – | 0.01 |", page)
        figures = json.loads((out / "vizitiu-2014.json").read_text())
        self.assertEqual(figures["timed"][0]["gcells"], 123.0)
        self.assertEqual(figures["machine"], "A GPU (of a test)")


if __name__ == "__main__":
    unittest.main(verbosity=1, buffer=False)

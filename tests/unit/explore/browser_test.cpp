// The page in a browser: the document after its scripts have run. Skipped if no Chromium is
// installed or it does not start.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/unit/explore/sample.h"
#include "tools/stencilc/explore/report_html.h"

namespace stencil::explore {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

class BrowserTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "stencil-page-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* program : {"chromium", "chromium-browser", "google-chrome"}) {
      if (std::system(fmt::format("command -v {} >/dev/null", program).c_str()) == 0) {
        browser_ = program;
        break;
      }
    }
    if (browser_.empty()) GTEST_SKIP() << "no Chromium";
    static const bool starts = document_of("<title>it starts</title>").has_value();
    if (!starts) GTEST_SKIP() << browser_ << " does not start here";
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  // The document after loading; nullopt if the browser fails. said_ holds the console output.
  std::optional<std::string> document_of(const std::string& page) {
    std::ofstream(root_ / "page.html", std::ios::binary) << page;
    const std::string at = root_.string();
    const std::string command = fmt::format(
        "HOME='{0}' timeout 100 {1} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--user-data-dir='{0}/profile' --enable-logging=stderr --window-size=1400,1000 --dump-dom "
        "'file://{0}/page.html' >'{0}/out' 2>'{0}/err' </dev/null",
        at, browser_);
    const int status = std::system(command.c_str());
    said_.clear();
    std::istringstream lines(read(root_ / "err"));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("CONSOLE") != line.npos) said_ += line + "\n";
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return read(root_ / "out");
  }

  // The page of a report. `script` runs after the page's own, and its result becomes the body's
  // attribute data-found. The console must stay empty.
  std::string document_of(const Report& report, const std::string& script = "return ''") {
    std::string page = html_of(report);
    page.insert(page.rfind("</body>"),
                "<script nonce=\"page\">document.body.dataset.found = (() => {" + script +
                    "})();</script>\n");
    const auto document = document_of(page);
    EXPECT_TRUE(document.has_value());
    EXPECT_EQ(said_, "");
    return document.value_or("");
  }

  std::string found_by(const Report& report, const std::string& script) {
    const std::string document = document_of(report, script);
    const std::string name = "data-found=\"";
    const size_t at = document.find(name);
    if (at == document.npos) return "nothing";
    return document.substr(at + name.size(),
                           document.find('"', at + name.size()) - at - name.size());
  }

  std::filesystem::path root_;
  std::string browser_, said_;
};

const char* const kDrawings =
    "return [...document.querySelectorAll('section, #halo, #schedule')].filter((s) => s.id)"
    ".map((s) => s.id + ':' + s.querySelectorAll(':scope > .chart svg[role=img]').length)"
    ".filter((s) => !s.endsWith(':0')).join(' ')";

TEST_F(BrowserTest, DrawsEverything) {
  EXPECT_EQ(found_by(jacobi_sample(), kDrawings),
            "roofline:1 agreement:1 tiles:1 elements:1 costs:1 terms:1 halo:1 schedule:1");
}

TEST_F(BrowserTest, DrawsNonStreamingTiles) {
  EXPECT_EQ(found_by(line_sample(), kDrawings),
            "roofline:1 tiles:1 elements:1 costs:1 terms:1 halo:1 schedule:1");
  EXPECT_EQ(found_by(plane_sample(), kDrawings),
            "roofline:1 agreement:1 tiles:1 elements:1 costs:1 terms:1 halo:2 schedule:1");
}

TEST_F(BrowserTest, DrawsAMarkForEveryCandidate) {
  // Every mark with a position is a subpath.
  EXPECT_EQ(found_by(large_sample(3000),
                     "return [...document.querySelectorAll('#roofline .marks')]"
                     ".map((p) => p.getAttribute('d').split('M').length - 1)"
                     ".reduce((a, b) => a + b) + ' ' + document.querySelector('#roofline .marks')"
                     ".getAttribute('d').includes('NaN')"),
            "3000 false");
}

// The contents of a drawing: corners of each curve, dots of
// measurements, and texts without a position.
const char* const kCurves =
    "const of = (root, what) => [...document.querySelectorAll(`#${root} .chart > svg ${what}`)];"
    "const corners = (p) => p.getAttribute('d').split('L').length;"
    "const odd = [...of('elements', '*'), ...of('costs', '*')]"
    ".filter((e) => [...e.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value)));"
    "return [of('elements', '.curve').map(corners), of('elements', '.timed').length,"
    " of('costs', '.curve').map(corners), odd.length].join(' ')";

TEST_F(BrowserTest, DrawsCurvesOverTheTimeTile) {
  // 1 and 4 points per thread have at most two time tiles, 16 points
  // have three; the costs have four.
  EXPECT_EQ(found_by(jacobi_sample(), kCurves), "1,2,3 6 4,4,4,4 0");
  EXPECT_EQ(found_by(line_sample(), kCurves), "1,2,3 0 4,4,4,4 0");
  const Report large = large_sample(3000);
  const auto measured = std::count_if(large.by_elements.begin(), large.by_elements.end(),
                                      [](const Best& best) { return best.measured.has_value(); });
  EXPECT_EQ(found_by(large, kCurves), fmt::format("8,8,8 {} 8,8,8,8 0", measured));
}

TEST_F(BrowserTest, DrawsTheBestSixElementCountsAndTheWinners) {
  Report report = jacobi_sample();
  const std::vector<Best> three = report.by_elements;
  for (int64_t elements = 20; elements < 30; ++elements) {
    for (Best best : three) {
      best.predicted.elements = elements;
      best.predicted.predicted = 2000 + static_cast<double>(elements);
      report.by_elements.push_back(best);
    }
  }
  EXPECT_EQ(found_by(report,
                     "return [...document.querySelectorAll('#elements .legend li')]"
                     ".map((e) => e.textContent).join(' ')"),
            "points per thread: 16 25 26 27 28 29");
}

TEST_F(BrowserTest, ProgramsWithoutFloatsOnlyHavePointRates) {
  const char* const names =
      "return ['GFLOP/s', 'GCells/s'].map((n) => [...document.querySelectorAll('#elements text')]"
      ".filter((e) => e.textContent === n).length).join(' ')";
  EXPECT_EQ(found_by(jacobi_sample(), names), "1 1");
  Report report = jacobi_sample();
  report.flops = 0;
  EXPECT_EQ(found_by(report, names), "0 1");
}

TEST_F(BrowserTest, CostsCanBeLimitedToTheWinnersElements) {
  EXPECT_EQ(
      found_by(jacobi_sample(),
               "const curves = () => [...document.querySelectorAll('#costs .curve')]"
               ".map((p) => p.getAttribute('d').split('L').length).join();"
               "const buttons = [...document.querySelectorAll('#costs button')];"
               "const before = curves(); buttons[1].click();"
               "return buttons.map((b) => b.textContent).join() + ' ' + before + ' ' + curves()"),
      "best,16 per thread 4,4,4,4 3,3,3,3");
}

// Costs of a far too long T would dwarf all others.
TEST_F(BrowserTest, CostsEndAtTheLastUsefulTimeTile) {
  const char* const ends =
      "return document.querySelector('#costs .curve').getAttribute('d').split('L').length + ' ' +"
      "document.querySelector('#costs .note').textContent.split('. ').pop()";
  Report report = jacobi_sample();
  EXPECT_EQ(found_by(report, ends), "4 Redundant work is shaded.");
  double most = 0;
  for (const Best& best : report.by_time_tile) most = std::max(most, best.predicted.predicted);
  for (const double part : {0.26, 0.24}) {
    Best deeper = report.by_time_tile.back();
    deeper.predicted.time_tile *= 2;
    deeper.predicted.predicted = most * part;
    report.by_time_tile.push_back(deeper);
  }
  EXPECT_EQ(found_by(report, ends),
            "5 T above 8 is left out: it reaches less than a quarter of the best.");
}

TEST_F(BrowserTest, ThePointerFindsPointsOfCurves) {
  EXPECT_EQ(
      found_by(jacobi_sample(),
               "const said = (id, what) => {"
               "const box = document.querySelector(`#${id} ${what}`).getBoundingClientRect();"
               "const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2,"
               " bubbles: true };"
               "const plane = document.querySelector(`#${id} .plane`);"
               "plane.dispatchEvent(new PointerEvent('pointermove', at));"
               "plane.dispatchEvent(new MouseEvent('click', at));"
               "return document.getElementById('hint').textContent;};"
               "const one = said('elements', '.timed:last-of-type');"
               "const opened = document.querySelectorAll('tr.open').length;"
               "document.querySelector('#costs .dots').setAttribute('d',"
               " document.querySelector('#costs .dots').getAttribute('d').split('M').slice(0, 2)"
               ".join('M'));"
               "const cost = said('costs', '.dots');"
               "return [one.includes('T=4, 16 per thread'), one.includes('GFLOP/s (1076 GCells/s) "
               "measured'), opened, cost.includes('T=1, 16 per thread'),"
               " cost.includes('points computed per useful one')].join(' ')"),
      "true true 1 true true");
}

// A sentence explains why there is no drawing.
TEST_F(BrowserTest, SaysWhyThereAreNoCurves) {
  const char* const notes =
      "return ['elements', 'costs'].map((id) => document.querySelectorAll(`#${id} .chart`).length +"
      "document.querySelector(`#${id} .note`).textContent).join(' ')";
  const auto both = [](const std::string& why) {
    const std::string note = "0Nothing to draw over T, since it is always 1: " + why + ".";
    return note + " " + note;
  };
  Report report = single_sample();
  EXPECT_EQ(found_by(report, notes),
            both("no schedule with another T was ranked (see \u201cNot ranked\u201d)"));
  report.steps = 1;
  EXPECT_EQ(found_by(report, notes), both("the program does one step"));
  report.steps = 100;
  Candidate deeper = report.candidates.front();
  deeper.time_tile = 2;
  deeper.spills = true;
  deeper.chosen = false;
  report.candidates.push_back(deeper);
  EXPECT_EQ(found_by(report, notes), both("schedules with another T are expected to spill"));
  report.by_elements.clear();
  report.by_time_tile.clear();
  const std::string spilled = "0Nothing to draw: every schedule is expected to spill.";
  EXPECT_EQ(found_by(report, notes), spilled + " " + spilled);
}

TEST_F(BrowserTest, RowsCanBeOpenedSortedAndFiltered) {
  const Report report = large_sample(3000);
  EXPECT_EQ(found_by(report,
                     "const rows = () => document.querySelectorAll('#candidates tr.candidate');"
                     "const out = [rows().length];"
                     "document.querySelector('#more button').click(); out.push(rows().length);"
                     "rows()[1].querySelector('.opener').click();"
                     "out.push(document.querySelectorAll('#candidates tr.details h4').length);"
                     "document.querySelectorAll('#candidates thead button')[0].click();"
                     "out.push(rows()[0].dataset.rank);"
                     "document.querySelectorAll('#candidates thead button')[3].click();"
                     "out.push(rows()[0].cells[3].textContent !== '');"
                     "for (const b of document.querySelectorAll('#filters button')) b.click();"
                     "out.push(rows().length);"
                     "document.querySelector('#filters button').click();"
                     "out.push([...rows()].every((r) => r.textContent.includes('streaming')));"
                     "return out.join(' ')"),
            "15 65 4 3000 true 0 true");
}

// The opened row shows the machine code beside the model's numbers, or why it is unknown.
TEST_F(BrowserTest, ShowsTheMachineCode) {
  Report report = jacobi_sample();
  report.candidates[0].code = {{"jacobi_stream", "", {{"in all", 120}, {"shuffles", 8}}, 93.5, 100},
                               {"jacobi_rest", "it has <no> loop", {}, 0, 50}};
  EXPECT_EQ(
      found_by(report,
               "document.querySelector('#candidates tr.candidate .opener').click();"
               "return [...document.querySelectorAll('#candidates tr.details h4')].slice(-2)"
               ".map((h) => h.parentElement.innerText.replace(/\\s+/g, ' ')).join('|')"),
      "Machine code of jacobi_stream, per iteration in all 120 shuffles 8.00 issue slots 93.5 "
      "issue "
      "slots, predicted 100|Machine code of jacobi_rest, per iteration not known it has &lt;no&gt; "
      "loop issue slots, predicted 50.0");
}

TEST_F(BrowserTest, ThePointerFindsCandidates) {
  EXPECT_EQ(
      found_by(
          jacobi_sample(),
          "const plane = document.querySelector('#agreement .plane');"
          "const ring = document.querySelector('#agreement .ring.chosen').getBoundingClientRect();"
          "const at = { clientX: ring.x + ring.width / 2, clientY: ring.y + ring.height / 2,"
          " bubbles: true };"
          "plane.dispatchEvent(new PointerEvent('pointermove', at));"
          "const hint = document.getElementById('hint').textContent;"
          "plane.dispatchEvent(new MouseEvent('click', at));"
          "return hint.includes('rank 3: 1213 predicted, 1076 measured') + ' ' +"
          "document.querySelector('tr.open').dataset.rank"),
      "true 3");
}

TEST_F(BrowserTest, SourcesAreColouredButUnchanged) {
  EXPECT_EQ(found_by(jacobi_sample(),
                     "const code = document.querySelector('#program-source code');"
                     "return [...code.querySelectorAll('.comment')].length + ' ' +"
                     "[...code.querySelectorAll('.word')].slice(0, 3).map((w) => w.textContent)"
                     ".join(' ') + ' ' + code.textContent.length"),
            "2 param integer param " + std::to_string(jacobi_sample().source.size()));
}

TEST_F(BrowserTest, DrawsNothingIfNoScheduleFits) {
  const std::string document = document_of(empty_sample());
  EXPECT_EQ(count(document, "role=\"img\""), 0u);
  EXPECT_EQ(count(document, "id=\"pruned\""), 1u);
}

TEST_F(BrowserTest, TextsOfAProgramAreNeverExecuted) {
  const std::string document =
      document_of(hostile_sample(),
                  "for (const o of document.querySelectorAll('.opener')) o.click(); return ''");
  EXPECT_EQ(count(document, "<title>broken"), 0u);
  EXPECT_EQ(count(document, "<img"), 0u);
  EXPECT_GT(count(document, "&lt;img src=x"), 10u);
  EXPECT_EQ(count(document, "<script"), 3u);  // data, the page's, the test's
}

}  // namespace
}  // namespace stencil::explore

// Random stencil codes in common C styles: ranks 1 to 3, float and double, several array layouts
// and ways to exchange buffers, boundary loops, and coefficients that depend on space or time. Each
// is lifted, which compares it with the original bit for bit. A failure prints the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "runtime/devices/host_library.h"
#include "stencil/lift.h"

namespace stencil::api {
namespace {

enum class Layout { Lengths, Linear, Rows };           // a[n][m], a[i*m+j], (*a)[m]
enum class Turns { CopyBack, Swap, Parity, InPlace };  // how the result becomes the next input

class Code {
 public:
  explicit Code(unsigned seed) : random_(seed) {
    rank_ = 1 + pick(3);
    type_ = pick(2) == 0 ? "float" : "double";
    layout_ = static_cast<Layout>(rank_ == 1 ? 1 : pick(3));
    turns_ = static_cast<Turns>(pick(4));
    if (turns_ == Turns::Swap && layout_ == Layout::Lengths) layout_ = Layout::Rows;
    radius_ = 1 + pick(2);
    profile_ = pick(3) == 0;
    series_ = pick(3) == 0;
    weights_ = pick(3) == 0;
  }

  std::string text() {
    std::string body;
    const std::string from = turns_ == Turns::Parity ? "a" : "a";
    if (pick(2) == 0 && turns_ != Turns::Parity) body += edges("a");
    body += nest("b", radius_, statement());
    const bool flat = layout_ == Layout::Linear && pick(2) == 0;
    if (turns_ == Turns::CopyBack && flat) body += all_elements("a[q] = b[q];");
    if (turns_ == Turns::CopyBack && !flat)
      body += nest("a", pick(2) * radius_, element("a") + " = " + element("b") + ";");
    if (turns_ == Turns::InPlace)
      body += nest("a", radius_,
                   fmt::format("{0} += {1} * ({2} - {0});", element("a"), number(), read("b", 1)));
    if (turns_ == Turns::Swap)
      body += fmt::format("    {} = a;\n    a = b;\n    b = s;\n", swap_declared());
    return fmt::format("{}void step({}) {{\n{}  for (int t = 0; t < steps; {}) {{\n{}  }}\n}}\n",
                       head_, parameters(), "", pick(2) == 0 ? "t++" : "t += 1", body);
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  static std::string index(int d) { return std::string(1, "ijk"[d]); }
  std::string length(int d) const { return std::string(1, "nml"[d]); }

  std::string swap_declared() const {
    if (layout_ == Layout::Rows && rank_ > 1) return fmt::format("{} (*s){}", type_, inner());
    return fmt::format("{} *s", type_);
  }
  std::string inner() const {
    std::string out;
    for (int d = 1; d < rank_; ++d) out += "[" + length(d) + "]";
    return out;
  }

  std::string array(const std::string& name) const {
    if (turns_ == Turns::Parity && name != "w") {
      return layout_ == Layout::Linear ? fmt::format("{} *{}", type_, name)
                                       : fmt::format("{} {}[2][n]{}", type_, name, inner());
    }
    if (layout_ == Layout::Linear) return fmt::format("{} *{}", type_, name);
    if (layout_ == Layout::Rows) return fmt::format("{} (*{}){}", type_, name, inner());
    return fmt::format("{} {}[n]{}", type_, name, inner());
  }

  std::string parameters() const {
    std::string out = "int steps";
    for (int d = 0; d < rank_; ++d) out += ", int " + length(d);
    out += fmt::format(", {} c, {}", type_, array("a"));
    if (turns_ != Turns::Parity) out += ", " + array("b");
    if (weights_) out += ", const " + array("w");
    if (profile_) out += fmt::format(", const {} *p", type_);
    if (series_) out += fmt::format(", const {} *f", type_);
    return out;
  }

  // The element of `name` at an offset from the counters. `buffer_slot`: the subscript of the
  // buffer under Turns::Parity.
  std::string at(const std::string& name, const std::vector<int>& offset,
                 const std::string& buffer_slot) const {
    std::vector<std::string> subscripts;
    for (int d = 0; d < rank_; ++d) {
      const int o = offset[d];
      subscripts.push_back(
          o == 0 ? index(d) : fmt::format("{} {} {}", index(d), o < 0 ? "-" : "+", std::abs(o)));
    }
    const bool copies = turns_ == Turns::Parity && name != "w";
    if (layout_ != Layout::Linear) {
      std::string out = name + (copies ? buffer_slot : "");
      for (const std::string& s : subscripts) out += "[" + s + "]";
      return out;
    }
    std::string sum = copies ? "(" + buffer_slot.substr(1, buffer_slot.size() - 2) + ")" : "";
    for (int d = 0; d < rank_; ++d) {
      sum = sum.empty() ? fmt::format("({})", subscripts[d])
                        : fmt::format("({} * {} + {})", sum, length(d), subscripts[d]);
    }
    return name + "[" + sum + "]";
  }
  std::string element(const std::string& name) const {
    const bool parity = turns_ == Turns::Parity && name == "b";
    return at(parity ? "a" : name, std::vector<int>(static_cast<size_t>(rank_), 0),
              parity ? "[(t + 1) % 2]" : "[t % 2]");
  }
  std::string read(const std::string& name, int reach) {
    std::vector<int> offset(static_cast<size_t>(rank_), 0);
    for (int& o : offset) o = pick(2) == 0 ? 0 : pick(2 * reach + 1) - reach;
    return at(name, offset, "[t % 2]");
  }

  std::string number() {
    constexpr const char* kNumbers[] = {"0.25f", "0.1", "2", "0.3f", "c", "1.5", "c * 0.5f"};
    return kNumbers[pick(7)];
  }

  std::string term() {
    switch (pick(9)) {
      case 0:
        return fmt::format("({} * {})", number(), read("a", radius_));
      case 1:
        return fmt::format("({} > {} ? {} : {})", read("a", radius_), number(), read("a", radius_),
                           read("a", radius_));
      case 2:
        if (weights_) return fmt::format("{} * {}", read("w", radius_), read("a", radius_));
        break;
      case 3:
        if (profile_) return fmt::format("p[{}] * {}", index(rank_ - 1), number());
        break;
      case 4:
        if (series_) return fmt::format("f[t] * {}", read("a", radius_));
        break;
      case 5:
        return fmt::format("fabs({} - {})", read("a", radius_), read("a", radius_));
      case 6:
        return fmt::format("{} / (1 + {} * {})", read("a", radius_), read("a", radius_),
                           read("a", radius_));
      case 7:
        return fmt::format("sqrt(1 + {} * {})", read("a", radius_), read("a", radius_));
      default:
        break;
    }
    return read("a", radius_);
  }

  std::string statement() {
    std::string sum = term();
    const int terms = 1 + pick(5);
    for (int k = 0; k < terms; ++k) sum += fmt::format(" {} {}", pick(3) == 0 ? "-" : "+", term());
    if (turns_ == Turns::Swap && pick(2) == 0) sum += " - " + element("b");
    if (pick(3) == 0) {
      return fmt::format("{{ const {} x = {}; {} = x * {} + {}; }}", type_, sum, element("b"),
                         number(), "x");
    }
    return fmt::format("{} = {};", element("b"), sum);
  }

  std::string nest(const std::string&, int margin, const std::string& inside) {
    std::string out;
    for (int d = 0; d < rank_; ++d) {
      const std::string i = index(d), n = length(d);
      const std::string pad(static_cast<size_t>(4 + 2 * d), ' ');
      switch (pick(3)) {
        case 0:
          out += fmt::format("{0}for (int {1} = {2}; {1} < {3} - {2}; {1}++)\n", pad, i, margin, n);
          break;
        case 1:
          out += fmt::format("{0}for (int {1} = {2}; {1} <= {3} - {4}; ++{1})\n", pad, i, margin, n,
                             margin + 1);
          break;
        default:
          out += fmt::format("{0}for (int {1} = {3} - {4}; {1} >= {2}; {1}--)\n", pad, i, margin, n,
                             margin + 1);
      }
    }
    return out + std::string(static_cast<size_t>(4 + 2 * rank_), ' ') + inside + "\n";
  }

  // One loop over all elements, for any rank.
  std::string all_elements(const std::string& inside) {
    std::string count = length(0);
    for (int d = 1; d < rank_; ++d) count += " * " + length(d);
    return pick(2) == 0 ? fmt::format("    for (int q = 0; q < {}; q++) {}\n", count, inside)
                        : fmt::format("    for (int q = {} - 1; q >= 0; q--) {}\n", count, inside);
  }

  // Sets the first and last plane of the outermost dimension to their neighbours.
  std::string edges(const std::string& name) {
    std::string loops;
    for (int d = 1; d < rank_; ++d)
      loops += fmt::format("    for (int {0} = 0; {0} < {1}; {0}++)\n", index(d), length(d));
    const auto plane = [&](const std::string& where) {
      std::string text = at(name, std::vector<int>(static_cast<size_t>(rank_), 0), "");
      const size_t place = text.find(layout_ == Layout::Linear ? "(i)" : "[i]");
      return text.replace(place + 1, 1, where);
    };
    return fmt::format("{}      {{ {} = {}; {} = {}; }}\n", loops, plane("0"), plane("1"),
                       plane("n - 1"), plane("n - 2"));
  }

  std::mt19937 random_;
  std::string head_ = "#include <math.h>\n";
  int rank_ = 1, radius_ = 1;
  std::string type_;
  Layout layout_ = Layout::Linear;
  Turns turns_ = Turns::CopyBack;
  bool profile_ = false, series_ = false, weights_ = false;
};

TEST(LiftRandom, LiftedProgramsEqualTheOriginals) {
  if (!runtime::HostLibrary::open().ok()) GTEST_SKIP() << "no libstencil_host.so";
  const char* more = std::getenv("STENCIL_LONG");
  const unsigned count = more != nullptr && *more != '\0' ? 500 : 25;
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("stencil_lift_random_{}.c", getpid());
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = Code(seed).text();
    std::ofstream(path) << text;
    LiftOptions options;
    options.seed = seed;
    const auto lifted = lift_source(path.string(), options);
    ASSERT_TRUE(lifted.ok()) << "seed " << seed << "\n" << text << lifted.failure().text();
    ASSERT_TRUE(lifted.value().verified) << "seed " << seed << "\n"
                                         << text << lifted.value().text << lifted.value().proof;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stencil::api

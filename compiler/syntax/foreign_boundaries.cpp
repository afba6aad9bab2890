// Boundary rules under the names that other tools give them: NumPy (pad), SciPy (ndimage), PyTorch,
// OpenCV, Halide, MATLAB, OpenFOAM, AMReX, Clawpack and textbooks. Each hint names the rule that is
// meant, and where its wall lies if several rules may be meant.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/boundary_words.h"
#include "compiler/syntax/foreign.h"
#include "compiler/syntax/token.h"

namespace stencil {
namespace {

// The words are in lower case and without '-' and '_': `zerogradient` also covers zeroGradient,
// zero_gradient and zero-gradient.
struct ForeignRule {
  std::string_view words;  // separated by blanks
  std::string_view hint;
  std::string_view with_value = {};  // the hint if a value follows; empty: the same one
};

constexpr ForeignRule kForeignRules[] = {
    // Values.
    {"dirichlet fixedvalue value extdir",
     "write 'fixed c' for the value c on the edge point, 'antisymmetric' for 0 on a wall half a "
     "cell "
     "beyond the edge point, or 'constant c' for the value c one point beyond the edge"},
    {"zero zeros zeropad", "write 'constant 0', the value of every point beyond the edge"},
    {"fill pad const constantexterior gridconstant borderconstant",
     "write 'constant c', with the value of every point beyond the edge"},
    {"inflow inlet",
     "write 'fixed c' for the value c on the edge point; if it changes in time, c is an expression "
     "of a series"},

    // Slopes.
    {"neumann zeroneumann zerogradient zeroflux noflux insulated adiabatic homogeneousneumann",
     "write 'symmetric' for a slope of 0 on a wall half a cell beyond the edge point ('clamp' is "
     "the same for a radius of 1), or 'mirror' for a wall on the edge point; 'gradient g' gives "
     "the "
     "slope g",
     "write 'gradient g' with the derivative g along the outward normal, for a wall half a cell "
     "beyond the edge point, or 'mirror gradient g' for a wall on the edge point"},
    {"fixedgradient derivative slope flux",
     "write 'gradient g' for the slope g along the outward normal on a wall half a cell beyond the "
     "edge point, or 'mirror gradient g' for a wall on the edge point"},
    {"robin mixed convective",
     "no rule combines a value with a slope: write a piece of its own for the edge points"},

    // Copies and reflections.
    {"edge nearest replicate repeat repeatedge extend copy borderreplicate foextrap",
     "write 'clamp': every point beyond the edge has the value of the edge point"},
    {"reflect",
     "write 'mirror' for a wall on the edge point, as in NumPy, or 'symmetric' for a wall half a "
     "cell beyond the edge point, which is repeated, as in SciPy"},
    {"reflecting reflective reflection wall slip freeslip symmetry symmetryplane even reflecteven "
     "pmc",
     "write 'mirror' for a wall on the edge point, or 'symmetric' for a wall half a cell beyond "
     "the edge point, which is repeated"},
    {"mirrorimage gridmirror borderreflect halfsample",
     "write 'symmetric': the wall lies half a cell beyond the edge point, which is repeated"},
    {"mirrorinterior borderreflect101 reflect101 wholesample",
     "write 'mirror': the wall lies on the edge point, which is not repeated"},
    {"antimirror antireflect reflectodd noslip pec",
     "write 'odd' for a wall on the edge point, or 'antisymmetric' for a wall half a cell beyond "
     "the edge point, which is repeated"},
    {"wrap gridwrap wraparound cyclic circular repeatimage borderwrap torus toroidal",
     "write 'periodic': the point beyond the edge is the first one at the opposite edge"},
    {"skewperiodic twisted bloch floquet",
     "write 'antiperiodic' for a change of sign across a periodic edge; no rule has another phase"},

    // Open edges.
    {"extrapolate extrapolated extrapolation extrap smooth hoextrap",
     "write 'linear', which extrapolates from the edge point and the one next to it"},
    {"open outflow outlet free transmissive",
     "write 'linear', which extrapolates, or 'clamp', which repeats the edge point; both reflect "
     "waves"},
    {"absorbing absorb radiation radiating sommerfeld mur pml cpml sponge damping transparent "
     "nonreflecting",
     "no rule absorbs waves: damp the field in a layer of points inside the edge"},

    {"linearramp maximum minimum mean median",
     "no rule depends on more than a few points: choose 'constant', 'clamp', 'linear' or "
     "'periodic'"},
    {"empty ghost ghosted custom user",
     "write 'none' and compute only points whose neighbours lie on the grid"},
};

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    out.emplace_back(words.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The number at the start of `text`, with its sign; "" if there is none.
std::string number_at(std::string_view text) {
  const auto is_number_byte = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
  };
  size_t end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const size_t point = end < text.size() && text[end] == '.' ? 1 : 0;
  const bool digit =
      end + point < text.size() && std::isdigit(static_cast<unsigned char>(text[end + point])) != 0;
  if (!digit) return "";
  while (end < text.size() && is_number_byte(text[end]) && text.substr(end, 2) != "..") ++end;
  return std::string(text.substr(0, end));
}

// Whether a value other than the number 0 follows a rule at the start of `text`.
bool has_value(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.empty()) return false;
  if (text[0] == '(' || text[0] == '-') return true;
  if (const std::string number = number_at(text); !number.empty()) {
    return number.find_first_of("123456789") != std::string::npos;
  }
  const std::string word(
      text.substr(0, std::min(text.find_first_of(" \t\r\n;,.[](){}*/+-"), text.size())));
  const bool letter = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
  return letter && !is_keyword(word) && !is_boundary_word(word);
}

bool is_rule_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string hint_for_boundary(std::string_view text) {
  if (const std::string number = number_at(text); !number.empty()) {
    return fmt::format(
        "write 'constant {0}' for the value {0} of every point beyond the edge, or 'fixed {0}' for "
        "the value {0} of the edge point",
        number);
  }
  std::string written, word;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool hyphen = c == '-' && at > 0 && at + 1 < text.size() &&
                        std::isalpha(static_cast<unsigned char>(text[at + 1])) != 0;
    if (!is_rule_byte(c) && !hyphen) break;
    written += c;
    if (c != '-' && c != '_') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (word.empty()) return "";
  for (const ForeignRule& row : kForeignRules) {
    const std::vector<std::string> words = split(row.words);
    if (std::find(words.begin(), words.end(), word) == words.end()) continue;
    const bool valued = !row.with_value.empty() && has_value(text.substr(at));
    return std::string(valued ? row.with_value : row.hint);
  }
  const std::string nearest = nearest_name(written, boundary_words());
  return nearest.empty() || nearest == written ? "" : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace stencil

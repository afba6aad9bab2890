// One table serves all options: a row applies only if its meaning is among the candidates.
#include "compiler/support/synonyms.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "compiler/support/diagnostic.h"

namespace stencil {
namespace {

constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    // devices and targets
    {"gpu", "cuda"},
    {"gpu", "hip"},
    {"gpu", "opencl"},
    {"nvidia", "cuda"},
    {"cu", "cuda"},
    {"ptx", "cuda"},
    {"amd", "hip"},
    {"rocm", "hip"},
    {"cl", "opencl"},
    {"ocl", "opencl"},
    {"cpu", "host"},
    {"native", "host"},
    {"openmp", "host"},
    {"cpu", "cpp"},
    {"host", "cpp"},
    {"c", "cpp"},
    {"c++", "cpp"},
    {"cxx", "cpp"},
    {"interpreter", "reference"},
    {"any", "auto"},
    // machines
    {"v100", "sm_75"},
    {"t4", "sm_75"},
    {"a100", "sm_80"},
    {"l40", "sm_89"},
    {"ada", "sm_89"},
    {"h100", "sm_90"},
    {"h200", "sm_90"},
    {"hopper", "sm_90"},
    {"b100", "sm_100"},
    {"b200", "sm_100"},
    {"blackwell", "sm_100"},
    {"mi200", "gfx90a"},
    {"mi210", "gfx90a"},
    {"mi250", "gfx90a"},
    {"mi300", "gfx942"},
    {"mi300x", "gfx942"},
    {"host", "cpu"},
    {"x86", "cpu"},
    {"native", "this"},
    {"auto", "this"},
    // types and floating point
    {"single", "float"},
    {"float32", "float"},
    {"fp32", "float"},
    {"f32", "float"},
    {"float64", "double"},
    {"fp64", "double"},
    {"f64", "double"},
    {"precise", "strict"},
    {"ieee", "strict"},
    {"off", "strict"},
    {"on", "contract"},
    {"fma", "contract"},
    // commands
    {"format", "fmt"},
    {"lint", "check"},
    {"validate", "check"},
    {"test", "verify"},
    {"exec", "run"},
    {"execute", "run"},
    {"convert", "lift"},
    {"import", "lift"},
    {"tune", "explore"},
    {"autotune", "explore"},
    {"completions", "completion"},
    // options
    {"--double", "--real"},
    {"--precision", "--real"},
    {"--dtype", "--real"},
    {"--arch", "--machine"},
    {"--nsteps", "--steps"},
    {"--iterations", "--steps"},
    {"--define", "-D"},
    {"--param", "-D"},
    {"--output", "--out"},
    {"-o", "--out"},
    {"--input", "--in"},
    {"-i", "--in"},
    {"--dry-run", "--check"},
};

}  // namespace

std::string suggest_option(const std::string& word, const std::vector<std::string>& candidates) {
  std::string lower = word;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto is_candidate = [&](std::string_view name) {
    return std::find(candidates.begin(), candidates.end(), name) != candidates.end();
  };
  if (lower != word && is_candidate(lower)) return fmt::format("did you mean '{}'?", lower);
  std::string meanings;
  for (const auto& [other, meant] : kSynonyms) {
    if (other != lower || !is_candidate(meant)) continue;
    meanings += fmt::format("{}'{}'", meanings.empty() ? "" : " or ", meant);
  }
  if (!meanings.empty()) return fmt::format("did you mean {}?", meanings);
  // All options of one letter differ in one letter only.
  const bool letter = word.size() == 2 && word[0] == '-';
  if (!letter) {
    const std::string nearest = nearest_name(word, candidates);
    return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
  }
  const std::string upper = {'-',
                             static_cast<char>(std::toupper(static_cast<unsigned char>(word[1])))};
  return is_candidate(upper) ? fmt::format("did you mean '{}'?", upper) : "";
}

}  // namespace stencil

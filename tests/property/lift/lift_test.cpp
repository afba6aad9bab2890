// Random stencil programs are written as C and lifted. The lifted program must compute the same
// bits as the original.
//
//   property_lift [--programs n] [--first-seed s] [--print seed]
//
// Programs that the C writer cannot express or the lifter refuses are counted by reason, and the
// counts are printed at the end. A lifted program with other results is a failure, which is printed
// with its seed and both texts.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "compiler/support/numbers.h"
#include "runtime/devices/host_library.h"
#include "tests/property/lift/round_trip.h"

namespace stencil::property {
namespace {

// The message without quoted names and numbers.
std::string kind_of(const std::string& what) {
  std::string out;
  bool quoted = false;
  for (const char c : what.substr(0, what.find('\n'))) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) out += c;
  }
  return out.substr(0, 110);
}

struct Counts {
  int programs = 0, same = 0, wrong = 0;
  struct Other {
    int count = 0;
    int64_t first = 0;  // seed
  };
  std::map<std::string, Other> others[3];  // unsayable, refused, unmet
};

void show(const RoundTrip& trip) {
  fmt::print("FAILED: {}\n{}\n{}\n{}\n{}\n", trip.label, trip.text, std::string(60, '-'),
             trip.lifted, trip.what.substr(0, 2000));
}

int main_with(int argc, char** argv) {
  int64_t programs = 25, seed = 1, print = -1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const auto value = parse_integer(argv[i + 1], 0, INT64_MAX);
    if (!value) return 2;
    if (option == "--programs") programs = *value;
    if (option == "--first-seed") seed = *value;
    if (option == "--print") print = *value;
  }
  if (const auto& library = runtime::HostLibrary::open(); !library.ok()) {
    fmt::print("SKIPPED: {}\n", library.failure().message);
    return 77;
  }
  const char* longer = std::getenv("STENCIL_LONG");
  const bool is_long = longer != nullptr && *longer == '1';
  if (is_long) programs *= 20;
  const auto directory =
      std::filesystem::temp_directory_path() / fmt::format("stencil_lift_trip_{}", getpid());
  std::filesystem::create_directories(directory);
  if (print >= 0) {
    show(round_trip(static_cast<uint64_t>(print), directory.string(), true));
    std::filesystem::remove_all(directory);
    return 0;
  }
  Counts counts;
  for (; counts.same < programs && counts.wrong < 5; ++seed) {
    ++counts.programs;
    const bool prove = is_long || seed % 8 == 0;
    const RoundTrip trip = round_trip(static_cast<uint64_t>(seed), directory.string(), prove);
    switch (trip.end) {
      case RoundTrip::End::Same:
        ++counts.same;
        break;
      case RoundTrip::End::Wrong:
        ++counts.wrong;
        show(trip);
        break;
      default: {
        Counts::Other& other = counts.others[static_cast<int>(trip.end) - 1][kind_of(trip.what)];
        if (++other.count == 1) other.first = seed;
      }
    }
  }
  std::filesystem::remove_all(directory);
  constexpr const char* kKinds[] = {"not said in C", "refused", "assumption not met"};
  for (int kind = 0; kind < 3; ++kind) {
    int all = 0;
    for (const auto& [what, count] : counts.others[kind]) all += count.count;
    fmt::print("{}: {}\n", kKinds[kind], all);
    for (const auto& [what, count] : counts.others[kind]) {
      fmt::print("  {:5}  {} (seed {})\n", count.count, what, count.first);
    }
  }
  fmt::print("{} of {} programs came back the same, {} differ\n", counts.same, counts.programs,
             counts.wrong);
  // Refusals are listed above, but most programs that C can express must be lifted.
  int refused = 0;
  for (const auto& [what, count] : counts.others[1]) refused += count.count;
  if (refused > counts.same) fmt::print("FAILED: more programs are refused than come back\n");
  return counts.wrong == 0 && refused <= counts.same ? 0 : 1;
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  setenv("STENCIL_CACHE", "off", 0);
  return stencil::property::main_with(argc, argv);
}

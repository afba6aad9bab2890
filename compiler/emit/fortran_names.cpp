#include "compiler/emit/fortran_names.h"

#include <cctype>

namespace stencil::emit {

namespace {

constexpr size_t kLongest = 63;  // characters of a name

std::string lower(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// At most `room` characters, from both ends, because entry points of a program differ in their
// ends.
std::string shortened(const std::string& name, size_t room) {
  if (name.size() <= room) return name;
  constexpr size_t kTail = 24;
  return name.substr(0, room - kTail - 1) + "_" + name.substr(name.size() - kTail);
}

}  // namespace

// The module uses these names of iso_c_binding.
FortranNames::FortranNames()
    : used_{"iso_c_binding", "c_associated", "c_bool", "c_char",   "c_double",
            "c_f_pointer",   "c_float",      "c_int",  "c_int8_t", "c_int16_t",
            "c_int64_t",     "c_null_ptr",   "c_ptr",  "c_size_t"} {}

const std::string& FortranNames::of(const std::string& c_name) {
  const auto known = known_.find(c_name);
  if (known != known_.end()) return known->second;
  return known_[c_name] = fresh(c_name);
}

std::string FortranNames::fresh(const std::string& wanted) {
  const bool letter = std::isalpha(static_cast<unsigned char>(wanted[0])) != 0;
  const std::string stem = (letter ? "" : "n") + wanted;
  std::string name = shortened(stem, kLongest);
  for (int number = 2; !used_.insert(lower(name)).second; ++number) {
    const std::string ending = "_" + std::to_string(number);
    name = shortened(stem, kLongest - ending.size()) + ending;
  }
  return name;
}

}  // namespace stencil::emit

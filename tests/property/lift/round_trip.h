// Writes a stencil program as C, lifts it, and runs both programs with the reference interpreter.
#pragma once

#include <optional>
#include <string>

#include "tests/property/lift/c_program.h"

namespace stencil::property {

struct RoundTrip {
  enum class End {
    Same,
    Unsayable,  // what: the construct
    Refused,    // what: the code and the message of the lifter
    Unmet,      // what: an assumption of the lifter that these sizes do not meet
    Wrong       // what: the first difference, or why there is nothing to compare
  };
  End end = End::Same;
  std::string what;
  std::string text;    // the C program
  std::string lifted;  // the lifted program
  std::string label;   // style and sizes
};

// `directory`: for the C file. `prove`: the lifter also compares its program with the C program.
RoundTrip round_trip(uint64_t seed, const std::string& directory, bool prove);

}  // namespace stencil::property

// Diagnostics as values. Stages append to a Diagnostics list and never print; a single formatter
// renders.
//
// Codes: P0xx syntax, S0xx semantics, L0xx lowering refusals, K0xx kernel verification,
// R0xx run time (files, devices), U0xx command-line usage, C0xx lifting. docs/reference/errors.md
// lists them all.
#pragma once

#include <string>
#include <vector>

#include "compiler/support/source.h"

namespace stencil {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;      // "S031"
  Span span;             // invalid: the message concerns no place in the file
  std::string message;   // lower-case start, no final full stop
  std::string expected;  // optional
  std::string found;     // optional
  std::string hint;      // optional

  struct Related {  // another place that matters ("first declared here")
    Span span;
    std::string message;
  };
  std::vector<Related> related;
};

class Diagnostics {
 public:
  // Appends and returns the new diagnostic, so that the caller can fill in expected/found/hint:
  //   diagnostics.error("S010", span, "unknown field 'B'").hint = "did you mean 'A'?";
  // The reference is valid until the next append.
  Diagnostic& error(std::string code, Span span, std::string message);
  Diagnostic& warning(std::string code, Span span, std::string message);
  void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }

  bool has_errors() const;
  const std::vector<Diagnostic>& items() const { return items_; }

  // Orders by place in the file (stable); diagnostics without a place come first.
  void sort_by_place();

 private:
  std::vector<Diagnostic> items_;
};

// The text shown to users:
//
//   heat.stn:12:5: error S031: access leaves the grid
//      12 |   A[-2] + A[0]
//         |   ^~~~~
//         = expected: an index of at least 0
//         = found: -1, for i = 1
//         = hint: start the region at 2
//
// A span over several lines is underlined on its first line. Ends with a newline.
std::string render(const Source& source, const Diagnostic& diagnostic);
std::string render(const Source& source, const Diagnostics& diagnostics);

// The candidate closest to `name` in edit distance, if it is close enough for a typing error; else
// "".
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace stencil

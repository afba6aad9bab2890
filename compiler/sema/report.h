// Collects the diagnostics of semantic analysis. At each place, a code is reported only once, even
// if the place is visited several times. The body of a comprehension is elaborated once for each
// iteration, and the body of a function once for each application.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/support/diagnostic.h"

namespace stencil::sema {

inline bool contains(Span outer, Span inner) {
  return inner.valid() && outer.begin <= inner.begin && inner.end <= outer.end;
}

class Report {
 public:
  Report(Diagnostics& diagnostics, const Source& source)
      : diagnostics_(diagnostics), source_(source) {}

  // Both functions return the diagnostic, which the caller completes. For a repeated diagnostic,
  // they return a dummy that is never reported.
  Diagnostic& error(const char* code, Span span, std::string message) {
    failed_ = true;
    if (!fresh(code, span)) return repeated_ = Diagnostic{};
    Diagnostic& added = diagnostics_.error(code, span, std::move(message));
    if (at_.span.valid()) added.related.push_back(at_);
    return added;
  }
  Diagnostic& warning(const char* code, Span span, std::string message) {
    if (!fresh(code, span)) return repeated_ = Diagnostic{};
    return diagnostics_.warning(code, span, std::move(message));
  }

  // Drops S004 for names within `span`, where another error explains the whole text. This includes
  // errors that have been reported already.
  void explain_names(Span span) { explained_.push_back(span); }
  bool is_explained(const Diagnostic& diagnostic) const {
    return diagnostic.code == "S004" &&
           std::any_of(explained_.begin(), explained_.end(),
                       [&](Span span) { return contains(span, diagnostic.span); });
  }

  // From now on, errors also name this place. With an invalid span, they do not.
  void at(Diagnostic::Related place) { at_ = std::move(place); }

  // The text at `span`, for hints that quote the program.
  std::string text(Span span) const { return std::string(source_.text(span)); }

  bool failed() const { return failed_; }  // whether an error has been reported

 private:
  bool fresh(const char* code, Span span) {
    return !span.valid() || seen_.emplace(code, span.begin, span.end).second;
  }

  Diagnostics& diagnostics_;
  const Source& source_;
  Diagnostic repeated_;
  Diagnostic::Related at_;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> seen_;
  std::vector<Span> explained_;
  bool failed_ = false;
};

}  // namespace stencil::sema

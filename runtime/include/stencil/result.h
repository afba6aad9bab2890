// Errors as values, with an exception for callers who prefer one.
//
//   auto program = stencil::Program::from_file("heat.stn");
//   if (!program.ok()) { std::cerr << program.failure().text(); return 1; }
//
//   auto program = stencil::Program::from_file("heat.stn").or_throw();  // or stencil::Error
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "stencil/version.h"

namespace stencil {

// Why an operation failed.
struct Failure {
  std::string code;     // "R020"; docs/reference/errors.md lists them all
  std::string message;  // lower-case start, no final full stop; names the field, file or device
  std::string hint;     // what to do; may be empty
  // If the program has errors: every message with its place and source line. Empty otherwise; the
  // log of a device's compiler and the source it compiled are part of `message`.
  std::string diagnostics = {};

  // The whole failure as text for users: several lines, ending in a newline.
  std::string text() const {
    if (!diagnostics.empty()) return diagnostics;
    std::string out = "error" + (code.empty() ? code : " " + code) + ": " + message + "\n";
    if (!hint.empty()) out += "  hint: " + hint + "\n";
    return out;
  }
};

// A Failure as an exception. what() is Failure::text().
class STENCIL_API Error : public std::runtime_error {
 public:
  explicit Error(Failure failure)
      : std::runtime_error(failure.text()), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return state_.index() == 0; }
  // Requires ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  // Requires !ok().
  const Failure& failure() const { return std::get<1>(state_); }

  // Returns the value; throws Error on failure.
  T or_throw() && {
    if (!ok()) throw Error(failure());
    return std::get<0>(std::move(state_));
  }
  const T& or_throw() const& {
    if (!ok()) throw Error(failure());
    return value();
  }

 private:
  std::variant<T, Failure> state_;
};

// The result of an operation without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace stencil

// The value of a Result. If the Result is a failure, the enclosing function, which returns a
// Result, returns that failure.
//
//   auto program = STENCIL_TRY(stencil::Program::from_file("heat.stn"));
//
// This is a statement expression, an extension of GCC and Clang. The value is moved out of a
// temporary and copied from a variable.
#define STENCIL_TRY(...)                                          \
  __extension__({                                                 \
    auto&& stencil_tried = (__VA_ARGS__);                         \
    if (!stencil_tried.ok()) return stencil_tried.failure();      \
    std::forward<decltype(stencil_tried)>(stencil_tried).value(); \
  })

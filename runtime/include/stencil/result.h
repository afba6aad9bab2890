// Errors as values, and the exception that they become where a caller wants one.
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

// Why something could not be done.
struct Failure {
  std::string code;     // "R020"; docs/errors.md lists them all
  std::string message;  // lower-case start, no final full stop; names the field, file or device
  std::string hint;     // what to do about it; may be empty
  // For a program in error: every message with its place and its line of the source. Empty
  // otherwise; the log of a device's compiler and the source it saw are part of `message`.
  std::string diagnostics = {};

  // All of it, to show to a user: several lines, the last one ended.
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

// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return state_.index() == 0; }
  // Only if ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  // Only if not ok().
  const Failure& failure() const { return std::get<1>(state_); }

  // The value; throws Error if there is none.
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

// The result of what is done for its effect.
struct Done {};
using Status = Result<Done>;

}  // namespace stencil

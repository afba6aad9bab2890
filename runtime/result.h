// Errors of the run-time layer as values.
//
// Codes: R010 a file cannot be read, R011 a file cannot be written, R020 a damaged .npy file,
// R021 an .npy file of a kind that is not supported, R022 a shape that does not match the field,
// R023 values that the field's type cannot hold, R024 a field that has no .npy form, R030 an image
// that cannot be made. docs/errors.md lists them all.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace stencil::runtime {

struct Failure {
  std::string code;     // "R020"
  std::string message;  // lower-case start, no final full stop; names the file or device
  std::string hint;     // may be empty
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

 private:
  std::variant<T, Failure> state_;
};

// The result of what is done for its effect.
struct Done {};
using Status = Result<Done>;

}  // namespace stencil::runtime

// Records which third-party library this process is calling.
//
// Some libraries end the process instead of returning an error: LLVM and the compilers in OpenCL
// implementations call abort() when memory runs out. This cannot be prevented, but a signal handler
// can name the library.
#pragma once

namespace stencil::runtime {

struct ForeignFunction {
  const char* library;  // for messages: "the OpenCL implementation"
  const char* name;
};

// Marks `function`, which must have static lifetime, as being called. If several threads are in
// libraries at once, the last one to enter counts.
class ForeignCall {
 public:
  explicit ForeignCall(const ForeignFunction& function) noexcept;
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;
  ~ForeignCall();

 private:
  const ForeignFunction* before_;
};

// The function being called; null if none. Async-signal-safe.
const ForeignFunction* foreign_call() noexcept;

}  // namespace stencil::runtime

// Which library of somebody else's this process is in.
//
// Some libraries end the process where they should return an error: compilers within OpenCL
// implementations and LLVM call abort() when memory runs out. Nothing can be done about that here,
// but a handler of the signal can say who it was.
#pragma once

namespace stencil::runtime {

struct ForeignFunction {
  const char* library;  // for messages: "the OpenCL implementation"
  const char* name;
};

// While it lives, `function`, which lives as long as the process, is being called. Where several
// threads are in libraries at once, the last to enter counts.
class ForeignCall {
 public:
  explicit ForeignCall(const ForeignFunction& function) noexcept;
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;
  ~ForeignCall();

 private:
  const ForeignFunction* before_;
};

// What is being called; null: nothing. May be called in a signal handler.
const ForeignFunction* foreign_call() noexcept;

}  // namespace stencil::runtime

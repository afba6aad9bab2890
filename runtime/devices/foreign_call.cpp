#include "runtime/devices/foreign_call.h"

#include <atomic>

namespace stencil::runtime {

namespace {

std::atomic<const ForeignFunction*> current{nullptr};
static_assert(std::atomic<const ForeignFunction*>::is_always_lock_free);

}  // namespace

ForeignCall::ForeignCall(const ForeignFunction& function) noexcept
    : before_(current.exchange(&function)) {}

ForeignCall::~ForeignCall() {
  current = before_;
}

const ForeignFunction* foreign_call() noexcept {
  return current;
}

}  // namespace stencil::runtime

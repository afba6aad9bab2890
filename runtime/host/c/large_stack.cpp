#include "runtime/host/c/large_stack.h"

#include <pthread.h>

#include <exception>

namespace stencil::host {

void with_large_stack(const std::function<void()>& work) {
  std::exception_ptr thrown;
  const std::function<void()> guarded = [&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  // Reserves address space; pages are allocated when they are used.
  constexpr size_t kBytes = size_t{1} << 30;
  pthread_attr_t attributes;
  pthread_t thread;
  const auto body = [](void* of) -> void* {
    (*static_cast<const std::function<void()>*>(of))();
    return nullptr;
  };
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kBytes) == 0 &&
              pthread_create(&thread, &attributes, body,
                             const_cast<void*>(static_cast<const void*>(&guarded))) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    guarded();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace stencil::host

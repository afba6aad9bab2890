// Differences between the C++ interfaces of LLVM and Clang 16 to 20. The other files of this folder
// use these functions and compile with each of these versions.
//
// `requires` selects a call by its signature if the change came between two releases.
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#if LLVM_VERSION_MAJOR < 16 || LLVM_VERSION_MAJOR > 20
#error "stencilc needs LLVM and Clang 16 to 20"
#endif

namespace stencil::host {

// The instruction sets of this CPU, by name.
inline llvm::StringMap<bool> features_of_cpu() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

// Since version 20 the caller passes the file system that diagnostics are logged to. Nothing is
// logged, so it is empty.
template <class Instance>
void create_diagnostics(Instance& instance, clang::DiagnosticConsumer* to, bool owned) {
  llvm::vfs::InMemoryFileSystem none;
  if constexpr (requires { instance.createDiagnostics(none, to, owned); }) {
    instance.createDiagnostics(none, to, owned);
  } else {
    instance.createDiagnostics(to, owned);
  }
}

// Passes of our own can be added since version 19.
template <class Options>
void add_passes(Options& options, void (*add)(llvm::PassBuilder&)) {
  if constexpr (requires { options.PassBuilderCallbacks; }) {
    options.PassBuilderCallbacks.emplace_back(add);
  }
}

// ---- the linker of compiled kernels

#if LLVM_VERSION_MAJOR >= 17
using JitSymbol = llvm::orc::ExecutorSymbolDef;
#else
using JitSymbol = llvm::JITEvaluatedSymbol;
#endif

template <class F>
JitSymbol jit_symbol(F* function) {
  const auto flags = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
#if LLVM_VERSION_MAJOR >= 17
  return {llvm::orc::ExecutorAddr::fromPtr(function), flags};
#else
  return {llvm::pointerToJITTargetAddress(function), flags};
#endif
}

// Before version 17, symbols of the process were never linked by default.
inline void link_no_process_symbols([[maybe_unused]] llvm::orc::LLJITBuilder& builder) {
#if LLVM_VERSION_MAJOR >= 17
  builder.setLinkProcessSymbolsByDefault(false);
#endif
}

// ---- debug information

#if LLVM_VERSION_MAJOR >= 17
constexpr auto kDebugInfoWithTypes = llvm::codegenoptions::LimitedDebugInfo;
#else
constexpr auto kDebugInfoWithTypes = clang::codegenoptions::LimitedDebugInfo;
#endif

}  // namespace stencil::host

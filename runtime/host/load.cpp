// One LLJIT per program, used as a linker only. Kernels see a fixed list of functions, all from the
// process's C library, which the interpreter calls too: so transcendental functions have its bits.
// Everything is resolved at once; a name that is not on the list fails here and not in a run.
#include "runtime/host/load.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstring>

#include "runtime/host/compile.h"

namespace stencil::host {

namespace {

using llvm::orc::ExecutorAddr;
using llvm::orc::ExecutorSymbolDef;
using llvm::orc::LLJIT;

using FloatFunction = float (*)(float);
using Function = double (*)(double);
using FloatFunction2 = float (*)(float, float);
using Function2 = double (*)(double, double);
using FloatFunction3 = float (*)(float, float, float);
using Function3 = double (*)(double, double, double);

template <class F>
ExecutorSymbolDef address(F* function) {
  return {ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

llvm::orc::SymbolMap library(LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, ExecutorSymbolDef symbol) {
    symbols[jit.mangleAndIntern(name)] = symbol;
  };
  add("expf", address(FloatFunction(::expf)));
  add("logf", address(FloatFunction(::logf)));
  add("sinf", address(FloatFunction(::sinf)));
  add("cosf", address(FloatFunction(::cosf)));
  add("tanf", address(FloatFunction(::tanf)));
  add("tanhf", address(FloatFunction(::tanhf)));
  add("sqrtf", address(FloatFunction(::sqrtf)));
  add("floorf", address(FloatFunction(::floorf)));
  add("ceilf", address(FloatFunction(::ceilf)));
  add("powf", address(FloatFunction2(::powf)));
  add("fmodf", address(FloatFunction2(::fmodf)));
  add("fmaf", address(FloatFunction3(::fmaf)));
  add("exp", address(Function(::exp)));
  add("log", address(Function(::log)));
  add("sin", address(Function(::sin)));
  add("cos", address(Function(::cos)));
  add("tan", address(Function(::tan)));
  add("tanh", address(Function(::tanh)));
  add("sqrt", address(Function(::sqrt)));
  add("floor", address(Function(::floor)));
  add("ceil", address(Function(::ceil)));
  add("pow", address(Function2(::pow)));
  add("fmod", address(Function2(::fmod)));
  add("fma", address(Function3(::fma)));
  // Compilers may call these for any copy or initialisation.
  add("memcpy", address(&std::memcpy));
  add("memmove", address(&std::memmove));
  add("memset", address(&std::memset));
  return symbols;
}

struct Program : StencilHostProgram {
  std::unique_ptr<LLJIT> jit;

  StencilHostKernel find(const char* name) override {
    auto symbol = jit->lookup(name);
    if (symbol) return symbol->toPtr<StencilHostKernel>();
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
};

llvm::Error link(LLJIT& jit, const std::string& object) {
  jit.getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  auto& kernels = jit.getMainJITDylib();
  if (auto error = kernels.define(llvm::orc::absoluteSymbols(library(jit)))) return error;
  return jit.addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernels.o"));
}

}  // namespace

std::unique_ptr<StencilHostProgram> load(const std::string& object, std::string& error) {
  initialise();
  auto jit = llvm::orc::LLJITBuilder()
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) {
    error = llvm::toString(jit.takeError());
    return nullptr;
  }
  if (auto failed = link(**jit, object)) {
    error = llvm::toString(std::move(failed));
    return nullptr;
  }
  auto program = std::make_unique<Program>();
  program->jit = std::move(*jit);
  return program;
}

}  // namespace stencil::host

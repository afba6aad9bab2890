// Each program has its own LLJIT, which is used only as a linker. Kernels can use a fixed list of
// functions from the C library of the process. The interpreter also calls these functions, so
// transcendental functions give equal bits. All symbols are resolved at once, so an unknown name
// fails here and not during a run.
#include "runtime/host/load.h"

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstring>

#include "runtime/host/compile.h"
#include "runtime/host/llvm_versions.h"

namespace stencil::host {

namespace {

using llvm::orc::LLJIT;

using FloatFunction1 = float (*)(float);
using Function1 = double (*)(double);
using FloatFunction2 = float (*)(float, float);
using Function2 = double (*)(double, double);
using FloatFunction3 = float (*)(float, float, float);
using Function3 = double (*)(double, double, double);

llvm::orc::SymbolMap library(LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, JitSymbol symbol) {
    symbols[jit.mangleAndIntern(name)] = symbol;
  };
#define STENCIL_FUNCTION(op, name, operands)                      \
  add(#name "f", jit_symbol(FloatFunction##operands(::name##f))); \
  add(#name, jit_symbol(Function##operands(::name)));
#include "compiler/support/functions.def"
  add("sqrtf", jit_symbol(FloatFunction1(::sqrtf)));
  add("floorf", jit_symbol(FloatFunction1(::floorf)));
  add("ceilf", jit_symbol(FloatFunction1(::ceilf)));
  add("roundf", jit_symbol(FloatFunction1(::roundf)));
  add("truncf", jit_symbol(FloatFunction1(::truncf)));
  add("round", jit_symbol(Function1(::round)));
  add("trunc", jit_symbol(Function1(::trunc)));
  add("fmodf", jit_symbol(FloatFunction2(::fmodf)));
  add("fmaf", jit_symbol(FloatFunction3(::fmaf)));
  add("sqrt", jit_symbol(Function1(::sqrt)));
  add("floor", jit_symbol(Function1(::floor)));
  add("ceil", jit_symbol(Function1(::ceil)));
  add("fmod", jit_symbol(Function2(::fmod)));
  add("fma", jit_symbol(Function3(::fma)));
  // Compilers may emit calls of these functions for any copy or initialisation.
  add("memcpy", jit_symbol(&std::memcpy));
  add("memmove", jit_symbol(&std::memmove));
  add("memset", jit_symbol(&std::memset));
  return symbols;
}

// In C, fmax(0.0, -0.0) may return either zero. Lifted programs use select(x != x, y, max(x, y)).
// The original code is linked to the functions below, which return the zero that this expression
// gives.
template <class T>
T larger(T x, T y) {
  return x != x || x < y ? y : x;
}
template <class T>
T smaller(T x, T y) {
  return x != x || y < x ? y : x;
}

void choose_zeros(LLJIT& jit, llvm::orc::SymbolMap& symbols) {
  symbols[jit.mangleAndIntern("fmax")] = jit_symbol(&larger<double>);
  symbols[jit.mangleAndIntern("fmaxf")] = jit_symbol(&larger<float>);
  symbols[jit.mangleAndIntern("fmin")] = jit_symbol(&smaller<double>);
  symbols[jit.mangleAndIntern("fminf")] = jit_symbol(&smaller<float>);
}

// Replaces undefined symbols of a C file. They are functions of other files, which the lifted code
// does not call.
long absent() {
  return 0;
}

class Absent : public llvm::orc::DefinitionGenerator {
 public:
  llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind, llvm::orc::JITDylib& to,
                            llvm::orc::JITDylibLookupFlags,
                            const llvm::orc::SymbolLookupSet& names) override {
    llvm::orc::SymbolMap symbols;
    for (const auto& [name, flags] : names) symbols[name] = jit_symbol(&absent);
    return to.define(llvm::orc::absoluteSymbols(std::move(symbols)));
  }
};

struct Program : StencilHostProgram {
  std::unique_ptr<LLJIT> jit;

  StencilHostKernel find(const char* name) override {
    auto symbol = jit->lookup(name);
    if (symbol) return symbol->toPtr<StencilHostKernel>();
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
};

llvm::Error link(LLJIT& jit, const std::string& object, bool open) {
  jit.getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  auto& kernels = jit.getMainJITDylib();
  llvm::orc::SymbolMap symbols = library(jit);
  if (open) choose_zeros(jit, symbols);
  if (auto error = kernels.define(llvm::orc::absoluteSymbols(std::move(symbols)))) return error;
  return jit.addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernels.o"));
}

}  // namespace

std::unique_ptr<StencilHostProgram> load(const std::string& object, std::string& error, bool open) {
  initialise();
  llvm::orc::LLJITBuilder builder;
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  link_no_process_symbols(builder);
  auto jit = builder.create();
  if (!jit) {
    error = llvm::toString(jit.takeError());
    return nullptr;
  }
  if (open) {
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        (*jit)->getDataLayout().getGlobalPrefix());
    if (!process) {
      error = llvm::toString(process.takeError());
      return nullptr;
    }
    (*jit)->getMainJITDylib().addGenerator(std::move(*process));
    // A program may link libstdc++ statically, which hides the symbols of that library.
    auto cpp = llvm::orc::DynamicLibrarySearchGenerator::Load(
        "libstdc++.so.6", (*jit)->getDataLayout().getGlobalPrefix());
    if (cpp) {
      (*jit)->getMainJITDylib().addGenerator(std::move(*cpp));
    } else {
      llvm::consumeError(cpp.takeError());
    }
    (*jit)->getMainJITDylib().addGenerator(std::make_unique<Absent>());
  }
  if (auto failed = link(**jit, object, open)) {
    error = llvm::toString(std::move(failed));
    return nullptr;
  }
  auto program = std::make_unique<Program>();
  program->jit = std::move(*jit);
  return program;
}

}  // namespace stencil::host

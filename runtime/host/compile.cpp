// Uses Clang as a function. A CompilerInstance reads the source from memory, sees an empty file
// system, and writes the object to memory. The options are those of the compiler proper, `clang
// -cc1`. The driver would only search for headers and a linker, which are not needed.
//
// Reproducibility. Contraction is off unless --fp=fast. Even with --fp=fast, NaN and infinities
// follow the language. The compiler must therefore not assume their absence. It also must not
// refine divisions and roots from estimates, because that turns x / 0 and x / infinity into NaN. C
// library functions are not builtins: LLVM folds calls with known arguments in double, which may
// give other bits than sinf. For operations that the CPU rounds correctly (sqrt, fma, floor), the
// source uses builtins explicitly. No function sets errno, so square roots can be vectorised.
#include "runtime/host/compile.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/host/llvm_versions.h"
#include "runtime/host/mask_selects.h"

// Distributions link the Polly plugin into Clang, so Clang references this function. The library of
// Polly is in a separate package, and its passes are off by default. This stub replaces it.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder&) {}};
}

namespace stencil::host {

namespace {

// The features of this CPU, such as "+avx2" and "-sse4a", in a fixed order.
const std::vector<std::string>& features() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> out;
    for (const auto& feature : features_of_cpu()) {
      out.push_back((feature.second ? "+" : "-") + feature.first().str());
    }
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
      return a.compare(1, a.npos, b, 1, b.npos) < 0;
    });
    return out;
  }();
  return list;
}

// Sources with at least this many characters are compiled without unrolling loops. The time of
// LLVM's unroller and of the passes after it grows with the square of a function's length: a kernel
// of `planes` with 460,000 characters takes 7 s instead of 31 s. Such kernels consist of many long
// loops, which do not gain from unrolling.
constexpr size_t kLongSource = 150000;

std::vector<std::string> arguments(const StencilHostOptions& options, size_t characters) {
  std::vector<std::string> list = {"-triple", llvm::sys::getProcessTriple(), "-target-cpu",
                                   llvm::sys::getHostCPUName().str()};
  for (const std::string& feature : features()) {
    list.insert(list.end(), {"-target-feature", feature});
  }
  list.insert(list.end(), {"-x", "c++", "-std=c++17", "-ffreestanding", "-fno-builtin",
                           "-nostdsysteminc", "-nobuiltininc", "-mrelocation-model", "pic",
                           "-pic-level", "2", "-mframe-pointer=none",
                           // The verifier would only check the output of Clang.
                           "-disable-llvm-verifier"});
  list.push_back("-O" + std::to_string(options.optimisation));
  if (options.optimisation >= 2) {
    list.insert(list.end(), {"-vectorize-loops", "-vectorize-slp"});
  }
  if (characters >= kLongSource) list.push_back("-fno-unroll-loops");
  if (options.fast != 0) {
    list.insert(list.end(), {"-fapprox-func", "-fno-signed-zeros", "-mreassociate",
                             "-freciprocal-math", "-mrecip=none", "-ffp-contract=fast"});
  } else {
    list.push_back("-ffp-contract=off");
  }
  return list;
}

// Makes the front-end action, which writes to the output stream of the instance.
std::unique_ptr<clang::FrontendAction> action(int32_t form) {
  if (form == kStencilHostIr) return std::make_unique<clang::EmitLLVMAction>();
  return std::make_unique<clang::EmitObjAction>();
}

}  // namespace

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

Compiled compile(const std::string& source, const StencilHostOptions& options) {
  initialise();
  std::string log;
  llvm::raw_string_ostream log_stream(log);
  llvm::SmallVector<char, 0> output;

  const std::vector<std::string> words = arguments(options, source.size());
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());

  const auto style = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::CompilerInstance instance;
  create_diagnostics(instance, new clang::TextDiagnosticPrinter(log_stream, style.get()), true);
  if (!instance.hasDiagnostics()) return {false, "no diagnostics"};
  instance.getDiagnostics().setIgnoreAllWarnings(true);  // the flag -w would take effect too late
  instance.setVerboseOutputStream(log_stream);           // receives "1 error generated."
  if (!clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), pointers,
                                                 instance.getDiagnostics())) {
    return {false, log_stream.str()};
  }
  add_passes(instance.getCodeGenOpts(), end_with_vector_conditions);
  const llvm::MemoryBufferRef text(source, "kernels.cpp");
  instance.getFrontendOpts().Inputs = {
      clang::FrontendInputFile(text, clang::InputKind(clang::Language::CXX))};
  instance.createFileManager(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>());
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(output));
  const std::unique_ptr<clang::FrontendAction> made = action(options.form);
  if (!instance.ExecuteAction(*made)) return {false, log_stream.str()};
  return {true, std::string(output.data(), output.size())};
}

bool is_own_clang() {
  return clang::getClangFullVersion().find(CLANG_VERSION_STRING) != std::string::npos;
}

const std::string& description() {
  static const std::string text =
      "Clang " CLANG_VERSION_STRING " for " + llvm::sys::getHostCPUName().str();
  return text;
}

const std::string& target() {
  static const std::string text = [] {
    std::string out = clang::getClangFullVersion() + " " + llvm::sys::getProcessTriple() + " " +
                      llvm::sys::getHostCPUName().str();
    for (const std::string& feature : features()) out += " " + feature;
    return out;
  }();
  return text;
}

}  // namespace stencil::host

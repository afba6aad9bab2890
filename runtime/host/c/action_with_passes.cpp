// Since version 17 the code-generation options contain functions that extend the pass pipeline.
// Clang 16 has no such functions. There, Clang only generates LLVM IR, and the three steps (the
// first passes, LLVM's optimisation, the last passes) run one after the other on the module.
// Clang's back end is called twice: once to optimise without output, once to emit without
// optimisation.
#include "runtime/host/c/action_with_passes.h"

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/Passes/PassBuilder.h>

#if LLVM_VERSION_MAJOR < 17
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <llvm/IR/Module.h>
#endif

namespace stencil::host {

#if LLVM_VERSION_MAJOR >= 17

bool ActionWithPasses::BeginInvocation(clang::CompilerInstance& compiler) {
  compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([this](llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [this](llvm::ModulePassManager& passes, auto&&...) { add_first(passes); });
    builder.registerOptimizerLastEPCallback(
        [this](llvm::ModulePassManager& passes, auto&&...) { add_last(passes); });
  });
  return ActionOfPasses::BeginInvocation(compiler);
}

#else

namespace {

void run(llvm::ModulePassManager& passes, llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passes.run(module, modules);
}

}  // namespace

bool ActionWithPasses::BeginInvocation(clang::CompilerInstance& compiler) {
  compiler.getCodeGenOpts().DisableLLVMPasses = true;
  return ActionOfPasses::BeginInvocation(compiler);
}

std::unique_ptr<clang::ASTConsumer> ActionWithPasses::CreateASTConsumer(
    clang::CompilerInstance& compiler, llvm::StringRef file) {
  output_ = compiler.takeOutputStream();
  return ActionOfPasses::CreateASTConsumer(compiler, file);
}

void ActionWithPasses::EndSourceFileAction() {
  ActionOfPasses::EndSourceFileAction();
  const std::unique_ptr<llvm::Module> module = takeModule();
  clang::CompilerInstance& compiler = getCompilerInstance();
  if (!module || compiler.getDiagnostics().hasErrorOccurred()) return;
  clang::CodeGenOptions code = compiler.getCodeGenOpts();
  const auto back_end = [&](clang::BackendAction action, bool optimise,
                            std::unique_ptr<llvm::raw_pwrite_stream> output) {
    code.DisableLLVMPasses = !optimise;
    clang::EmitBackendOutput(compiler.getDiagnostics(), compiler.getHeaderSearchOpts(), code,
                             compiler.getTargetOpts(), compiler.getLangOpts(),
                             compiler.getTarget().getDataLayoutString(), module.get(), action,
                             std::move(output));
  };
  llvm::ModulePassManager first, last;
  add_first(first);
  run(first, *module);
  back_end(clang::Backend_EmitNothing, true, nullptr);
  add_last(last);
  run(last, *module);
  back_end(clang::Backend_EmitObj, false, std::move(output_));
}

#endif

}  // namespace stencil::host

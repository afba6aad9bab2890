// A front-end action that emits an object and runs passes before and after LLVM's optimisation.
#pragma once

#include <clang/CodeGen/CodeGenAction.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

namespace stencil::host {

#if LLVM_VERSION_MAJOR >= 17
using ActionOfPasses = clang::EmitObjAction;
#else
using ActionOfPasses = clang::EmitLLVMOnlyAction;
#endif

class ActionWithPasses : public ActionOfPasses {
 protected:
  virtual void add_first(llvm::ModulePassManager& passes) = 0;
  virtual void add_last(llvm::ModulePassManager& passes) = 0;

  // A class that overrides one of these functions must also call it.
  bool BeginInvocation(clang::CompilerInstance& compiler) override;
#if LLVM_VERSION_MAJOR < 17
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override;
  void EndSourceFileAction() override;

 private:
  std::unique_ptr<llvm::raw_pwrite_stream> output_;
#endif
};

}  // namespace stencil::host

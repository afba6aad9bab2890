#include "runtime/host/mask_selects.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace stencil::host {
namespace {

bool chooses_constant_mask(const llvm::Instruction& instruction) {
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  if (!select || select->getCondition()->getType()->isVectorTy()) return false;
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(select->getType());
  return type && type->getElementType()->isIntegerTy(1) &&
         llvm::isa<llvm::Constant>(select->getTrueValue()) &&
         llvm::isa<llvm::Constant>(select->getFalseValue());
}

class MaskSelects : public llvm::PassInfoMixin<MaskSelects> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    std::vector<llvm::SelectInst*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (chooses_constant_mask(instruction)) {
        found.push_back(llvm::cast<llvm::SelectInst>(&instruction));
      }
    }
    for (llvm::SelectInst* select : found) {
      llvm::IRBuilder<> builder(select);
      const auto* type = llvm::cast<llvm::FixedVectorType>(select->getType());
      select->setCondition(
          builder.CreateVectorSplat(type->getNumElements(), select->getCondition()));
    }
    if (found.empty()) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace

void end_with_vector_conditions(llvm::PassBuilder& builder) {
  // Since version 20 the callback has a third parameter.
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, auto...) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(MaskSelects()));
  });
}

}  // namespace stencil::host

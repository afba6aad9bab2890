// The sequence of passes, all on LLVM IR:
//
//   1. All functions except the entry become internal, and unreachable code is removed.
//      Branches of functions that are never called therefore do not count.
//   2. Functions of system headers that take and return numbers (std::max) are inlined.
//      Each of their decisions then belongs to a call in the user's file. Other code of system
//      headers, such as the growth of a std::vector, is not observed.
//   3. Each outcome gets a flag (a global variable) and a block that sets the flag.
//   4. LLVM optimises as usual. If the optimiser proves that an outcome cannot occur, as for
//      `if (DEBUG)` with a constant, it removes the store to the flag. The outcome then does
//      not count. Stores to separate globals are never merged; stores to one array would be.
//   5. The table of outcomes and their places becomes part of the object. It also lists conditions
//      that Clang folds before it generates LLVM IR, with the prefix "folded " (folded.h). These
//      have no flags.
//
// An outcome does not count either if the function cannot return afterwards (a failed assert,
// exit).
#include "runtime/host/c/outcomes.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/host/c/action_with_passes.h"
#include "runtime/host/c/folded.h"
#include "runtime/host/interface.h"
#include "runtime/host/llvm_versions.h"

namespace stencil::host {

namespace {

using namespace llvm;

constexpr StringRef kFlag = "stencil_lift_flag_";
constexpr StringRef kSeen = STENCIL_LIFT_SEEN;
constexpr StringRef kUndefined = STENCIL_LIFT_UNDEFINED;

// A place in the user's files: "line\tcolumn\tfile". The file is "" for the file to lift.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

// Debug information stores the directory and the name of a file separately.
template <class Node>
std::string file_of(const Node* node) {
  const std::string file = node->getFilename().str();
  if (file.empty() || file[0] == '/' || node->getDirectory().empty() || file == STENCIL_LIFT_CALL ||
      file == STENCIL_LIFT_REGION) {
    return file;
  }
  return node->getDirectory().str() + "/" + file;
}

// Data that the passes and the preprocessor share during one compilation.
struct Observation {
  std::string main_file;
  std::set<std::string> system;  // names of system headers
  std::vector<std::string> table;
  std::vector<GlobalVariable*> flags;  // one for each outcome, in the order of the table
  std::vector<FoldedOutcome> folded;   // of all functions, including those that are never called
  std::vector<std::string> folded_rows;
};

// ---- 1: only code that the entry reaches

class OnlyEntry : public PassInfoMixin<OnlyEntry> {
 public:
  PreservedAnalyses run(llvm::Module& module, ModuleAnalysisManager&) {
    for (const char* name :
         {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"}) {
      if (GlobalVariable* list = module.getGlobalVariable(name)) list->eraseFromParent();
    }
    for (GlobalValue& value : module.global_values()) {
      if (value.isDeclaration() || value.hasAvailableExternallyLinkage()) continue;
      if (value.getName() == STENCIL_LIFT_CALL || value.getName().starts_with("llvm.")) continue;
      if (auto* object = dyn_cast<GlobalObject>(&value)) object->setComdat(nullptr);
      value.setVisibility(GlobalValue::DefaultVisibility);
      value.setLinkage(GlobalValue::InternalLinkage);
    }
    return PreservedAnalyses::none();
  }
};

// ---- 2: std::max and similar functions

class InlineNumbers : public PassInfoMixin<InlineNumbers> {
 public:
  explicit InlineNumbers(const Observation& observation) : observation_(observation) {}

  PreservedAnalyses run(llvm::Module& module, ModuleAnalysisManager&) {
    for (Function& function : module) {
      const DISubprogram* program = function.getSubprogram();
      if (function.isDeclaration() || program == nullptr) continue;
      if (observation_.system.count(file_of(program)) == 0) continue;
      if (!of_numbers(program->getType()) || function.hasFnAttribute(Attribute::OptimizeNone))
        continue;
      function.removeFnAttr(Attribute::NoInline);
      function.addFnAttr(Attribute::AlwaysInline);
    }
    return PreservedAnalyses::none();
  }

 private:
  static bool of_numbers(const DISubroutineType* type) {
    if (type == nullptr) return false;
    for (const DIType* part : type->getTypeArray()) {
      if (!is_number(part)) return false;
    }
    return true;
  }
  static bool is_number(const DIType* type) {
    while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
      switch (derived->getTag()) {
        case dwarf::DW_TAG_reference_type:
        case dwarf::DW_TAG_rvalue_reference_type:
        case dwarf::DW_TAG_const_type:
        case dwarf::DW_TAG_typedef:
        case dwarf::DW_TAG_template_alias:
          type = derived->getBaseType();
          continue;
        default:
          return false;
      }
    }
    return isa_and_nonnull<DIBasicType>(type);
  }

  const Observation& observation_;
};

// ---- fmax and fmin

// Clang turns std::fmax into an intrinsic. For 0.0 and -0.0, LLVM may then return either zero. This
// pass turns such intrinsics into library calls. load.cpp links these calls to functions that
// return the zero that lifted programs return.
class CallLibrary : public PassInfoMixin<CallLibrary> {
 public:
  PreservedAnalyses run(llvm::Module& module, ModuleAnalysisManager&) {
    std::vector<IntrinsicInst*> found;
    for (Function& function : module) {
      for (Instruction& instruction : instructions(function)) {
        auto* call = dyn_cast<IntrinsicInst>(&instruction);
        if (call != nullptr && name_of(*call) != nullptr) found.push_back(call);
      }
    }
    for (IntrinsicInst* call : found) {
      llvm::Type* type = call->getType();
      const FunctionCallee library = module.getOrInsertFunction(
          name_of(*call), llvm::FunctionType::get(type, {type, type}, false));
      IRBuilder<> builder(call);
      CallInst* made =
          builder.CreateCall(library, {call->getArgOperand(0), call->getArgOperand(1)});
      made->addFnAttr(Attribute::NoBuiltin);
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
    return PreservedAnalyses::none();
  }

 private:
  static const char* name_of(const IntrinsicInst& call) {
    const bool single = call.getType()->isFloatTy();
    if (!single && !call.getType()->isDoubleTy()) return nullptr;
    if (call.getIntrinsicID() == Intrinsic::maxnum) return single ? "fmaxf" : "fmax";
    if (call.getIntrinsicID() == Intrinsic::minnum) return single ? "fminf" : "fmin";
    return nullptr;
  }
};

// ---- 3: flags

const char* kind_of_undefined(uint64_t handler) {
  switch (handler) {  // values of Clang's SanitizerHandler
    case 3:
      return "a division by zero, or of the smallest integer by -1";
    case 5:
      return "a conversion of a number that is out of range for the integer type";
    case 20:
      return "a shift by a negative number or by too many bits";
    default:
      return "overflow of a signed integer";
  }
}

class Observe : public PassInfoMixin<Observe> {
 public:
  explicit Observe(Observation& observation) : observation_(observation) {}

  PreservedAnalyses run(llvm::Module& module, ModuleAnalysisManager&) {
    module_ = &module;
    byte_ = llvm::Type::getInt8Ty(module.getContext());
    auto* pointer = llvm::PointerType::getUnqual(module.getContext());
    undefined_ = new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage,
                                    ConstantPointerNull::get(pointer), kUndefined);
    undefined_->setDSOLocal(true);
    std::vector<Instruction*> decisions, checks;
    for (Function& function : module) {
      for (BasicBlock& block : function) {
        for (Instruction& instruction : block) {
          if (is_check(instruction)) {
            checks.push_back(&instruction);
          } else if (is_decision(instruction)) {
            decisions.push_back(&instruction);
          }
        }
      }
    }
    for (Instruction* decision : decisions) observe(*decision);
    for (Instruction* check : checks) report(*check);
    write_seen();
    list_folded();
    return PreservedAnalyses::none();
  }

 private:
  std::optional<Place> place_of(const Instruction& instruction) const {
    for (const DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
      const std::string file = file_of(at);
      if (observation_.system.count(file) > 0) continue;
      if (file == STENCIL_LIFT_CALL || at->getLine() == 0) return std::nullopt;
      const bool main = file == STENCIL_LIFT_REGION || file == observation_.main_file;
      return Place{main ? "" : file, at->getLine(), at->getColumn()};
    }
    return std::nullopt;
  }

  // Whether Clang has marked the instruction as part of its checks for undefined behaviour.
  static bool is_check(const Instruction& instruction) {
    return isa<BranchInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_nosanitize);
  }

  // Whether the value is a comparison, or comparisons combined by `!`, `&&` and `||`.
  static bool is_condition(const Value* value) {
    if (isa<CmpInst>(value)) return true;
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr) return false;
    if (isa<PHINode>(instruction)) return true;
    return instruction->isBitwiseLogicOp() && is_condition(instruction->getOperand(0));
  }

  static bool is_decision(const Instruction& instruction) {
    if (const auto* branch = dyn_cast<BranchInst>(&instruction))
      return branch->isConditional() && !isa<Constant>(branch->getCondition());
    if (isa<SwitchInst>(instruction)) return true;
    if (const auto* select = dyn_cast<SelectInst>(&instruction))
      return select->getCondition()->getType()->isIntegerTy(1);
    if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction) || isa<UIToFPInst>(instruction) ||
        isa<SIToFPInst>(instruction)) {
      const Value* from = instruction.getOperand(0);
      if (instruction.use_empty()) return false;  // `a && (b = c);` as a statement
      return from->getType()->isIntegerTy(1) && is_condition(from);
    }
    return false;
  }

  // Whether no path from this block returns from the function.
  static bool never_returns(const BasicBlock* block) {
    std::set<const BasicBlock*> known;
    std::vector<const BasicBlock*> open = {block};
    while (!open.empty()) {
      const BasicBlock* at = open.back();
      open.pop_back();
      if (!known.insert(at).second) continue;
      if (known.size() > 16) return false;
      const Instruction* end = at->getTerminator();
      if (isa<UnreachableInst>(end)) continue;
      if (end->getNumSuccessors() == 0) return false;
      for (unsigned s = 0; s < end->getNumSuccessors(); ++s) open.push_back(end->getSuccessor(s));
    }
    return true;
  }

  // Inserts a store to a new flag before `before`.
  void flag(const Place& place, const std::string& kind, const std::string& outcome,
            Instruction* before) {
    auto* made = new GlobalVariable(*module_, byte_, false, GlobalValue::ExternalLinkage,
                                    ConstantInt::get(byte_, 0),
                                    kFlag + std::to_string(observation_.flags.size()));
    made->setDSOLocal(true);
    observation_.flags.push_back(made);
    observation_.table.push_back(std::to_string(place.line) + "\t" + std::to_string(place.column) +
                                 "\t" + kind + "\t" + outcome + "\t" + place.file);
    IRBuilder<>(before).CreateStore(ConstantInt::get(byte_, 1), made);
  }

  void observe(Instruction& decision) {
    const auto place = place_of(decision);
    if (!place) return;
    if (auto* many = dyn_cast<SwitchInst>(&decision)) return observe(*many, *place);
    Value* condition = decision.getOperand(0);
    std::string kind = isa<CastInst>(decision) ? "comparison" : "branch";
    bool sides[2] = {true, true};  // whether the outcomes true and false occur
    if (auto* branch = dyn_cast<BranchInst>(&decision)) {
      for (unsigned s = 0; s < 2; ++s) sides[s] = !never_returns(branch->getSuccessor(s));
    } else if (auto* select = dyn_cast<SelectInst>(&decision)) {
      condition = select->getCondition();
      kind = "choice";
    }
    Instruction *then_end = nullptr, *else_end = nullptr;
    SplitBlockAndInsertIfThenElse(condition, &decision, &then_end, &else_end);
    if (sides[0]) flag(*place, kind, "true", then_end);
    if (sides[1]) flag(*place, kind, "false", else_end);
  }

  void observe(SwitchInst& many, const Place& place) {
    const auto one = [&](Value* holds, const std::string& outcome, const BasicBlock* to) {
      if (never_returns(to)) return;
      Instruction* end = SplitBlockAndInsertIfThen(holds, &many, false);
      flag(place, "switch", outcome, end);
    };
    std::vector<std::pair<Value*, const BasicBlock*>> cases;
    std::vector<std::string> names;
    IRBuilder<> builder(&many);
    Value* none = builder.getTrue();
    for (const auto& known : many.cases()) {
      Value* here = builder.CreateICmpEQ(many.getCondition(), known.getCaseValue());
      none = builder.CreateAnd(none, builder.CreateNot(here));
      cases.emplace_back(here, known.getCaseSuccessor());
      names.push_back("case " + std::to_string(known.getCaseValue()->getSExtValue()));
    }
    for (size_t c = 0; c < cases.size(); ++c) one(cases[c].first, names[c], cases[c].second);
    one(none, "no case", many.getDefaultDest());
  }

  // Makes a failed check report its number to the parent process and end the current process.
  void report(Instruction& instruction) {
    auto& branch = cast<BranchInst>(instruction);
    if (!branch.isConditional()) return;
    for (unsigned s = 0; s < 2; ++s) {
      const IntrinsicInst* trap = nullptr;
      for (const Instruction& inside : *branch.getSuccessor(s)) {
        const auto* call = dyn_cast<IntrinsicInst>(&inside);
        if (call != nullptr && call->getIntrinsicID() == Intrinsic::ubsantrap) trap = call;
      }
      if (trap == nullptr) continue;
      const auto place = place_of(branch).value_or(Place{});
      const uint64_t handler = cast<ConstantInt>(trap->getArgOperand(0))->getZExtValue();
      const std::string text = std::to_string(place.line) + "\t" + std::to_string(place.column) +
                               "\tundefined\t" + kind_of_undefined(handler) + "\t" + place.file;
      IRBuilder<> builder(&branch);
      Value* fails = s == 0 ? branch.getCondition() : builder.CreateNot(branch.getCondition());
      Instruction* end = SplitBlockAndInsertIfThen(fails, &branch, true);
      IRBuilder<> ending(end);
      Value* to = ending.CreateLoad(undefined_->getValueType(), undefined_);
      sites_.push_back(text);
      ending.CreateStore(ending.getInt32(static_cast<uint32_t>(sites_.size())), to, true);
      ending.CreateIntrinsic(Intrinsic::trap, ArrayRef<llvm::Type*>(), ArrayRef<Value*>());
      return;
    }
  }

  // Writes void stencil_lift_seen(char* to), which sets to[k] if outcome k was taken.
  void write_seen() {
    LLVMContext& context = module_->getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                         {llvm::PointerType::getUnqual(context)}, false);
    Function* seen = Function::Create(type, GlobalValue::ExternalLinkage, kSeen, *module_);
    IRBuilder<> builder(BasicBlock::Create(context, "", seen));
    for (size_t k = 0; k < observation_.flags.size(); ++k) {
      Value* to = builder.CreateConstInBoundsGEP1_64(byte_, seen->getArg(0), k);
      builder.CreateStore(builder.CreateLoad(byte_, observation_.flags[k]), to);
    }
    builder.CreateRetVoid();
    observation_.table.insert(observation_.table.end(), sites_.begin(), sites_.end());
  }

  // Lists the folded conditions of functions that the entry reaches.
  void list_folded() {
    DebugInfoFinder finder;
    finder.processModule(*module_);
    std::set<std::pair<std::string, unsigned>> reached;
    for (const DISubprogram* one : finder.subprograms()) {
      if (one->isDefinition()) reached.insert({one->getName().str(), one->getLine()});
    }
    for (const FoldedOutcome& one : observation_.folded) {
      const auto function = std::make_pair(one.function, one.function_line);
      if (reached.count(function) == 0) continue;
      const bool main = one.file == STENCIL_LIFT_REGION || one.file == observation_.main_file;
      std::string row = (one.possible ? "1\t" : "0\t") + std::to_string(one.line) + "\t" +
                        std::to_string(one.column) + "\tfolded " + one.kind + "\t" + one.outcome +
                        "\t" + (main ? "" : one.file) + "\t";
      for (const std::string& name : one.names) row += name + " ";
      observation_.folded_rows.push_back(row);
    }
  }

  Observation& observation_;
  llvm::Module* module_ = nullptr;
  llvm::Type* byte_ = nullptr;
  GlobalVariable* undefined_ = nullptr;
  std::vector<std::string> sites_;
};

// ---- 5: the table

class WriteTable : public PassInfoMixin<WriteTable> {
 public:
  explicit WriteTable(Observation& observation) : observation_(observation) {}

  PreservedAnalyses run(llvm::Module& module, ModuleAnalysisManager&) {
    std::string text;
    for (size_t k = 0; k < observation_.table.size(); ++k) {
      const bool possible = k >= observation_.flags.size() || is_set(*observation_.flags[k]);
      text += (possible ? "1\t" : "0\t") + observation_.table[k] + "\n";
    }
    for (const std::string& row : observation_.folded_rows) text += row + "\n";
    auto* bytes = ConstantDataArray::getString(module.getContext(), text);
    auto* table = new GlobalVariable(module, bytes->getType(), true, GlobalValue::ExternalLinkage,
                                     bytes, STENCIL_LIFT_TABLE);
    table->setDSOLocal(true);
    StripDebugInfo(module);
    return PreservedAnalyses::none();
  }

 private:
  // Whether code other than `stencil_lift_seen` still uses the flag.
  static bool is_set(const Value& flag) {
    for (const User* user : flag.users()) {
      const auto* instruction = dyn_cast<Instruction>(user);
      if (instruction == nullptr ? is_set(*user) : instruction->getFunction()->getName() != kSeen)
        return true;
    }
    return false;
  }

  Observation& observation_;
};

// ---- The front-end action of Clang

class SystemHeaders : public clang::PPCallbacks {
 public:
  SystemHeaders(const clang::SourceManager& sources, Observation& observation)
      : sources_(sources), observation_(observation) {}
  void FileChanged(clang::SourceLocation at, FileChangeReason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    if (kind == clang::SrcMgr::C_User) return;
    const clang::PresumedLoc presumed = sources_.getPresumedLoc(at);
    if (presumed.isValid()) observation_.system.insert(presumed.getFilename());
  }

 private:
  const clang::SourceManager& sources_;
  Observation& observation_;
};

class ObservedCode : public ActionWithPasses {
 protected:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    using clang::SanitizerKind;
    clang::CodeGenOptions& code = compiler.getCodeGenOpts();
    clang::LangOptions& language = compiler.getLangOpts();
    // The debug information must contain types, which InlineNumbers needs.
    code.setDebugInfo(kDebugInfoWithTypes);
    code.DebugColumnInfo = true;
    clang::SanitizerMask checks = SanitizerKind::IntegerDivideByZero | SanitizerKind::Shift |
                                  SanitizerKind::FloatCastOverflow;
    // With -fwrapv, signed wrap-around is defined behaviour.
    if (!language.isSignedOverflowDefined()) checks |= SanitizerKind::SignedIntegerOverflow;
    language.Sanitize.Mask = checks;
    code.SanitizeTrap.Mask = checks;
    code.SanitizeRecover.Mask = clang::SanitizerMask();
    language.AccessControl = false;  // the added code also sets private members
    return ActionWithPasses::BeginInvocation(compiler);
  }

  void add_first(ModulePassManager& passes) override {
    passes.addPass(OnlyEntry());
    passes.addPass(GlobalDCEPass());
    passes.addPass(CallLibrary());
    passes.addPass(InlineNumbers(observation_));
    passes.addPass(AlwaysInlinerPass(false));
    passes.addPass(Observe(observation_));
  }
  void add_last(ModulePassManager& passes) override {
    passes.addPass(GlobalDCEPass());
    passes.addPass(WriteTable(observation_));
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        StringRef file) override {
    observation_.main_file = file.str();
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<SystemHeaders>(compiler.getSourceManager(), observation_));
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(folded_conditions(observation_.folded));
    both.push_back(ActionWithPasses::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

 private:
  Observation observation_;
};

}  // namespace

std::unique_ptr<clang::FrontendAction> observed_code() {
  return std::make_unique<ObservedCode>();
}

}  // namespace stencil::host

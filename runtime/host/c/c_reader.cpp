// Uses Clang in two ways: converts a file to the lifter's tree, or compiles a file with a few added
// lines to machine code.
#include "runtime/host/c/c_reader.h"

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>

#include "compiler/support/numbers.h"
#include "runtime/host/c/ast_visitor.h"
#include "runtime/host/c/c_flags.h"
#include "runtime/host/c/c_known.h"
#include "runtime/host/c/c_translate.h"
#include "runtime/host/c/large_stack.h"
#include "runtime/host/c/outcomes.h"
#include "runtime/host/c/regular_files.h"
#include "runtime/host/c/run_clang.h"

namespace stencil::host {

using namespace clang;

namespace {

// Makes the error result of read_c.
Compiled failed(const std::string& code, int line, int column, const std::string& message,
                const std::string& hint = "") {
  const char* bar = "\x1f";
  return {false, code + bar + std::to_string(line) + bar + std::to_string(column) + bar + message +
                     bar + hint};
}

// ---- Selection of the part to lift

struct Pragma {
  SourceLocation begin, end;
};

class ScopHandler : public PragmaHandler {
 public:
  ScopHandler(const char* name, std::vector<SourceLocation>& places)
      : PragmaHandler(name), places_(places) {}
  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer, Token& token) override {
    const SourceLocation place = token.getLocation();
    if (preprocessor.getSourceManager().isInMainFile(place)) places_.push_back(place);
  }

 private:
  std::vector<SourceLocation>& places_;
};

// Collects the macros that preprocessor conditions test, except in system headers.
class ConditionNames : public PPCallbacks {
 public:
  ConditionNames(Preprocessor& preprocessor, std::set<std::string>& names)
      : preprocessor_(preprocessor), names_(names) {}
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange range,
                    const MacroArgs*) override {
    if (!preprocessor_.isParsingIfOrElifDirective() ||
        preprocessor_.getSourceManager().isInSystemHeader(range.getBegin())) {
      return;
    }
    names_.insert(name.getIdentifierInfo()->getName().str());
  }

 private:
  Preprocessor& preprocessor_;
  std::set<std::string>& names_;
};

bool is_loop(const Stmt* s) {
  return isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s);
}

// The largest depth of Clang's AST, in which conversions and parentheses are separate levels. The
// lifter accepts 1000 levels, without counting conversions and parentheses (Executor::check_depth).
constexpr int kMostLevels = 4000;

// The non-template functions of the file, with their calls and loops.
struct Functions : AstVisitor {
  explicit Functions(ASTContext& context) : context(context) {}
  bool enter(FunctionDecl* declaration) override {
    const SourceManager& sources = context.getSourceManager();
    if (!declaration->isThisDeclarationADefinition() || declaration->isDependentContext())
      return true;
    if (declaration->getBody() == nullptr || declaration->isDefaulted()) return true;
    if (!sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()))) return true;
    all.push_back(declaration);
    return true;
  }

  // Appends the outermost loops of `s`.
  static void loops(const Stmt* s, std::vector<const Stmt*>& out) {
    if (s == nullptr) return;
    if (is_loop(s)) {
      out.push_back(s);
      return;
    }
    for (const Stmt* child : s->children()) loops(child, out);
  }
  static const Stmt* body_of(const Stmt* loop) {
    if (const auto* f = dyn_cast<ForStmt>(loop)) return f->getBody();
    if (const auto* w = dyn_cast<WhileStmt>(loop)) return w->getBody();
    return cast<DoStmt>(loop)->getBody();
  }
  // The nesting depth of loops, including loops in called functions.
  int depth(const Stmt* s) {
    if (s == nullptr) return 0;
    int inner = 0;
    for (const Stmt* child : s->children()) inner = std::max(inner, depth(child));
    if (const auto* call = dyn_cast<CallExpr>(s)) {
      const FunctionDecl* callee = call->getDirectCallee();
      const FunctionDecl* definition = nullptr;
      if (callee != nullptr && callee->hasBody(definition) && !callee->isInStdNamespace()) {
        inner = std::max(inner, depth_of(definition));
      }
    }
    return inner + (is_loop(s) ? 1 : 0);
  }
  int depth_of(const FunctionDecl* function) {
    // A recursive call counts as depth 0.
    const auto [entry, fresh] = depths.try_emplace(function, 0);
    if (fresh) depths[function] = depth(function->getBody());
    return depths[function];
  }
  static void calls(const Stmt* s, std::set<const FunctionDecl*>& out) {
    if (s == nullptr) return;
    if (const auto* call = dyn_cast<CallExpr>(s)) {
      const FunctionDecl* definition = nullptr;
      if (call->getDirectCallee() != nullptr && call->getDirectCallee()->hasBody(definition)) {
        out.insert(definition);
      }
    }
    for (const Stmt* child : s->children()) calls(child, out);
  }

  // Returns the body of the first function of the file that is nested too deeply, or null. Must run
  // first, because all later code traverses the AST recursively.
  const Stmt* too_deep() const {
    for (const FunctionDecl* function : all) {
      std::vector<std::pair<const Stmt*, int>> todo = {{function->getBody(), 1}};
      while (!todo.empty()) {
        const auto [s, level] = todo.back();
        todo.pop_back();
        if (level > kMostLevels) return function->getBody();
        for (const Stmt* child : s->children()) {
          if (child != nullptr) todo.emplace_back(child, level + 1);
        }
      }
    }
    return nullptr;
  }

  ASTContext& context;
  std::vector<FunctionDecl*> all;
  std::map<const FunctionDecl*, int> depths;
};

std::string names_of(const std::vector<FunctionDecl*>& functions) {
  std::string out;
  size_t shown = 0;
  for (const FunctionDecl* function : functions) {
    if (++shown > 8) return out + ", ...";
    out += (out.empty() ? "" : ", ") + function->getNameAsString();
  }
  return out;
}

// Finds the statements of `s` between two places. They must be whole statements of one block.
bool between(const SourceManager& sources, const Stmt* s, const Pragma& pragma,
             std::vector<const Stmt*>& out) {
  if (s == nullptr) return false;
  const auto before = [&](SourceLocation a, SourceLocation b) {
    return sources.isBeforeInTranslationUnit(sources.getExpansionLoc(a),
                                             sources.getExpansionLoc(b));
  };
  const auto collect = [&](const Stmt* child) {
    if (child == nullptr) return;
    if (before(pragma.begin, child->getBeginLoc()) && before(child->getBeginLoc(), pragma.end)) {
      out.push_back(child);
    }
  };
  if (isa<CompoundStmt>(s)) {
    for (const Stmt* child : s->children()) collect(child);
    if (!out.empty()) return true;
  }
  for (const Stmt* child : s->children()) {
    if (between(sources, child, pragma, out)) return true;
  }
  return false;
}

struct Choice {
  CRegion region;
  Compiled failure;  // if failure.ok is true, `region` is valid
};

Choice refuse(const std::string& code, int line, const std::string& message,
              const std::string& hint) {
  return {{}, failed(code, line, 1, message, hint)};
}

int line_of(const ASTContext& context, SourceLocation place) {
  return static_cast<int>(context.getSourceManager().getExpansionLineNumber(place));
}

Choice choose_named(const Functions& functions, const std::string& name) {
  std::vector<FunctionDecl*> found;
  for (FunctionDecl* function : functions.all) {
    if (function->getNameAsString() == name || function->getQualifiedNameAsString() == name) {
      found.push_back(function);
    }
  }
  if (found.empty()) {
    return refuse("C002", 0, "there is no function '" + name + "' in the file",
                  functions.all.empty() ? "" : "the file has " + names_of(functions.all));
  }
  if (found.size() > 1) {
    return refuse("C002", line_of(functions.context, found[1]->getLocation()),
                  "there are several functions '" + name + "'", "mark the loop with #pragma scop");
  }
  return {{found[0], {}, name}, {true, ""}};
}

Choice choose_marked(const Functions& functions, const std::vector<Pragma>& pragmas) {
  if (pragmas.size() > 1) {
    return refuse("C003", line_of(functions.context, pragmas[1].begin),
                  "there are several regions of #pragma scop", "choose one with --function");
  }
  for (const FunctionDecl* function : functions.all) {
    std::vector<const Stmt*> statements;
    if (between(functions.context.getSourceManager(), function->getBody(), pragmas[0],
                statements)) {
      return {{function, statements, function->getNameAsString()}, {true, ""}};
    }
  }
  return refuse("C003", line_of(functions.context, pragmas[0].begin),
                "there are no statements between #pragma scop and #pragma endscop", "");
}

// Chooses the only function with nested loops that no other such function calls. If this function
// is main, chooses its loop. If no loops in the file are nested, single loops count as well.
Choice choose_only(Functions& functions) {
  std::vector<FunctionDecl*> with_loops;
  std::set<const FunctionDecl*> inner;
  const int least = std::any_of(functions.all.begin(), functions.all.end(),
                                [&](FunctionDecl* f) { return functions.depth_of(f) >= 2; })
                        ? 2
                        : 1;
  for (FunctionDecl* function : functions.all) {
    if (functions.depth_of(function) < least) continue;
    with_loops.push_back(function);
    std::set<const FunctionDecl*> called;
    Functions::calls(function->getBody(), called);
    for (const FunctionDecl* callee : called) {
      if (callee != function) inner.insert(callee);
    }
  }
  std::vector<FunctionDecl*> outer;
  for (FunctionDecl* function : with_loops) {
    if (inner.count(function) == 0) outer.push_back(function);
  }
  if (outer.empty()) {
    return refuse("C002", 0, "there is no loop over a grid in the file",
                  functions.all.empty() ? "" : "name the function to lift with --function");
  }
  if (outer.size() > 1) {
    return refuse(
        "C002", line_of(functions.context, outer[1]->getLocation()),
        "there are several functions with loops: " + names_of(outer),
        "choose one with --function, or mark the loop with #pragma scop and #pragma endscop");
  }
  std::vector<const Stmt*> loops, deep;
  Functions::loops(outer[0]->getBody(), loops);
  int most = 0;
  for (const Stmt* loop : loops) most = std::max(most, functions.depth(loop));
  for (const Stmt* loop : loops) {
    if (functions.depth(loop) == most) deep.push_back(loop);
  }
  if (!outer[0]->isMain()) return {{outer[0], {}, outer[0]->getNameAsString()}, {true, ""}};
  if (deep.empty()) {
    return refuse("C002", line_of(functions.context, outer[0]->getLocation()),
                  "main itself contains no loop", "name the function to lift with --function");
  }
  if (deep.size() > 1) {
    return refuse("C002", line_of(functions.context, deep[1]->getBeginLoc()),
                  "main has several loops over grids",
                  "mark the one to lift with #pragma scop and #pragma endscop");
  }
  return {{outer[0], {deep[0]}, "loop"}, {true, ""}};
}

// ---- Actions

class TreeConsumer : public ASTConsumer {
 public:
  TreeConsumer(const std::string& function, std::vector<SourceLocation>& begins,
               std::vector<SourceLocation>& ends, std::set<std::string>& conditions,
               const std::vector<Unfamiliar>& unfamiliar, Compiled& out)
      : function_(function),
        begins_(begins),
        ends_(ends),
        conditions_(conditions),
        unfamiliar_(unfamiliar),
        out_(out) {}

  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Functions functions(context);
    functions.traverse(context.getTranslationUnitDecl());
    if (const Stmt* body = functions.too_deep()) {
      const SourceManager& sources = context.getSourceManager();
      const SourceLocation place = sources.getExpansionLoc(body->getBeginLoc());
      out_ = failed("C024", static_cast<int>(sources.getExpansionLineNumber(place)),
                    static_cast<int>(sources.getExpansionColumnNumber(place)),
                    "an expression or statement of this function is nested more than " +
                        std::to_string(kMostLevels) + " levels deep",
                    "split it: compute it in a loop, or store parts of it in local variables");
      return;
    }
    if (begins_.size() != ends_.size()) {
      out_ = failed("C003", 0, 0, "#pragma scop and #pragma endscop do not match", "");
      return;
    }
    std::vector<Pragma> pragmas;
    for (size_t i = 0; i < begins_.size(); ++i) pragmas.push_back({begins_[i], ends_[i]});
    const Choice choice = !function_.empty() ? choose_named(functions, function_)
                          : !pragmas.empty() ? choose_marked(functions, pragmas)
                                             : choose_only(functions);
    out_ = choice.failure;
    if (!out_.ok) return;
    CTranslator translator(context);
    lifter::CTree tree = translator.translate(choice.region);
    std::optional<Unfamiliar> unfamiliar = translator.unfamiliar();
    for (const Unfamiliar& one : unfamiliar_) {
      if (unfamiliar) break;
      for (const FunctionDecl* function : translator.translated()) {
        if (applies(one, *function, functions.all, context.getSourceManager())) unfamiliar = one;
      }
    }
    if (unfamiliar) {
      out_ = refused(context.getSourceManager(), *unfamiliar);
      return;
    }
    tree.conditions.assign(conditions_.begin(), conditions_.end());
    out_.text = lifter::write(tree);
  }

 private:
  static Compiled refused(const SourceManager& sources, const Unfamiliar& one) {
    const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(one.place), false);
    const std::string message = one.text + " may change what the code computes";
    const char* hint = "the lifter does not know its effect: remove it, or lift a part without it";
    if (place.isInvalid()) return failed("C015", 0, 0, message, hint);
    const bool here = sources.isInMainFile(sources.getExpansionLoc(one.place));
    return failed("C015", static_cast<int>(place.getLine()), static_cast<int>(place.getColumn()),
                  here ? message : message + "\x1e" + place.getFilename(), hint);
  }

  const std::string& function_;
  std::vector<SourceLocation>&begins_, &ends_;
  std::set<std::string>& conditions_;
  const std::vector<Unfamiliar>& unfamiliar_;
  Compiled& out_;
};

class TreeAction : public ASTFrontendAction {
 public:
  TreeAction(const std::string& function, std::vector<Unfamiliar>& unfamiliar, Compiled& out)
      : function_(function), unfamiliar_(unfamiliar), out_(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& instance, StringRef) override {
    Preprocessor& preprocessor = instance.getPreprocessor();
    preprocessor.AddPragmaHandler(new ScopHandler("scop", begins_));
    preprocessor.AddPragmaHandler(new ScopHandler("endscop", ends_));
    preprocessor.addPPCallbacks(std::make_unique<ConditionNames>(preprocessor, conditions_));
    preprocessor.addPPCallbacks(
        std::make_unique<PragmaWatch>(preprocessor.getSourceManager(), unfamiliar_));
    return std::make_unique<TreeConsumer>(function_, begins_, ends_, conditions_, unfamiliar_,
                                          out_);
  }

 private:
  std::string function_;
  std::vector<SourceLocation> begins_, ends_;
  std::set<std::string> conditions_;
  std::vector<Unfamiliar>& unfamiliar_;
  Compiled& out_;
};

// The first error in the log: "FILE:LINE:COLUMN: error: TEXT". `refused`: the reason why a file was
// not opened. Clang only reports that this file is missing.
Compiled first_error(const std::string& log, const std::string& refused) {
  int line = 0, column = 0;
  std::string text = log;
  const size_t at = log.find(": error: ");
  const size_t fatal = log.find(": fatal error: ");
  const size_t place = std::min(at, fatal);
  const char* regular = "use regular files";
  if (place == std::string::npos) {
    if (!refused.empty()) return failed("C001", 0, 0, refused, regular);
    return failed("C001", 0, 0, text.empty() ? "Clang failed" : text);
  }
  const size_t begin = log.rfind('\n', place) == std::string::npos ? 0 : log.rfind('\n', place) + 1;
  const std::string head = log.substr(begin, place - begin);
  text = log.substr(place + 2, log.find('\n', place) - place - 2);
  const size_t second = head.rfind(':');
  const size_t first = second == std::string::npos ? second : head.rfind(':', second - 1);
  std::string file = head;
  if (first != std::string::npos) {
    line = parse_number<int>(head.substr(first + 1, second - first - 1)).value_or(0);
    column = parse_number<int>(head.substr(second + 1)).value_or(0);
    file = head.substr(0, first);
  }
  text = text.substr(text.find(": ") + 2);
  if (!refused.empty()) {
    return failed("C001", line, column, refused + "\x1e" + file, regular);
  }
  return failed("C001", line, column, "Clang: " + text + "\x1e" + file,
                "pass compiler flags after --, or provide compile_commands.json");
}

}  // namespace

Compiled read_c(const StencilHostCFile& file) {
  Compiled out;
  std::string log, directory;
  const Files files = regular_files();
  const CFlags flags = flags_of(file, files, directory);
  if (!flags.refused.empty()) {
    return failed("C004", 0, 0,
                  "the flag '" + flags.refused + "' of the C compiler is refused: " + flags.why,
                  "flags after -- may be -I, -D, -include, -std, -x, -fwrapv and similar ones");
  }
  const std::string text = file.text;
  std::vector<Unfamiliar> unfamiliar;
  // Clang parses nested expressions recursively. Code that is nested too deeply is refused after
  // parsing (Functions::too_deep).
  with_large_stack([&] {
    run_clang(file, flags, directory, false, text.empty() ? nullptr : &text,
              std::make_unique<TreeAction>(file.function, unfamiliar, out), nullptr, files, log,
              unfamiliar);
  });
  if (out.ok || !out.text.empty()) return out;
  return first_error(log, files->refused());
}

Compiled compile_c(const StencilHostCFile& file, const std::string& added) {
  std::string whole = file.text;
  const Files files = regular_files();
  if (whole.empty()) {
    auto text = files->getBufferForFile(file.file);
    if (!text) return {false, "the file cannot be read"};
    whole = (*text)->getBuffer().str();
  }
  whole += "\n" + added;
  llvm::SmallVector<char, 0> bytes;
  std::string log, directory;
  const CFlags flags = flags_of(file, files, directory);
  if (!flags.refused.empty()) return {false, "the flag '" + flags.refused + "' is refused"};
  auto output = std::make_unique<llvm::raw_svector_ostream>(bytes);
  std::vector<Unfamiliar> unfamiliar;
  if (!run_clang(file, flags, directory, true, &whole, observed_code(), std::move(output), files,
                 log, unfamiliar)) {
    return {false, log};
  }
  return {true, std::string(bytes.data(), bytes.size())};
}

}  // namespace stencil::host

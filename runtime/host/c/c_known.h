// The attributes and pragmas that the lifter supports. Any other attribute or pragma may change the
// meaning of the code that it applies to, so the lifter refuses that code.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Lex/PPCallbacks.h>

#include <optional>
#include <string>
#include <vector>

namespace stencil::host {

// An unsupported attribute or pragma, as written in the file.
struct Unfamiliar {
  clang::SourceLocation place;
  std::string text;  // "the attribute 'optimize'"
};

std::optional<Unfamiliar> unfamiliar_attribute(llvm::ArrayRef<const clang::Attr*> attributes);
std::optional<Unfamiliar> unfamiliar_attribute(const clang::Decl& declaration);

// Whether a pragma or attribute may affect a function: it is inside the function, or it precedes
// the function and is outside of all other functions.
bool applies(const Unfamiliar& one, const clang::FunctionDecl& function,
             const std::vector<clang::FunctionDecl*>& all, const clang::SourceManager& sources);

// Collects the unsupported pragmas of the file and of headers that are not system headers.
class PragmaWatch : public clang::PPCallbacks {
 public:
  PragmaWatch(const clang::SourceManager& sources, std::vector<Unfamiliar>& out)
      : sources_(sources), out_(out) {}
  void PragmaDirective(clang::SourceLocation place, clang::PragmaIntroducerKind kind) override;

 private:
  const clang::SourceManager& sources_;
  std::vector<Unfamiliar>& out_;
};

// Forwards errors. Also collects attributes that Clang does not know, because they leave no trace
// in the AST.
class AttributeWatch : public clang::DiagnosticConsumer {
 public:
  AttributeWatch(clang::DiagnosticConsumer& next, std::vector<Unfamiliar>& out)
      : next_(next), out_(out) {}
  void BeginSourceFile(const clang::LangOptions& options,
                       const clang::Preprocessor* preprocessor) override {
    next_.BeginSourceFile(options, preprocessor);
  }
  void EndSourceFile() override { next_.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& what) override;

 private:
  clang::DiagnosticConsumer& next_;
  std::vector<Unfamiliar>& out_;
};

// Describes how the floating-point operations of an expression differ from individually rounded
// IEEE 754 operations. "" if there is no difference.
std::string other_arithmetic(const clang::Expr& e, const clang::LangOptions& options);

// Whether destroying an object has no effect that the function can observe.
bool ends_quietly(clang::QualType type);

}  // namespace stencil::host

// The attributes and pragmas that the lifter knows. Any other may change what code means, so the
// lifter refuses the code that it applies to.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Lex/PPCallbacks.h>

#include <optional>
#include <string>
#include <vector>

namespace stencil::host {

// An attribute or a pragma that is not known, as the file writes it.
struct Unfamiliar {
  clang::SourceLocation place;
  std::string text;  // "the attribute 'optimize'"
};

std::optional<Unfamiliar> unfamiliar_attribute(llvm::ArrayRef<const clang::Attr*> attributes);
std::optional<Unfamiliar> unfamiliar_attribute(const clang::Decl& declaration);

// Whether a function with these instructions for the compiler is what the text says: the pragma
// stands in the function, or ahead of it and outside of all other functions.
bool applies(const Unfamiliar& one, const clang::FunctionDecl& function,
             const std::vector<clang::FunctionDecl*>& all, const clang::SourceManager& sources);

// The pragmas of the file and of its own headers that are not known.
class PragmaWatch : public clang::PPCallbacks {
 public:
  PragmaWatch(const clang::SourceManager& sources, std::vector<Unfamiliar>& out)
      : sources_(sources), out_(out) {}
  void PragmaDirective(clang::SourceLocation place, clang::PragmaIntroducerKind kind) override;

 private:
  const clang::SourceManager& sources_;
  std::vector<Unfamiliar>& out_;
};

// Passes errors on, and collects the attributes that Clang itself does not know, of which the tree
// has no trace.
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

// How floating-point operations of an expression differ from those of IEEE 754, each rounded on its
// own; "": they do not.
std::string other_arithmetic(const clang::Expr& e, const clang::LangOptions& options);

// Whether the end of an object's life changes nothing that the function can see.
bool ends_quietly(clang::QualType type);

}  // namespace stencil::host

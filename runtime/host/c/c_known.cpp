#include "runtime/host/c/c_known.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace stencil::host {

using namespace clang;

namespace {

// Attributes that do not change values: hints for optimizers and linkers, warnings, and attributes
// that Clang has already applied to types.
bool is_known(const Attr& attribute) {
  switch (attribute.getKind()) {
    case attr::AbiTag:
    case attr::Aligned:
    case attr::AlignValue:
    case attr::AllocAlign:
    case attr::AllocSize:
    case attr::AlwaysInline:
    case attr::Annotate:
    case attr::Artificial:
    case attr::AsmLabel:
    case attr::AssumeAligned:
    case attr::Availability:
    case attr::Builtin:
    case attr::CarriesDependency:
    case attr::Cold:
    case attr::Const:
    case attr::ConstInit:
    case attr::Convergent:
    case attr::CUDADevice:
    case attr::CUDAGlobal:
    case attr::CUDAHost:
    case attr::CXX11NoReturn:
    case attr::Deprecated:
    case attr::DiagnoseIf:
    case attr::ExcludeFromExplicitInstantiation:
    case attr::FallThrough:
    case attr::Final:
    case attr::Flatten:
    case attr::Format:
    case attr::FormatArg:
    case attr::GNUInline:
    case attr::Hot:
    case attr::InternalLinkage:
    case attr::Leaf:
    case attr::LifetimeBound:
    case attr::Likely:
    case attr::LoopHint:
    case attr::MayAlias:
    case attr::MinSize:
    case attr::Mode:
    case attr::NoBuiltin:
    case attr::NoDebug:
    case attr::NoDuplicate:
    case attr::NoEscape:
    case attr::NoInline:
    case attr::NoInstrumentFunction:
    case attr::NoMerge:
    case attr::NonNull:
    case attr::NoReturn:
    case attr::NoSanitize:
    case attr::NoStackProtector:
    case attr::NoThrow:
    case attr::NoUniqueAddress:
    case attr::OpenCLUnrollHint:
    case attr::OptimizeNone:
    case attr::Overloadable:
    case attr::Override:
    case attr::Packed:
    case attr::PreferredName:
    case attr::Pure:
    case attr::Restrict:
    case attr::Retain:
    case attr::ReturnsNonNull:
    case attr::Section:
    case attr::Target:
    case attr::TargetClones:
    case attr::TLSModel:
    case attr::TypeVisibility:
    case attr::Uninitialized:
    case attr::Unlikely:
    case attr::Unused:
    case attr::Used:
    case attr::Visibility:
    case attr::WarnUnused:
    case attr::WarnUnusedResult:
      return true;
    default:
      return false;
  }
}

// Attributes of other compilers that do not change values.
bool is_known_elsewhere(std::string name) {
  static const std::set<std::string> kNames = {"access",
                                               "externally_visible",
                                               "leaf",
                                               "no_icf",
                                               "no_reorder",
                                               "no_sanitize",
                                               "noclone",
                                               "nocommon",
                                               "noipa",
                                               "nonstring",
                                               "no_profile_instrument_function",
                                               "symver",
                                               "stack_protect",
                                               "simd",
                                               "warn_if_not_aligned"};
  const size_t scope = name.rfind("::");
  if (scope != std::string::npos) name = name.substr(scope + 2);
  if (name.size() > 4 && name.rfind("__", 0) == 0 && name.ends_with("__"))
    name = name.substr(2, name.size() - 4);
  return kNames.count(name) > 0;
}

// Hints for executing loops, warnings, and markers for tools. `words`: the words of the pragma.
bool is_known_pragma(const std::vector<std::string>& words) {
  static const std::set<std::string> kFirst = {"acc",
                                               "comment",
                                               "concurrent",
                                               "diag_default",
                                               "diag_suppress",
                                               "diag_warning",
                                               "distribute_point",
                                               "endregion",
                                               "endscop",
                                               "forceinline",
                                               "HLS",
                                               "ident",
                                               "inline",
                                               "ivdep",
                                               "loop",
                                               "mark",
                                               "message",
                                               "_NEC",
                                               "noinline",
                                               "noparallel",
                                               "noprefetch",
                                               "nounroll",
                                               "nounroll_and_jam",
                                               "novector",
                                               "nv_diag_default",
                                               "nv_diag_suppress",
                                               "nv_diag_warning",
                                               "omp",
                                               "once",
                                               "pack",
                                               "parallel",
                                               "pop_macro",
                                               "prefetch",
                                               "push_macro",
                                               "region",
                                               "scop",
                                               "simd",
                                               "unroll",
                                               "unroll_and_jam",
                                               "vector",
                                               "warning",
                                               "_CRI"};
  static const std::set<std::string> kGcc = {"dependency", "diagnostic", "error",         "ivdep",
                                             "novector",   "poison",     "system_header", "unroll",
                                             "visibility", "warning"};
  static const std::set<std::string> kClang = {
      "assume_nonnull",     "deprecated",    "diagnostic",         "final", "loop", "optimize",
      "restrict_expansion", "system_header", "unsafe_buffer_usage"};
  if (words.empty()) return true;
  if (kFirst.count(words[0]) > 0) return true;
  if (words.size() < 2) return false;
  if (words[0] == "GCC") return kGcc.count(words[1]) > 0;
  if (words[0] == "clang") return kClang.count(words[1]) > 0;
  // DEFAULT restores the state of the command line, which the lifter sets to OFF.
  const bool off = words.size() > 2 && (words[2] == "OFF" || words[2] == "DEFAULT");
  return words[0] == "STDC" && (off || words[1] == "CX_LIMITED_RANGE");
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

// The text from a position to the end of its line. A backslash continues the line.
std::string line_from(const SourceManager& sources, SourceLocation place) {
  bool invalid = false;
  const char* at = sources.getCharacterData(place, &invalid);
  std::string out;
  if (invalid) return out;
  for (; *at != '\0' && *at != '\n'; ++at) {
    if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r')) {
      while (at[1] == '\n' || at[1] == '\r') ++at;
      out += ' ';
    } else if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
      break;
    } else {
      out += *at;
    }
  }
  while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back())) != 0) out.pop_back();
  return out;
}

// The text of a pragma: the text after "#pragma", or the string of _Pragma("..."). If a macro
// builds this string from its argument, returns the argument of the macro.
std::string text_of_pragma(const SourceManager& sources, SourceLocation place,
                           PragmaIntroducerKind kind) {
  if (kind == PIK_HashPragma) {
    const std::string line = line_from(sources, sources.getSpellingLoc(place));
    const size_t word = line.find("pragma");
    return word == std::string::npos ? line : line.substr(word + 6);
  }
  const auto inside = [](const std::string& line, char open, char close) -> std::string {
    const size_t begin = line.find(open);
    const size_t end = begin == std::string::npos ? begin : line.find(close, begin + 1);
    return end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
  };
  std::string text = inside(line_from(sources, sources.getSpellingLoc(place)), '"', '"');
  if (text.empty() && place.isMacroID())
    text = inside(line_from(sources, sources.getExpansionLoc(place)), '(', ')');
  return text.empty() ? "_Pragma" : text;
}

bool before(const SourceManager& sources, SourceLocation a, SourceLocation b) {
  return sources.isBeforeInTranslationUnit(sources.getExpansionLoc(a), sources.getExpansionLoc(b));
}

bool within(const SourceManager& sources, SourceLocation place, const FunctionDecl& function) {
  const SourceRange range = function.getSourceRange();
  return !before(sources, place, range.getBegin()) && !before(sources, range.getEnd(), place);
}

}  // namespace

std::optional<Unfamiliar> unfamiliar_attribute(llvm::ArrayRef<const Attr*> attributes) {
  for (const Attr* attribute : attributes) {
    if (attribute->isImplicit() || is_known(*attribute)) continue;
    return Unfamiliar{attribute->getLocation(),
                      std::string("the attribute '") + attribute->getSpelling() + "'"};
  }
  return std::nullopt;
}

std::optional<Unfamiliar> unfamiliar_attribute(const Decl& declaration) {
  if (!declaration.hasAttrs()) return std::nullopt;
  auto out = unfamiliar_attribute(declaration.getAttrs());
  if (out && out->place.isInvalid()) out->place = declaration.getLocation();
  return out;
}

bool applies(const Unfamiliar& one, const FunctionDecl& function,
             const std::vector<FunctionDecl*>& all, const SourceManager& sources) {
  if (within(sources, one.place, function)) return true;
  if (!before(sources, one.place, function.getEndLoc())) return false;
  return std::none_of(all.begin(), all.end(), [&](const FunctionDecl* other) {
    return within(sources, one.place, *other);
  });
}

void PragmaWatch::PragmaDirective(SourceLocation place, PragmaIntroducerKind kind) {
  if (sources_.isInSystemHeader(place) || !sources_.getExpansionLoc(place).isValid()) return;
  const FileID file = sources_.getFileID(sources_.getExpansionLoc(place));
  if (!sources_.getFileEntryRefForID(file)) return;  // skip the compiler's own definitions
  const std::string text = text_of_pragma(sources_, place, kind);
  const std::vector<std::string> words = words_of(text);
  if (is_known_pragma(words)) return;
  const size_t begin = text.find_first_not_of(" \t");
  out_.push_back(
      {place, "'#pragma " + (begin == std::string::npos ? text : text.substr(begin)) + "'"});
}

void AttributeWatch::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& what) {
  if (level >= DiagnosticsEngine::Error) {
    DiagnosticConsumer::HandleDiagnostic(level, what);
    next_.HandleDiagnostic(level, what);
    return;
  }
  if (what.getID() != diag::warn_unknown_attribute_ignored) return;
  llvm::SmallString<128> text;
  what.FormatDiagnostic(text);
  const auto [head, rest] = text.str().split('\'');
  const std::string name = rest.split('\'').first.str();
  if (!is_known_elsewhere(name))
    out_.push_back({what.getLocation(), "the attribute '" + name + "'"});
}

std::string other_arithmetic(const Expr& e, const LangOptions& options) {
  if (!isa<BinaryOperator>(e) && !isa<UnaryOperator>(e) && !isa<CastExpr>(e) && !isa<CallExpr>(e))
    return "";
  const FPOptions rules = e.getFPFeaturesInEffect(options);
  if (rules.getFPContractMode() != LangOptions::FPM_Off)
    return "floating-point arithmetic with contraction";
  if (rules.getAllowFPReassociate()) return "floating-point arithmetic with reassociation";
  if (rules.getNoHonorNaNs() || rules.getNoHonorInfs() || rules.getNoSignedZero() ||
      rules.getAllowReciprocal() || rules.getAllowApproxFunc()) {
    return "floating-point arithmetic with relaxed rules";
  }
  if (rules.getAllowFEnvAccess())
    return "arithmetic that depends on the floating-point environment";
  const auto rounding = rules.getRoundingMode();
  if (rounding != llvm::RoundingMode::NearestTiesToEven && rounding != llvm::RoundingMode::Dynamic)
    return "floating-point arithmetic that does not round to nearest";
  return "";
}

bool ends_quietly(QualType type) {
  type = type.getCanonicalType();
  while (const ArrayType* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return true;
  if (record->isInStdNamespace()) {  // destroying a container only destroys its elements
    const auto* special = dyn_cast<ClassTemplateSpecializationDecl>(record);
    if (special == nullptr) return true;
    const auto arguments = special->getTemplateArgs().asArray();
    return std::all_of(arguments.begin(), arguments.end(), [](const TemplateArgument& argument) {
      return argument.getKind() != TemplateArgument::Type || ends_quietly(argument.getAsType());
    });
  }
  const CXXDestructorDecl* destructor = record->getDestructor();
  if (destructor == nullptr || destructor->isUserProvided()) return false;
  for (const FieldDecl* field : record->fields()) {
    if (!ends_quietly(field->getType())) return false;
  }
  return std::all_of(record->bases_begin(), record->bases_end(),
                     [](const CXXBaseSpecifier& base) { return ends_quietly(base.getType()); });
}

}  // namespace stencil::host

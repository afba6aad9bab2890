// Analyses repeats. A repeat contains only stencil functions. A declaration in a repeat would
// suggest a scope, and a reduction would suggest a new value in each iteration.
#include "compiler/sema/repeats.h"

#include <fmt/format.h>

#include <type_traits>

#include "compiler/sema/bounds.h"

namespace stencil::sema {
namespace {

constexpr int64_t kMaxIterations = 1'000'000;

// An item that a repeat cannot contain, and the hint for it.
struct Stranger {
  const char* what;
  const char* hint;
};

template <typename Item>
Stranger stranger() {
  constexpr const char* kOutside = "move it before or after the repeat";
  if constexpr (std::is_same_v<Item, ast::Param>) return {"a param", kOutside};
  if constexpr (std::is_same_v<Item, ast::Grid>) return {"a grid", kOutside};
  if constexpr (std::is_same_v<Item, ast::Subgrid>) return {"a sub-grid", kOutside};
  if constexpr (std::is_same_v<Item, ast::TypeDecl>) return {"a type", kOutside};
  if constexpr (std::is_same_v<Item, ast::Field>) return {"a field", kOutside};
  if constexpr (std::is_same_v<Item, ast::Series>) return {"a series", kOutside};
  if constexpr (std::is_same_v<Item, ast::Table>) return {"a table", kOutside};
  if constexpr (std::is_same_v<Item, ast::Function>) return {"a function", kOutside};
  if constexpr (std::is_same_v<Item, ast::Init>) return {"an init", kOutside};
  if constexpr (std::is_same_v<Item, ast::Reduce>) {
    return {"a reduction", "it has one value per step: move it before or after the repeat"};
  }
  if constexpr (std::is_same_v<Item, ast::Stop>) {
    return {"a stop condition",
            "it ends the run after a step; a repeat has a constant number of iterations"};
  }
  if constexpr (std::is_same_v<Item, ast::Require>) return {"a requirement", kOutside};
  if constexpr (std::is_same_v<Item, ast::Repeat>) {
    return {"a repeat",
            "repeats cannot be nested: multiply the numbers of iterations, or write the inner "
            "functions out"};
  }
  return {};
}

class Repeats {
 public:
  explicit Repeats(Environment& env) : env_(env) {}

  void take(const ast::Item& item) {
    std::visit([&](const auto& kind) { take(kind, item.span); }, item.kind);
  }

  std::vector<ir::Repeat> found;

 private:
  template <typename Item>
  void take(const Item&, Span span) {
    if (depth_ > 0) refuse<Item>(span);
  }
  void take(const ast::Stencil&, Span) { ++stencils_; }
  void take(const ast::Repeat& repeat, Span span) {
    const auto count =
        constant_in(env_, *repeat.count, "the number of iterations", 1, kMaxIterations);
    ++env_.repeats_analysed;
    if (depth_++ > 0) return refuse<ast::Repeat>(span);
    open_ = {stencils_, stencils_, count.value_or(1), span};
  }
  void take(const ast::RepeatEnd&, Span) {
    if (--depth_ > 0) return;
    open_.end = stencils_;
    if (open_.end > open_.first) return found.push_back(open_);
    env_.report.error("S087", open_.span, "a repeat without a stencil function").hint =
        "write 'repeat 20 { stencil n : F on REGION = e; }'";
  }

  template <typename Item>
  void refuse(Span span) {
    const Stranger is = stranger<Item>();
    Diagnostic& error =
        env_.report.error("S087", span, "a repeat can contain only stencil functions");
    error.found = is.what;
    error.hint = is.hint;
    error.related.push_back({open_.span, "the repeat"});
  }

  Environment& env_;
  ir::Repeat open_;
  int depth_ = 0;
  size_t stencils_ = 0;
};

// Refuses fields with several levels in a repeat (S088). A repeat writes a field several times in a
// step, and it would be unclear when the levels of the field advance.
void refuse_levels(Environment& env, const ir::Repeat& repeat) {
  for (size_t f = repeat.first; f < repeat.end; ++f) {
    const ir::Function& function = env.program.functions[f];
    for (const ir::FieldId target : function.targets) {
      const ir::Field& field = env.program.fields[target];
      if (field.history == 1) continue;
      Diagnostic& error = env.report.error(
          "S088", function.span,
          fmt::format("'{}' has {} levels and is written in a repeat", field.name, field.history));
      error.expected = "a field with one level, because levels advance once per step";
      error.related.push_back({field.span, "declared here"});
      error.hint =
          "write a field without history in the repeat, and copy it to this field after the repeat";
    }
  }
}

}  // namespace

void analyze_repeats(Environment& env, const ast::Program& program) {
  Repeats repeats(env);
  size_t stencils = 0;
  for (const ast::Item& item : program.items) {
    repeats.take(item);
    stencils += std::holds_alternative<ast::Stencil>(item.kind) ? 1 : 0;
  }
  if (env.program.functions.size() != stencils) return;  // some stencils have errors
  for (const ir::Repeat& repeat : repeats.found) {
    refuse_levels(env, repeat);
    if (repeat.iterations > 1) env.program.repeats.push_back(repeat);
  }
}

}  // namespace stencil::sema

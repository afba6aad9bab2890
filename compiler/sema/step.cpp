// Makes the tree of a step. A repeat contains stencil functions and repeats. A declaration in a
// repeat would suggest a scope, and a reduction would suggest a new value in each iteration.
#include "compiler/sema/step.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "compiler/sema/bounds.h"

namespace stencil::sema {
namespace {

// Per step, of a repeat and the repeats around it together.
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
  return {};
}

// Refuses fields with several levels that are written several times in a step (S088): it would be
// unclear when the levels of the field advance.
// `block`: in a program with a `step` block.
void refuse_levels(Environment& env, size_t f, bool block = false) {
  if (f >= env.program.functions.size()) return;
  const ir::Function& function = env.program.functions[f];
  for (const ir::FieldId target : function.targets) {
    const ir::Field& field = env.program.fields[target];
    if (field.history == 1) continue;
    Diagnostic& error = env.report.error(
        "S088", function.span,
        fmt::format("'{}' has {} levels and is written in a repeat", field.name, field.history));
    error.expected = "a field with one level, because levels advance once per step";
    error.related.push_back({field.span, "declared here"});
    if (!block) {
      error.hint =
          "write a field without history in the repeat, and copy it to this field after the repeat";
      continue;
    }
    error.message = fmt::format("'{}' has a history of {} and is written by '{}'", field.name,
                                field.history, function.name);
    error.expected = "a function that a step applies once, and 'start' does not apply";
    error.hint =
        "a history advances once per step: write a field without history, and copy it to this one";
  }
}

class StepBuilder {
 public:
  explicit StepBuilder(Environment& env) : env_(env) {}

  void take(const ast::Item& item) {
    std::visit([&](const auto& kind) { take(kind, item.span); }, item.kind);
  }

  ir::Sequence run() { return std::move(step_); }

 private:
  // A repeat whose end is not yet reached.
  struct Open {
    ir::Repeat repeat;
    int64_t per_step;      // iterations, with those of the repeats around it
    bool refused = false;  // it contains an item that is reported
  };

  template <typename Item>
  void take(const Item&, Span span) {
    if (!open_.empty()) refuse<Item>(span);
  }
  void take(const ast::Stencil&, Span) {
    if (!open_.empty()) refuse_levels(env_, stencils_);
    body().push_back(ir::Apply{stencils_++});
  }
  void take(const ast::Reduce&, Span span) {
    if (!open_.empty()) return refuse<ast::Reduce>(span);
    const size_t r = reductions_++;
    const auto& all = env_.program.reductions;
    if (r < all.size() && all.at(r).in_step) {
      body().push_back(ir::Reduce{static_cast<ir::ReductionId>(r)});
    }
  }
  void take(const ast::Repeat& repeat, Span span) {
    const int64_t around = open_.empty() ? 1 : open_.back().per_step;
    const std::string what =
        around == 1 ? "the number of iterations"
                    : fmt::format("the number of iterations, {} times per step,", around);
    const auto count = constant_in(env_, *repeat.count, what.c_str(), 1, kMaxIterations / around);
    ++env_.repeats_analysed;
    // After an error, inner repeats are checked by themselves.
    open_.push_back({{count.value_or(1), {}, span}, count ? around * *count : 1});
  }
  void take(const ast::RepeatEnd&, Span) {
    ir::Repeat done = std::move(open_.back().repeat);
    const bool refused = open_.back().refused;
    open_.pop_back();
    if (done.body.empty() && refused) {
      if (!open_.empty()) open_.back().refused = true;
      return;
    }
    if (done.body.empty()) {
      env_.report.error("S087", done.span, "a repeat without a stencil function").hint =
          "write 'repeat 20 { stencil n : F on REGION = e; }'";
      return;
    }
    if (done.iterations > 1) {
      body().push_back(std::move(done));
    } else {
      for (ir::Step& step : done.body) body().push_back(std::move(step));
    }
  }

  template <typename Item>
  void refuse(Span span) {
    const Stranger is = stranger<Item>();
    Diagnostic& error =
        env_.report.error("S087", span, "a repeat can contain only stencil functions and repeats");
    error.found = is.what;
    error.hint = is.hint;
    error.related.push_back({open_.back().repeat.span, "the repeat"});
    open_.back().refused = true;
  }

  ir::Sequence& body() { return open_.empty() ? step_ : open_.back().repeat.body; }

  Environment& env_;
  ir::Sequence step_;
  std::vector<Open> open_;
  size_t stencils_ = 0;
  size_t reductions_ = 0;
};

}  // namespace

void refuse_repeated_levels(Environment& env) {
  std::vector<int> applied(env.program.functions.size(), 0);
  const auto count = [&](const auto& self, const ir::Sequence& sequence, int times) -> void {
    for (const ir::Step& step : sequence) {
      const auto* apply = std::get_if<ir::Apply>(&step.kind);
      if (apply && apply->function < applied.size()) applied[apply->function] += times;
      if (const auto* repeat = std::get_if<ir::Repeat>(&step.kind)) self(self, repeat->body, 2);
    }
  };
  count(count, env.program.start, 2);
  count(count, env.program.run.body, 1);
  for (size_t f = 0; f < applied.size(); ++f) {
    if (applied[f] > 1) refuse_levels(env, f, true);
  }
}

void build_step(Environment& env, const ast::Program& program) {
  StepBuilder builder(env);
  for (const ast::Item& item : program.items) builder.take(item);
  env.program.run.body = builder.run();
}

}  // namespace stencil::sema

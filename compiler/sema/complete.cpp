// A value with an error has no type, and all results that depend on it are dropped without a
// further message. One mistake therefore gives one message. This is sound only if the first error
// was reported. If a step forgets to report an error, the program lacks a piece, the value of a
// param or a whole reduction; later stages would crash or run a wrong program. This check therefore
// compares the result with the program text, part by part.
#include "compiler/sema/complete.h"

namespace stencil::sema {
namespace {

class LeftOut {
 public:
  explicit LeftOut(const Environment& env) : env_(env) {}

  void operator()(const ast::Param& param) { declared(param.name); }
  void operator()(const ast::Grid& grid) {
    declared(grid.name);
    if (grid.steps && !env_.program.steps) places.push_back(grid.steps->span);
  }
  void operator()(const ast::Subgrid& subgrid) { declared(subgrid.name); }
  void operator()(const ast::TypeDecl& type) { declared(type.name); }
  void operator()(const ast::Field& field) {
    for (const ast::Identifier& name : field.names) declared(name);
  }
  void operator()(const ast::Series& series) {
    for (const ast::Identifier& name : series.names) declared(name);
  }
  void operator()(const ast::Points& points) {
    for (const ast::Identifier& name : points.names) declared(name);
  }
  void operator()(const ast::Table& table) { declared(table.name); }
  void operator()(const ast::Function& function) { declared(function.name); }
  void operator()(const ast::Stencil& stencil) {
    const auto& functions = env_.program.functions;
    if (env_.instances.empty()) {
      check(stencil, stencils_++);
      return;
    }
    if (functions.size() != env_.instances.size()) places.push_back(stencil.name.span);
    for (size_t f = 0; f < env_.instances.size(); ++f) {
      if (env_.instances[f].syntax == &stencil) check(stencil, f);
    }
  }
  void check(const ast::Stencil& stencil, size_t function) {
    const size_t found = function < env_.program.functions.size()
                             ? env_.program.functions[function].pieces.size()
                             : 0;
    size_t written = 0;  // an `else` may become any number of pieces, including none
    for (const ast::Piece& piece : stencil.pieces) written += piece.otherwise ? 0 : 1;
    const bool exact = written == stencil.pieces.size();
    const bool whole = exact ? found == written : found >= written;
    if (!whole) places.push_back(stencil.name.span);
  }
  void operator()(const ast::Cycle&) {}
  void operator()(const ast::StepBlock&) {}
  void operator()(const ast::StartBlock&) {}
  void operator()(const ast::Repeat& repeat) {
    if (repeats_ >= env_.repeats_analysed) places.push_back(repeat.count->span);
    ++repeats_;
  }
  void operator()(const ast::RepeatEnd&) {}
  void operator()(const ast::Init& init) {
    if (inits_ >= env_.program.inits.size()) places.push_back(init.field.span);
    ++inits_;
  }
  void operator()(const ast::Reduce& reduce) {
    declared(reduce.name);
    const auto& all = env_.program.reductions;
    const bool found = reductions_ < all.size() && !all[reductions_].piece.results.empty();
    if (!found) places.push_back(reduce.name.span);
    ++reductions_;
  }
  void operator()(const ast::Stop& stop) {
    if (!env_.program.run.until) places.push_back(stop.condition->span);
  }
  void operator()(const ast::Require& require) {
    if (requirements_ >= env_.requirements_analysed) places.push_back(require.condition->span);
    ++requirements_;
  }

  std::vector<Span> places;

 private:
  void declared(const ast::Identifier& name) {
    const auto place = env_.names.find(name.name);
    if (place == env_.names.end() || place->second.broken) places.push_back(name.span);
  }

  const Environment& env_;
  size_t stencils_ = 0, repeats_ = 0, inits_ = 0, reductions_ = 0, requirements_ = 0;
};

}  // namespace

std::vector<Span> parts_left_out(const Environment& env, const ast::Program& program) {
  LeftOut visitor(env);
  for (const ast::Item& item : program.items) std::visit(visitor, item.kind);
  return std::move(visitor.places);
}

}  // namespace stencil::sema

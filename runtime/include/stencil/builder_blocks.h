// Blocks of statements of stencil programs written in C++ (builder.h): what a step, a cycle or the
// start applies (docs/reference/language.md, "Levels and cycles").
//
//   const auto v = b.cycle("v");
//   v.body({repeat(2, {smooth}),
//           if_(level() < L - 1, {residual, coarser({restrict, zero, v}), correct},
//               {repeat(20, {smooth})}),
//           repeat(2, {smooth})});
//   b.step({v, residual});
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "stencil/builder_expressions.h"

namespace stencil::dsl {

namespace detail {
struct StatementNode;
}  // namespace detail

// Everything below is exported from the shared library. That includes the classes that are only
// named here: a declaration outside of the pragma would hide them.
#pragma GCC visibility push(default)

class Cycle;
class Field;
class Reduction;
class Stencil;

// A statement of a block. Stencil functions, cycles and reductions become statements that apply
// them. The last argument is the place in the C++ source; leave it at the default.
class Statement {
 public:
  Statement(const Stencil& function, Place place = Place::current());
  Statement(const Cycle& cycle, Place place = Place::current());
  Statement(const Reduction& reduction, Place place = Place::current());
  Statement(const Field& profile, Place place = Place::current());  // of reduce_over()

  Statement(const Statement&) = default;  // no moves: a statement is never empty
  Statement& operator=(const Statement&) = default;

 private:
  friend struct Access;
  explicit Statement(std::shared_ptr<const detail::StatementNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const detail::StatementNode> node_;
};

// { statements }
using Block = std::vector<Statement>;

// repeat count { body }
Statement repeat(const Expr& count, const Block& body, Place place = Place::current());
// if condition { body } else { otherwise }
Statement if_(const Expr& condition, const Block& body, const Block& otherwise = {},
              Place place = Place::current());
// coarser { body }: the body on the next coarser level
Statement coarser(const Block& body, Place place = Place::current());

// A named block. Builder::cycle() makes it.
class Cycle {
 public:
  // Sets the statements; must be called exactly once (P023). They may apply this cycle.
  void body(const Block& statements, Place place = Place::current()) const;

 private:
  friend struct Access;
  friend class Builder;
  Cycle(std::shared_ptr<detail::State> state, std::size_t item, std::string name)
      : state_(std::move(state)), item_(item), name_(std::move(name)) {}
  std::shared_ptr<detail::State> state_;
  std::size_t item_;
  std::string name_;
};

#pragma GCC visibility pop

}  // namespace stencil::dsl

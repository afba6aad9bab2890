// Traversal of kernel bodies, for the passes and writers that look for something in them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// Calls `visit` with every statement, outer ones first, in order.
void for_each_statement(const Body& body, const std::function<void(const Statement&)>& visit);

// Calls `visit` with every expression that stands directly in `statement` (not in nested bodies).
void for_each_expression(const Statement& statement, const std::function<void(const Expr&)>& visit);

// Calls `visit` with every node of an expression, once each, operands first; null has none.
void for_each_node(const Expr& expr, const std::function<void(const Expr&)>& visit);

// All nodes of all expressions in a body, nested ones included.
void for_each_node(const Body& body, const std::function<void(const Expr&)>& visit);

// Everything that a kernel gives a name: itself, its arguments, buffers, lets and loops.
std::set<std::string> names_in(const Kernel& kernel);
// The same of all kernels of a module, and the names of threads, constants and the plan.
std::set<std::string> names_in(const Module& module);

// Gives out names that nothing in a module has: BASE, or BASE_2, BASE_3, ... None is given twice.
class FreshNames {
 public:
  explicit FreshNames(const Module& module);
  std::string operator()(const std::string& base);

 private:
  std::set<std::string> taken_;
};

// Names of all variables read in the body, whether defined in it or not.
std::set<std::string> variables_in(const Body& body);

// How many statements of the body define each name: lets, loops and shuffles.
std::map<std::string, int> binders_in(const Body& body);

// Buffers loaded from (stored to) anywhere in the body.
std::set<BufferId> buffers_loaded(const Body& body);
std::set<BufferId> buffers_stored(const Body& body);

// Bytes of the arrays that a thread indexes by the variable of a rolled loop: no compiler keeps
// them in registers.
int64_t indexed_bytes(const Kernel& kernel);

}  // namespace stencil::kernel

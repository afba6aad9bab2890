// Traversal of kernel bodies, for passes and writers.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

// Calls `visit` with every statement in order, outer ones first.
void for_each_statement(const Body& body, const std::function<void(const Statement&)>& visit);

// Calls `visit` with every expression that stands directly in `statement` (not in nested bodies).
void for_each_expression(const Statement& statement, const std::function<void(const Expr&)>& visit);

// Calls `visit` once with every node of an expression, operands first. A null expression has no
// nodes.
void for_each_node(const Expr& expr, const std::function<void(const Expr&)>& visit);

// Calls `visit` with every node of the expressions in a body, including nested bodies.
void for_each_node(const Body& body, const std::function<void(const Expr&)>& visit);

// Every name in a kernel: its own, arguments, buffers, lets and loops.
std::set<std::string> names_in(const Kernel& kernel);
// Every name in the kernels of a module, plus the names of threads, constants and the plan.
std::set<std::string> names_in(const Module& module);

// Generates names that are unused in a module: BASE, or BASE_2, BASE_3, ... No name is given twice.
class FreshNames {
 public:
  explicit FreshNames(const Module& module);
  std::string operator()(const std::string& base);

 private:
  std::set<std::string> taken_;
};

// Names of all variables in an expression.
std::set<std::string> variables_in(const Expr& expr);
// Names of all variables read in the body, including those defined in it.
std::set<std::string> variables_in(const Body& body);

// How many statements of the body define each name: lets, loops and shuffles.
std::map<std::string, int> binders_in(const Body& body);

// Buffers loaded from (stored to) anywhere in the body.
std::set<BufferId> buffers_loaded(const Body& body);
std::set<BufferId> buffers_stored(const Body& body);
// Whether the body, executed by one thread, may read a value that the buffer had before. Exact only
// for buffers of one element; true for others that the body accesses.
bool may_read_earlier_value(const Kernel& kernel, const Body& body, BufferId buffer);

// Bytes of per-thread arrays that are indexed by the variable of a rolled loop. Compilers cannot
// keep these in registers.
int64_t indexed_bytes(const Kernel& kernel);

}  // namespace stencil::kernel

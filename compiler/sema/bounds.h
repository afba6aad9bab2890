// Bounds of boxes: affine functions of the open params.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// The affine function that `expr` denotes; `what` ("a bound") is for messages. S010, S011, S012.
std::optional<ir::Affine> affine_bound(Environment& env, const ast::Expr& expr, const char* what);

// The same, but silently nothing where `expr` is not affine.
std::optional<ir::Affine> try_affine(Environment& env, const ast::Expr& expr);

// expr, which is `of` / `by`, as an affine function: of a param that follows from the others,
// unless the division is exact. `make`: if need be, such a param is made; else nothing.
std::optional<ir::Affine> quotient_in_bound(Environment& env, const ast::Expr& expr,
                                            const ir::Affine& of, int64_t by, bool make);

// A box of `rank` dimensions (0: any up to kMaxRank). S014 for another rank.
std::optional<ir::Box> elaborate_box(Environment& env, const ast::Box& box, int rank);

// The strides of its ranges, empty if none has one. Nothing if one is in error. S010, S029.
std::optional<std::vector<int64_t>> elaborate_strides(Environment& env, const ast::Box& box);

// The names that a region gives to indices, in its order; null where a range has none.
std::vector<const ast::Identifier*> indices_of(const ast::Region& region);
// These as text, "" for null and for unusable ones, which are reported (S002 and others).
std::vector<std::string> index_names(Environment& env,
                                     const std::vector<const ast::Identifier*>& indices);
// S014 unless there are as many index names as dimensions, or none.
bool has_index_per_dimension(Environment& env, size_t indices, size_t rank, Span span);

Region elaborate_region(Environment& env, const ast::Region& region);

// An integer in low..high, known at compile time (history, every, a vector's length). S010, S029.
std::optional<int64_t> constant_in(Environment& env, const ast::Expr& expr, const char* what,
                                   int64_t low, int64_t high);

Span span_of(const ast::Region& region);

}  // namespace stencil::sema

// Evaluates the bounds of boxes, which are affine functions of the open params.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

// Returns `expr` as an affine function. `what` ("a bound") is the noun for messages. S010, S011,
// S012.
std::optional<ir::Affine> affine_bound(Environment& env, const ast::Expr& expr, const char* what);

// Like affine_bound, but reports no error if `expr` is not affine.
std::optional<ir::Affine> try_affine(Environment& env, const ast::Expr& expr);

// Returns `expr`, which is `of` / `by`, as an affine function. If the division is not exact, the
// quotient becomes a derived param. `make`: whether a new param may be created. If not, the result
// is nullopt unless the param already exists.
std::optional<ir::Affine> quotient_in_bound(Environment& env, const ast::Expr& expr,
                                            const ir::Affine& of, int64_t by, bool make);

// The quotient of an affine function by a positive number, rounded down. The function must be
// nonnegative in every run. `text`: the quotient as a user would write it. If the division is not
// exact, the quotient becomes a derived param.
ir::Affine quotient_of(Environment& env, const ir::Affine& of, int64_t by, const std::string& text,
                       Span span);

// A box of `rank` dimensions (0: any number up to kMaxRank). S014 if the number of dimensions
// differs. `around`: the box in which it lies; its bounds are called `first` and `last`.
std::optional<ir::Box> elaborate_box(Environment& env, const ast::Box& box, int rank,
                                     const ir::Box* around = nullptr);

// The strides of the ranges; empty if all are 1. nullopt after an error: S010, S029.
std::optional<std::vector<int64_t>> elaborate_strides(Environment& env, const ast::Box& box);

// The index names of a region, in order. Null for a range without an index name.
std::vector<const ast::Identifier*> indices_of(const ast::Region& region);
// The index names as text. "" for null and for names that cannot be used. Unusable names are
// reported (S002 and others).
std::vector<std::string> index_names(Environment& env,
                                     const std::vector<const ast::Identifier*>& indices);
// Whether there are no index names or one for each dimension. S014 otherwise.
bool has_index_per_dimension(Environment& env, size_t indices, size_t rank, Span span);

Region elaborate_region(Environment& env, const ast::Region& region);

// Whether the region belongs to the domain. S096 if it is that of another grid.
bool lies_in(Environment& env, const Region& region, ir::DomainId domain,
             const ast::Region& written);

// The integer of `expr`, which must be in low..high and known at compile time, such as history,
// every, or the length of a vector. S010, S029.
std::optional<int64_t> constant_in(Environment& env, const ast::Expr& expr, const char* what,
                                   int64_t low, int64_t high);

Span span_of(const ast::Region& region);

}  // namespace stencil::sema

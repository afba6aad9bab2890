// The public header is self-contained and can be included twice.
// clang-format off
#include "stencil/builder.h"
#include "stencil/builder.h"
// clang-format on

static_assert(!std::is_convertible_v<const char*, stencil::dsl::Expr>);
static_assert(!std::is_convertible_v<char, stencil::dsl::Expr>);
static_assert(!std::is_convertible_v<long double, stencil::dsl::Expr>);
static_assert(std::is_convertible_v<std::size_t, stencil::dsl::Expr>);

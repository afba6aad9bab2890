// Static analysis of the grammar: no rule can loop without consuming input.
#include "compiler/syntax/grammar.h"

#include <gtest/gtest.h>

#include <tao/pegtl/contrib/analyze.hpp>

namespace stencil {
namespace {

TEST(Grammar, HasNoLoopsWithoutProgress) {
  EXPECT_EQ(tao::pegtl::analyze<grammar::program>(), 0U);
  EXPECT_EQ(tao::pegtl::analyze<grammar::one_item>(), 0U);
}

}  // namespace
}  // namespace stencil

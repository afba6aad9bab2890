// Float params in random programs: given at run time, or fixed in the code.
#pragma once

#include <set>
#include <string>

#include "tests/property/generator.h"

namespace stencil::property {

// Declares the params `alpha` and `beta`, of which a divisor is made.
std::string declare_float_params(Random& random);

// An expression of those params and `value`, of about its magnitude.
std::string param_term(Random& random, const std::string& value);

// The params that --fix names.
std::set<std::string> fixed_params(Random& random);

}  // namespace stencil::property

// Functions of the user, local values, and tables of constants.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::make_functions() {
  std::string text;
  if (random_.chance(choices_.tables)) {
    has_tables_ = true;
    text +=
        "table w : real[3] = {0.25, 1/2, 0.1875};\n"
        "table w2 : real[2,3] = {{0.125, -0.25, 0.5}, {1/3, 0.0625, 0.2}};\n"
        "table c : integer[4] = {0, -1, 2, 1};\n";
  }
  if (!random_.chance(choices_.functions)) return text;
  has_place_ = true;
  text += "function place(k) = position(k) - origin(k) + 0.5 * spacing(k);\n";
  const size_t axis = static_cast<size_t>(random_.below(out_.rank));
  const int radius = random_.between(1, 2);
  const Offset below = axis_offset(axis, -radius), here(rank(), 0),
               above = axis_offset(axis, radius);
  text += fmt::format("function lap(u : field) = u[{}] + u[{}] - 2 * u[{}];\n", list(above),
                      list(below), list(here));
  functions_.push_back({"lap", {below, here, above}});
  switch (random_.below(4)) {
    case 0:
      text += fmt::format(
          "function flux(u : field, k) {{\n  let slope = u[{}] - u[{}];\n  = k * slope;\n}}\n",
          list(above), list(here));
      functions_.push_back({"flux", {here, above}, true});
      break;
    case 1:
      text += fmt::format("function both(u : field) = {{u[{}], 0.5 * u[{}]}};\n", list(below),
                          list(here));
      functions_.push_back({"both", {below, here}, false, "[1]"});
      break;
    case 2: {  // a function called inside another one, once shifted
      const size_t other = static_cast<size_t>(random_.below(out_.rank));
      const Offset shift = axis_offset(other, 1);
      text += fmt::format("function twice(u : field) = lap(u)[{}] - lap(u);\n", list(shift));
      Function twice{"twice", {below, here, above}};
      for (Offset offset : {below, here, above}) {
        ++offset[other];
        twice.reads.push_back(offset);
      }
      functions_.push_back(twice);
      break;
    }
    default:  // a constant argument is used as an offset
      text += fmt::format("function step(u : field, q) = u[{}] - u[{}];\n", axis_text(axis, "q"),
                          axis_text(axis, "-q"));
      text += fmt::format("function far(u : field) = step(u, {}) * alpha;\n", radius);
      functions_.push_back({"far", {below, above}});
  }
  return text;
}

// A function applied at an offset. Arguments passed by value are not shifted.
std::string Generator::call(Site& site, int depth) {
  std::vector<const Field*> fields;
  for (const Field& field : fields_) {
    const bool number = field.type.is_scalar() && !is_condition(field.type.number);
    if (number) fields.push_back(&field);
  }
  if (functions_.empty() || fields.empty()) return "";
  const Function& function = random_.pick(functions_);
  const Field& field = *random_.pick(fields);
  Offset shift = random_offset(site);
  for (int& o : shift) o = std::clamp(o, -1, 1);
  for (const Offset& read : function.reads) {
    Offset offset = read;
    for (size_t d = 0; d < rank(); ++d) offset[d] += shift[d];
    if (!allows(site, offset)) return "";
  }
  for (const Offset& read : function.reads) {
    Offset offset = read;
    for (size_t d = 0; d < rank(); ++d) offset[d] += shift[d];
    note(field, offset, site);
  }
  std::string arguments = random_level(field);
  if (function.takes_value) arguments += ", " + floating(site, depth + 1);
  const Number number = field.type.number;
  const std::string scale = number == Number::Long      ? "0.000001"
                            : has_16_bits(number)       ? "0.00001"
                            : number == Number::Integer ? "0.03125"
                            : is_small(number)          ? "0.005"
                                                        : "0.25";
  return fmt::format("{} * {}({})[{}]{}", scale, function.name, arguments, list(shift),
                     function.selects);
}

// A new local value, or an existing one of the function.
std::string Generator::let(Site& site, int depth) {
  if (!site.lets_allowed) return "";
  if (!lets_.empty() && random_.chance(50)) {
    const Let& known = random_.pick(lets_);
    site.reach.enclose(known.reach);
    return known.name + known.component;
  }
  if (depth > 0 || lets_.size() >= 3) return "";
  Site own(out_.rank);
  own.least = site.least;
  own.most = site.most;
  own.names_allowed = false;  // it is shared by several pieces
  own.lets_allowed = true;
  std::string value, component;
  const Field& field = random_.pick(fields_);
  if (field.type.is_vector() && all_floating(field.type) && random_.chance(60)) {
    covers("let of an element");
    value = access(field, own);
    component = random_.pick(components_of(field.type)).path;
  } else {
    value = floating(own, depth + 1);
  }
  const Let made{fmt::format("v{}", lets_.size()), component, own.reach};
  lets_.push_back(made);
  let_texts_.push_back(fmt::format("let {} = {};", made.name, value));
  site.reach.enclose(made.reach);
  return fmt::format("({0}{1} - {0}{1} * {2})", made.name, component, floating_access(site));
}

}  // namespace stencil::property

// Fields: element types, boundaries, domains and history.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

void Generator::make_sub_grids() {
  if (!random_.chance(choices_.sub_grid)) return;
  const int count = random_.chance(choices_.second_sub_grid) ? 2 : 1;
  for (int s = 0; s < count; ++s) {
    SubGrid grid{fmt::format("H{}", s), "G", Margin(out_.rank)};
    const bool nested = s > 0 && random_.chance(50);
    if (nested) {
      grid.parent = "H0";
      grid.margin = sub_grids_[0].margin;
      covers("sub-grid of a sub-grid");
    }
    for (size_t d = 0; d < rank(); ++d) {
      grid.margin.low[d] += random_.between(0, 2);
      grid.margin.high[d] += random_.between(nested ? 1 : 0, 2);
      needed_[d] =
          std::max(needed_[d], grid.margin.low[d] + grid.margin.high[d] + random_.between(1, 3));
    }
    sub_grids_.push_back(grid);
  }
}

void Generator::make_fields() {
  const int written = random_.between(1, 3);
  for (int f = 0; f < written; ++f) {
    Field field = random_field(std::string(1, static_cast<char>('A' + f)));
    if (random_.chance(choices_.history)) field.history = random_.between(2, 4);
    fields_.push_back(field);
  }
  if (random_.chance(choices_.coefficient_field)) {
    Field field = random_field("K");
    field.constant = true;
    fields_.push_back(field);
  }
  std::set<Number> numbers;
  for (const Field& field : fields_) {
    note_constructs(field);
    for (const Component& component : components_of(field.type)) numbers.insert(component.number);
  }
  if (numbers.size() > 1) covers("mixed types");
}

std::vector<const Field*> Generator::targets() const {
  std::vector<const Field*> written;
  for (const Field& field : fields_) {
    const bool several = in_repeat_ && field.history > 1;  // history levels
    if (!field.constant && !several) written.push_back(&field);
  }
  return written;
}

namespace {

// A number as a constant of the type; a condition if the type is bool.
std::string constant_of(const Type& type, int number) {
  if (type.is_scalar()) {
    return is_condition(type.number) ? number > 0 ? "true" : "false" : fmt::format("{}", number);
  }
  std::vector<std::string> members;
  for (const Type::Member& member : type.members) {
    members.push_back(constant_of(member.type, number));
  }
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

// Replaces the numbers of a boundary by constants that the type accepts.
std::string with_constants_of(const Type& type, const std::string& text) {
  const auto components = components_of(type);
  const bool conditions = std::any_of(components.begin(), components.end(),
                                      [](const Component& c) { return is_condition(c.number); });
  if (!conditions) return text;
  const std::string word = "constant ";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const bool number = text.compare(at, word.size(), word) == 0;
    out += number ? word + constant_of(type, text[at + word.size()] - '0') : text.substr(at, 1);
    at += number ? word.size() + 1 : 1;
  }
  return out;
}

}  // namespace

Field Generator::random_field(const std::string& name) {
  Field field{name, {"real", Number::Real, {}}, {}, "G", Margin(out_.rank)};
  if (!exact_) field.type = random_type(random_, choices_);
  if (!field.type.is_scalar() && !field.type.is_vector() && random_.chance(choices_.named_type)) {
    const std::string type = fmt::format("T{}", types_.size());
    types_.push_back(fmt::format("type {} = {};\n", type, field.type.text));
    field.type.text = type;
  }
  // Sides without a rule would force a tiny grid to grow.
  const Rules permitted = exact_ || !all_numbers(field.type) ? Rules::Plain
                          : all_floating(field.type)         ? Rules::All
                                                             : Rules::Computed;
  field.boundary =
      plain_ ? no_boundary(out_.rank) : random_boundary(random_, out_.rank, tiny_, permitted);
  field.boundary.text = with_constants_of(field.type, field.boundary.text);
  for (size_t d = 0; d < rank(); ++d) {
    const Boundary::Sides& sides = field.boundary.dimensions[d];
    if (needs_two_points(sides)) needed_[d] = std::max(needed_[d], 2);
  }
  const int inner = field.boundary.none()     ? choices_.inner_without
                    : field.boundary.covers() ? choices_.inner_with_boundary
                                              : 0;
  if (!sub_grids_.empty() && field.boundary.plain() && random_.chance(inner)) {
    const SubGrid& grid = random_.pick(sub_grids_);
    field.domain = grid.name;
    field.margin = grid.margin;
  }
  return field;
}

void Generator::note_constructs(const Field& field) {
  if (field.constant) covers("coefficient field");
  if (field.history > 1) covers(fmt::format("history {}", field.history));
  if (field.domain != "G") covers("field on a sub-grid");
  for (const std::string& construct : field.boundary.constructs()) covers(construct);
  for (const Component& component : components_of(field.type)) {
    covers(std::string("type ") + name(component.number));
  }
  if (field.type.is_scalar()) return;
  covers(field.type.is_vector() ? "type vector" : "type structure");
  for (const Type::Member& member : field.type.members) {
    if (!member.type.is_scalar()) covers("type nested");
  }
}

std::string Generator::declarations() const {
  std::string text;
  for (const SubGrid& grid : sub_grids_) {
    text += fmt::format("subgrid {} of {} = [{}];\n", grid.name, grid.parent,
                        box_of(grid.margin, grid.strides));
  }
  for (const std::string& type : types_) text += type;
  for (const Field& field : fields_) {
    text += fmt::format("field {} : {} on {}", field.name, field.type.text, field.domain);
    if (field.history > 1) text += fmt::format(" history {}", field.history);
    if (field.constant) text += " constant";
    const bool written = written_.count(field.name) != 0;
    if (!field.boundary.none()) {
      text += " boundary ";
      text += written ? field.boundary.text : with_constant_edges(field.boundary.text);
    }
    text += ";\n";
  }
  for (const auto* profiles : {&profiles_, &series_, &integer_series_}) {
    for (const Profile& profile : *profiles) text += profile.text;
  }
  text += point_text_;
  return text;
}

}  // namespace stencil::property

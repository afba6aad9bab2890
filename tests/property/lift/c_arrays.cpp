// The arrays of a program in C: their layouts, declarations and element expressions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/lift/c_writer.h"

namespace stencil::property {

int64_t CWriter::value(const ir::Affine& affine) const {
  return *ir::evaluate(affine, integers_);
}

std::string CWriter::print(const ir::Affine& affine) const {
  for (const auto& [param, factor] : affine.terms) used_.insert(param);
  return ir::print(affine, names_);
}

std::string CWriter::length(ir::FieldId field, size_t d) const {
  const ir::Range& range = program_.fields[field].box.ranges[d];
  return print(range.high - range.low + 1);
}

int64_t CWriter::extent(ir::FieldId field, size_t d) const {
  const ir::Range& range = program_.fields[field].box.ranges[d];
  return value(range.high) - value(range.low) + 1;
}

// Refuses programs that loop nests cannot express, or only with constructs that the lifter refuses.
void CWriter::check() {
  if (program_.grid().rank() > 4) throw Unsayable{"grids of more than four dimensions"};
  for (const ir::Reduction& reduction : program_.reductions) {
    if (reduction.in_step) throw Unsayable{"reduction in the step"};
  }
  for (size_t f = 0; f < program_.fields.size(); ++f) {
    const ir::Field& field = program_.fields[f];
    if (field.is_point_set() || field.set()) throw Unsayable{"points"};
    for (size_t d = 0; d < field.box.ranges.size(); ++d) {
      if (extent(static_cast<int>(f), d) < 1) throw Unsayable{"a field without points"};
    }
  }
}

// Adds an array with the dimensions of a field, and one for `copies` and for `components`, which
// are omitted if 0.
int CWriter::add_array(const std::string& name, ir::FieldId field, Scalar type, bool constant,
                       int copies, int components) {
  if (style_.layout == Layout::Vector && type == Scalar::Bool) throw Unsayable{"a vector of bool"};
  CArray made{name, type, {}, {}, constant};
  const auto dimension = [&](const std::string& text, int64_t many) {
    made.lengths.push_back(text);
    made.extents.push_back(many);
  };
  if (copies > 0) dimension(std::to_string(copies), copies);
  if (components > 0 && style_.packing == Packing::First)
    dimension(std::to_string(components), components);
  for (size_t d = 0; d < program_.fields[field].box.ranges.size(); ++d) {
    dimension(length(field, d), extent(field, d));
  }
  if (components > 0 && style_.packing == Packing::Last)
    dimension(std::to_string(components), components);
  out_.arrays.push_back(std::move(made));
  return static_cast<int>(out_.arrays.size()) - 1;
}

// Whether the first function that writes the field reads its oldest level only at the point itself.
bool CWriter::can_replace_oldest(ir::FieldId id) const {
  const ir::Field& field = program_.fields[id];
  if (field.history < 2) return false;
  for (const ir::Function& function : program_.functions) {
    bool others = false;
    for (const ir::Piece& piece : function.pieces) {
      for (const ir::Node& node : piece.graph.nodes()) {
        const auto* access = std::get_if<ir::Access>(&node.kind);
        if (access == nullptr || access->field != id || access->level + 1 < field.history) continue;
        others = others || access->escapes != 0 || !access->at_point();
      }
    }
    if (!ir::writes(function, id)) continue;
    return !others;
  }
  return false;
}

void CWriter::make_field(ir::FieldId id) {
  const ir::Field& field = program_.fields[id];
  FieldState& state = states_[id];
  state.written = ir::is_written(program_, id);
  state.moves = state.written && (field.history > 1 || style_.buffered);
  state.oldest = state.moves && style_.oldest && style_.chain && style_.turns != Turns::Shift &&
                 can_replace_oldest(id);
  state.buffers = field.history + (state.moves && !state.oldest ? 1 : 0);
  CProgram::FieldPlaces& places = out_.fields[id];
  places.turns = style_.turns;
  places.moves = state.moves;
  places.contents = style_.turns == Turns::Swap && style_.layout == Layout::Vector;
  places.buffers = state.buffers;
  places.places.resize(static_cast<size_t>(state.buffers));
  const int components = static_cast<int>(field.components.size());
  const bool alike =
      components > 1 && style_.packing != Packing::Apart &&
      std::all_of(field.components.begin(), field.components.end(),
                  [&](const ir::Component& c) { return c.type == field.components[0].type; });
  const bool parity = state.moves && style_.turns == Turns::Parity;
  for (int b = 0; b < (parity ? 1 : state.buffers); ++b) {
    for (int c = 0; c < (alike ? 1 : components); ++c) {
      std::string name = fmt::format("f{}", id);
      if (components > 1 && !alike) name += std::string(1, static_cast<char>('a' + c));
      if (b > 0) name += fmt::format("_{}", b);
      const int array = add_array(name, id, field.components[c].type, !state.written,
                                  parity ? state.buffers : 0, alike ? components : 0);
      for (int buffer_slot = b; buffer_slot < (parity ? state.buffers : b + 1); ++buffer_slot) {
        for (int part = c; part < (alike ? components : c + 1); ++part) {
          CLevel level{array, {}, {}};
          if (parity) level.before.push_back(buffer_slot);
          if (alike)
            (style_.packing == Packing::First ? level.before : level.after).push_back(part);
          places.places[buffer_slot].push_back(level);
        }
      }
    }
  }
}

void CWriter::make_arrays() {
  for (size_t p = 0; p < program_.params.size(); ++p) names_.push_back(fmt::format("p{}", p));
  states_.resize(program_.fields.size());
  out_.fields.resize(program_.fields.size());
  for (size_t f = 0; f < program_.fields.size(); ++f) make_field(static_cast<int>(f));
}

int CWriter::temporary(ir::FieldId field, int component) {
  const auto [entry, fresh] = temporaries_.try_emplace({field, component}, 0);
  if (fresh) {
    const Scalar type = program_.fields[field].components[component].type;
    entry->second = add_array(fmt::format("w{}_{}", field, component), field, type, false, 0, 0);
  }
  return entry->second;
}

// Declares a pointer with the type of the array's parameter.
std::string CWriter::pointer_to(const CArray& array, const std::string& name) const {
  const std::string type = c_type(array.type, style_.cpp());
  if (style_.layout == Layout::Linear || array.lengths.size() == 1)
    return fmt::format("{} *{}", type, name);
  std::string rows;
  for (size_t d = 1; d < array.lengths.size(); ++d) rows += "[" + array.lengths[d] + "]";
  return fmt::format("{} (*{}){}", type, name, rows);
}

std::string CWriter::declared(const CArray& array) const {
  const std::string type =
      fmt::format("{}{}", array.constant ? "const " : "", c_type(array.type, style_.cpp()));
  switch (style_.layout) {
    case Layout::Lengths: {
      std::string lengths;
      for (size_t d = 0; d < array.lengths.size(); ++d) {
        const bool first = d == 0 && style_.restricted;
        lengths += fmt::format("[{}{}]", first ? "restrict " : "", array.lengths[d]);
      }
      return fmt::format("{} {}{}", type, array.name, lengths);
    }
    case Layout::Rows:
    case Layout::Linear: {
      const std::string name = (style_.restricted ? "restrict " : "") + array.name;
      return (array.constant ? "const " : "") + pointer_to(array, name);
    }
    case Layout::Vector:
      return fmt::format("{}std::vector<{}>& {}", array.constant ? "const " : "",
                         c_type(array.type, true), array.name);
    case Layout::Span:
      return fmt::format("std::span<{}> {}", type, array.name);
    case Layout::Mdspan:
      return fmt::format("mdspan<{}, dextents<int, {}>> {}", type, array.lengths.size(),
                         array.name);
  }
  return "";
}

std::string CWriter::parameters() const {
  std::string out = "int steps";
  for (const int p : used_) {
    const Scalar type = program_.params[p].type;
    out += fmt::format(", {} {}", c_type(type, style_.cpp()), names_[p]);
  }
  for (const CArray& array : out_.arrays) out += ",\n          " + declared(array);
  return out;
}

std::string CWriter::element(const CArray& array, const std::vector<std::string>& all) const {
  if (style_.layout == Layout::Mdspan)
    return fmt::format("{}({})", array.name, fmt::join(all, ", "));
  if (style_.layout == Layout::Lengths || style_.layout == Layout::Rows) {
    return fmt::format("{}[{}]", array.name, fmt::join(all, "]["));
  }
  std::string sum = all[0];
  for (size_t d = 1; d < all.size(); ++d) {
    sum = fmt::format("({}) * ({}) + {}", sum, array.lengths[d], all[d]);
  }
  return fmt::format("{}[{}]", array.name, sum);
}

std::string CWriter::element_of(ir::FieldId id, int component, int buffer,
                                const std::vector<std::string>& subscripts) const {
  const auto& places = out_.fields[id];
  const FieldState& state = states_[id];
  const CLevel& level = places.places[buffer][component];
  std::vector<std::string> all;
  for (size_t i = 0; i < level.before.size(); ++i) {
    // Buffer b is in buffer slot (t - b) % B at the beginning of a step.
    const int buffer_slot = (state.buffers - buffer) % state.buffers;
    const bool turning = i == 0 && state.moves && style_.turns == Turns::Parity;
    if (!turning)
      all.push_back(std::to_string(level.before[i]));
    else if (buffer_slot == 0)
      all.push_back(fmt::format("({} % {})", time_text(), state.buffers));
    else
      all.push_back(fmt::format("(({} + {}) % {})", time_text(), buffer_slot, state.buffers));
  }
  all.insert(all.end(), subscripts.begin(), subscripts.end());
  for (const int64_t part : level.after) all.push_back(std::to_string(part));
  return element(out_.arrays[level.array], all);
}

}  // namespace stencil::property

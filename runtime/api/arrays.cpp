// Copies between user arrays and fields. Resolves the names of fields and their parts, and checks
// the shapes and element types of arrays.
//
// The element type of an array must match that of the component, with two exceptions. C++ has no
// 16-bit floats, so half and bfloat components are also copied from and to float. std::vector<bool>
// stores no bools in memory, so bool components are also copied from and to bytes.
#include "runtime/api/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/reference/scalar_types.h"
#include "compiler/support/numbers.h"
#include "runtime/api/program.h"

namespace stencil {

const char* name_of(ElementType type) {
  return stencil::name(static_cast<Scalar>(type)).data();
}
int64_t size_of(ElementType type) {
  return size_in_bytes(static_cast<Scalar>(type));
}
static_assert(static_cast<Scalar>(ElementType::Bool) == Scalar::Bool);
static_assert(static_cast<Scalar>(ElementType::Byte) == Scalar::I8);
static_assert(static_cast<Scalar>(ElementType::Ubyte) == Scalar::U8);
static_assert(static_cast<Scalar>(ElementType::Short) == Scalar::I16);
static_assert(static_cast<Scalar>(ElementType::Ushort) == Scalar::U16);
static_assert(static_cast<Scalar>(ElementType::Int) == Scalar::I32);
static_assert(static_cast<Scalar>(ElementType::Long) == Scalar::I64);
static_assert(static_cast<Scalar>(ElementType::Half) == Scalar::F16);
static_assert(static_cast<Scalar>(ElementType::Bfloat) == Scalar::BF16);
static_assert(static_cast<Scalar>(ElementType::Float) == Scalar::F32);
static_assert(static_cast<Scalar>(ElementType::Double) == Scalar::F64);

namespace api {

using reference::FieldData;

ElementType element_type_of(Scalar type) {
  return static_cast<ElementType>(type);
}

std::vector<FieldInfo> describe_fields(const ir::Program& program) {
  std::vector<FieldInfo> out;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    FieldInfo info;
    info.name = field.name;
    for (const ir::Component& component : field.components) {
      info.components.push_back({component.path, element_type_of(component.type)});
    }
    info.levels = field.history;
    info.constant = field.constant;
    info.written = ir::changes(program, static_cast<ir::FieldId>(f));
    info.rank = field.box.rank();
    for (size_t d = 0; d < field.box.ranges.size(); ++d) {
      info.dimensions.push_back(field.dimension(d));
    }
    const bool known =
        std::all_of(field.box.ranges.begin(), field.box.ranges.end(),
                    [](const ir::Range& r) { return r.low.is_constant() && r.high.is_constant(); });
    for (const ir::Range& range : field.box.ranges) {
      if (!known) break;
      info.origin.push_back(range.low.constant);
      info.shape.push_back(std::max<int64_t>(range.high.constant - range.low.constant + 1, 0));
    }
    out.push_back(std::move(info));
  }
  if (const auto axes = ir::default_axis_values(program)) describe_places(program, *axes, out);
  return out;
}

void describe_places(const ir::Program& program, const std::vector<ir::AxisValue>& grid,
                     std::vector<FieldInfo>& fields) {
  for (size_t f = 0; f < fields.size(); ++f) {
    FieldInfo& field = fields[f];
    const auto axes = ir::axes_of(program, program.fields[f], grid);
    field.position.clear();
    field.spacing.clear();
    for (size_t d = 0; d < field.origin.size(); ++d) {
      field.position.push_back(axes[d].at(field.origin[d]));
      field.spacing.push_back(axes[d].spacing);
    }
  }
}

Result<Place> find_place(const ir::Program& program, const std::string& name) {
  const size_t at = name.find('@');
  const std::string path = name.substr(0, at);
  const size_t tail = path.find_first_of(".[");
  std::vector<std::string> names;
  for (const ir::Field& field : program.fields) names.push_back(field.name);
  const auto found = std::find(names.begin(), names.end(), path.substr(0, tail));
  if (found == names.end()) {
    Failure failure = unknown("field", path.substr(0, tail), names);
    const auto& reductions = program.reductions;
    const bool value = std::any_of(reductions.begin(), reductions.end(), [&](const auto& one) {
      return !one.target && one.name == path.substr(0, tail);
    });
    if (value) failure.hint = "it is a reduction: write its values to a history (--history X.csv)";
    return failure;
  }
  Place place;
  place.field = static_cast<int>(found - names.begin());
  const ir::Field& field = program.fields[place.field];
  if (tail != std::string::npos) {
    std::vector<std::string> paths;
    for (const ir::Component& component : field.components) {
      paths.push_back(field.name + component.path);
    }
    const auto component = std::find(paths.begin(), paths.end(), path);
    const auto inside = std::find_if(paths.begin(), paths.end(), [&](const std::string& other) {
      return other.starts_with(path + "[") || other.starts_with(path + ".");
    });
    if (component == paths.end() && inside != paths.end()) {
      return Failure{"R070", fmt::format("'{}' is not one component: it has several", path),
                     fmt::format("name one, as in {}, or the whole field {}", *inside, field.name)};
    }
    if (component == paths.end()) return unknown("component", path, paths);
    place.component = static_cast<int>(component - paths.begin());
  } else if (field.components.size() == 1) {
    place.component = 0;
  }
  if (at == std::string::npos) return place;
  const std::string level = name.substr(at + 1);
  const auto number = parse_integer(level, 1 - field.history, 0);
  if (level.starts_with('-') && number) {
    place.level = static_cast<int>(-*number);
    return place;
  }
  return Failure{"R070", fmt::format("no level '{}' of field '{}'", name.substr(at), field.name),
                 fmt::format("its history is {}", field.history)};
}

std::vector<int> Place::levels(const ir::Program& program) const {
  std::vector<int> out(program.fields.size(), 0);
  out[field] = level + 1;
  return out;
}

Result<Extents> shape_at(const ir::Program& program, const FieldData& field, const Place& place) {
  if (place.component >= 0) return field.extents;
  const ir::Field& source = program.fields[place.field];
  for (const Scalar type : field.types) {
    if (type == field.types[0]) continue;
    return Failure{
        "R073",
        fmt::format("the components of field '{}' differ in type, so one array cannot hold them",
                    source.name),
        fmt::format("access one component at a time, such as {}{}", source.name,
                    source.components[0].path)};
  }
  Extents shape = field.extents;
  shape.push_back(field.component_count());
  return shape;
}

namespace {

std::string print_shape(const Extents& shape) {
  return shape.empty() ? "no dimensions" : fmt::format("{}", fmt::join(shape, " x "));
}

// The second element type that user arrays for such a component may have; the component's own type
// if there is no second one.
ElementType stand_in(Scalar type) {
  if (type == Scalar::Bool) return ElementType::Ubyte;
  return is_float(type) && is_storage(type) ? ElementType::Float : element_type_of(type);
}

// The range of element offsets that the array's indices cover: low <= 0 <= high. False on overflow.
bool reach(const AnyView& array, int64_t& low, int64_t& high) {
  low = high = 0;
  for (size_t d = 0; d < array.extents().size(); ++d) {
    int64_t last = 0;
    int64_t& bound = array.strides()[d] < 0 ? low : high;
    if (__builtin_mul_overflow(array.extents()[d] - 1, array.strides()[d], &last)) return false;
    if (__builtin_add_overflow(bound, last, &bound)) return false;
  }
  return true;
}

}  // namespace

Result<FieldData> cut_out(const FieldData& field, const std::string& name, const FieldBox& box) {
  const auto rank = field.extents.size();
  bool inside = box.origin.size() == rank && box.shape.size() == rank;
  for (size_t d = 0; inside && d < rank; ++d) {
    const auto& [low, high] = field.box[d];
    inside = box.origin[d] >= low && box.origin[d] <= high && box.shape[d] >= 1 &&
             box.shape[d] - 1 <= high - box.origin[d];
  }
  if (!inside) {
    Extents origin;
    for (const auto& [low, high] : field.box) origin.push_back(low);
    return Failure{"R082",
                   fmt::format("the box at ({}) of {} points is not in '{}'",
                               fmt::join(box.origin, ", "), print_shape(box.shape), name),
                   fmt::format("the field is at ({}) and has {} points", fmt::join(origin, ", "),
                               print_shape(field.extents))};
  }
  FieldData out;
  out.types = field.types;
  out.extents = box.shape;
  out.points = 1;
  for (size_t d = 0; d < rank; ++d) {
    out.box.push_back({box.origin[d], box.origin[d] + box.shape[d] - 1});
    out.points *= box.shape[d];
  }
  return out;
}

Status check_array(const ir::Program& program, const FieldData& field, const Place& place,
                   const std::string& name, const AnyView& array, bool exact, const char* whole) {
  const auto shape = shape_at(program, field, place);
  if (!shape.ok()) return shape.failure();
  if (array.extents() != shape.value() || array.strides().size() != array.extents().size()) {
    return Failure{"R071",
                   fmt::format("the array for '{}' has the shape {}, but {} has {}", name,
                               print_shape(array.extents()), whole, print_shape(shape.value())),
                   array.strides().size() == array.extents().size()
                       ? ""
                       : "a view has as many strides as extents"};
  }
  const Scalar type = field.types[std::max(place.component, 0)];
  const bool converts = !exact && array.type() == stand_in(type);
  if (array.type() != element_type_of(type) && !converts) {
    return Failure{
        "R072",
        fmt::format("the array for '{}' has elements of type {}, but the field has type {}", name,
                    name_of(array.type()), stencil::name(type)),
        type == Scalar::F64 || type == Scalar::F32 ? "Options::real says what `real` is" : ""};
  }
  if (field.points == 0) return Done{};
  int64_t low = 0, high = 0;
  if (array.data() == nullptr) {
    return Failure{"R073", fmt::format("the array for '{}' is a null pointer", name), ""};
  }
  const bool reached = reach(array, low, high);
  if (!reached || (array.capacity() >= 0 && (low < 0 || high >= array.capacity()))) {
    return Failure{"R073",
                   fmt::format("the array for '{}' has {} elements, but its shape and strides "
                               "reach from element {} to {}",
                               name, array.capacity(), low, high),
                   ""};
  }
  return Done{};
}

namespace {

// Calls visit(offset into the array, position in the field), both in elements, for the first point
// of each row.
template <class Visit>
void for_each_row(const FieldData& field, const AnyView& array, Visit visit) {
  if (field.points == 0) return;
  const size_t last = field.extents.size() - 1;
  Extents index(last, 0);
  for (int64_t position = 0; position < field.points; position += field.extents[last]) {
    int64_t offset = 0;
    for (size_t d = 0; d < last; ++d) offset += index[d] * array.strides()[d];
    visit(offset, position);
    for (size_t d = last; d-- > 0;) {
      if (++index[d] < field.extents[d]) break;
      index[d] = 0;
    }
  }
}

// Calls move(element, stored) for every point and component of the place. `element` refers to the
// array's element and `stored` to the field's.
template <class Move>
void for_each_element(const FieldData& field, const Place& place, const AnyView& array, Move move) {
  const int first = std::max(place.component, 0);
  const int last = place.component < 0 ? field.component_count() - 1 : place.component;
  const size_t x = field.extents.size() - 1;
  for (int c = first; c <= last; ++c) {
    const int64_t start = place.component < 0 ? c * array.strides()[x + 1] : 0;
    reference::with_type(field.types[c], [&](auto zero) {
      using Stored = decltype(zero);
      const auto run = [&](auto of_array) {
        using Element = decltype(of_array);
        auto* elements = static_cast<Element*>(array.data()) + start;
        auto* stored =
            reinterpret_cast<Stored*>(const_cast<std::byte*>(field.data(place.level, c)));
        for_each_row(field, array, [&](int64_t offset, int64_t position) {
          for (int64_t i = 0; i < field.extents[x]; ++i) {
            move(elements[offset + i * array.strides()[x]], stored[position + i]);
          }
        });
      };
      if constexpr (reference::kIsNarrowFloat<Stored>) {
        if (array.type() == ElementType::Float) return run(float{});
      } else if constexpr (std::is_same_v<Stored, bool>) {
        if (array.type() == ElementType::Ubyte) return run(uint8_t{});
      }
      run(Stored{});
    });
  }
}

}  // namespace

void copy_in(const AnyView& array, const Place& place, FieldData& field) {
  for_each_element(field, place, array, [](auto& element, auto& stored) {
    stored = reference::convert<std::remove_reference_t<decltype(stored)>>(element);
  });
}

void copy_out(const FieldData& field, const Place& place, const AnyView& array) {
  for_each_element(field, place, array, [](auto& element, auto& stored) {
    element = reference::convert<std::remove_reference_t<decltype(element)>>(stored);
  });
}

}  // namespace api

}  // namespace stencil

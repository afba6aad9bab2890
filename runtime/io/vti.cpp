// VTK's XML formats ("VTK XML Formats", docs.vtk.org): a header describes the arrays by offsets;
// one block of raw bytes follows, in which each array is preceded by its size. VTK numbers points
// with x fastest, like fields in memory.
#include "runtime/io/vti.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "compiler/ir/axes.h"
#include "compiler/support/try.h"
#include "runtime/io/named_values.h"

namespace stencil::runtime {

namespace {

struct VtkType {
  Scalar type;  // element type in the file
  const char* name;
};
VtkType vtk_type(Scalar type) {
  switch (type) {
    case Scalar::F16:
    case Scalar::BF16:
    case Scalar::F32:
      return {Scalar::F32, "Float32"};
    case Scalar::F64:
      return {Scalar::F64, "Float64"};
    case Scalar::I32:
      return {Scalar::I32, "Int32"};
    case Scalar::I64:
      return {Scalar::I64, "Int64"};
    case Scalar::I8:
      return {type, "Int8"};
    case Scalar::Bool:
    case Scalar::U8:
      return {type, "UInt8"};
    case Scalar::I16:
      return {type, "Int16"};
    case Scalar::U16:
      return {type, "UInt16"};
  }
  return {};
}

struct Array {
  std::string name;
  const char* type;
  StoredArray stored;
};
Array array_of(const std::string& name, const reference::FieldData& field, StoredArray stored) {
  const VtkType type = vtk_type(field.types[stored.component]);
  stored.type = type.type;
  stored.points = field.points;
  return {name, type.name, stored};
}

constexpr int64_t kSizeBytes = sizeof(uint64_t);  // size field before an array's bytes

// Appends the arrays for one selection.
void add_arrays(const ir::Program& program, const reference::State& state,
                const Selection& selection, std::vector<Array>& arrays) {
  for (const NamedValues& values : values_of(program, selection)) {
    arrays.push_back(array_of(values.name, state.fields[selection.field],
                              {.field = selection.field,
                               .level = selection.level,
                               .component = values.component,
                               .components = values.components}));
  }
}

// "0 39 0 24 0 0": low and high of x, y, z; a single plane in dimensions that the grid lacks.
std::string extent_of(const reference::FieldData& field) {
  std::string out;
  for (int axis = 0; axis < 3; ++axis) {
    const bool exists = axis < field.rank();
    const auto range = exists ? field.box[field.rank() - 1 - axis] : std::array<int64_t, 2>{0, 0};
    out += fmt::format("{}{} {}", axis == 0 ? "" : " ", range[0], range[1]);
  }
  return out;
}

// "0 -0.5 0" for x, y, z: `value` of each axis, `absent` for dimensions that the grid lacks.
std::string axes_of(const ir::Program& program, const std::vector<ir::AxisValue>& axes,
                    double ir::AxisValue::*value, const char* absent) {
  std::vector<std::string> numbers(3, absent);
  for (size_t d = 0; d < axes.size(); ++d) {
    numbers[axes.size() - 1 - d] = ir::print_coordinate(program, axes[d].*value);
  }
  return fmt::format("{}", fmt::join(numbers, " "));
}

std::string header_of(const ir::Program& program, const reference::FieldData& field,
                      const std::vector<ir::AxisValue>& axes, const std::vector<Array>& arrays) {
  const std::string extent = extent_of(field);
  std::string out = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{0}\" Origin=\"{2}\" Spacing=\"{3}\">\n"
      "    <Piece Extent=\"{0}\">\n"
      "      <PointData Scalars=\"{1}\">\n",
      extent, arrays[0].name, axes_of(program, axes, &ir::AxisValue::origin, "0"),
      axes_of(program, axes, &ir::AxisValue::spacing, "1"));
  int64_t offset = 0;
  for (const Array& array : arrays) {
    out += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        array.type, array.name, array.stored.components, offset);
    offset += kSizeBytes + array.stored.bytes();
  }
  out +=
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "_";
  return out;
}

constexpr std::string_view kEnd = "\n  </AppendedData>\n</VTKFile>\n";

std::string size_of(const StoredArray& array) {
  const auto bytes = static_cast<uint64_t>(array.bytes());
  return {reinterpret_cast<const char*>(&bytes), kSizeBytes};
}

}  // namespace

Status check_vti(const ir::Program& program, const std::vector<Selection>& selections) {
  const ir::Field& first = program.fields[selections[0].field];
  if (first.box.rank() > 3) {
    return Failure{"R031",
                   fmt::format("a .vti file holds at most 3 dimensions, but {} has {}",
                               first.read_in_place() ? fmt::format("'{}'", first.name) : "the grid",
                               first.box.rank()),
                   "write .npy files instead"};
  }
  for (const Selection& selection : selections) {
    const ir::Field& field = program.fields[selection.field];
    const bool same = field.domain == first.domain && field.box == first.box &&
                      field.dimensions() == first.dimensions();
    if (same) continue;
    return Failure{
        "R031",
        fmt::format("a .vti file holds fields on the same points, but '{}' and '{}' differ",
                    field.name, first.name),
        "write each to a separate file"};
  }
  return Done{};
}

Result<NewFile> vti_file(const std::string& path, const ir::Program& program,
                         const reference::State& state, const std::vector<Selection>& selections) {
  TRY(check_vti(program, selections));
  const auto first = static_cast<size_t>(selections[0].field);
  const reference::FieldData& field = state.fields[first];
  if (field.points == 0) {
    return Failure{"R031", fmt::format("'{}' would have no points", path), ""};
  }
  std::vector<Array> arrays;
  for (const Selection& selection : selections) add_arrays(program, state, selection, arrays);
  const auto axes = ir::axes_of(program, program.fields[first],
                                ir::axis_values(program, state.integer_params, state.real_params));
  NewFile file = text_file(path, header_of(program, field, axes, arrays));
  for (const Array& array : arrays) {
    file.append(size_of(array.stored));
    file.append(array.stored);
  }
  file.append(std::string(kEnd));
  return file;
}

}  // namespace stencil::runtime

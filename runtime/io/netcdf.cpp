// The classic formats of NetCDF ("NetCDF Classic Format Specification", Unidata): a header, then
// arrays of big-endian numbers at offsets that the header gives. CDF-2 is used if its types and
// sizes suffice, because more programs read it; otherwise CDF-5, which adds unsigned and 64-bit
// integers and arrays beyond 4 GiB.
//
// The NetCDF library is not used. The format is short; ranks and subdomains write their own rows of
// a file in parallel, as for every other format; and a file that is being extended is always valid,
// which a file of HDF5 is not.
#include "runtime/io/netcdf.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "compiler/ir/axes.h"
#include "compiler/support/try.h"
#include "runtime/io/named_values.h"

namespace stencil::runtime {
namespace {

enum Type : int32_t {
  kByte = 1,
  kChar = 2,
  kShort = 3,
  kInt = 4,
  kFloat = 5,
  kDouble = 6,
  kUbyte = 7,
  kUshort = 8,
  kInt64 = 10  // CDF-5 only
};
enum Tag : int32_t { kDimensions = 10, kVariables = 11, kAttributes = 12 };

struct FileType {
  Type type;
  Scalar scalar;  // of the elements in the file
};
FileType file_type(Scalar type) {
  switch (type) {
    case Scalar::F16:
    case Scalar::BF16:
    case Scalar::F32:
      return {kFloat, Scalar::F32};
    case Scalar::F64:
      return {kDouble, Scalar::F64};
    case Scalar::I32:
      return {kInt, Scalar::I32};
    case Scalar::I64:
      return {kInt64, Scalar::I64};
    case Scalar::I16:
      return {kShort, Scalar::I16};
    case Scalar::U16:
      return {kUshort, Scalar::U16};
    case Scalar::U8:
      return {kUbyte, Scalar::U8};
    case Scalar::I8:
    case Scalar::Bool:
      return {kByte, type};
  }
  return {};
}

template <class Number>
std::string big_endian(Number number) {
  std::string out(sizeof number, '\0');
  std::memcpy(out.data(), &number, sizeof number);
  std::reverse(out.begin(), out.end());
  return out;
}

constexpr int64_t kAlignment = 4;
int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Attribute {
  std::string name, text;
};

struct Variable {
  std::string name;
  std::vector<size_t> dimensions = {};
  std::vector<Attribute> attributes = {};
  Type type = kDouble;
  int64_t bytes = 0;  // without padding; of one record, if it has records
  int64_t offset = 0;
  bool in_records = false;
};

struct Dimension {
  std::string name;
  int64_t length = 0;  // 0: time, which grows
  int64_t low = 0;     // the first index
};

// The header. Its size depends only on the version.
class Header {
 public:
  explicit Header(bool wide) : wide_(wide) {}

  std::string of(const std::string& title, const std::vector<Dimension>& dimensions,
                 const std::vector<Variable>& variables) {
    out_ = std::string("CDF") + (wide_ ? '\5' : '\2');
    size(0);  // records
    list(kDimensions, dimensions.size());
    for (const Dimension& dimension : dimensions) {
      text(dimension.name);
      size(dimension.length);
    }
    attributes({{"Conventions", "CF-1.8"}, {"title", title}, {"source", "stencilc"}});
    list(kVariables, variables.size());
    for (const Variable& variable : variables) {
      text(variable.name);
      size(static_cast<int64_t>(variable.dimensions.size()));
      for (const size_t dimension : variable.dimensions) size(static_cast<int64_t>(dimension));
      attributes(variable.attributes);
      out_ += big_endian(static_cast<int32_t>(variable.type));
      size(aligned(variable.bytes));
      out_ += big_endian(variable.offset);
    }
    return out_;
  }

 private:
  void size(int64_t number) {
    out_ += wide_ ? big_endian(number) : big_endian(static_cast<int32_t>(number));
  }
  void list(Tag tag, size_t count) {
    out_ += big_endian(static_cast<int32_t>(count == 0 ? 0 : tag));
    size(static_cast<int64_t>(count));
  }
  void text(const std::string& text) {
    size(static_cast<int64_t>(text.size()));
    out_ += text;
    out_.resize(static_cast<size_t>(aligned(static_cast<int64_t>(out_.size()))), '\0');
  }
  void attributes(const std::vector<Attribute>& all) {
    list(kAttributes, all.size());
    for (const Attribute& attribute : all) {
      text(attribute.name);
      out_ += big_endian(static_cast<int32_t>(kChar));
      text(attribute.text);
    }
  }

  const bool wide_;
  std::string out_;
};

// A name of letters, digits and underscores, as the CF conventions recommend.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '-') {
      out += "minus_";
    } else if (c != ']') {
      out += plain ? c : '_';
    }
  }
  return out;
}

// Collects dimensions and variables.
class Contents {
 public:
  Contents(const ir::Program& program, const reference::State& state)
      : program_(program),
        state_(state),
        axes_(ir::axis_values(program, state.integer_params, state.real_params)) {
    dimensions_.push_back({"time", 0, 0});
    variables_.push_back({"time",
                          {0},
                          {{"long_name", "number of time steps"}, {"units", "1"}, {"axis", "T"}},
                          kInt,
                          4,
                          0,
                          true});
    taken_.insert("time");
    owners_.push_back(kStep);
  }

  Status add(const Selection& selection) {
    const ir::Field& field = program_.fields[selection.field];
    const reference::FieldData& data = state_.fields[selection.field];
    if (data.points == 0) {
      return Failure{"R031", "'" + field.name + "' would have no points in a .nc file", ""};
    }
    const bool changes =
        ir::changes(program_, selection.field) && !ir::is_record(program_, selection.field);
    std::vector<size_t> dimensions;
    if (changes) dimensions.push_back(0);
    for (size_t d = 0; d < field.box.ranges.size(); ++d) {
      const auto found = TRY(dimension_of(field, data, d));
      dimensions.push_back(found);
    }
    for (const NamedValues& values : values_of(program_, selection)) {
      const FileType type = file_type(data.types[values.component]);
      Variable variable{
          free_name(plain_name(values.name)), dimensions, {{"long_name", values.name}}, type.type};
      if (values.components > 1) {
        const std::string name = free_name(variable.name + "_component");
        variable.dimensions.push_back(dimensions_.size());
        dimensions_.push_back({name, values.components, 0});
      }
      arrays_.push_back({.field = selection.field,
                         .level = selection.level,
                         .component = values.component,
                         .components = values.components,
                         .type = type.scalar,
                         .points = data.points,
                         .big_endian = true});
      variable.bytes = arrays_.back().bytes();
      variable.in_records = changes;
      variables_.push_back(std::move(variable));
      owners_.push_back(static_cast<int64_t>(arrays_.size()) - 1);
    }
    return Done{};
  }

  NetcdfLayout place() {
    constexpr int64_t kLongest = INT32_MAX;  // of CDF-2
    const bool wide = std::any_of(variables_.begin(), variables_.end(), [](const Variable& of) {
      return of.type > kDouble || of.bytes > kLongest;
    });
    Header header(wide);
    NetcdfLayout layout;
    layout.count_bytes = wide ? 8 : 4;
    auto at =
        aligned(static_cast<int64_t>(header.of(program_.name, dimensions_, variables_).size()));
    for (const bool in_records : {false, true}) {
      if (in_records) layout.first_record = at;
      for (size_t v = 0; v < variables_.size(); ++v) {
        if (variables_[v].in_records != in_records) continue;
        variables_[v].offset = at;
        place(v, layout);
        at += aligned(variables_[v].bytes);
      }
    }
    layout.record_bytes = at - layout.first_record;
    layout.texts.insert(layout.texts.begin(),
                        {0, header.of(program_.name, dimensions_, variables_)});
    return layout;
  }

 private:
  static constexpr int64_t kStep = -1, kCoordinates = -2;  // in owners_; others number an array

  void place(size_t v, NetcdfLayout& layout) {
    const Variable& variable = variables_[v];
    if (owners_[v] == kStep) return;
    if (owners_[v] == kCoordinates) {
      layout.texts.push_back({variable.offset, coordinates_.at(variable.dimensions[0])});
      return;
    }
    StoredArray array = arrays_[static_cast<size_t>(owners_[v])];
    array.offset = variable.offset;
    (variable.in_records ? layout.record : layout.fixed).push_back(array);
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !taken_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
    return name;
  }

  // The number of the dimension for dimension d of a field.
  Result<size_t> dimension_of(const ir::Field& field, const reference::FieldData& data, size_t d) {
    const int of_grid = field.dimension(d);
    const int64_t length = data.extents[d], low = data.box[static_cast<int>(d)][0];
    for (size_t known = 1; known < origins_.size(); ++known) {
      const bool same = origins_[known] == of_grid && dimensions_[known].length == length &&
                        dimensions_[known].low == low && domains_[known] == field.domain;
      if (same) return known;
    }
    if (length > INT32_MAX) {
      return Failure{"R031",
                     "'" + field.name + "' has " + std::to_string(length) +
                         " points along a dimension, too many for a .nc file",
                     "write .npy files instead"};
    }
    const bool on_grid = of_grid >= 0;
    const std::string axis = ir::axis_name(program_, field, d);
    const bool is_row = of_grid == ir::kTime;
    const size_t number = dimensions_.size();
    const std::string name = free_name(is_row ? "row" : axis);
    dimensions_.push_back({name, length, low});
    origins_.resize(number + 1, kNoOrigin);
    origins_[number] = of_grid;
    domains_.resize(number + 1, 0);
    domains_[number] = field.domain;
    if (!on_grid) return number;
    const ir::AxisValue along = ir::axes_of(program_, field, axes_)[d];
    std::string bytes;
    for (int64_t i = 0; i < length; ++i) {
      bytes += big_endian(along.at(low + i));
    }
    const bool derived = !ir::indices_are_coordinates(program_, field);
    const std::string name_of_values = !program_.domain().axes.empty() ? axis
                                       : derived ? "index of the first grid along " + axis
                                                 : "index along " + axis;
    std::vector<Attribute> attributes = {{"long_name", name_of_values}};
    if (axis == "x" || axis == "y" || axis == "z") {
      attributes.push_back({"axis", std::string(1, static_cast<char>(axis[0] - 'a' + 'A'))});
    }
    coordinates_[number] = bytes;
    variables_.push_back(
        {name, {number}, std::move(attributes), kDouble, static_cast<int64_t>(bytes.size())});
    owners_.push_back(kCoordinates);
    return number;
  }

  static constexpr int kNoOrigin = INT32_MIN;

  const ir::Program& program_;
  const reference::State& state_;
  const std::vector<ir::AxisValue> axes_;
  std::vector<Dimension> dimensions_;
  std::vector<int> origins_ = {kNoOrigin};  // dimension of the grid, kTime or kPoints
  std::vector<ir::DomainId> domains_ = {0};
  std::map<size_t, std::string> coordinates_;
  std::vector<Variable> variables_;
  std::vector<int64_t> owners_;  // per variable
  std::vector<StoredArray> arrays_;
  std::set<std::string> taken_;
};

}  // namespace

std::string NetcdfLayout::step_bytes(int64_t step) {
  return big_endian(static_cast<int32_t>(step));
}

std::string NetcdfLayout::count(int64_t records) const {
  return count_bytes == 8 ? big_endian(records) : big_endian(static_cast<int32_t>(records));
}

Result<NetcdfLayout> netcdf_layout(const ir::Program& program, const reference::State& state,
                                   const std::vector<Selection>& selections) {
  Contents contents(program, state);
  for (const Selection& selection : selections) TRY(contents.add(selection));
  return contents.place();
}

Result<NewFile> netcdf_file(const std::string& path, const ir::Program& program,
                            const reference::State& state,
                            const std::vector<Selection>& selections) {
  NetcdfLayout layout = TRY(netcdf_layout(program, state, selections));
  NewFile file{path, layout.record_at(1), std::move(layout.texts), std::move(layout.fixed)};
  const std::string count = layout.count(1);
  file.texts[0].bytes.replace(NetcdfLayout::kCountOffset, count.size(), count);
  file.texts.push_back({layout.first_record, NetcdfLayout::step_bytes(state.step)});
  file.arrays.insert(file.arrays.end(), layout.record.begin(), layout.record.end());
  return file;
}

}  // namespace stencil::runtime

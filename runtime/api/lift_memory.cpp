// Allocates and fills the arrays of the original. Arrays of points are accessed through strides,
// whatever their layout in C.
#include "runtime/api/lift_memory.h"

#include <cstring>
#include <set>

#include "compiler/lift/numbers.h"
#include "compiler/support/numbers.h"
#include "compiler/support/try.h"

namespace stencil::api {

using lifter::CScalar;
using lifter::FieldBinding;

namespace {

ElementType element_of(CScalar type) {
  switch (type) {
    case CScalar::F32:
      return ElementType::Float;
    case CScalar::F64:
      return ElementType::Double;
    case CScalar::I8:
      return ElementType::Byte;
    case CScalar::Bool:
    case CScalar::U8:
      return ElementType::Ubyte;
    case CScalar::I16:
      return ElementType::Short;
    case CScalar::U16:
      return ElementType::Ushort;
    case CScalar::I64:
      return ElementType::Long;
    default:
      return ElementType::Int;
  }
}

// A view of elements in an array of bytes.
AnyView view_of(ElementType type, char* at, const Extents& extents, const Extents& strides) {
  switch (type) {
    case ElementType::Float:
      return View<float>(reinterpret_cast<float*>(at), extents, strides);
    case ElementType::Double:
      return View<double>(reinterpret_cast<double*>(at), extents, strides);
    case ElementType::Byte:
      return View<int8_t>(reinterpret_cast<int8_t*>(at), extents, strides);
    case ElementType::Ubyte:
      return View<uint8_t>(reinterpret_cast<uint8_t*>(at), extents, strides);
    case ElementType::Short:
      return View<int16_t>(reinterpret_cast<int16_t*>(at), extents, strides);
    case ElementType::Ushort:
      return View<uint16_t>(reinterpret_cast<uint16_t*>(at), extents, strides);
    case ElementType::Long:
      return View<int64_t>(reinterpret_cast<int64_t*>(at), extents, strides);
    default:
      return View<int32_t>(reinterpret_cast<int32_t*>(at), extents, strides);
  }
}

}  // namespace

int64_t bytes_of(CScalar type) {
  return std::max(lifter::bits_of(type) / 8, 1);
}

namespace {

template <typename T>
void negate_as(char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  value = static_cast<T>(-value);
  std::memcpy(at, &value, sizeof value);
}

// Changes the sign of an element.
void negate(CScalar type, char* at) {
  if (type == CScalar::F32) return negate_as<float>(at);
  if (type == CScalar::F64) return negate_as<double>(at);
  switch (bytes_of(type)) {  // unsigned arithmetic wraps around
    case 1:
      return negate_as<uint8_t>(at);
    case 2:
      return negate_as<uint16_t>(at);
    case 4:
      return negate_as<uint32_t>(at);
    default:
      return negate_as<uint64_t>(at);
  }
}

}  // namespace

// Sign-extends a number from the width of its C type, unless the type is unsigned.
int64_t integer_of(int64_t low, CScalar type) {
  const int unused = 64 - 8 * static_cast<int>(bytes_of(type));
  if (lifter::is_unsigned(type)) return low;
  return static_cast<int64_t>(static_cast<uint64_t>(low) << unused) >> unused;
}

int64_t stored_as(int64_t value, CScalar type) {
  const int unused = 64 - 8 * static_cast<int>(bytes_of(type));
  const uint64_t low = static_cast<uint64_t>(value) << unused;
  return lifter::is_unsigned(type) ? static_cast<int64_t>(low >> unused)
                                   : static_cast<int64_t>(low) >> unused;
}

std::vector<int64_t> constant_lengths(const lifter::Lifted& lifted, size_t array) {
  const lifter::ArrayInfo& info = lifted.execution.arrays[array];
  std::vector<int64_t> out(info.extents.size(), 1);
  for (const lifter::SymbolInfo& symbol : lifted.execution.symbols) {
    if (symbol.variable != info.variable ||
        symbol.c_expression.rfind(info.c_expression + "[", 0) != 0)
      continue;
    size_t at = info.c_expression.size();
    for (size_t d = 0; d < out.size() && at != std::string::npos; ++d) {
      const size_t end = symbol.c_expression.find(']', at);
      if (end == std::string::npos) break;
      const auto subscript =
          parse_integer(symbol.c_expression.substr(at + 1, end - at - 1), 0, 1 << 20);
      if (subscript) out[d] = std::max(out[d], *subscript + 1);
      at = symbol.c_expression.find('[', end);
    }
  }
  return out;
}

// The layout of an array indexed by point and step, in elements.
std::optional<OriginalMemory::Strided> OriginalMemory::strided(
    const lifter::PointFieldBinding& field, const LiftCase& one) const {
  const auto number = [&](lifter::X x) {
    return x == nullptr ? std::optional<int64_t>(0) : lifter::number_of(x, one.integers);
  };
  const auto offset = number(field.offset), count = number(field.count);
  const auto by_point = number(field.point_stride), by_step = number(field.time_stride);
  if (!offset || !count || !by_point || !by_step || *by_point < 0 || *by_step < 0)
    return std::nullopt;
  return Strided{*offset, *count, *by_point, *by_step};
}

void OriginalMemory::fill(OriginalArray& array, CScalar type, const LiftCase& one) {
  const int64_t count = static_cast<int64_t>(array.bytes.size()) / bytes_of(type);
  for (int64_t i = 0; i < count; ++i) {
    char* at = array.bytes.data() + i * bytes_of(type);
    if (type == CScalar::F64) {
      const double v = values_.real(one.data, type, one);
      std::memcpy(at, &v, sizeof v);
    } else if (type == CScalar::F32) {
      const float v = static_cast<float>(values_.real(one.data, type, one));
      std::memcpy(at, &v, sizeof v);
    } else {
      const int64_t v = values_.integer(one.data, type);
      std::memcpy(at, &v, static_cast<size_t>(bytes_of(type)));
    }
  }
}

void OriginalMemory::refill_local(std::vector<OriginalArray>& arrays, const LiftCase& one) {
  for (size_t a = 0; a < arrays.size(); ++a) {
    const lifter::ArrayInfo& info = lifted_.execution.arrays[a];
    if (info.local) fill(arrays[a], info.element, one);
  }
}

std::vector<OriginalArray> OriginalMemory::allocate(const LiftCase& one) {
  std::vector<OriginalArray> out(lifted_.execution.arrays.size());
  for (const FieldBinding& field : lifted_.program.fields) {
    OriginalArray& array = out[field.array];
    if (!array.extents.empty()) continue;
    for (lifter::X extent : field.extents)
      array.extents.push_back(std::max<int64_t>(*lifter::number_of(extent, one.integers), 1));
    array.strides.assign(array.extents.size(), 1);
    for (size_t d = array.extents.size(); d-- > 1;)
      array.strides[d - 1] = array.strides[d] * array.extents[d];
    const CScalar type = lifted_.execution.arrays[field.array].element;
    array.bytes.resize(static_cast<size_t>(array.strides[0] * array.extents[0] * bytes_of(type)));
    fill(array, type, one);
  }
  allocate_points(one, out);
  if (one.alike) {  // buffers that rotate
    for (const auto& rotation : lifted_.execution.rotations) {
      const OriginalArray& from = out[rotation.before];
      OriginalArray& to = out[rotation.after];
      if (from.bytes.size() == to.bytes.size()) to.bytes = from.bytes;
    }
  }
  fill_ghosts(one, out);
  for (size_t a = 0; a < out.size(); ++a) {
    if (!out[a].bytes.empty()) continue;
    int64_t elements = 1;
    for (int64_t length : constant_lengths(lifted_, a)) elements *= length;
    const int64_t bytes = elements * bytes_of(lifted_.execution.arrays[a].element);
    // The original may read more elements than the program.
    out[a].bytes.resize(static_cast<size_t>(std::max<int64_t>(bytes, 1 << 16)));
    fill(out[a], lifted_.execution.arrays[a].element, one);
  }
  put_elements(one, out);
  return out;
}

// Some scalars of the program are elements of arrays that also hold fields. Stores their values
// there.
void OriginalMemory::put_elements(const LiftCase& one, std::vector<OriginalArray>& arrays) {
  for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
    const lifter::SymbolInfo& symbol = lifted_.execution.symbols[s];
    if (symbol.array < 0) continue;
    OriginalArray& array = arrays[symbol.array];
    if (array.strides.empty()) continue;  // not a field
    const bool linear = lifted_.execution.arrays[symbol.array].linear;
    int64_t at = linear ? symbol.element[0] : 0;
    for (size_t d = 0; d < array.strides.size() && !linear; ++d)
      at += symbol.element[d] * array.strides[d];
    if (at < 0) continue;
    const CScalar type = symbol.type;
    const auto begin = static_cast<size_t>(at * bytes_of(type));
    const auto size = static_cast<size_t>(bytes_of(type));
    // C may read the element even if no loop of the program reads it.
    if (begin + size > array.bytes.size()) array.bytes.resize(begin + size);
    const auto whole = one.integers.find(static_cast<int>(s));
    if (whole != one.integers.end()) {
      std::memcpy(array.bytes.data() + begin, &whole->second, size);
    } else if (type == CScalar::F32) {
      const auto value = static_cast<float>(one.reals.at(static_cast<int>(s)));
      std::memcpy(array.bytes.data() + begin, &value, size);
    } else {
      std::memcpy(array.bytes.data() + begin, &one.reals.at(static_cast<int>(s)), size);
    }
  }
}

bool OriginalMemory::is_ghost(size_t array, const LiftCase& one,
                              const std::vector<int64_t>& at) const {
  for (const FieldBinding& field : lifted_.program.fields) {
    if (field.array != static_cast<int>(array)) continue;
    for (size_t d = 0; d < at.size(); ++d) {
      if (field.lows[d] == nullptr) continue;
      const int64_t low = *lifter::number_of(field.lows[d], one.integers);
      const int64_t length = *lifter::number_of(field.lengths[d], one.integers);
      if (at[d] < low || at[d] >= low + length) return true;
    }
    return false;
  }
  return false;
}

// Fills ghost cells with copies from the opposite end of the array, or with copies of the opposite
// sign, if the report states that assumption.
void OriginalMemory::fill_ghosts(const LiftCase& one, std::vector<OriginalArray>& arrays) const {
  for (const FieldBinding& field : lifted_.program.fields) {
    OriginalArray& array = arrays[field.array];
    const int64_t size = bytes_of(lifted_.execution.arrays[field.array].element);
    for (size_t d = 0; d < field.lows.size(); ++d) {
      if (field.copied[d] == 0) continue;
      const int64_t low = *lifter::number_of(field.lows[d], one.integers);
      const int64_t length = *lifter::number_of(field.lengths[d], one.integers);
      const int64_t count = static_cast<int64_t>(array.bytes.size()) / size;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = i / array.strides[d] % array.extents[d];
        if (at >= low && at < low + length) continue;
        const int64_t other = low + ((at - low) % length + length) % length;
        std::memcpy(array.bytes.data() + i * size,
                    array.bytes.data() + (i + (other - at) * array.strides[d]) * size,
                    static_cast<size_t>(size));
        if (field.copied[d] < 0) {
          negate(lifted_.execution.arrays[field.array].element, array.bytes.data() + i * size);
        }
      }
    }
  }
}

// Allocates arrays of points and chooses distinct positions within the grid for each set.
void OriginalMemory::allocate_points(const LiftCase& one, std::vector<OriginalArray>& arrays) {
  const auto make = [&](int number, int64_t length) {
    OriginalArray& array = arrays[number];
    const CScalar type = lifted_.execution.arrays[number].element;
    if (!array.extents.empty() && array.extents[0] >= length) return;
    array.extents = {length};
    array.strides = {1};
    array.bytes.resize(static_cast<size_t>(length * bytes_of(type)));
    fill(array, type, one);
  };
  for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
    const Strided s = *strided(field, one);
    make(field.array, s.offset + (s.count - 1) * s.by_point +
                          std::max<int64_t>(one.steps - 1, 0) * s.by_step + 1);
  }
  for (const lifter::PointSetBinding& set : lifted_.program.point_sets) {
    const int64_t count = *lifter::number_of(set.count, one.integers);
    std::set<std::vector<int64_t>> taken;
    for (int64_t p = 0; p < count && set.given;) {
      std::vector<int64_t> place;
      for (const auto& c : set.place) {
        const int64_t extent = *lifter::number_of(c.extent, one.integers);
        place.push_back(static_cast<int64_t>(values_.below(static_cast<uint64_t>(extent))));
      }
      std::vector<int64_t> free;
      for (size_t d = 0; d < place.size(); ++d) {
        if (set.place[d].array >= 0) free.push_back(place[d]);
      }
      if (!taken.insert(free).second) continue;
      for (size_t d = 0; d < place.size(); ++d) {
        const auto& c = set.place[d];
        if (c.array < 0) continue;
        const int64_t first = *lifter::number_of(c.offset, one.integers);
        const int64_t stride = *lifter::number_of(c.stride, one.integers);
        make(c.array, first + (count - 1) * stride + 1);
        put(arrays, c.array, first + p * stride,
            place[d] - *lifter::number_of(c.constant, one.integers));
      }
      ++p;
    }
  }
}

void OriginalMemory::put(std::vector<OriginalArray>& arrays, int array, int64_t at,
                         int64_t value) const {
  const int64_t size = bytes_of(lifted_.execution.arrays[array].element);
  std::memcpy(arrays[array].bytes.data() + at * size, &value, static_cast<size_t>(size));
}

int64_t OriginalMemory::element(const std::vector<OriginalArray>& arrays, int array,
                                int64_t at) const {
  const CScalar type = lifted_.execution.arrays[array].element;
  int64_t out = 0;
  std::memcpy(&out, arrays[array].bytes.data() + at * bytes_of(type),
              static_cast<size_t>(bytes_of(type)));
  return integer_of(out, type);
}

// Passes positions, fields and series of points to a run.
Status OriginalMemory::set_points(Simulation& run, const LiftCase& one,
                                  std::vector<OriginalArray>& arrays) {
  for (const lifter::PointSetBinding& set : lifted_.program.point_sets) {
    if (!set.given) continue;
    const int64_t count = *lifter::number_of(set.count, one.integers);
    const int64_t rank = static_cast<int64_t>(set.place.size());
    std::vector<double> places;
    for (int64_t p = 0; p < count; ++p) {
      for (const auto& c : set.place) {
        int64_t at = *lifter::number_of(c.constant, one.integers);
        if (c.array >= 0)
          at += element(arrays, c.array,
                        *lifter::number_of(c.offset, one.integers) +
                            p * *lifter::number_of(c.stride, one.integers));
        places.push_back(static_cast<double>(at));
      }
    }
    TRY(run.set(set.name, View<double>(places.data(), Extents{count, rank}, Extents{rank, 1})));
  }
  for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
    TRY(run.set(field.field, points_of(field, one, arrays)));
  }
  return Done{};
}

AnyView OriginalMemory::points_of(const lifter::PointFieldBinding& field, const LiftCase& one,
                                  std::vector<OriginalArray>& arrays) const {
  const Strided s = *strided(field, one);
  const CScalar type = lifted_.execution.arrays[field.array].element;
  Extents extents = {s.count}, strides = {s.by_point};
  if (field.time_stride != nullptr) {
    extents.insert(extents.begin(), one.rows);
    strides.insert(strides.begin(), s.by_step);
  }
  char* at = arrays[field.array].bytes.data() + s.offset * bytes_of(type);
  return view_of(element_of(type), at, extents, strides);
}

// A view of a level of a field, `steps` steps after the start.
AnyView OriginalMemory::part_of(const FieldBinding& field, const LiftCase& one,
                                std::vector<OriginalArray>& arrays, int64_t steps) {
  int at = field.array;
  std::map<int, int> next;
  for (const auto& rotation : lifted_.execution.rotations) next[rotation.before] = rotation.after;
  // Vectors swap their contents, so the C object that holds the level stays the same.
  if (next.count(at) > 0 && !lifted_.execution.arrays[at].sequence) {
    for (int64_t s = 0; s < steps; ++s) at = next[at];
  }
  OriginalArray& array = arrays[at];
  Extents extents, strides;
  int64_t offset = 0;
  for (size_t d = 0; d < field.subscripts.size(); ++d) {
    if (field.subscripts[d] == lifter::kSpace) {
      const int64_t low =
          field.lows[d] == nullptr ? 0 : *lifter::number_of(field.lows[d], one.integers);
      offset += array.strides[d] * low;
      extents.push_back(*lifter::number_of(field.lengths[d], one.integers));
      strides.push_back(array.strides[d]);
    } else if (field.subscripts[d] == lifter::kBufferSlot) {
      offset += array.strides[d] * ((field.buffer_slot + steps) % array.extents[d]);
    } else {
      offset += array.strides[d] * field.subscripts[d];
    }
  }
  const CScalar type = lifted_.execution.arrays[field.array].element;
  return view_of(element_of(type), array.bytes.data() + offset * bytes_of(type), extents, strides);
}

}  // namespace stencil::api

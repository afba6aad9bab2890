// Views of user arrays: pointer, extents, strides. A view owns and copies nothing; the memory must
// outlive all users of the view.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "stencil/version.h"

namespace stencil {

// Extents or strides, outermost dimension first: in a dense array the last dimension is contiguous.
using Extents = std::vector<int64_t>;

// Element types, with their names in the language.
enum class ElementType : uint8_t {
  Bool,    // bool, one byte
  Byte,    // byte: 8 bits, signed; storage only, as are the next three
  Ubyte,   // ubyte: 8 bits, unsigned
  Short,   // short: 16 bits, signed
  Ushort,  // ushort: 16 bits, unsigned
  Int,     // integer, 32 bits
  Long,    // long, 64 bits
  Half,    // half: binary16, storage only
  Bfloat,  // bfloat: the upper half of a binary32, storage only
  Float,   // float (also real, unless Options::real is Double)
  Double,  // double
};
// The type's name in the language, such as "float".
STENCIL_API const char* name_of(ElementType type);
STENCIL_API int64_t size_of(ElementType type);  // bytes

// 16-bit floats as bit patterns, for compilers without such types.
struct HalfBits {
  uint16_t bits;
};
struct BfloatBits {
  uint16_t bits;
};

// The element type of a C++ type: bool, int8_t, uint8_t, int16_t, uint16_t, any signed 32-bit or
// 64-bit integer, float, double, HalfBits, BfloatBits.
template <class T>
constexpr ElementType element_type() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) {
    return ElementType::Bool;
  } else if constexpr (std::is_same_v<U, int8_t>) {
    return ElementType::Byte;
  } else if constexpr (std::is_same_v<U, uint8_t>) {
    return ElementType::Ubyte;
  } else if constexpr (std::is_same_v<U, int16_t>) {
    return ElementType::Short;
  } else if constexpr (std::is_same_v<U, uint16_t>) {
    return ElementType::Ushort;
  } else if constexpr (std::is_integral_v<U> && std::is_signed_v<U> && sizeof(U) == 4) {
    return ElementType::Int;
  } else if constexpr (std::is_integral_v<U> && std::is_signed_v<U> && sizeof(U) == 8) {
    return ElementType::Long;
  } else if constexpr (std::is_same_v<U, HalfBits>) {
    return ElementType::Half;
  } else if constexpr (std::is_same_v<U, BfloatBits>) {
    return ElementType::Bfloat;
  } else if constexpr (std::is_same_v<U, float>) {
    return ElementType::Float;
  } else {
    static_assert(std::is_same_v<U, double>, "fields have no elements of this type");
    return ElementType::Double;
  }
}

// Satisfied by std::mdspan and its substitutes.
template <class M>
concept MdspanLike = requires(const M& m) {
  m.data_handle();
  { m.rank() } -> std::convertible_to<size_t>;
  { m.extent(0) } -> std::convertible_to<int64_t>;
  { m.stride(0) } -> std::convertible_to<int64_t>;
};

// A strided array of any rank. If T is const, the view is read-only.
//
//   std::vector<float> a(64 * 32);
//   stencil::View(a, {64, 32})                 // dense, row-major; uses check the size of `a`
//   stencil::View(pointer, {64, 32})           // the same; the size cannot be checked
//   stencil::View(pointer, {64, 32}, {40, 1})  // rows are 40 elements apart
//   stencil::View(a)                           // one dimension
//   float c[8][4];  stencil::View(c)         // 8 x 4
//   stencil::View(an_mdspan)
template <class T>
class View {
 public:
  View(T* data, Extents extents) : View(data, std::move(extents), Extents{}) {
    strides_.assign(extents_.size(), 1);
    for (size_t d = extents_.size(); d-- > 1;) {
      // Unsigned, so that overflow of nonsensical extents is defined; set() and get() reject them.
      const auto stride = static_cast<uint64_t>(strides_[d]) * static_cast<uint64_t>(extents_[d]);
      strides_[d - 1] = static_cast<int64_t>(stride);
    }
  }
  // Strides in elements. Read-only views may have zero or negative strides.
  View(T* data, Extents extents, Extents strides)
      : data_(data), extents_(std::move(extents)), strides_(std::move(strides)) {}
  template <std::ranges::contiguous_range R>
  requires(!std::is_array_v<std::remove_reference_t<R>>) View(R&& elements, Extents extents)
      : View(std::ranges::data(elements), std::move(extents)) {
    capacity_ = static_cast<int64_t>(std::ranges::size(elements));
  }
  template <std::ranges::contiguous_range R>
  requires(!std::is_array_v<std::remove_reference_t<R>> &&
           !MdspanLike<std::remove_cvref_t<R>>) explicit View(R&& elements)
      : View(elements, Extents{static_cast<int64_t>(std::ranges::size(elements))}) {}
  template <class A>
  requires std::is_array_v<A>
  explicit View(A& array)
      : View(reinterpret_cast<T*>(&array),
             extents_of<A>(std::make_index_sequence<std::rank_v<A>>())) {}
  template <MdspanLike M>
  explicit View(const M& m) : data_(m.data_handle()) {
    for (size_t d = 0; d < m.rank(); ++d) {
      extents_.push_back(static_cast<int64_t>(m.extent(d)));
      strides_.push_back(static_cast<int64_t>(m.stride(d)));
    }
  }

  T* data() const { return data_; }
  const Extents& extents() const { return extents_; }
  const Extents& strides() const { return strides_; }
  int64_t capacity() const { return capacity_; }  // elements available from data() on; -1: unknown

  // The element at these indices, one per dimension, from 0. Unchecked.
  template <std::integral... Index>
  T& operator()(Index... indices) const {
    int64_t offset = 0;
    size_t d = 0;
    ((offset += static_cast<int64_t>(indices) * strides_[d++]), ...);
    return data_[offset];
  }

 private:
  template <class A, size_t... d>
  static Extents extents_of(std::index_sequence<d...>) {
    return {static_cast<int64_t>(std::extent_v<A, d>)...};
  }

  T* data_;
  Extents extents_, strides_;
  int64_t capacity_ = -1;
};

template <std::ranges::contiguous_range R, class... Rest>
requires(!std::is_array_v<std::remove_reference_t<R>>) View(R&&, Rest...)
->View<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <std::ranges::contiguous_range R>
requires(!std::is_array_v<std::remove_reference_t<R>>) View(R&&, std::initializer_list<int64_t>)
->View<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <class T>
View(T*, std::initializer_list<int64_t>) -> View<T>;
template <class T>
View(T*, std::initializer_list<int64_t>, std::initializer_list<int64_t>) -> View<T>;
template <class A>
requires std::is_array_v<A> View(A&)
->View<std::remove_all_extents_t<A>>;
template <MdspanLike M>
View(const M&) -> View<std::remove_pointer_t<decltype(std::declval<const M&>().data_handle())>>;

// A view with its element type as a run-time value; every View converts to it.
class AnyView {
 public:
  template <class T>
  AnyView(const View<T>& view)
      : data_(const_cast<std::remove_cv_t<T>*>(view.data())),
        extents_(view.extents()),
        strides_(view.strides()),
        capacity_(view.capacity()),
        type_(element_type<T>()),
        writable_(!std::is_const_v<T>) {}

  void* data() const { return data_; }
  const Extents& extents() const { return extents_; }
  const Extents& strides() const { return strides_; }  // elements
  // Elements available from data() on; -1: unknown.
  int64_t capacity() const { return capacity_; }
  ElementType type() const { return type_; }
  bool writable() const { return writable_; }

 private:
  void* data_;
  Extents extents_, strides_;
  int64_t capacity_;
  ElementType type_;
  bool writable_;
};

}  // namespace stencil

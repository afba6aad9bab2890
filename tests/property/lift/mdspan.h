// The part of std::mdspan that the tests use, because the installed standard library may lack it.
#pragma once
#include <array>
#include <cstddef>
inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);
template <class I, std::size_t... E>
struct extents {};
template <class I, std::size_t R, std::size_t... E>
struct extents_of : extents_of<I, R - 1, dynamic_extent, E...> {};
template <class I, std::size_t... E>
struct extents_of<I, 0, E...> {
  using type = extents<I, E...>;
};
template <class I, std::size_t R>
using dextents = typename extents_of<I, R>::type;
struct layout_right {};
struct layout_left {};
struct layout_stride {};
template <class T, class E, class L = layout_right>
class mdspan;
template <class T, class I, std::size_t... E, class L>
class mdspan<T, extents<I, E...>, L> {
 public:
  template <class... N>
  mdspan(T* data, N... lengths) : data_(data), lengths_{static_cast<I>(lengths)...} {}
  I extent(std::size_t d) const { return lengths_[d]; }
  template <class... N>
  T& operator()(N... at) const {
    return data_[place({static_cast<I>(at)...})];
  }
#if defined(__cpp_multidimensional_subscript)
  template <class... N>
  T& operator[](N... at) const {
    return data_[place({static_cast<I>(at)...})];
  }
#endif
 private:
  std::size_t place(std::array<I, sizeof...(E)> at) const {
    constexpr std::size_t rank = sizeof...(E);
    std::size_t out = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      const std::size_t d = __is_same(L, layout_left) ? rank - 1 - k : k;
      out = out * static_cast<std::size_t>(lengths_[d]) + static_cast<std::size_t>(at[d]);
    }
    return out;
  }
  T* data_;
  std::array<I, sizeof...(E)> lengths_;
};

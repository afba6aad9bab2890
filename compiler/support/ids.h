// Indices into different lists as different types.
#pragma once

#include <fmt/format.h>

#include <cassert>
#include <concepts>
#include <functional>
#include <vector>

namespace stencil {

// An index into a list of `Kind`s, or a negative number for "none". It converts from and to
// integers, but not to the id of another kind: `program.fields[reduction]` does not compile.
template <class Kind>
class Id {
 public:
  constexpr Id() = default;
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) constexpr Id(Number number)
      : number_(static_cast<int>(number)) {}

  constexpr operator int() const { return number_; }
  constexpr Id& operator++() {
    ++number_;
    return *this;
  }
  constexpr Id& operator--() {
    --number_;
    return *this;
  }
  constexpr Id operator--(int) { return number_--; }

 private:
  int number_ = 0;
};

// A vector whose elements have ids.
template <class IdOfElement, class Element>
class IdVector : public std::vector<Element> {
  using Base = std::vector<Element>;

 public:
  using Base::Base;
  IdVector(Base elements) : Base(std::move(elements)) {}

  typename Base::reference operator[](IdOfElement id) { return Base::operator[](index(id)); }
  typename Base::const_reference operator[](IdOfElement id) const {
    return Base::operator[](index(id));
  }

 private:
  size_t index(IdOfElement id) const {
    assert(id >= 0 && static_cast<size_t>(id) < this->size());
    return static_cast<size_t>(id);
  }
};

}  // namespace stencil

template <class Kind>
struct fmt::formatter<stencil::Id<Kind>> : fmt::formatter<int> {
  template <class Context>
  auto format(stencil::Id<Kind> id, Context& context) const {
    return fmt::formatter<int>::format(static_cast<int>(id), context);
  }
};

template <class Kind>
struct std::hash<stencil::Id<Kind>> {
  size_t operator()(stencil::Id<Kind> id) const { return std::hash<int>()(id); }
};

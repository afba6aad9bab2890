// Unique names in kernels.
#pragma once

#include <initializer_list>
#include <set>
#include <string>

namespace stencil::schedule {

// Hands out names that are unique in a kernel and its module. Names from the program are kept.
// Names made up by the compiler get a number if the program uses the name anywhere, even in another
// kernel.
class Names {
 public:
  // Further sets of names that a new name must differ from.
  using Apart = std::initializer_list<const Names*>;
  // For a name made up by the compiler.
  std::string unique(const std::string& wanted, Apart apart = {});
  // For a name from the program; numbered only if it is already taken in this scope.
  std::string keep(const std::string& name, Apart apart = {});
  // For a value with this ir::Node::hint, which may be empty.
  std::string name(const std::string& hint, Apart apart = {}) {
    return hint.empty() ? unique("v", apart) : keep(hint, apart);
  }
  void reserve(const std::string& name) { taken_.insert(name); }
  void reserve(const Names& names) { taken_.insert(names.taken_.begin(), names.taken_.end()); }
  // Marks a name as used somewhere in the program.
  void set_aside(const std::string& name) { set_aside_.insert(name); }

 private:
  bool is_free(const std::string& name, Apart apart) const;

  std::set<std::string> taken_, set_aside_;
};

}  // namespace stencil::schedule

// Names in kernels.
#pragma once

#include <initializer_list>
#include <set>
#include <string>

namespace stencil::schedule {

// Hands out names that are unique in a kernel and its module. What the program calls something
// keeps that name; what the compiler makes up gets a number if the program uses the name anywhere,
// be it in another kernel.
class Names {
 public:
  // What others have handed out, which a name is to differ from as well.
  using Apart = std::initializer_list<const Names*>;
  // For what the compiler makes up.
  std::string unique(const std::string& wanted, Apart apart = {});
  // For what the program calls so; numbered only where something of that name is in scope.
  std::string keep(const std::string& name, Apart apart = {});
  // For a value with this ir::Node::hint, which may be empty.
  std::string name(const std::string& hint, Apart apart = {}) {
    return hint.empty() ? unique("v", apart) : keep(hint, apart);
  }
  void reserve(const std::string& name) { taken_.insert(name); }
  void reserve(const Names& names) { taken_.insert(names.taken_.begin(), names.taken_.end()); }
  // The program calls something so, somewhere.
  void set_aside(const std::string& name) { set_aside_.insert(name); }

 private:
  bool is_free(const std::string& name, Apart apart) const;

  std::set<std::string> taken_, set_aside_;
};

}  // namespace stencil::schedule

// Coverage of a run: constructs and settings by schedule family.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/property/case.h"

namespace stencil::property {

class Coverage {
 public:
  void add(const Case& made, const std::string& family, const schedule::Schedule& schedule);
  // `rank` is the rank of the refused program.
  void refused(const std::string& family, const std::string& code, int rank);
  // A case cut into subdomains.
  void add_cut(const Case& made, const std::string& family, const schedule::Schedule& schedule);
  void refused_cut(const std::string& family, const std::string& code);
  // A case in boxes.
  void add_boxed(const Case& made, const std::string& family);
  void refused_boxed(const std::string& family, const std::string& code);
  int cases(const std::string& family) const;
  // One row per construct, then per setting, then for cut cases and boxes.
  std::string table() const;
  // Constructs that some family (or all) never met although it could: in ordinary cases, and in
  // cases that are cut or in boxes.
  std::vector<std::string> missing(bool whole, bool cut) const;
  std::string refusals() const;  // by family and error code

 private:
  using Counts = std::map<std::string, int>;  // per family
  void count(std::map<std::string, Counts>& rows, const std::string& row,
             const std::string& family) {
    ++rows[row][family];
  }
  Counts families_;
  std::map<std::string, Counts> constructs_, settings_, cuts_, boxes_;
  std::map<std::string, std::map<std::string, int>> refusals_, refused_cuts_, refused_boxes_;
  std::set<std::string> impossible_;  // "rank 1 in planes": always refused
};

}  // namespace stencil::property

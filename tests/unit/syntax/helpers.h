// Helpers for the tests of the syntax layer.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "compiler/syntax/parse.h"

namespace stencil::test {

// The tree of a program as text. If the program does not parse, fails the
// test and returns the messages.
inline std::string tree(const std::string& text) {
  const Source source("t.stn", text);
  Diagnostics diagnostics;
  const auto program = parse(source, diagnostics);
  if (program) return print(*program);
  ADD_FAILURE() << "does not parse:\n" << render(source, diagnostics);
  return {};
}

// The messages for a program that must not parse.
inline std::string messages(const std::string& text) {
  const Source source("t.stn", text);
  Diagnostics diagnostics;
  EXPECT_FALSE(parse(source, diagnostics).has_value()) << text;
  EXPECT_TRUE(diagnostics.has_errors()) << text;
  return render(source, diagnostics);
}

// The tree of an expression on one line: "(+ a (* 2 b))". Converts the printed
// tree, which has one node per line.
inline std::string one_line(const std::string& expression) {
  struct Node {
    size_t indent;
    std::string text;
  };
  std::vector<Node> nodes;
  std::istringstream lines(tree("stop when " + expression + ";"));
  for (std::string line; std::getline(lines, line);) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent < 4) continue;  // "program" and "stop"
    std::string text = line.substr(indent);
    for (const std::string kind : {"binary ", "unary ", "name ", "integer ", "real ", "level "}) {
      if (text.starts_with(kind)) text = text.substr(kind.size());
    }
    nodes.push_back({indent, text});
  }
  std::string out;
  std::vector<size_t> open;  // indents of the nodes whose children are being written
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (; !open.empty() && open.back() >= nodes[i].indent; open.pop_back()) out += ')';
    if (!out.empty()) out += ' ';
    const bool has_children = i + 1 < nodes.size() && nodes[i + 1].indent > nodes[i].indent;
    if (has_children) open.push_back(nodes[i].indent);
    out += (has_children ? "(" : "") + nodes[i].text;
  }
  return out.append(open.size(), ')');
}

inline std::string repeated(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace stencil::test

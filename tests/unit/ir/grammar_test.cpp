// The grammar at the top of compiler/ir/program.h against the types there and in graph.h. A rule "a
// = B | C" must name the alternatives of a variant, and a rule "a = b c" the members of a struct,
// in order.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace stencil::ir {
namespace {

using Words = std::vector<std::string>;

std::string headers() {
  std::stringstream text;
  for (const char* name : {"program.h", "graph.h"}) {
    text << std::ifstream(std::string(STENCIL_SOURCE_DIR) + "/compiler/ir/" + name).rdbuf();
  }
  return text.str();
}

Words words(const std::string& text) {
  std::istringstream stream(text);
  Words out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

// The rules by name. A line without "=" continues the rule above it.
std::map<std::string, std::string> rules(const std::string& text) {
  static const std::regex rule("//   ([a-z]+) *= (.*)"), more("//    +([a-z_ ]+)");
  std::map<std::string, std::string> out;
  std::string last;
  std::istringstream lines(text.substr(0, text.find("#pragma once")));
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, rule)) {
      out[last = found[1]] = found[2];
    } else if (!last.empty() && std::regex_match(line, found, more)) {
      out[last] += " " + found[1].str();
    } else {
      last.clear();
    }
  }
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

// The body of the struct whose name is that of the rule, without comments and inner braces.
std::string body_of(const std::string& text, const std::string& rule) {
  static const std::regex begin("\nstruct (\\w+) \\{");
  for (std::sregex_iterator at(text.begin(), text.end(), begin), end; at != end; ++at) {
    if (lower((*at)[1]) != rule) continue;
    std::string out;
    int depth = 1;
    for (size_t i = static_cast<size_t>(at->position() + at->length()); depth > 0; ++i) {
      if (text.compare(i, 2, "//") == 0) i = text.find('\n', i);
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (depth == 1 && text[i] == '}')
        out += ';';  // the end of a function, or of a value
      else if (depth == 1)
        out += text[i];
    }
    return out;
  }
  return "";
}

// The names of the data members: "int a = 1, b;" declares two.
Words members(const std::string& body) {
  static const std::regex inside("<[^<>]*>"), name("(\\w+) *(=.*)?$");
  Words out;
  std::istringstream statements(body);
  for (std::string statement; std::getline(statements, statement, ';');) {
    statement = std::regex_replace(statement, std::regex("\\s+"), " ");
    for (std::string before; before != statement;) {
      before = statement;
      statement = std::regex_replace(statement, inside, "");
    }
    const bool declares = statement.find('(') == statement.npos && words(statement).size() > 1 &&
                          words(statement)[0] != "private:";
    if (!declares) continue;
    std::istringstream declarators(statement);
    for (std::string declarator; std::getline(declarators, declarator, ',');) {
      std::smatch found;
      if (std::regex_search(declarator, found, name)) out.push_back(found[1]);
    }
  }
  return out;
}

// The alternatives of each variant in the headers, without the namespace.
std::vector<Words> variants(const std::string& text) {
  static const std::regex variant("std::variant<([^>]*)>");
  std::vector<Words> out;
  for (std::sregex_iterator at(text.begin(), text.end(), variant), end; at != end; ++at) {
    out.push_back(words(std::regex_replace((*at)[1].str(), std::regex(","), " ")));
  }
  return out;
}

TEST(Grammar, NamesTheMembersAndAlternativesOfTheTypes) {
  const std::string text = headers();
  const auto all = rules(text);
  ASSERT_GE(all.size(), 15u);
  for (const auto& [rule, definition] : all) {
    SCOPED_TRACE(rule + " = " + definition);
    if (definition.find('|') != definition.npos) {
      const Words named = words(std::regex_replace(definition, std::regex("\\|"), " "));
      const std::vector<Words> found = variants(text);
      EXPECT_NE(std::find(found.begin(), found.end(), named), found.end());
    } else if (definition.find("...") != definition.npos) {
      EXPECT_NE(text.find("using Sequence = std::vector<Step>"), text.npos);
    } else if (std::isupper(definition[0])) {
      EXPECT_NE(text.find(definition + " " + rule), text.npos);  // a member of this type
    } else {
      EXPECT_EQ(members(body_of(text, rule)), words(definition));
    }
  }
}

}  // namespace
}  // namespace stencil::ir

// One mistake gives one error: errors that only follow from another one are not reported.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

constexpr const char* kSmallGrid = "grid G = [0..15, 0..15] steps 4;\n";
constexpr const char* kFields = "field u, v : real on G boundary fixed 0;\n";

std::vector<std::string> codes_of(const std::string& text) {
  const Source source("test.stn", text);
  Diagnostics diagnostics;
  load_program(source, {}, diagnostics);
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : diagnostics.items()) codes.push_back(diagnostic.code);
  return codes;
}

void expect_only(const std::string& code, const std::string& text) {
  EXPECT_EQ(codes_of(text), std::vector<std::string>{code}) << analyze_text(text).messages;
}

// A function with a syntax error may have written the field.
TEST(FollowUpErrors, AreNotGivenForFunctionsWithSyntaxErrors) {
  for (const char* const function : {
           "stencil both : u, v on G = { u = u[1,0]; v = v[0,1] };",
           "stencil cube : u on G = u[1,0]**3;",
           "stencel both : u, v on G = { u = u[1,0], v = v[0,1] };",
           "stencil both : u, v on G { u = 1; }",
           "repeat 2 { stencil both : u, v on G = { u = u[1,0] v = v[0,1] }; }",
       }) {
    SCOPED_TRACE(function);
    const auto codes = codes_of(std::string(kSmallGrid) + kFields + function);
    EXPECT_FALSE(codes.empty());
    for (const std::string& code : codes) EXPECT_EQ(code[0], 'P') << code;
  }
  // If only the ';' is missing, the function is known.
  const auto known = codes_of(std::string(kSmallGrid) + kFields + "stencil one : u on G = u[1,0]");
  EXPECT_NE(std::find(known.begin(), known.end(), "S092"), known.end());
}

TEST(FollowUpErrors, AreNotGivenForItemsThatAreNotParsed) {
  std::string text = std::string(kSmallGrid) + kFields;
  for (int line = 0; line < 100; ++line) text += "field 1;\n";  // as many errors as are reported
  for (const std::string& code : codes_of(text + "stencil one : u, v on G = { u = 1, v = 2 };")) {
    EXPECT_NE(code, "S092");
    EXPECT_NE(code, "S041");
  }
}

// The entries of a value belong to fields whose declaration has an error.
TEST(FollowUpErrors, AreNotGivenForFieldsWithErrors) {
  const std::string both = "stencil both : u, v on G = { u = u[1,0], v = lap(v) };\n";
  const std::string rest =
      both +
      "stencil chosen : u, v on G = select(u[0,0] > 0, { u = 1, v = 2 }, { v = 3, u = 4 });\n"
      "stencil parts : u { let a = u[0,0] + v[1,0]; [0..3, 0..3] = a; else = lap(u); }\n"
      "init u = 1; init v[i,j] = u[0,0] + i;\n"
      "reduce r = sum(u[0,0]) on G;\n";
  const std::string lap = "function lap(w : field) = w[1,0] - w[-1,0];\n";
  const std::pair<const char*, const char*> kDeclarations[] = {
      {"P001", "boundary neumann"},
      {"P001", "boundary dirichlet"},
      {"S014", "boundary [clamp]"},
      {"S014", "boundary [periodic, fixed 1, gradient 2]"},
      {"S043", "boundary [periodic .. clamp, clamp]"},
  };
  for (const auto& [code, boundary] : kDeclarations) {
    SCOPED_TRACE(boundary);
    const std::string text = kSmallGrid + lap + "field u, v : real on G " + boundary + ";\n" + rest;
    expect_only(code, text);
  }
  expect_only("S004", kSmallGrid + lap + "field u, v : reel on G boundary clamp;\n" + rest);
  expect_only("S021", std::string(kSmallGrid) + "field u : real on G;\n" +
                          "stencil one : u on G = { a = u[0,0] };");
  // Errors within the entries do not depend on the fields.
  const auto own = codes_of(std::string(kSmallGrid) + "field u, v : real on G boundary [clamp];\n" +
                            "stencil both : u, v on G = { u = alpha, v = beta };");
  EXPECT_EQ(own, (std::vector<std::string>{"S014", "S004", "S004"}));
}

// The error about coordinates explains the unknown names i and j.
TEST(FollowUpErrors, AreNotGivenForReadsByCoordinates) {
  const std::string field = "field u : real on G boundary clamp;\n";
  const std::string use = "stencil one : u on G = f(u);\n";
  expect_only("S010", kSmallGrid + field + "function f(w : field) = w[i-1,j];\n" + use);
  expect_only("S010",
              kSmallGrid + field + "function f(w : field) { let a = w[i,j+1]; = 2*a; }\n" + use);
  expect_only("S010",
              kSmallGrid + field + "stencil one : u { let a = u[i,j-1]; [0..3,0..3] = a; }\n");
  expect_only("S005",
              kSmallGrid + field + "stencil one : u { let a = u(i,j-1); [0..3,0..3] = a; }\n");
  // Names elsewhere are still reported.
  EXPECT_EQ(codes_of(kSmallGrid + field + "function f(w : field) = w[i-1,j] + alpha;\n" + use),
            (std::vector<std::string>{"S010", "S004"}));
}

// One missing boundary gives one error per field and dimension.
TEST(FollowUpErrors, AreNotGivenForFurtherReadsBeyondAnEdge) {
  const std::string lap =
      "function lap(w : field) = w[1,0] + w[-1,0] + w[0,1] + w[0,-1] - 4*w[0,0];\n";
  const std::string fields = "field u, v : real on G;\n";
  const std::string text = kSmallGrid + fields + lap +
                           "stencil both : u, v on G = { u = lap(u), v = lap(v) + u[-1,0] };\n";
  EXPECT_EQ(codes_of(text), (std::vector<std::string>{"S031", "S031"}));
  EXPECT_NE(
      analyze_text(text).messages.find(
          "= hint: give the field a boundary (constant, clamp, mirror, periodic, ...), or end "
          "the region at 14"),
      std::string::npos);
  // Another region is another mistake, and so is a side without a rule if the other side has one.
  expect_only("S031", kSmallGrid + fields + lap + "stencil one : u { [1..14, 0..14] = lap(u); }");
  EXPECT_EQ(codes_of(kSmallGrid + fields +
                     "stencil one : u { [0..3, 0..3] = u[-1,0]; [8..15, 0..3] = u[1,0]; }"),
            (std::vector<std::string>{"S031", "S031"}));
}

// A '^' that is meant as a power is reported at the operator, and once in a sum of squares.
TEST(FollowUpErrors, PowersAreReportedAtTheOperator) {
  const std::string field = "field u : real on G boundary clamp;\n";
  const auto cube = analyze_text(kSmallGrid + field + "stencil s : u on G = u[0,0]^3;\n").messages;
  EXPECT_NE(cube.find("test.stn:3:28: error S018"), std::string::npos) << cube;
  EXPECT_NE(cube.find("                            ^\n"), std::string::npos) << cube;
  const auto sum = analyze_text(kSmallGrid + field + "stencil s : u on G = u[0,0];\n" +
                                "init u[i,j] = select((i - 3)^2 + (j - 4)^2 < 9, 1, 0);");
  const size_t first = sum.messages.find("S105");
  EXPECT_EQ(sum.messages.find("S105", first + 1), std::string::npos) << sum.messages;
  EXPECT_NE(sum.messages.find("binds weaker than '+' and '*'"), std::string::npos);
  EXPECT_NE(sum.messages.find("write a power as pow(i - 3, 2), or as a product"),
            std::string::npos);
  EXPECT_NE(sum.messages.find("test.stn:4:29: warning S105"), std::string::npos) << sum.messages;
}

}  // namespace
}  // namespace stencil::test

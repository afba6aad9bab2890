// Every rule of host programs has a program that breaks only this rule.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "compiler/host_ir/passes.h"
#include "tests/unit/host_ir/sample.h"

namespace stencil::host_ir {
namespace {

For& loop(Program& program) {
  return std::get<For>(program.steps[0].kind);
}
template <class Kind>
Kind& first(Body& body) {
  for (Statement& statement : body) {
    if (auto* found = std::get_if<Kind>(&statement.kind)) return *found;
  }
  throw std::logic_error("no such statement");
}
Body& tile(Program& program) {
  return first<Tile>(loop(program).body).body;
}
template <class Kind>
void erase(Body& body) {
  std::erase_if(body, [](const Statement& statement) {
    return std::holds_alternative<Kind>(statement.kind);
  });
}

struct Fault {
  const char* message;
  std::function<void(Program&)> make;
};
std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.message;
}

class Unsound : public testing::TestWithParam<Fault> {};

TEST_P(Unsound, IsReported) {
  const kernel::Module module = samples::stopping();
  Program program = lower(module, {});
  ASSERT_EQ(verify(program, module), std::vector<std::string>{});
  GetParam().make(program);
  const std::vector<std::string> found = verify(program, module);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], std::string("host program: ") + GetParam().message);
}

const Expr kNumber = kernel::integer(1, Scalar::I64);

INSTANTIATE_TEST_SUITE_P(
    Rules, Unsound,
    testing::Values(
        Fault{"variable step twice",
              [](Program& p) {
                p.variables.push_back({kStep, Scalar::I64, VariableKind::Local});
              }},
        Fault{"variable x is no Bool, I32 or I64",
              [](Program& p) {
                p.variables.push_back({"x", Scalar::F32, VariableKind::Local});
              }},
        Fault{"variable x does not exist",
              [](Program& p) {
                p.steps.push_back({Define{"x", kNumber}});
              }},
        Fault{"count is read before it is defined",
              [](Program& p) {
                erase<Define>(loop(p).body);
                loop(p).body.erase(loop(p).body.begin());
              }},
        Fault{"count is defined twice",
              [](Program& p) {
                tile(p).push_back({Define{"count", kernel::integer(1)}});
              }},
        Fault{"stopped is not local",
              [](Program& p) {
                p.steps.push_back({Define{kStopped, kernel::boolean(true)}});
              }},
        Fault{"assignment to input steps",
              [](Program& p) {
                p.steps.push_back({Assign{kSteps, kNumber}});
              }},
        Fault{"done is assigned but not defined",
              [](Program& p) {
                p.steps.push_back({Assign{"done", kNumber}});
              }},
        Fault{"assignment to evaluations.0: '1' is integer instead of long",
              [](Program& p) {
                p.steps.push_back({Assign{evaluations_of(0), kernel::integer(1)}});
              }},
        Fault{"steps has two types",
              [](Program& p) {
                p.steps.push_back({Assign{evaluations_of(0),
                                          kernel::as_long(kernel::variable(kSteps, Scalar::I32))}});
              }},
        Fault{"'1.5d' is no value of the host",
              [](Program& p) {
                p.steps.push_back(
                    {Assign{evaluations_of(0),
                            kernel::convert(kernel::variable("x", Scalar::F32), Scalar::I64)}});
                const Expr half = kernel::real(1.5, Scalar::F64);
                std::get<Assign>(p.steps.back().kind).value = kernel::convert(half, Scalar::I64);
              }},
        Fault{"two loops over the steps", [](Program& p) { p.steps.push_back(p.steps[0]); }},
        Fault{"leave outside of the loop", [](Program& p) { p.steps.push_back({Leave{}}); }},
        Fault{"a cycle of the loop over step", [](Program& p) { loop(p).cycle = -1; }},
        Fault{"a replay outside of the loop", [](Program& p) { p.steps.push_back({Replay{}}); }},
        Fault{"a replay of other statements than launches",
              [](Program& p) { tile(p) = {{Replay{tile(p)}}}; }},
        Fault{"a replay that assigns evaluations.0",
              [](Program& p) {
                const Expr one = kernel::integer(1, Scalar::I64);
                tile(p).push_back({Replay{{{Assign{evaluations_of(0), one}}}}});
              }},
        Fault{"a replay that defines copied",
              [](Program& p) {
                p.variables.push_back({"copied", Scalar::I32, VariableKind::Local});
                tile(p).push_back({Replay{{{Define{"copied", kernel::integer(1)}}}}});
              }},
        Fault{"launch in the wrong part of the program",
              [](Program& p) { p.begin.push_back({first<Launch>(tile(p))}); }},
        Fault{"alloc in the wrong part of the program",
              [](Program& p) {
                p.end.insert(p.end.begin(), {Alloc{{0, 2}}});
              }},
        Fault{"memory 0[1] is provided twice",
              [](Program& p) {
                p.begin.push_back({Alloc{{0, 1}}});
              }},
        Fault{"alloc of slot 3 of A",
              [](Program& p) {
                p.begin.push_back({Alloc{{0, 3}}});
              }},
        Fault{"take of array 7, which does not exist",
              [](Program& p) { p.begin.push_back({Take{7}}); }},
        Fault{"copy: slot 1 of A has no memory",
              [](Program& p) { p.begin.erase(p.begin.begin() + 1); }},
        Fault{"copy: slot 5 of A",
              [](Program& p) {
                p.begin.push_back({Copy{0, 5, 0}});
              }},
        Fault{"scratch memory sum has no memory",
              [](Program& p) {
                std::erase_if(p.begin, [](const Statement& statement) {
                  const auto* alloc = std::get_if<Alloc>(&statement.kind);
                  return alloc && alloc->memory.slot == kernel::kScratch &&
                         alloc->memory.array == 0;
                });
              }},
        Fault{"restore of reduction 1, which does not exist",
              [](Program& p) { p.begin.push_back({Restore{1}}); }},
        Fault{"place of set of points 0, which does not exist",
              [](Program& p) { p.begin.push_back({Place{0}}); }},
        Fault{"rotate A without its slots", [](Program& p) { erase<Slots>(p.begin); }},
        Fault{"swap: slot 2 of A",
              [](Program& p) {
                tile(p).push_back({Swap{0, 0, 2}});
              }},
        Fault{"exchange 0", [](Program& p) { tile(p).push_back({Exchange{0}}); }},
        Fault{"the count of kernel advance",
              [](Program& p) { first<Launch>(tile(p)).count = nullptr; }},
        Fault{"the step of kernel advance",
              [](Program& p) { first<Launch>(tile(p)).step = nullptr; }},
        Fault{"kernel advance cannot be launched in parts",
              [](Program& p) { first<Launch>(tile(p)).part = Part::Outer; }},
        Fault{"an ask without a flag", [](Program& p) { erase<Flag>(p.begin); }},
        Fault{"an ask without an answer", [](Program& p) { p.steps.pop_back(); }},
        Fault{"two asks without an answer", [](Program& p) { erase<If>(tile(p)); }},
        Fault{"an answer without an ask", [](Program& p) { p.steps.push_back({Answer{1}}); }},
        Fault{"read of memory that is not the stop condition's",
              [](Program& p) { p.steps.push_back({Read{0}}); }},
        Fault{"lane 2", [](Program& p) { p.steps.push_back({Lane{2}}); }},
        Fault{"a bound launch without its bind",
              [](Program& p) { p.steps.push_back({LaunchBound{}}); }},
        Fault{"home of an array whose slots do not change roles",
              [](Program& p) {
                erase<Slots>(p.begin);
                erase<Rotate>(tile(p));
              }},
        Fault{"the program does not return", [](Program& p) { p.end.pop_back(); }}));

}  // namespace
}  // namespace stencil::host_ir

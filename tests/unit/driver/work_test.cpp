// The cost of compilation, counted in operations and allocated bytes: a program with huge offsets
// or extents must cost about as much as the same text with small numbers. No test measures time.
#include "compiler/support/work.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "compiler/driver/compile.h"
#include "tests/unit/load.h"

namespace {
thread_local int64_t bytes_asked_for = 0;
}

// Allocated bytes also catch loops over offsets whose iterations are not counted.
void* operator new(size_t size) {
  bytes_asked_for += static_cast<int64_t>(size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  bytes_asked_for += static_cast<int64_t>(size);
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace stencil {
namespace {

struct Cost {
  int64_t operations, bytes;
};

// The cost of checking, explaining and compiling a program with every family and for every target.
// Families may refuse the program.
Cost cost_of(const std::string& text) {
  const int64_t operations = support::work_done(), bytes = bytes_asked_for;
  const ir::Program program = test::load(text);
  for (const char* schedule : {"auto", "direct", "overlapped", "streaming", "planes"}) {
    for (const auto target : {emit::Target::Cuda, emit::Target::Cpp}) {
      CompileRequest request;
      request.schedule = schedule;
      request.emit.target = target;
      Diagnostics diagnostics;
      const auto compiled = compile(program, Source("test.stn", text), request, diagnostics);
      EXPECT_TRUE(compiled || diagnostics.has_errors());
    }
  }
  for (const auto target : {emit::Target::Cuda, emit::Target::Cpp}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(explain(program, Source("test.stn", text), "auto", diagnostics, machine_of(target))
                     .empty());
  }
  return {support::work_done() - operations, bytes_asked_for - bytes};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
  return text;
}

// The two costs may differ by a constant number of operations: hints for refused time tiles try a
// fixed number of tiles, and programs without such refusals skip them.
void expect_alike(const Cost& usual, const std::string& huge) {
  constexpr int64_t kTimes = 3, kOperations = 500'000, kBytes = 4'000'000;
  const Cost cost = cost_of(huge);
  EXPECT_LE(cost.operations, kTimes * usual.operations + kOperations) << huge;
  EXPECT_LE(cost.bytes, kTimes * usual.bytes + kBytes) << huge;
}

TEST(Work, DoesNotGrowWithOffsets) {
  const char* const kFlat =
      "grid G = [0..1999, 0..1999] steps 10;\n"
      "field A : real on G boundary RULE;\n"
      "stencil s : A on G = 0.5*A[-FAR,NEAR] + 0.25*A[NEAR,-FAR] + A[1,0];\n";
  const char* const kAlong =
      "grid G = [0..1999, 0..1999] steps 10;\n"
      "field A, B : real on G boundary RULE;\n"
      "stencil s : A on G = 0.5*B[0,FAR] + B[0,-NEAR];\n"
      "stencil t : B on G = 0.5*A[FAR,0] + A[-NEAR,0];\n";
  const char* const kDeep =
      "grid G = [0..199, 0..199, 0..199] steps 10;\n"
      "field A : real on G boundary RULE;\n"
      "field C : real on G constant boundary RULE;\n"
      "stencil s : A on G = C[FAR,-FAR,FAR] * A[-FAR,NEAR,1] + A[NEAR,-FAR,FAR] + A[1,0,0];\n";
  const char* const kLine =
      "grid G = [0..1999] steps 10;\n"
      "field A : real on G boundary RULE;\n"
      "stencil s : A on G = 0.5*A[-FAR] + 0.25*A[NEAR];\n";
  for (const char* text : {kFlat, kAlong, kDeep, kLine}) {
    for (const char* rule : {"clamp", "mirror", "periodic", "constant 1"}) {
      const std::string program = replaced(text, "RULE", rule);
      const auto with = [&](const char* far, const char* near) {
        return replaced(replaced(program, "FAR", far), "NEAR", near);
      };
      const Cost usual = cost_of(with("2", "1"));
      expect_alike(usual, with("1048576", "65536"));
      expect_alike(usual, with("4000", "1"));
    }
  }
}

TEST(Work, DoesNotGrowWithExtents) {
  const char* const kFlat =
      "grid G = [0..LAST, 0..LAST] steps 10;\n"
      "field A : half on G boundary [periodic, clamp];\n"
      "stencil s : A on G = 0.25*(A[-1,0] + A[1,0] + A[0,1] + A[0,-1]);\n";
  const char* const kDeep =
      "grid G = [0..LAST, 0..1023, 0..511] steps 10;\n"
      "field A : half on G boundary mirror;\n"
      "stencil s : A on G = 0.25*(A[-1,0,0] + A[1,0,0] + A[0,1,0] + A[0,-1,0]);\n";
  for (const char* text : {kFlat, kDeep}) {
    const Cost usual = cost_of(replaced(text, "LAST", "4095"));
    for (const char* last : {"134217727", "1073741823", "999999999"}) {
      expect_alike(usual, replaced(text, "LAST", last));
    }
  }
}

// Reflection about both edges takes a dozen operations if sizes are open. They are emitted once per
// offset, however many accesses use it.
TEST(Work, BoundaryRulesAreEmittedOncePerOffset) {
  const char* const kBox =
      "param N : integer SIZE; grid G = [0..N-1, 0..N-1] steps 10;\n"
      "field A : real on G boundary RULE;\n"
      "stencil s : A on G = sum(a in -4..4, b in -4..4 : A[a,b]);\n";
  const auto lines = [](const std::string& text, const char* schedule, emit::Target target) {
    CompileRequest request;
    request.schedule = schedule;
    request.emit.target = target;
    Diagnostics diagnostics;
    const auto compiled = compile(test::load(text), Source("test.stn", text), request, diagnostics);
    EXPECT_TRUE(compiled) << render(Source("", ""), diagnostics);
    return compiled ? std::count(compiled->text.begin(), compiled->text.end(), '\n') : 0;
  };
  for (const char* rule : {"mirror", "clamp", "periodic", "[mirror .. clamp, clamp .. mirror]"}) {
    const std::string program = replaced(kBox, "RULE", rule);
    for (const char* schedule : {"direct", "overlapped T=1", "streaming T=1", "planes T=2"}) {
      for (const auto target : {emit::Target::Cuda, emit::Target::OpenCl, emit::Target::Cpp}) {
        const auto fixed = lines(replaced(program, "SIZE", "= 1000"), schedule, target);
        const auto open = lines(replaced(program, "SIZE", ""), schedule, target);
        EXPECT_LE(open, 2 * fixed + 100) << rule << ", " << schedule;
      }
    }
  }
}

}  // namespace
}  // namespace stencil

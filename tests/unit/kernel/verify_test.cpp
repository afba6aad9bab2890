// One valid module, and one violation of every rule of the verifier.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/kernel/passes.h"

namespace stencil::kernel {
namespace {

Expr v(const char* name, Scalar type = Scalar::I32) {
  return variable(name, type);
}

// A valid module whose parts the tests modify. Its kernel loads A into a shared tile and stores the
// neighbour's value to B.
Module sound() {
  Module module;
  module.name = "m";
  module.constants = {{"tile", Scalar::I32, 32, ""}};
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = {32, 1, 1};
  kernel.buffers = {{"A", Scalar::F32, Space::Global, {v("N")}, true, false, ""},
                    {"B", Scalar::F32, Space::Global, {v("N")}, false, false, ""},
                    {"s", Scalar::F32, Space::Shared, {v("tile")}, false, false, ""}};
  kernel.scalars = {{"N", Scalar::I32}, {"first", Scalar::I32}};
  kernel.body = {{Let{"x0", v("first")}},
                 {Threads{{{Store{2, {v("thread_x")}, load(0, {v("x0")}, Scalar::F32)}}}}},
                 {Barrier{}},
                 {Threads{{{Store{1, {v("x0")}, load(2, {integer(0)}, Scalar::F32)}}}}}};
  module.kernels = {kernel};
  Array a, b;
  a.name = "A";
  a.type = Scalar::F32;
  a.extents = {v("N")};
  b = a;
  b.name = "B";
  b.written = true;
  b.copies = 2;
  Parameter n;
  n.name = "N";
  n.type = Scalar::I32;
  n.is_size = true;
  module.plan.arrays = {a, b};
  module.plan.parameters = {n};
  module.plan.actions = {
      Launch{0, {{0, 0}, {1, 1}}, {ParameterArgument{0}, FirstStep{}}, integer(1, Scalar::I64)},
      Rotate{1}};
  module.plan.points = convert(v("N"), Scalar::I64);
  return module;
}

Body& body(Module& module) {
  return module.kernels[0].body;
}
Body& section(Module& module, size_t index) {
  return std::get<Threads>(body(module)[index].kind).body;
}
// Adds a buffer to the kernel.
BufferId add(Module& module, const char* name, Scalar type, Space space, int64_t extent) {
  std::vector<Buffer>& buffers = module.kernels[0].buffers;
  buffers.push_back({name, type, space, {integer(extent)}, false, false, ""});
  return static_cast<BufferId>(buffers.size()) - 1;
}
// Appends a valid shuffle of a new per-thread buffer to the kernel.
Shuffle& add_shuffle(Module& module) {
  const BufferId own = add(module, "own", Scalar::F32, Space::Thread, 4);
  body(module).push_back({Shuffle{"i", 2, {{own, {v("i")}, own, {integer(3)}, -1}}}});
  return std::get<Shuffle>(body(module).back().kind);
}
Launch& launch(Module& module) {
  return std::get<Launch>(module.plan.actions[0]);
}
Repeat& repeat(Module& module) {
  module.plan.actions.push_back(Repeat{});
  return std::get<Repeat>(module.plan.actions.back());
}

// Turns the threads of the kernel into loops, as legalization does.
Module& loops(Module& module) {
  Kernel& kernel = module.kernels[0];
  kernel.thread_loops = true;
  std::erase_if(kernel.body, [](const Statement& statement) {
    return std::holds_alternative<Barrier>(statement.kind);
  });
  for (Statement& statement : kernel.body) {
    if (auto* threads = std::get_if<Threads>(&statement.kind)) {
      threads->loops = {{"thread_x", integer(0), integer(32)}};
    }
  }
  return module;
}
Threads& first_loops(Module& module) {
  return std::get<Threads>(body(loops(module))[1].kind);
}
// Adds a buffer with one element per thread, used by the first Threads statement.
Buffer& add_places(Module& module) {
  const BufferId own = add(module, "own", Scalar::F32, Space::Thread, 32);
  first_loops(module).body.push_back({Store{own, {v("thread_x")}, real(1, Scalar::F32)}});
  return module.kernels[0].buffers.back();
}

TEST(Verify, ValidModulesPass) {
  EXPECT_EQ(verify(sound()), std::vector<std::string>{});
}

TEST(Verify, ThreadsMayBeLoops) {
  Module module = sound();
  add_places(module);
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  // Only one section uses the buffer. If it is local there, it needs no element per thread.
  Buffer& own = module.kernels[0].buffers.back();
  own.local = true;
  own.extents = {integer(1)};
  std::get<Store>(section(module, 1).back().kind).index = {integer(0)};
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  // Every section that uses it sets it first.
  own.extents.clear();
  std::get<Store>(section(module, 1).back().kind).index.clear();
  section(module, 2).push_back({Store{3, {}, real(1, Scalar::F32)}});
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  // A dimension of one thread has a name but no loop.
  section(module, 1).push_back({Let{"z", v("thread_z")}});
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

struct Rule {
  const char* name;
  const char* expected;  // a line of the verifier's output
  std::function<void(Module&)> violate;
};
void PrintTo(const Rule& rule, std::ostream* out) {
  *out << rule.name;
}

// A condition on shared memory, evaluated by the whole block.
Statement question() {
  const Expr asked = load(2, {integer(0)}, Scalar::F32);
  return {If{operation(Op::Ne, {asked, real(0, Scalar::F32)}), {{Barrier{}}}, {}}};
}

TEST(Verify, BlocksMayReadSharedMemoryAfterABarrier) {
  Module module = sound();
  body(module).insert(body(module).begin() + 3, question());
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

class VerifyRule : public testing::TestWithParam<Rule> {};

TEST_P(VerifyRule, IsReported) {
  Module module = sound();
  GetParam().violate(module);
  const std::vector<std::string> lines = verify(module);
  const bool found = std::find(lines.begin(), lines.end(), GetParam().expected) != lines.end();
  EXPECT_TRUE(found) << "expected: " << GetParam().expected
                     << "\n     got: " << testing::PrintToString(lines);
}

const Rule kBodyRules[] = {
    {"undefined", "kernel k: 'y' is not defined here",
     [](Module& m) {
       body(m).push_back({Let{"z", v("y")}});
     }},
    {"use_before_definition", "kernel k: 'x0' is not defined here",
     [](Module& m) { std::swap(body(m)[0], body(m)[1]); }},
    {"thread_index_outside", "kernel k: 'thread_x' is not defined here",
     [](Module& m) {
       body(m).push_back({Let{"z", v("thread_x")}});
     }},
    {"let_leaves_scope", "kernel k: 'z' is not defined here",
     [](Module& m) {
       section(m, 1).push_back({Let{"z", integer(1)}});
       section(m, 3).push_back({Let{"w", v("z")}});
     }},
    {"wrong_type", "kernel k: 'x0' is integer but used as long",
     [](Module& m) {
       body(m).push_back({Let{"z", v("x0", Scalar::I64)}});
     }},
    {"shadowing", "kernel k: 'x0' is defined again",
     [](Module& m) {
       section(m, 1).push_back({Let{"x0", integer(1)}});
     }},
    {"buffer_name_taken", "kernel k: 'A' is defined again",
     [](Module& m) {
       body(m).push_back({Let{"A", integer(1)}});
     }},
    {"operand_types", "kernel k: operand types of 'x0 + 1f'",
     [](Module& m) {
       body(m).push_back({Let{"z", operation(Op::Add, {v("x0"), real(1, Scalar::F32)})}});
     }},
    {"condition", "kernel k: condition 'x0' is not a bool",
     [](Module& m) {
       body(m).push_back({If{v("x0"), {}, {}}});
     }},
    {"index_count", "kernel k: load from 'A' with 2 indices instead of 1",
     [](Module& m) {
       body(m).push_back({Let{"z", load(0, {integer(0), integer(0)}, Scalar::F32)}});
     }},
    {"index_type", "kernel k: index '0f' is not an integer",
     [](Module& m) {
       body(m).push_back({Let{"z", load(0, {real(0, Scalar::F32)}, Scalar::F32)}});
     }},
    {"no_such_buffer", "kernel k: load from buffer 7, which does not exist",
     [](Module& m) {
       body(m).push_back({Let{"z", load(7, {integer(0)}, Scalar::F32)}});
     }},
    {"load_type", "kernel k: load of double from 'A' of float",
     [](Module& m) {
       body(m).push_back({Let{"z", load(0, {integer(0)}, Scalar::F64)}});
     }},
    {"store_type", "kernel k: store of double to 'B' of float",
     [](Module& m) {
       section(m, 3).push_back({Store{1, {integer(0)}, real(1, Scalar::F64)}});
     }},
    {"store_to_read_only", "kernel k: store to read-only buffer 'A'",
     [](Module& m) {
       section(m, 1).push_back({Store{0, {integer(0)}, real(1, Scalar::F32)}});
     }},
    {"store_outside_threads", "kernel k: store to 'B' outside threads",
     [](Module& m) {
       body(m).push_back({Store{1, {integer(0)}, real(1, Scalar::F32)}});
     }},
    {"shared_outside_threads", "kernel k: load from 's' outside threads",
     [](Module& m) {
       body(m).push_back({Let{"z", load(2, {integer(0)}, Scalar::F32)}});
     }},
    {"barrier_inside_threads", "kernel k: barrier inside threads",
     [](Module& m) { section(m, 1).push_back({Barrier{}}); }},
    {"nested_threads", "kernel k: threads inside threads",
     [](Module& m) { section(m, 1).push_back({Threads{}}); }},
    {"loops_of_threads", "kernel k: loops in place of threads",
     [](Module& m) {
       std::get<Threads>(body(m)[1].kind).loops = {{"i", integer(0), integer(32)}};
     }},
    {"conditions_of_threads", "kernel k: loops in place of threads",
     [](Module& m) { std::get<Threads>(body(m)[1].kind).conditions = {boolean(true)}; }},
    {"thread_loop_condition", "kernel k: condition '1' is not a bool",
     [](Module& m) { first_loops(m).conditions = {integer(1)}; }},
    {"thread_loop_bounds", "kernel k: bounds of loop 'thread_x' are not I32",
     [](Module& m) { first_loops(m).loops[0].end = integer(32, Scalar::I64); }},
    {"thread_loop_bounds_vary", "kernel k: 'thread_x' is not defined here",
     [](Module& m) { first_loops(m).loops[0].end = v("thread_x"); }},
    {"thread_without_a_loop", "kernel k: 'thread_x' is not defined here",
     [](Module& m) { first_loops(m).loops.clear(); }},
    {"barrier_of_loops", "kernel k: barrier where threads are loops",
     [](Module& m) { body(loops(m)).push_back({Barrier{}}); }},
    {"shuffle_of_loops", "kernel k: shuffle where threads are loops",
     [](Module& m) {
       add_shuffle(m);
       loops(m);
     }},
    {"async_copy_of_loops", "kernel k: async copy where threads are loops",
     [](Module& m) {
       first_loops(m).body.push_back({Copy{2, {integer(0)}, 0, {integer(0)}, 1, true}});
     }},
    {"commit_of_loops", "kernel k: commit of copies where threads are loops",
     [](Module& m) { first_loops(m).body.push_back({CommitCopies{}}); }},
    {"await_of_loops", "kernel k: await of copies where threads are loops",
     [](Module& m) { first_loops(m).body.push_back({AwaitCopies{0}}); }},
    {"bulk_await_of_loops", "kernel k: bulk copy where threads are loops",
     [](Module& m) {
       m.kernels[0].bulk_batches = 1;
       body(loops(m)).push_back({AwaitBulk{integer(0)}});
     }},
    {"places_of_threads", "kernel k: 'own' has no place for every thread",
     [](Module& m) { add_places(m).extents = {integer(31)}; }},
    {"no_places_of_threads", "kernel k: 'own' has no place for every thread",
     [](Module& m) {
       add(loops(m), "own", Scalar::F32, Space::Thread, 4);
       m.kernels[0].buffers.back().extents.clear();
     }},
    {"local_twice", "kernel k: 'own' is local but may carry a value between Threads statements",
     [](Module& m) {
       add_places(m).local = true;
       section(m, 2).push_back({Store{3, {integer(0)}, real(1, Scalar::F32)}});
     }},
    {"local_read_later",
     "kernel k: 'own' is local but may carry a value between Threads statements",
     [](Module& m) {
       Buffer& own = add_places(m);
       own.local = true;
       own.extents.clear();
       std::get<Store>(section(m, 1).back().kind).index.clear();
       section(m, 2).push_back({Let{"again", load(3, {}, Scalar::F32)}});
     }},
    {"local_in_a_loop", "kernel k: 'own' is local but may carry a value between Threads statements",
     [](Module& m) {
       add_places(m).local = true;
       Statement threads = body(m)[1];
       body(m)[1] = {For{LoopKind::Serial, "i", integer(0), integer(4), 1, {threads}}};
     }},
    {"local_and_threads", "kernel k: 's' cannot be local",
     [](Module& m) { m.kernels[0].buffers[2].local = true; }},
    {"local_and_shared", "kernel k: 's' cannot be local",
     [](Module& m) { loops(m).kernels[0].buffers[2].local = true; }},
    {"loop_step", "kernel k: loop 'i' has step 0",
     [](Module& m) {
       body(m).push_back({For{LoopKind::Serial, "i", integer(0), integer(4), 0, {}}});
     }},
    {"name_of_a_literal", "kernel k: 'tile' is no constant 16",
     [](Module& m) {
       body(m).push_back({Let{"x1", named_integer(16, "tile")}});
     }},
    {"unknown_name_of_a_literal", "kernel k: 'tiles' is no constant 32",
     [](Module& m) {
       body(m).push_back({Let{"x1", named_integer(32, "tiles")}});
     }},
    {"name_of_a_loop_step", "kernel k: 'tile' is no constant 2",
     [](Module& m) {
       body(m).push_back({For{LoopKind::Serial, "i", integer(0), integer(4), 2, {}, "tile"}});
     }},
    {"name_of_threads", "kernel k: 'tiles' is no constant 32",
     [](Module& m) { m.kernels[0].thread_counts[0] = "tiles"; }},
    {"loop_bounds", "kernel k: bounds of loop 'i' are not integers",
     [](Module& m) {
       body(m).push_back({For{LoopKind::Serial, "i", integer(0), real(4, Scalar::F32), 1, {}}});
     }},
    {"literal", "kernel k: the literal 4294967296 is not a valid integer",
     [](Module& m) {
       body(m).push_back({Let{"z", integer(int64_t{1} << 32)}});
     }},
    {"missing_expression", "kernel k: an expression is missing",
     [](Module& m) {
       body(m).push_back({If{nullptr, {}, {}}});
     }},
    {"too_many_threads", "kernel k: 1048577 threads in a block",
     [](Module& m) {
       m.kernels[0].threads = {(1 << 20) + 1, 1, 1};
     }},
    {"too_many_threads_from_z_on", "kernel k: 2097152 threads in a block",
     [](Module& m) { m.kernels[0].threads = {256, 256, 4, 4, 1, 1, 1, 2}; }},
    {"no_threads", "kernel k: 0 threads in one dimension",
     [](Module& m) {
       m.kernels[0].threads = {0, 1, 1};
     }},
    {"open_shared_extent", "kernel k: extent 'N' of 's' is not a positive constant",
     [](Module& m) { m.kernels[0].buffers[2].extents = {v("N")}; }},
    {"missing_barrier",
     "kernel k: shared buffer 's' is read without a barrier after it was written",
     [](Module& m) { body(m).erase(body(m).begin() + 2); }},
    {"missing_barrier_before_a_question",
     "kernel k: shared buffer 's' is read without a barrier after it was written",
     [](Module& m) { body(m)[2] = question(); }},
    {"missing_barrier_behind_a_question",
     "kernel k: shared buffer 's' is written without a barrier after it was read",
     [](Module& m) {
       const Body first = {body(m)[1]};
       body(m)[3] = question();
       body(m).insert(body(m).begin() + 4, first.begin(), first.end());
     }},
    {"missing_barrier_around_a_loop",
     "kernel k: shared buffer 's' is written without a barrier after it was read",
     [](Module& m) {
       Body inner(body(m).begin() + 1, body(m).end());
       body(m).resize(1);
       body(m).push_back({For{LoopKind::Serial, "i", integer(0), integer(4), 1, inner}});
     }},
};
INSTANTIATE_TEST_SUITE_P(Body, VerifyRule, testing::ValuesIn(kBodyRules),
                         [](const auto& info) { return std::string(info.param.name); });

// Copies go to B (1) or the shared tile (2) from A (0).
const Rule kCopyRules[] = {
    {"outside_threads", "kernel k: copy outside threads",
     [](Module& m) {
       body(m).push_back({Copy{1, {integer(0)}, 0, {integer(0)}, 4}});
     }},
    {"shared_outside_threads", "kernel k: copy to 's' outside threads",
     [](Module& m) {
       body(m).push_back({Copy{2, {integer(0)}, 0, {integer(0)}, 4}});
     }},
    {"no_elements", "kernel k: copy of 0 elements",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {integer(0)}, 0, {integer(0)}, 0}});
     }},
    {"to_read_only", "kernel k: copy to read-only buffer 'A'",
     [](Module& m) {
       section(m, 3).push_back({Copy{0, {integer(0)}, 1, {integer(0)}, 4}});
     }},
    {"types", "kernel k: copy of float to 'own' of double",
     [](Module& m) {
       const BufferId own = add(m, "own", Scalar::F64, Space::Thread, 4);
       section(m, 3).push_back({Copy{own, {integer(0)}, 0, {integer(0)}, 4}});
     }},
    {"no_such_target", "kernel k: copy to buffer 7, which does not exist",
     [](Module& m) {
       section(m, 3).push_back({Copy{7, {integer(0)}, 0, {integer(0)}, 4}});
     }},
    {"no_such_source", "kernel k: copy from buffer -1, which does not exist",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {integer(0)}, -1, {integer(0)}, 4}});
     }},
    {"index_count_to", "kernel k: copy to 'B' with 0 indices instead of 1",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {}, 0, {integer(0)}, 4}});
     }},
    {"index_count_from", "kernel k: copy from 'A' with 2 indices instead of 1",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {integer(0)}, 0, {integer(0), integer(0)}, 4}});
     }},
    {"index_type", "kernel k: index '0f' is not an integer",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {integer(0)}, 0, {real(0, Scalar::F32)}, 4}});
     }},
    {"index_undefined", "kernel k: 'y' is not defined here",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {v("y")}, 0, {integer(0)}, 4}});
     }},
    {"async_to_global", "kernel k: async copy from 'A' to 'B'",
     [](Module& m) {
       section(m, 3).push_back({Copy{1, {integer(0)}, 0, {integer(0)}, 4, true}});
     }},
    {"async_from_shared", "kernel k: async copy from 's' to 'other'",
     [](Module& m) {
       const BufferId other = add(m, "other", Scalar::F32, Space::Shared, 32);
       section(m, 3).push_back({Copy{other, {integer(0)}, 2, {integer(0)}, 4, true}});
     }},
    {"async_to_thread", "kernel k: async copy from 'A' to 'own'",
     [](Module& m) {
       const BufferId own = add(m, "own", Scalar::F32, Space::Thread, 4);
       section(m, 3).push_back({Copy{own, {integer(0)}, 0, {integer(0)}, 4, true}});
     }},
    {"commit_outside_threads", "kernel k: commit of copies outside threads",
     [](Module& m) { body(m).push_back({CommitCopies{}}); }},
    {"await_outside_threads", "kernel k: await of copies outside threads",
     [](Module& m) { body(m).push_back({AwaitCopies{0}}); }},
};
INSTANTIATE_TEST_SUITE_P(Copies, VerifyRule, testing::ValuesIn(kCopyRules),
                         [](const auto& info) { return std::string(info.param.name); });

// Adds valid bulk copies: two batches of rows.
void add_bulk(Module& m) {
  Kernel& kernel = m.kernels[0];
  kernel.buffers.push_back(
      {"P", Scalar::F32, Space::Global, {v("N"), integer(64)}, true, false, ""});
  kernel.buffers.push_back(
      {"ring", Scalar::F32, Space::Shared, {integer(2), integer(64)}, false, false, "", 128});
  kernel.bulk_sources = {{"P_boxes", 3, {1, 64}}};
  kernel.bulk_batches = 2;
  const Expr zero = integer(0);
  kernel.body.push_back({BulkCopies{zero, {{0, {integer(-3), zero}, 4, {zero, zero}}}}});
  kernel.body.push_back({AwaitBulk{zero}});
  Array p = m.plan.arrays[0];
  p.name = "P";
  p.extents = {v("N"), integer(64)};
  m.plan.arrays.push_back(p);
  launch(m).arrays.push_back({2, 0});
  launch(m).bulk_sources = {{2, 0}};
}
BulkCopies& bulk(Module& m) {
  add_bulk(m);
  return std::get<BulkCopies>(body(m)[body(m).size() - 2].kind);
}

const Rule kBulkRules[] = {
    {"inside_threads", "kernel k: bulk copies inside threads",
     [](Module& m) {
       const BulkCopies copies = bulk(m);
       section(m, 3).push_back({copies});
     }},
    {"await_inside_threads", "kernel k: bulk copies inside threads",
     [](Module& m) {
       add_bulk(m);
       section(m, 3).push_back({AwaitBulk{integer(0)}});
     }},
    {"long_batch", "kernel k: batch '1L' is not an integer",
     [](Module& m) { bulk(m).batch = integer(1, Scalar::I64); }},
    {"no_batches", "kernel k: bulk copies without batches",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_batches = 0;
     }},
    {"batches_for_nothing", "kernel k: 0 boxes for bulk copies, 2 batches",
     [](Module& m) { m.kernels[0].bulk_batches = 2; }},
    {"no_source", "kernel k: bulk copy from source 1, which does not exist",
     [](Module& m) { bulk(m).copies[0].source = 1; }},
    {"to_thread", "kernel k: bulk copy from 'P' to 'own'",
     [](Module& m) {
       const BufferId own = add(m, "own", Scalar::F32, Space::Thread, 64);
       add_bulk(m);
       m.kernels[0].bulk_sources[0].buffer = 4;
       BulkCopy& copy = std::get<BulkCopies>(body(m)[body(m).size() - 2].kind).copies[0];
       copy.to = own;
       copy.to_index = {integer(0)};
     }},
    {"from_written", "kernel k: boxes of 'P', which is not a read-only global buffer",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].buffers[3].read_only = false;
     }},
    {"other_rank", "kernel k: boxes with 1 dimensions cannot be copied from 'P'",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].box = {64};
     }},
    {"long_box", "kernel k: a box of 257 elements",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].box[0] = 257;
     }},
    {"narrow_box", "kernel k: rows of 12 bytes in boxes of 'P'",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].box[1] = 3;
     }},
    {"odd_rows", "kernel k: boxes of 'P', whose rows are not multiples of 16 bytes",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].buffers[3].extents[1] = integer(65);
     }},
    {"open_rows", "kernel k: boxes of 'P', whose rows are not multiples of 16 bytes",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].buffers[3].extents[1] = v("N");
     }},
    {"not_dense", "kernel k: a box of a bulk copy is not dense in 'ring'",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].box = {2, 32};
     }},
    {"too_large", "kernel k: a box of a bulk copy is not dense in 'ring'",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].box = {3, 64};
     }},
    {"unaligned_buffer", "kernel k: a bulk copy to 'ring' is not aligned",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].buffers[4].alignment = 16;
     }},
    {"unaligned_place", "kernel k: a bulk copy to 'ring' is not aligned",
     [](Module& m) { bulk(m).copies[0].to_index[1] = integer(4); }},
    {"name_taken", "kernel k: 'ring' is defined again",
     [](Module& m) {
       add_bulk(m);
       m.kernels[0].bulk_sources[0].name = "ring";
     }},
    {"origin_undefined", "kernel k: 'y' is not defined here",
     [](Module& m) { bulk(m).copies[0].origin[0] = v("y"); }},
    {"not_described", "plan: launch of 'k' with 0 boxes instead of 1",
     [](Module& m) {
       add_bulk(m);
       launch(m).bulk_sources.clear();
     }},
    {"other_memory", "plan: launch of 'k': boxes of other memory than 'P'",
     [](Module& m) {
       add_bulk(m);
       launch(m).bulk_sources[0] = {0, 0};
     }},
};
INSTANTIATE_TEST_SUITE_P(Bulk, VerifyRule, testing::ValuesIn(kBulkRules),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Verify, ValidBulkCopiesPass) {
  Module module = sound();
  add_bulk(module);
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  EXPECT_NE(print(module).find("  boxes P_boxes: 1x64 of P\n"
                               "  bulk_batches 2\n"),
            std::string::npos);
  EXPECT_NE(print(module).find("  bulk copies, batch 0 {\n"
                               "    ring[0, 0] = box P_boxes[-3, 0]\n"
                               "  }\n"
                               "  await bulk copies, batch 0\n"),
            std::string::npos)
      << print(module);
}

const Rule kShuffleRules[] = {
    {"inside_threads", "kernel k: shuffle inside threads",
     [](Module& m) {
       const Shuffle shuffle = add_shuffle(m);
       section(m, 3).push_back({shuffle});
     }},
    {"long_row", "kernel k: shuffle in rows of 64 threads",
     [](Module& m) {
       add_shuffle(m);
       m.kernels[0].threads = {64, 1, 1};
     }},
    {"odd_row", "kernel k: shuffle in rows of 24 threads",
     [](Module& m) {
       add_shuffle(m);
       m.kernels[0].threads = {24, 4, 1};
     }},
    {"no_values", "kernel k: shuffle for 0 values", [](Module& m) { add_shuffle(m).count = 0; }},
    {"shared_source", "kernel k: shuffle from 's' to 'own'",
     [](Module& m) { add_shuffle(m).moves[0].from = 2; }},
    {"shared_target", "kernel k: shuffle from 'own' to 's'",
     [](Module& m) { add_shuffle(m).moves[0].to = 2; }},
    {"types", "kernel k: shuffle from 'wide' to 'own'",
     [](Module& m) {
       const BufferId wide = add(m, "wide", Scalar::F64, Space::Thread, 4);
       add_shuffle(m).moves[0].from = wide;
     }},
    {"no_such_buffer", "kernel k: shuffle from buffer 9, which does not exist",
     [](Module& m) { add_shuffle(m).moves[0].from = 9; }},
    {"index_count", "kernel k: shuffle to 'own' with 2 indices instead of 1",
     [](Module& m) { add_shuffle(m).moves[0].to_index.push_back(integer(0)); }},
    {"below_the_row", "kernel k: shuffle over -32 of 32 lanes",
     [](Module& m) { add_shuffle(m).moves[0].lane = -32; }},
    {"above_the_row", "kernel k: shuffle over 32 of 32 lanes",
     [](Module& m) { add_shuffle(m).moves[0].lane = 32; }},
    {"name_taken", "kernel k: 'x0' is defined again",
     [](Module& m) { add_shuffle(m).name = "x0"; }},
    {"one_value_has_no_name", "kernel k: 'i' is not defined here",
     [](Module& m) { add_shuffle(m).count = 1; }},
    {"name_ends_with_it", "kernel k: 'i' is not defined here",
     [](Module& m) {
       add_shuffle(m);
       body(m).push_back({Let{"z", v("i")}});
     }},
    {"missing_index", "kernel k: an expression is missing",
     [](Module& m) { add_shuffle(m).moves[0].from_index = {nullptr}; }},
};
INSTANTIATE_TEST_SUITE_P(Shuffles, VerifyRule, testing::ValuesIn(kShuffleRules),
                         [](const auto& info) { return std::string(info.param.name); });

const Rule kPlanRules[] = {
    {"buffer_of_other_extents", "plan: launch of 'k': 'A' and 'A' have different extents",
     [](Module& m) { m.plan.arrays[0].row_pitch = integer(64); }},
    {"lead_without_pitch", "plan: array 'A' has a row lead but no row pitch",
     [](Module& m) { m.plan.arrays[0].row_lead = integer(1); }},
    {"pitch_of_another_type", "plan: the layout of rows '64L' is long instead of integer",
     [](Module& m) { m.plan.arrays[0].row_pitch = integer(64, Scalar::I64); }},
    {"kernel_name_taken", "plan: kernel 'k' has a name that is taken",
     [](Module& m) { m.kernels.push_back(m.kernels[0]); }},
    {"array_name_taken", "plan: array 'A' has a name that is taken",
     [](Module& m) { m.plan.arrays[1].name = "A"; }},
    {"no_such_kernel", "plan: launch of kernel 3, which does not exist",
     [](Module& m) { launch(m).kernel = 3; }},
    {"no_such_slot", "plan: launch of 'k' of slot 2 of array 'B', which has 2 copies",
     [](Module& m) { launch(m).arrays[1].slot = 2; }},
    {"no_such_array", "plan: rotation of array 5, which does not exist",
     [](Module& m) { m.plan.actions[1] = Rotate{5}; }},
    {"rotation_steps", "plan: rotation in tiles of 9 steps, which do not occur",
     [](Module& m) {
       m.plan.actions[1] = Rotate{1, 9};
     }},
    {"swap_slot", "plan: swap of slot 4 of array 'B', which has 2 copies",
     [](Module& m) {
       m.plan.actions[1] = SwapSlots{1, 0, 4};
     }},
    {"array_count", "plan: launch of 'k' with 1 arrays instead of 2",
     [](Module& m) { launch(m).arrays.pop_back(); }},
    {"array_type", "plan: launch of 'k': 'A' of type double is passed for 'A' of type float",
     [](Module& m) { m.plan.arrays[0].type = Scalar::F64; }},
    {"writes_coefficient", "plan: launch of 'k' may write to coefficient 'A'",
     [](Module& m) {
       launch(m).arrays[1] = {0, 0};
     }},
    {"same_memory", "plan: launch of 'k': 'A' and 'B' are the same memory",
     [](Module& m) {
       launch(m).arrays[0] = {1, 1};
     }},
    {"scalar_count", "plan: launch of 'k' with 1 scalars instead of 2",
     [](Module& m) { launch(m).scalars.pop_back(); }},
    {"scalar_type", "plan: launch of 'k': scalar 'N' is integer but gets long",
     [](Module& m) { m.plan.parameters[0].type = Scalar::I64; }},
    {"no_such_parameter", "plan: launch of 'k' with parameter 9, which does not exist",
     [](Module& m) { launch(m).scalars[0] = ParameterArgument{9}; }},
    {"blocks_type", "plan: the number of blocks '1' is integer instead of long",
     [](Module& m) { launch(m).blocks = integer(1); }},
    {"blocks_variable", "plan: the number of blocks 'q' uses 'q', no long constant or parameter",
     [](Module& m) { launch(m).blocks = v("q", Scalar::I64); }},
    {"no_points", "plan: the number of points is missing",
     [](Module& m) { m.plan.points = nullptr; }},
    {"check_type", "plan: a check 'N' is integer instead of bool",
     [](Module& m) {
       m.plan.checks = {{v("N"), ""}};
     }},
    {"time_tile", "plan: time tile 0", [](Module& m) { m.plan.time_tile = 0; }},
    {"tile_sizes_order", "plan: tile sizes do not descend from the time tile to 1",
     [](Module& m) {
       m.plan.time_tile = 4;
       m.plan.tile_sizes = {4, 1, 2, 1};
     }},
    {"tile_sizes_begin", "plan: tile sizes do not descend from the time tile to 1",
     [](Module& m) {
       m.plan.time_tile = 4;
       m.plan.tile_sizes = {2, 1};
     }},
    {"tile_sizes_end", "plan: tile sizes do not descend from the time tile to 1",
     [](Module& m) {
       m.plan.time_tile = 4;
       m.plan.tile_sizes = {4, 2};
     }},
    {"repeat_of_nothing", "plan: a repeat of 0 iterations",
     [](Module& m) {
       repeat(m) = {{}, 0};
     }},
    {"repeat_in_time_tile", "plan: a repeat needs time tiles of one step",
     [](Module& m) {
       repeat(m) = {{}, 4};
       m.plan.time_tile = 2;
     }},
    {"repeat_tile_sizes", "plan: tile sizes do not descend from the time tile to 1",
     [](Module& m) {
       repeat(m) = {{4, {4, 2}, {launch(m)}}, 4};
     }},
    {"repeat_rotation", "plan: rotation in tiles of 3 steps, which do not occur",
     [](Module& m) {
       repeat(m) = {{2, {}, {Rotate{1, 3}}}, 4};
     }},
    {"repeat_without_launch", "plan: nothing is launched for tiles of 1 steps",
     [](Module& m) {
       Launch whole = launch(m);
       whole.steps = 2;
       repeat(m) = {{2, {2, 1}, {whole}}, 4};
     }},
    {"repeat_in_a_tiled_repeat", "plan: a repeat needs time tiles of one step",
     [](Module& m) {
       repeat(m) = {{2, {}, {Repeat{{1, {}, {launch(m)}}, 3}}}, 4};
     }},
    {"nested_repeat_of_nothing", "plan: a repeat of -1 iterations",
     [](Module& m) {
       repeat(m) = {{1, {}, {Repeat{{1, {}, {launch(m)}}, -1}}}, 4};
     }},
    {"rotation_in_a_nested_repeat", "plan: rotation of array 5, which does not exist",
     [](Module& m) {
       repeat(m) = {{1, {}, {Repeat{{1, {}, {Rotate{5}}}, 3}}}, 4};
     }},
    {"exchange_without_messages", "plan: a halo exchange without its messages",
     [](Module& m) { m.plan.actions.push_back(HaloExchange{}); }},
    {"exchange_after_no_tiles", "plan: a halo exchange after 0 tiles of 4",
     [](Module& m) {
       m.plan.exchanges.emplace_back();
       m.plan.actions.insert(m.plan.actions.begin(), HaloExchange{0, 4, 0});
     }},
    {"exchange_within_a_tile", "plan: a halo exchange that counts tiles follows other actions",
     [](Module& m) {
       m.plan.exchanges.emplace_back();
       m.plan.actions.push_back(HaloExchange{0, 4, 1});
     }},
    {"launch_of_no_tile", "plan: launch for tiles of 3 steps, which do not occur",
     [](Module& m) {
       m.plan.time_tile = 4;
       m.plan.tile_sizes = {4, 2, 1};
       launch(m).steps = 3;
     }},
    {"launch_without_sizes", "plan: launch for tiles of 1 steps, which do not occur",
     [](Module& m) { launch(m).steps = 1; }},
    {"copies", "plan: array 'B' has 3 levels in 2 copies",
     [](Module& m) { m.plan.arrays[1].levels = 3; }},
    {"no_extents", "plan: array 'A' has no extents",
     [](Module& m) { m.plan.arrays[0].extents = {}; }},
};
INSTANTIATE_TEST_SUITE_P(Plan, VerifyRule, testing::ValuesIn(kPlanRules),
                         [](const auto& info) { return std::string(info.param.name); });

// Adds a reduction that the module's kernel computes into scratch memory.
Reduction& add_reduction(Module& module) {
  module.plan.scratch.push_back({"sum", Scalar::F32, integer(32, Scalar::I64)});
  Launch reduces = launch(module);
  reduces.arrays[1] = {0, kScratch};
  module.plan.scratch.push_back({"sum_nan", Scalar::I32, integer(1, Scalar::I64)});
  module.plan.reductions.push_back({"total", Scalar::F32, 2, {reduces}, 0, 1});
  return module.plan.reductions.back();
}

TEST(Verify, ValidReductionsPass) {
  Module module = sound();
  add_reduction(module);
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

const Rule kReductionRules[] = {
    {"no_such_scratch", "plan: launch of 'k' with scratch memory 3, which does not exist",
     [](Module& m) { add_reduction(m).launches[0].arrays[1].array = 3; }},
    {"scratch_type", "plan: launch of 'k': 'sum' of type double is passed for 'B' of type float",
     [](Module& m) {
       add_reduction(m);
       m.plan.scratch[0].type = Scalar::F64;
     }},
    {"scratch_name_taken", "plan: scratch memory 'A' has a name that is taken",
     [](Module& m) {
       add_reduction(m);
       m.plan.scratch[0].name = "A";
     }},
    {"scratch_size", "plan: the size of scratch memory '4' is integer instead of long",
     [](Module& m) {
       add_reduction(m);
       m.plan.scratch[0].elements = integer(4);
     }},
    {"period", "plan: reduction 'total' runs every 0 steps",
     [](Module& m) { add_reduction(m).every = 0; }},
    {"nothing_launched", "plan: reduction 'total' launches nothing",
     [](Module& m) { add_reduction(m).launches.clear(); }},
    {"bound_to_a_tile", "plan: reduction 'total' is bound to tiles of 1 steps",
     [](Module& m) { add_reduction(m).launches[0].steps = 1; }},
    {"result", "plan: reduction 'total' leaves no result",
     [](Module& m) { add_reduction(m).result = 2; }},
    {"first_nan", "plan: reduction 'total': only floating-point reductions record their first NaN",
     [](Module& m) { add_reduction(m).first_nan = kNoScratch; }},
    {"first_nan_type",
     "plan: reduction 'total': the step of its first NaN is integer kept as float",
     [](Module& m) { add_reduction(m).first_nan = 0; }},
    {"no_array", "plan: reduction 'total' of array -1, which does not exist",
     [](Module& m) { add_reduction(m).result = kNoScratch; }},
    {"array_type", "plan: reduction 'total' has an array of another type",
     [](Module& m) {
       add_reduction(m).result = kNoScratch;
       m.plan.reductions.back().array = 1;
       m.plan.reductions.back().type = Scalar::F64;
     }},
    {"array_not_written", "plan: reduction 'total' has an array that is never written",
     [](Module& m) {
       add_reduction(m).result = kNoScratch;
       m.plan.reductions.back().array = 0;
     }},
    {"stop_names_an_array", "plan: the stop condition names reduction 0, which does not exist",
     [](Module& m) {
       add_reduction(m).result = kNoScratch;
       m.plan.reductions.back().array = 1;
       m.plan.stop = Stop{{0}, m.plan.reductions.back().launches[0], 0};
     }},
    {"result_type", "plan: reduction 'total' is double kept as float",
     [](Module& m) { add_reduction(m).type = Scalar::F64; }},
    {"stop_names", "plan: the stop condition names reduction 1, which does not exist",
     [](Module& m) {
       m.plan.stop = Stop{{1}, add_reduction(m).launches[0], 0};
     }},
    {"stop_flag", "plan: the stop condition is integer kept as float",
     [](Module& m) {
       m.plan.stop = Stop{{0}, add_reduction(m).launches[0], 0};
     }},
};
INSTANTIATE_TEST_SUITE_P(Reductions, VerifyRule, testing::ValuesIn(kReductionRules),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Verify, ABarrierInTheLoopIsEnough) {
  Module module = sound();
  Body inner(body(module).begin() + 1, body(module).end());
  inner.push_back({Barrier{}});
  body(module).resize(1);
  body(module).push_back({For{LoopKind::Serial, "i", integer(0), integer(4), 1, inner}});
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

TEST(Verify, RefusesNegativeNumbersOfPendingBatches) {
  Module module = sound();
  section(module, 3).push_back({AwaitCopies{-1}});
  EXPECT_EQ(verify(module).size(), 1u);
}

// Copies between all memory spaces, batches of async copies, and shuffles.
Module sound_with_copies() {
  Module module = sound();
  const Expr first = mul(v("thread_x"), integer(4));
  const BufferId own = add(module, "own", Scalar::F32, Space::Thread, 6);
  const BufferId wide = add(module, "wide", Scalar::F32, Space::Shared, 128);
  body(module) = {{Threads{{{Copy{wide, {first}, 0, {first}, 4, true}},
                            {CommitCopies{}},
                            {AwaitCopies{1}},
                            {Copy{own, {integer(1)}, wide, {first}, 4}}}}},
                  {Shuffle{"", 1, {{own, {integer(0)}, own, {integer(4)}, -1}}}},
                  {Shuffle{"i",
                           2,
                           {{own, {v("i")}, own, {integer(4)}, 3},
                            {own, {integer(5)}, own, {integer(4)}, -3}}}},
                  {Threads{{{Copy{1, {first}, own, {integer(1)}, 4}},
                            {Copy{1, {v("thread_x")}, 0, {v("thread_x")}, 1}}}}}};
  return module;
}

TEST(Verify, ValidCopiesAndShufflesPass) {
  Module module = sound_with_copies();
  for (int row : {4, 8, 16, 32}) {
    module.kernels[0].threads = {row, 2, 2};
    EXPECT_EQ(verify(module), std::vector<std::string>{}) << row;
  }
}

TEST(Verify, ValidNestedRepeatsPass) {
  Module module = sound();
  Launch whole = launch(module), rest = whole;
  whole.steps = 2;
  rest.steps = 1;
  const Repeat inner{{2, {2, 1}, {whole, rest, Rotate{1, 2}}}, 5};
  repeat(module) = {{1, {}, {inner, Rotate{1}, inner}}, 3};
  module.plan.tile_sizes = {1};
  module.plan.actions.erase(module.plan.actions.begin());  // the repeat serves the tiles
  EXPECT_EQ(verify(module), std::vector<std::string>{});
}

TEST(Verify, ValidTileSizesPass) {
  Module module = sound();
  module.plan.time_tile = 10;
  module.plan.tile_sizes = {10, 5, 2, 1};
  Launch another = launch(module);
  launch(module).steps = 5;
  for (int steps : {10, 2, 1}) {
    another.steps = steps;
    module.plan.actions.push_back(another);
  }
  EXPECT_EQ(verify(module), std::vector<std::string>{});
  module.plan.actions.pop_back();
  EXPECT_EQ(verify(module),
            std::vector<std::string>{"plan: nothing is launched for tiles of 1 steps"});
}

TEST(Print, CopiesAndShuffles) {
  const std::string text = print(sound_with_copies());
  const size_t begin = text.find("{\n");
  EXPECT_EQ(text.substr(begin, text.find("\n}\n") + 3 - begin), R"({
  threads {
    async copy 4: wide[thread_x * 4] = A[thread_x * 4]
    commit copies
    await copies, 1 batches pending
    copy 4: own[1] = wide[thread_x * 4]
  }
  shuffle {
    own[0] = own[4] of lane -1
  }
  shuffle i in 0 .. 2 {
    own[i] = own[4] of lane +3
    own[5] = own[4] of lane -3
  }
  threads {
    copy 4: B[thread_x * 4] = own[1]
    copy 1: B[thread_x] = A[thread_x]
  }
}
)");
}

TEST(Print, TileSizesAndTheLaunchesForThem) {
  Module module = sound();
  module.plan.time_tile = 2;
  module.plan.tile_sizes = {2, 1};
  launch(module).steps = 2;
  const std::string text = print(module);
  EXPECT_NE(text.find("\nplan time_tile 2\n  tile_sizes 2 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("(A[0], B[1], N, first_step) blocks 1L if count is 2\n"), std::string::npos)
      << text;
}

TEST(Print, ShowsTheWholeModule) {
  EXPECT_EQ(print(sound()), R"(module m fp contract
constant tile: integer = 32

kernel k threads 32x1x1
  global A: float[N] read_only
  global B: float[N]
  shared s: float[tile]
  scalar N: integer
  scalar first: integer
{
  let x0: integer = first
  threads {
    s[thread_x] = A[x0]
  }
  barrier
  threads {
    B[x0] = s[0]
  }
}

plan time_tile 1
  parameter N: integer size
  array A: float[N] levels 1 copies 1 constant
  array B: float[N] levels 1 copies 2
  launch k(A[0], B[1], N, first_step) blocks 1L
  rotate B
  points long(N)
)");
}

}  // namespace
}  // namespace stencil::kernel

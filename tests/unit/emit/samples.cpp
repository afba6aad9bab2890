// Small modules that together contain every kind of statement, memory space and action.
#include "tests/unit/emit/samples.h"

namespace stencil::samples {

using namespace kernel;

namespace {

Expr v(const char* name, Scalar type = Scalar::I32) {
  return variable(name, type);
}
Expr i32(int64_t value) {
  return integer(value);
}
Expr operator+(Expr a, Expr b) {
  return add(std::move(a), std::move(b));
}
Expr operator-(Expr a, Expr b) {
  return sub(std::move(a), std::move(b));
}
Expr operator*(Expr a, Expr b) {
  return mul(std::move(a), std::move(b));
}
Expr operator/(Expr a, Expr b) {
  return operation(Op::Div, {std::move(a), std::move(b)});
}
Expr operator%(Expr a, Expr b) {
  return operation(Op::Mod, {std::move(a), std::move(b)});
}
Expr fma(Expr a, Expr b, Expr c) {
  return operation(Op::Fma, {std::move(a), std::move(b), std::move(c)});
}
Expr f32(double value) {
  return real(value, Scalar::F32);
}
Expr f32_load(BufferId buffer, std::vector<Expr> index) {
  return load(buffer, std::move(index), Scalar::F32);
}

Buffer global(const char* name, std::vector<Expr> extents, bool read_only) {
  return {name, Scalar::F32, Space::Global, std::move(extents), read_only, false, ""};
}

Parameter size_parameter(const char* name) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = Scalar::I32;
  parameter.is_size = true;
  return parameter;
}

Parameter real_parameter(const char* name, double value) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = Scalar::F32;
  parameter.real_default = value;
  return parameter;
}

Array field(const char* name, std::vector<Expr> extents, int levels, int copies) {
  Array array;
  array.name = name;
  array.type = Scalar::F32;
  array.extents = std::move(extents);
  array.levels = levels;
  array.copies = copies;
  array.written = true;
  return array;
}

// The body of heat for point (y, x); the variables y and x are in scope.
Body heat_point(FpMode fp) {
  const Expr y = v("y"), x = v("x");
  const auto at = [&](const Expr& row, const Expr& column) { return f32_load(0, {row, column}); };
  const Expr sum = at(y - i32(1), x) + at(y + i32(1), x) + at(y, x - i32(1)) + at(y, x + i32(1));
  const Expr centre = at(y, x);
  const Expr alpha = v("alpha", Scalar::F32);
  const Expr laplacian = v("laplacian", Scalar::F32);
  const Expr value =
      fp == FpMode::Contract ? fma(alpha, laplacian, centre) : centre + alpha * laplacian;
  const Expr inside = all_of(
      {less(i32(0), y), less(y, v("N") - i32(1)), less(i32(0), x), less(x, v("M") - i32(1))});
  Let let{"laplacian", fma(f32(-4), centre, sum)};
  return {{If{inside,
              {{std::move(let)}, {Store{1, {y, x}, value}}},
              {{Comment{"the edge stays as it is"}}, {Store{1, {y, x}, centre}}}}}};
}

Kernel heat_kernel(const char* name) {
  Kernel kernel;
  kernel.name = name;
  kernel.buffers = {global("A", {v("N"), v("M")}, true), global("A_next", {v("N"), v("M")}, false)};
  kernel.scalars = {{"N", Scalar::I32}, {"M", Scalar::I32}, {"alpha", Scalar::F32}};
  return kernel;
}

Launch heat_launch(Expr blocks) {
  return {0,
          {{0, 0}, {0, 1}},
          {ParameterArgument{0}, ParameterArgument{1}, ParameterArgument{2}},
          std::move(blocks)};
}

Plan heat_plan(Expr blocks) {
  Plan plan;
  plan.arrays = {field("A", {v("N"), v("M")}, 1, 2)};
  plan.parameters = {size_parameter("N"), size_parameter("M"), real_parameter("alpha", 0.125)};
  plan.checks = {{less_equal(i32(3), v("N")), "N is at least 3"}};
  plan.default_steps = integer(10, Scalar::I64);
  plan.actions = {heat_launch(std::move(blocks)), Rotate{0}};
  plan.points = convert(v("N"), Scalar::I64) * convert(v("M"), Scalar::I64);
  return plan;
}

}  // namespace

Module heat(FpMode fp) {
  Module module;
  module.name = "heat";
  module.header = {"heat: a sample"};
  module.fp = fp;
  module.constants = {{"block_x", Scalar::I32, 32, "points of a tile in x"},
                      {"block_y", Scalar::I32, 4, "points of a tile in y"}};
  Kernel kernel = heat_kernel("heat_step");
  kernel.comment = "One step: every thread computes one point.";
  kernel.threads = {32, 4, 1};
  const Expr block = convert(v("block", Scalar::I64), Scalar::I32);
  Body body = {{Let{"tile_y", v("tile") / v("tiles_x")}},
               {Let{"y", v("tile_y") * v("block_y") + v("thread_y")}},
               {Let{"x", v("tile") % v("tiles_x") * v("block_x") + v("thread_x")}},
               {If{all_of({less(v("y"), v("N")), less(v("x"), v("M"))}), heat_point(fp), {}}}};
  kernel.body = {{Let{"tiles_x", (v("M") + i32(31)) / v("block_x")}},
                 {Let{"tile", block}},
                 {Let{"unused", i32(7)}},
                 {Threads{std::move(body)}}};
  module.kernels = {kernel};
  const Expr tiles_x = (v("M") + i32(31)) / v("block_x");
  const Expr tiles_y = (v("N") + i32(3)) / v("block_y");
  module.plan = heat_plan(convert(tiles_x, Scalar::I64) * convert(tiles_y, Scalar::I64));
  return module;
}

Module heat_plain() {
  Module module;
  module.name = "heat_reference";
  Kernel kernel = heat_kernel("sweep");
  kernel.body = {{Threads{
      {{For{LoopKind::Serial,
            "y",
            i32(0),
            v("N"),
            1,
            {{For{LoopKind::Serial, "x", i32(0), v("M"), 1, heat_point(FpMode::Contract)}}}}}}}}};
  module.kernels = {kernel};
  module.plan = heat_plan(integer(1, Scalar::I64));
  return module;
}

Module heat_initial() {
  Module module;
  module.name = "heat_initial";
  Kernel kernel;
  kernel.name = "init_A";
  kernel.buffers = {global("A", {v("N"), v("M")}, false)};
  kernel.scalars = {{"N", Scalar::I32}, {"M", Scalar::I32}};
  const Expr value =
      operation(Op::Select, {operation(Op::Eq, {v("y"), i32(0)}), f32(100),
                             convert((v("y") * i32(7) + v("x") * i32(3)) % i32(11), Scalar::F32)});
  kernel.body = {{Threads{{{For{
      LoopKind::Serial,
      "y",
      i32(0),
      v("N"),
      1,
      {{For{
          LoopKind::Serial, "x", i32(0), v("M"), 1, {{Store{0, {v("y"), v("x")}, value}}}}}}}}}}}};
  module.kernels = {kernel};
  module.plan = heat_plan(integer(1, Scalar::I64));
  module.plan.actions = {
      Launch{0, {{0, 0}}, {ParameterArgument{0}, ParameterArgument{1}}, integer(1, Scalar::I64)}};
  return module;
}

Module tiled(int64_t tile_points) {
  Module module;
  module.name = "mean";
  module.constants = {{"size", Scalar::I32, 1000, "points of the grid"},
                      {"tile", Scalar::I32, tile_points, "points that a block completes"},
                      {"padded", Scalar::I32, tile_points + 4, "with a halo of two on each side"}};
  Kernel kernel;
  kernel.name = "mean_steps";
  kernel.comment = "Up to two steps on one tile; the edges of the grid keep their values.";
  kernel.threads = {64, 1, 1};
  kernel.min_blocks = 2;
  kernel.buffers = {
      global("A", {v("size")}, true),
      global("A_next", {v("size")}, false),
      {"values", Scalar::F32, Space::Shared, {v("padded")}, false, false, "the tile"},
      {"next", Scalar::F32, Space::Thread, {i32((tile_points + 4 + 63) / 64)}, false, false, ""},
      {"mean", Scalar::F32, Space::Thread, {}, false, false, ""}};
  kernel.scalars = {{"count", Scalar::I32}};
  const Expr i = v("i"), x = v("first") + i, e = v("e");
  const Expr position = v("thread_x") + e * i32(64);
  const Expr exists = all_of({less_equal(i32(0), x), less(x, v("size"))});
  const auto value = [&](const Expr& at) { return f32_load(2, {at}); };
  const auto each_element = [&](Body inner) {
    Body body = {{Let{"i", position}}, {If{less(i, v("padded")), std::move(inner), {}}}};
    return For{LoopKind::Unrolled, "e", i32(0), i32((tile_points + 4 + 63) / 64), 1,
               std::move(body)};
  };
  const Expr inner = all_of({less(i32(0), i), less(i, v("padded") - i32(1)), less(i32(0), x),
                             less(x, v("size") - i32(1))});
  Body load_tile = {{each_element(
      {{If{exists, {{Store{2, {i}, f32_load(0, {x})}}}, {{Store{2, {i}, f32(0)}}}}}})}};
  Body compute = {
      {each_element({{If{inner,
                         {{Store{4, {}, value(i - i32(1)) + value(i) + value(i + i32(1))}},
                          {Store{3, {e}, f32_load(4, {}) * f32(1.0 / 3)}}},
                         {{Store{3, {e}, value(i)}}}}}})}};
  Body update = {{each_element({{Store{2, {i}, f32_load(3, {e})}}})}};
  const Expr complete = all_of({less_equal(i32(2), i), less(i, v("tile") + i32(2)), exists});
  Body write = {{each_element({{If{complete, {{Store{1, {x}, value(i)}}}, {}}}})}};
  kernel.body = {{Let{"first", convert(v("block", Scalar::I64), Scalar::I32) * v("tile") - i32(2)}},
                 {Threads{load_tile}},
                 {Barrier{}},
                 {For{LoopKind::Serial,
                      "step",
                      i32(0),
                      v("count"),
                      1,
                      {{Threads{compute}}, {Barrier{}}, {Threads{update}}, {Barrier{}}}}},
                 {Threads{write}}};
  module.kernels = {kernel};
  module.plan.time_tile = 2;
  module.plan.arrays = {field("A", {v("size")}, 1, 2)};
  module.plan.actions = {Launch{0,
                                {{0, 0}, {0, 1}},
                                {StepCount{}},
                                integer((1000 + tile_points - 1) / tile_points, Scalar::I64)},
                         Rotate{0}};
  module.plan.default_steps = integer(5, Scalar::I64);
  module.plan.points = integer(1000, Scalar::I64);
  return module;
}

Module wave() {
  Module module;
  module.name = "wave";
  Kernel kernel;
  kernel.name = "wave_step";
  kernel.threads = {16, 1, 1};
  const Expr n = v("N");
  kernel.buffers = {global("U", {n}, true), global("U_1", {n}, true), global("c2", {n}, true),
                    global("U_next", {n}, false)};
  kernel.buffers[0].wide = true;
  kernel.scalars = {{"N", Scalar::I32}, {"time", Scalar::I32}};
  const Expr x = v("x", Scalar::I64);
  const Expr one = integer(1, Scalar::I64);
  const Expr around = f32_load(0, {x - one}) + f32_load(0, {x + one});
  const Expr second = fma(f32(-2), f32_load(0, {x}), around);
  const Expr value = fma(f32_load(2, {x}), second,
                         fma(f32(2), f32_load(0, {x}), operation(Op::Neg, {f32_load(1, {x})})));
  const Expr pushed = value + convert(v("time"), Scalar::F32);
  const Expr inside =
      all_of({less(integer(0, Scalar::I64), x), less(x, convert(n, Scalar::I64) - one)});
  kernel.body = {{Threads{
      {{Let{"x", v("block", Scalar::I64) * integer(16, Scalar::I64) +
                     convert(v("thread_x"), Scalar::I64)}},
       {If{inside,
           {{Store{3, {x}, pushed}}},
           {{If{less(x, convert(n, Scalar::I64)), {{Store{3, {x}, f32_load(0, {x})}}}, {}}}}}}}}}};
  module.kernels = {kernel};
  module.plan.arrays = {field("U", {n}, 2, 3), field("c2", {n}, 1, 1)};
  module.plan.arrays[1].written = false;
  module.plan.parameters = {size_parameter("N")};
  module.plan.actions = {Launch{0,
                                {{0, 0}, {0, 1}, {1, 0}, {0, 2}},
                                {ParameterArgument{0}, FirstStep{}},
                                convert((n + i32(15)) / i32(16), Scalar::I64)},
                         Rotate{0}};
  module.plan.points = convert(n, Scalar::I64);
  return module;
}

Module exchange(Scalar type) {
  constexpr int kLanes = 8, kRows = 4, kPoints = 4;  // threads in x and y, points per thread in x
  Module module;
  module.name = "exchange";
  module.constants = {{"size_y", Scalar::I32, 24, "points of the grid in y"},
                      {"size_x", Scalar::I32, kLanes * kPoints, "points of the grid in x"}};
  Kernel kernel;
  kernel.name = "exchange_step";
  kernel.threads = {kLanes, kRows, 1};
  const std::vector<Expr> extents = {v("size_y"), v("size_x")};
  kernel.buffers = {{"A", type, Space::Global, extents, true, false, ""},
                    {"A_next", type, Space::Global, extents, false, false, ""},
                    {"staged",
                     type,
                     Space::Shared,
                     {i32(2), i32(kRows), v("size_x")},
                     false,
                     false,
                     "rows on their way from memory"},
                    {"row", type, Space::Thread, {i32(2), i32(kPoints + 3)}, false, false, ""},
                    {"sum", type, Space::Thread, {i32(2), i32(kPoints)}, false, false, ""}};
  const Expr k = v("k"), e = v("e"), x = v("thread_x") * i32(kPoints);
  const Expr y = v("first_y") + v("thread_y") * i32(2) + k;
  const auto each = [](const char* name, int count, Body inner) {
    return Statement{For{LoopKind::Unrolled, name, i32(0), i32(count), 1, std::move(inner)}};
  };
  const bool narrow = type != Scalar::F32 && type != Scalar::F64;
  const Scalar wide = !narrow ? type : is_float(type) ? Scalar::F32 : Scalar::I32;  // of sums
  const auto held = [&](const Expr& place) { return convert(load(3, {k, place}, type), wide); };
  Body stage = {each("k", 2, {{Copy{2, {k, v("thread_y"), x}, 0, {y, x}, kPoints, true}}}),
                {CommitCopies{}},
                {AwaitCopies{0}}};
  Body take = {each("k", 2, {{Copy{3, {k, i32(1)}, 2, {k, v("thread_y"), x}, kPoints}}})};
  Shuffle beside{"k",
                 2,
                 {{3, {k, i32(0)}, 3, {k, i32(kPoints)}, -1},
                  {3, {k, i32(kPoints + 1)}, 3, {k, i32(1)}, 1},
                  {3, {k, i32(kPoints + 2)}, 3, {k, i32(2)}, 2}}};
  const Expr total = held(e) + held(e + i32(1)) + held(e + i32(2)) + held(i32(kPoints + 2));
  Body compute = {each("k", 2, {each("e", kPoints, {{Store{4, {k, e}, convert(total, type)}}})})};
  Body write = {each("k", 2, {{Copy{1, {y, x}, 4, {k, i32(0)}, kPoints}}})};
  kernel.body = {{Let{"first_y", convert(v("block", Scalar::I64), Scalar::I32) * i32(2 * kRows)}},
                 {Threads{stage}},
                 {Threads{take}},
                 {std::move(beside)},
                 {Threads{compute}},
                 {Threads{write}}};
  module.kernels = {kernel};
  module.plan.arrays = {field("A", extents, 1, 2)};
  module.plan.arrays[0].type = type;
  module.plan.actions = {Launch{0, {{0, 0}, {0, 1}}, {}, integer(3, Scalar::I64)}, Rotate{0}};
  module.plan.points = integer(24 * kLanes * kPoints, Scalar::I64);
  return module;
}

Module boxes(Scalar type) {
  Module module;
  module.name = "boxes";
  module.constants = {{"size_y", Scalar::I32, 20, "points of the grid in y"},
                      {"size_x", Scalar::I32, 32, "points of the grid in x"}};
  Kernel kernel;
  kernel.name = "boxes_step";
  kernel.threads = {8, 4, 1};
  const std::vector<Expr> extents = {v("size_y"), v("size_x")};
  kernel.buffers = {
      {"A", type, Space::Global, extents, true, false, ""},
      {"A_next", type, Space::Global, extents, false, false, ""},
      {"ring", type, Space::Shared, {i32(2), i32(4), v("size_x")}, false, false, "", 128}};
  kernel.bulk_sources = {{"A_boxes", 0, {4, 32}}};
  kernel.bulk_batches = 2;
  const Expr n = v("n"), x = v("thread_x") * i32(4) + v("e");
  const auto bring = [](const Expr& batch) {
    return Statement{BulkCopies{
        batch, {{0, {batch * i32(4) + i32(2), i32(3)}, 2, {batch % i32(2), i32(0), i32(0)}}}}};
  };
  const Expr y = n * i32(4) + v("thread_y");
  Body take = {{Store{1, {y, x}, load(2, {n % i32(2), v("thread_y"), x}, type)}}};
  Body iteration = {{If{less(n + i32(1), i32(5)), {bring(n + i32(1))}, {}}},
                    {AwaitBulk{n}},
                    {Threads{{{For{LoopKind::Unrolled, "e", i32(0), i32(4), 1, std::move(take)}}}}},
                    {Barrier{}}};
  kernel.body = {bring(i32(0)),
                 {For{LoopKind::Serial, "n", i32(0), i32(5), 1, std::move(iteration)}}};
  module.kernels = {kernel};
  module.plan.arrays = {field("A", extents, 1, 2)};
  module.plan.arrays[0].type = type;
  module.plan.actions = {Launch{0, {{0, 0}, {0, 1}}, {}, integer(1, Scalar::I64), 0, {{0, 0}}},
                         Rotate{0}};
  module.plan.points = integer(20 * 32, Scalar::I64);
  return module;
}

Module tiles_of_sizes(const std::vector<int>& sizes) {
  Module module;
  module.name = "tiles";
  module.constants = {{"size", Scalar::I32, 5, "points of the grid"}};
  module.plan.time_tile = sizes[0];
  module.plan.tile_sizes = sizes;
  module.plan.arrays = {field("A", {v("size")}, 1, 2)};
  module.plan.points = integer(5, Scalar::I64);
  for (int steps : sizes) {
    Kernel kernel;
    kernel.name = "advance_" + std::to_string(steps);
    kernel.buffers = {global("A", {v("size")}, true), global("A_next", {v("size")}, false)};
    kernel.scalars = {{"first", Scalar::I32}, {"count", Scalar::I32}};
    const Expr x = convert(v("block", Scalar::I64), Scalar::I32);
    const Expr tile = v("first") * i32(64) + v("count") * i32(8) + i32(steps);
    kernel.body = {
        {Threads{{{Store{1, {x}, f32_load(0, {x}) * f32(2) + convert(tile, Scalar::F32)}}}}}};
    Launch launch{static_cast<int>(module.kernels.size()),
                  {{0, 0}, {0, 1}},
                  {FirstStep{}, StepCount{}},
                  convert(v("size"), Scalar::I64)};
    launch.steps = steps;
    module.kernels.push_back(kernel);
    module.plan.actions.push_back(launch);
  }
  module.plan.actions.push_back(Rotate{0});
  return module;
}

Module places() {
  Module module;
  module.name = "places";
  module.plan.arrays = {field("A", {i32(2), i32(2), i32(3), i32(2), i32(2)}, 1, 1)};
  module.plan.points = integer(48, Scalar::I64);
  Kernel kernel;
  kernel.name = "place";
  kernel.threads = {2, 1, 2, 3, 2};
  kernel.buffers = {global("A", module.plan.arrays[0].extents, false),
                    {"kept", Scalar::F32, Space::Thread, {}, false, false, ""}};
  const std::vector<Expr> here = {convert(v("block", Scalar::I64), Scalar::I32), v("thread_v"),
                                  v("thread_w"), v("thread_z"), v("thread_x")};
  const Expr place = v("thread_x") + i32(10) * v("thread_z") + i32(100) * v("thread_w") +
                     i32(1000) * v("thread_v");
  const Expr kept = load(1, {}, Scalar::F32);
  kernel.body = {{Threads{{{Store{1, {}, convert(place, Scalar::F32)}}}}},
                 {Barrier{}},
                 {Threads{{{Store{0, here, kept + kept}}}}}};
  module.kernels = {kernel};
  module.plan.actions = {Launch{0, {{0, 0}}, {}, integer(2, Scalar::I64)}};
  return module;
}

Module pointwise(Scalar input, Scalar output, const Expr& value, FpMode fp) {
  Module module;
  module.name = "pointwise";
  module.fp = fp;
  Kernel kernel;
  kernel.name = "apply";
  kernel.buffers = {{"in", input, Space::Global, {v("N")}, true, false, ""},
                    {"out", output, Space::Global, {v("N")}, false, false, ""}};
  kernel.scalars = {{"N", Scalar::I32}};
  const Expr index = convert(v("block", Scalar::I64), Scalar::I32);
  kernel.body = {{Threads{
      {{Let{"x", load(0, {index}, arithmetic_type(input))}}, {Store{1, {index}, value}}}}}};
  module.kernels = {kernel};
  module.plan.parameters = {size_parameter("N")};
  Array in, out;
  in.name = "in";
  in.type = input;
  in.extents = {v("N")};
  out = in;
  out.name = "out";
  out.type = output;
  out.written = true;
  module.plan.arrays = {in, out};
  module.plan.actions = {
      Launch{0, {{0, 0}, {1, 0}}, {ParameterArgument{0}}, convert(v("N"), Scalar::I64)}};
  module.plan.points = convert(v("N"), Scalar::I64);
  return module;
}

}  // namespace stencil::samples

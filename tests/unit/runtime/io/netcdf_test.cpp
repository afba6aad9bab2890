// NetCDF files, read by a small reader of the classic formats, and by the NetCDF library if this
// machine has it.
#include "runtime/run/netcdf_series.h"

#include <dlfcn.h>

#include <cstring>
#include <map>

#include "compiler/reference/interpreter.h"
#include "runtime/io/files.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

struct ReadVariable {
  std::vector<std::string> dimensions;
  int type = 0;
  std::map<std::string, std::string> attributes;
  std::vector<double> values;
};

struct ReadFile {
  int version = 0;
  std::map<std::string, int64_t> dimensions;  // the records for the dimension that grows
  std::map<std::string, std::string> attributes;
  std::map<std::string, ReadVariable> variables;
};

// Follows the grammar of "NetCDF Classic Format Specification".
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  ReadFile read() {
    EXPECT_EQ(bytes_.substr(0, 3), "CDF");
    file_.version = bytes_[3];
    at_ = 4;
    const int64_t records = count();
    std::vector<std::pair<std::string, int64_t>> dimensions;
    for (int64_t n = list(10); n > 0; --n) {
      const std::string name = text();
      dimensions.emplace_back(name, count());
      file_.dimensions[name] = dimensions.back().second == 0 ? records : dimensions.back().second;
    }
    file_.attributes = attributes();
    struct Place {
      std::string name;
      int64_t offset, points, size;
      bool grows;
    };
    std::vector<Place> places;
    int64_t record = 0;
    for (int64_t n = list(11); n > 0; --n) {
      const std::string name = text();
      ReadVariable& variable = file_.variables[name];
      Place place{name, 0, 1, 0, false};
      for (int64_t d = count(); d > 0; --d) {
        const auto& [dimension, length] = dimensions[static_cast<size_t>(count())];
        variable.dimensions.push_back(dimension);
        place.grows |= length == 0;
        if (length > 0) place.points *= length;
      }
      variable.attributes = attributes();
      variable.type = static_cast<int>(number(4));
      place.size = std::map<int, int>{{1, 1}, {2, 1}, {3, 2}, {4, 4}, {5, 4},
                                      {6, 8}, {7, 1}, {8, 2}, {10, 8}}[variable.type];
      const int64_t bytes = count();
      EXPECT_EQ(bytes, (place.points * place.size + 3) / 4 * 4) << name;
      place.offset = number(8);
      EXPECT_EQ(place.offset % 4, 0);
      if (place.grows) record += bytes;
      places.push_back(place);
    }
    const auto header = static_cast<int64_t>(at_);
    for (const Place& place : places) {
      EXPECT_GE(place.offset, header);
      ReadVariable& variable = file_.variables[place.name];
      for (int64_t r = 0; r < (place.grows ? records : 1); ++r) {
        at_ = static_cast<size_t>(place.offset + r * record);
        EXPECT_LE(at_ + static_cast<size_t>(place.points * place.size), bytes_.size());
        for (int64_t p = 0; p < place.points; ++p) {
          variable.values.push_back(value(variable.type, static_cast<int>(place.size)));
        }
      }
    }
    return file_;
  }

 private:
  int64_t number(int size) {
    uint64_t out = 0;
    for (int i = 0; i < size; ++i) out = out << 8 | static_cast<uint8_t>(bytes_.at(at_++));
    return static_cast<int64_t>(out);
  }
  int64_t count() { return number(file_.version == 5 ? 8 : 4); }
  int64_t list(int64_t tag) {
    const int64_t found = number(4), size = count();
    EXPECT_EQ(found, size == 0 ? 0 : tag);
    return size;
  }
  std::string text() {
    const auto size = static_cast<size_t>(count());
    const std::string out = bytes_.substr(at_, size);
    at_ += (size + 3) / 4 * 4;
    return out;
  }
  std::map<std::string, std::string> attributes() {
    std::map<std::string, std::string> out;
    for (int64_t n = list(12); n > 0; --n) {
      const std::string name = text();
      EXPECT_EQ(number(4), 2) << "a text";
      out[name] = text();
    }
    return out;
  }
  double value(int type, int size) {
    const int64_t bits = number(size);
    if (type == 5) {
      const auto low = static_cast<uint32_t>(bits);
      float out = 0;
      std::memcpy(&out, &low, sizeof out);
      return out;
    }
    if (type == 6) {
      double out = 0;
      std::memcpy(&out, &bits, sizeof out);
      return out;
    }
    const bool is_signed = type == 1 || type == 3 || type == 4;
    const int unused = 64 - 8 * size;
    return static_cast<double>(
        is_signed ? static_cast<int64_t>(static_cast<uint64_t>(bits) << unused) >> unused : bits);
  }

  std::string bytes_;
  size_t at_ = 0;
  ReadFile file_;
};

ReadFile read(const std::string& path) {
  return Reader(read_file(path).value()).read();
}

std::vector<double> values_of(const reference::State& state, const Selection& shown) {
  const reference::FieldData& field = state.fields[shown.field];
  std::vector<double> out;
  for (int64_t p = 0; p < field.points; ++p) {
    for (int c = 0; c < field.component_count(); ++c) {
      if (shown.component < 0 || shown.component == c) {
        out.push_back(field.real(shown.level, c, p));
      }
    }
  }
  return out;
}

class NetcdfFiles : public testing::Test {
 protected:
  void write(const ir::Program& program, const reference::State& state,
             const std::vector<Selection>& shown) {
    StateSource fields(state);
    const auto written = write_outputs(program, fields, {{path(), shown, {}, {}}});
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.failure().message);
  }
  std::string path() const { return directory_.file("f.nc"); }
  TemporaryDirectory directory_;
};

constexpr const char* kScalarKinds = R"(
grid G = [0..2, 5..9, 0..6] origin [1, 0, -2] spacing 0.5 steps 4;
field S : { rho : double, u : vector 3 of double } on G;
field U : float on G history 2;
field N : integer on G;
field W : bool on G;
field H : half on G;
stencil s : U on G[i,j,k] = U[0,0,0] + 0.5 * i - j;
stencil n : N on G[i,j,k] = N[0,0,0] - i * k;
stencil w : W on G[i,j,k] = not W[0,0,0];
stencil h : H on G[i,j,k] = H[0,0,0] + 0.25 * k;
stencil c : S on G[i,j,k] = { S[0,0,0].rho + 1e-9 * j, { i, j, k } };
)";

TEST_F(NetcdfFiles, HoldEveryKindOfField) {
  const ir::Program program = program_of(kScalarKinds);
  ASSERT_EQ(program.fields.size(), 5u);
  reference::State state = initial_state(program, bind_params(program).value());
  reference::advance(program, state, 3);
  write(program, state, {{0}, {1}, {1, 1}, {2}, {3}, {4}, {0, 0, 2}});
  const ReadFile file = read(path());
  EXPECT_EQ(file.version, 2);
  EXPECT_EQ(file.attributes.at("Conventions"), "CF-1.8");
  const std::map<std::string, int64_t> dimensions = {
      {"time", 1}, {"z", 3}, {"y", 5}, {"x", 7}, {"S_u_component", 3}};
  EXPECT_EQ(file.dimensions, dimensions);
  EXPECT_EQ(file.variables.at("time").values, std::vector<double>{3});
  EXPECT_EQ(file.variables.at("y").values, (std::vector<double>{2.5, 3, 3.5, 4, 4.5}));
  EXPECT_EQ(file.variables.at("y").attributes.at("axis"), "Y");
  const std::vector<std::string> grid = {"time", "z", "y", "x"};
  const auto expect = [&](const std::string& name, int type, const Selection& shown,
                          const std::string& in_program) {
    ASSERT_EQ(file.variables.count(name), 1u) << name;
    const ReadVariable& variable = file.variables.at(name);
    EXPECT_EQ(variable.type, type) << name;
    EXPECT_EQ(variable.values, values_of(state, shown)) << name;
    EXPECT_EQ(variable.attributes.at("long_name"), in_program);
    EXPECT_EQ(std::vector(variable.dimensions.begin(), variable.dimensions.begin() + 4), grid);
  };
  expect("S_rho", 6, {0, 0, 0}, "S.rho");
  expect("U", 5, {1}, "U");
  expect("U_minus_1", 5, {1, 1}, "U@-1");
  expect("N", 4, {2}, "N");
  expect("W", 1, {3}, "W");
  expect("H", 5, {4}, "H");
  expect("S_u_1", 6, {0, 0, 2}, "S.u[1]");
  const ReadVariable& vector = file.variables.at("S_u");
  EXPECT_EQ(vector.dimensions.back(), "S_u_component");
  std::vector<double> parts;
  for (int64_t p = 0; p < state.fields[0].points; ++p) {
    for (int c = 1; c < 4; ++c) parts.push_back(state.fields[0].real(0, c, p));
  }
  EXPECT_EQ(vector.values, parts);
}

TEST_F(NetcdfFiles, UseTheWiderFormatForItsTypes) {
  const ir::Program program = program_of(
      "grid G = [0..4] steps 1;\nfield L : long on G;\nfield B : ubyte on G;\n"
      "field S : ushort on G;\nstencil l : L on G[i] = 5000000000 - i;\n"
      "stencil b : B on G[i] = 250 + i;\nstencil s : S on G[i] = 65000 + i;\n");
  reference::State state = initial_state(program, bind_params(program).value());
  reference::advance(program, state, 1);
  write(program, state, {{0}, {1}, {2}});
  const ReadFile file = read(path());
  EXPECT_EQ(file.version, 5);
  EXPECT_EQ(file.variables.at("L").values,
            (std::vector<double>{5e9, 5e9 - 1, 5e9 - 2, 5e9 - 3, 5e9 - 4}));
  EXPECT_EQ(file.variables.at("B").values, (std::vector<double>{250, 251, 252, 253, 254}));
  EXPECT_EQ(file.variables.at("S").values[4], 65004);
}

// A derived grid has dimensions of its own, even if it has as many points as another grid.
TEST_F(NetcdfFiles, GiveTheCoordinatesOfDerivedGrids) {
  const auto written = [&](const std::string& attributes) {
    const ir::Program program =
        program_of("grid F = [0..7] steps 1" + attributes +
                   "; grid C of F by 2 cells; grid D of C by 1;"
                   "subgrid low of F = [0..3]; field U : real on F; field E : real on C;"
                   "field H : real on D; field L : real on low; stencil u : U on F = 1;"
                   "stencil e : E on C = 1; stencil h : H on D = 1; stencil l : L on low = 1;");
    reference::State state = initial_state(program, bind_params(program).value());
    write(program, state, {{0}, {1}, {2}, {3}});
    return read(path());
  };
  const ReadFile file = written(" origin 1 spacing 0.5");
  EXPECT_EQ(file.variables.at("E").dimensions, (std::vector<std::string>{"time", "x_2"}));
  EXPECT_EQ(file.variables.at("H").dimensions, (std::vector<std::string>{"time", "x_3"}));
  EXPECT_EQ(file.variables.at("L").dimensions, (std::vector<std::string>{"time", "x_4"}));
  EXPECT_EQ(file.variables.at("x_2").values, (std::vector<double>{1.25, 2.25, 3.25, 4.25}));
  EXPECT_EQ(file.variables.at("x_4").values, (std::vector<double>{1, 1.5, 2, 2.5}));
  EXPECT_EQ(file.variables.at("x_2").attributes.at("long_name"), "x");
  const ReadFile plain = written("");
  EXPECT_EQ(plain.variables.at("x").attributes.at("long_name"), "index along x");
  EXPECT_EQ(plain.variables.at("x_2").attributes.at("long_name"),
            "index of the first grid along x");
  EXPECT_EQ(plain.variables.at("x_2").values, (std::vector<double>{0.5, 2.5, 4.5, 6.5}));
}

// Fields on other points have dimensions of their own; what steps do not change has no time.
TEST_F(NetcdfFiles, NameDimensionsByTheirRange) {
  const ir::Program program = program_of(
      "grid G = [0..4, 0..5] steps 1;\nsubgrid inner of G = [1..3, 0..5];\n"
      "field U : real on G;\nfield V : real on inner;\n"
      "field depth : real on G along 0 constant;\nseries w : real [0..3];\n"
      "stencil u : U on G = U[0,0] + w[time] + depth[0];\n"
      "stencil v : V on inner = V[0,0] + 1;\n"
      "init depth[i] = 2 * i;\ninit w[t] = t;\n");
  reference::State state = initial_state(program, bind_params(program).value());
  reference::advance(program, state, 1);
  write(program, state, {{0}, {1}, {2}, {3}});
  const ReadFile file = read(path());
  EXPECT_EQ(file.variables.at("U").dimensions, (std::vector<std::string>{"time", "y", "x"}));
  EXPECT_EQ(file.variables.at("V").dimensions, (std::vector<std::string>{"time", "y_2", "x"}));
  EXPECT_EQ(file.variables.at("y_2").values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(file.variables.at("depth").dimensions, std::vector<std::string>{"y"});
  EXPECT_EQ(file.variables.at("depth").values, (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_EQ(file.variables.at("w").dimensions, std::vector<std::string>{"row"});
}

class NetcdfRecords : public NetcdfFiles {
 protected:
  NetcdfRecords() : program_(program_of(kWave)), state_(initial_state()) {}
  reference::State initial_state() const {
    return runtime::initial_state(program_, bind_params(program_).value());
  }
  Output output(int64_t every) const {
    Output out{path(), {{0}, {1}}, {}, {}};
    out.every = every;
    return out;
  }
  // Adds the states at multiples of `every` after the present step, up to `last`; finishes there.
  void go_on(int64_t every, int64_t last, bool finish = true) {
    StateSource fields(state_);
    auto series = NetcdfSeries::begin(program_, output(every), state_);
    ASSERT_TRUE(series.ok()) << series.failure().message;
    if (state_.step == 0) {
      ASSERT_TRUE(series.value().add(fields).ok());
    }
    while (state_.step < last) {
      reference::advance(program_, state_, 1);
      if (state_.step % every == 0) {
        ASSERT_TRUE(series.value().add(fields).ok());
      }
      read(path());  // valid at any moment
    }
    if (finish) {
      ASSERT_TRUE(series.value().finish(fields).ok());
    }
  }
  ir::Program program_;
  reference::State state_;
};

TEST_F(NetcdfRecords, AreTheStatesOfTheirSteps) {
  go_on(3, 8);
  const ReadFile file = read(path());
  EXPECT_EQ(file.variables.at("time").values, (std::vector<double>{0, 3, 6, 8}));
  EXPECT_EQ(file.variables.at("c").dimensions, std::vector<std::string>{"x"});
  EXPECT_EQ(file.variables.at("c").values, values_of(state_, {1}));
  std::vector<double> expected;
  reference::State state = initial_state();
  for (const int steps : {0, 3, 3, 2}) {
    reference::advance(program_, state, steps);
    const auto now = values_of(state, {0});
    expected.insert(expected.end(), now.begin(), now.end());
  }
  EXPECT_EQ(file.variables.at("U").values, expected);
}

// A resumed run gives the file of a run without interruption, whatever the first run has written
// beyond the checkpoint.
TEST_F(NetcdfRecords, ContinueAfterARestart) {
  go_on(3, 9);
  const std::string whole = read_file(path()).value();
  state_ = initial_state();
  go_on(3, 5);  // ends between two records
  EXPECT_EQ(read(path()).variables.at("time").values, (std::vector<double>{0, 3, 5}));
  const reference::State stopped = state_;
  go_on(3, 9);
  EXPECT_EQ(read_file(path()).value(), whole);
  state_ = stopped;  // again: the file now has records after step 5
  go_on(3, 7);
  EXPECT_EQ(read(path()).variables.at("time").values, (std::vector<double>{0, 3, 6, 7}));
  state_ = stopped;
  go_on(3, 9, false);
  EXPECT_EQ(read_file(path()).value(), whole);
}

TEST_F(NetcdfRecords, RefuseFilesOfOtherRuns) {
  go_on(3, 5);
  const std::string good = read_file(path()).value();
  const auto fails = [&](const std::string& bytes) {
    EXPECT_TRUE(write_file_atomically(path(), bytes).ok());
    const auto series = NetcdfSeries::begin(program_, output(3), state_);
    return series.ok() ? std::string() : series.failure().code;
  };
  EXPECT_EQ(fails(good), "");
  std::string other = good;
  other.replace(other.find("CF-1.8"), 6, "CF-1.7");
  EXPECT_EQ(fails(other), "R038");
  EXPECT_EQ(fails(good.substr(0, 100)), "R038");
  EXPECT_EQ(fails(good.substr(0, good.size() - 4)), "R038");
  EXPECT_EQ(fails(""), "R038");
}

TEST_F(NetcdfRecords, AreReadByTheLibrary) {
  void* const library = ::dlopen("libnetcdf.so.19", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << "libnetcdf is not installed";
  go_on(3, 8);
  const auto function = [&](const char* name, auto* type) {
    return reinterpret_cast<decltype(type)>(::dlsym(library, name));
  };
  const auto open = function("nc_open", static_cast<int (*)(const char*, int, int*)>(nullptr));
  const auto find = function("nc_inq_varid", static_cast<int (*)(int, const char*, int*)>(nullptr));
  const auto get = function("nc_get_var_double", static_cast<int (*)(int, int, double*)>(nullptr));
  const auto close = function("nc_close", static_cast<int (*)(int)>(nullptr));
  int file = 0, variable = 0;
  ASSERT_EQ(open(path().c_str(), 0, &file), 0);
  ASSERT_EQ(find(file, "U", &variable), 0);
  const std::vector<double> expected = read(path()).variables.at("U").values;
  std::vector<double> values(expected.size());
  ASSERT_EQ(get(file, variable, values.data()), 0);
  EXPECT_EQ(values, expected);
  EXPECT_EQ(close(file), 0);
}

}  // namespace
}  // namespace stencil::runtime

#include "runtime/io/vti.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <regex>

#include "compiler/reference/interpreter.h"
#include "runtime/io/files.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

struct VtkArray {
  std::string type;
  int components = 0;
  std::string bytes;
  template <class T>
  T at(size_t i) const {
    T value{};
    EXPECT_LE((i + 1) * sizeof value, bytes.size());
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  }
};
struct ImageData {
  std::string extent, piece, origin, spacing;
  std::map<std::string, VtkArray> arrays;
};

// An element's attributes; the text must hold exactly one such element.
std::map<std::string, std::string> attributes_of(const std::string& element) {
  std::map<std::string, std::string> out;
  const std::regex attribute("([A-Za-z_]+)=\"([^\"]*)\"");
  for (std::sregex_iterator at(element.begin(), element.end(), attribute), end; at != end; ++at) {
    out[(*at)[1]] = (*at)[2];
  }
  return out;
}
std::string element(const std::string& text, const std::string& name) {
  const size_t begin = text.find("<" + name + " ");
  EXPECT_NE(begin, std::string::npos) << name;
  EXPECT_EQ(text.find("<" + name + " ", begin + 1), std::string::npos) << name;
  return text.substr(begin, text.find('>', begin) - begin + 1);
}

// Parses a file as a reader of VTK's XML formats does.
ImageData parse(const std::string& bytes) {
  ImageData image;
  const std::string marker = "<AppendedData encoding=\"raw\">\n_";
  const size_t data = bytes.find(marker) + marker.size();
  const std::string text = bytes.substr(0, data);
  auto file = attributes_of(element(text, "VTKFile"));
  EXPECT_EQ(file["type"], "ImageData");
  EXPECT_EQ(file["byte_order"], "LittleEndian");
  EXPECT_EQ(file["header_type"], "UInt64");
  auto whole = attributes_of(element(text, "ImageData"));
  image.extent = whole["WholeExtent"];
  image.origin = whole["Origin"];
  image.spacing = whole["Spacing"];
  image.piece = attributes_of(element(text, "Piece"))["Extent"];
  const std::regex array("<DataArray [^>]*/>");
  size_t end = data;
  for (std::sregex_iterator at(text.begin(), text.end(), array), none; at != none; ++at) {
    auto attributes = attributes_of((*at)[0]);
    EXPECT_EQ(attributes["format"], "appended");
    const size_t offset = data + std::stoul(attributes["offset"]);
    uint64_t size = 0;
    std::memcpy(&size, bytes.data() + offset, sizeof size);
    image.arrays[attributes["Name"]] = {attributes["type"],
                                        std::stoi(attributes["NumberOfComponents"]),
                                        bytes.substr(offset + sizeof size, size)};
    end = std::max(end, offset + sizeof size + size);
  }
  EXPECT_EQ(bytes.substr(end), "\n  </AppendedData>\n</VTKFile>\n");
  return image;
}

ImageData written(const ir::Program& program, const reference::State& state,
                  const std::vector<Selection>& selections) {
  const TemporaryDirectory directory;
  const auto file = vti_file(directory.file("a.vti"), program, state, selections);
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.failure().message);
  StateSource fields(state);
  EXPECT_TRUE(write_files({file.value()}, &fields).ok());
  const std::string bytes = read_file(directory.file("a.vti")).value();
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), file.value().bytes);
  return parse(bytes);
}

const char* const kTypes = R"(
grid G = [-1..2, 0..3, 5..9] steps 1;
subgrid inside of G = [0..1, 1..2, 6..8];
type Fluid = { rho : half, u : vector 3 of real };
field S : Fluid on G;
field V : vector 2 of double on G;
field U : real on G history 2;
field K : integer on G constant;
field L : long on G constant;
field W : bfloat on inside;
init S[i,j,k] = { rho = 0.5 * k, u = { 1.0 * i, 1.0 * j, 1.0 * k } };
init V[i,j,k] = { 0.125 * k, 100.0 * i };
init K[i,j,k] = i * 100 + j * 10 + k;
init W[i,j,k] = 0.5 * i;
stencil s : U[0..1, 1..2, 6..8] = U[0,0,0] + 1;
)";

TEST(Vti, HasOriginAndSpacingForTheParamsOfTheRun) {
  const ir::Program program = program_of(R"(
param L : real;
grid G = [-1..2, 0..3, 5..9] steps 1 origin [L, 0.5, -L / 2] spacing [2, 1e-3, L / 10];
subgrid inside of G = [0..1, 1..2, 6..8];
field A : real on G;
field W : real on inside;
stencil s : A on G = 1;
)");
  const reference::State state = initial_state(program, bind_params(program, {{"L", "1"}}).value());
  ImageData image = written(program, state, {{0}});
  EXPECT_EQ(image.extent, "5 9 0 3 -1 2");
  EXPECT_EQ(image.origin, "-0.5 0.5 1");
  EXPECT_EQ(image.spacing, "0.1 0.001 2");
  image = written(program, state, {{1}});
  EXPECT_EQ(image.extent, "6 8 1 2 0 1");
  EXPECT_EQ(image.origin, "-0.5 0.5 1");
}

TEST(Vti, OneDimensionalGridsLieAlongX) {
  const ir::Program program = program_of(
      "grid G = [0..3] steps 1 origin 7 spacing 0.25; field A : real on G;"
      "stencil s : A on G = 1;");
  const ImageData image =
      written(program, initial_state(program, bind_params(program).value()), {{0}});
  EXPECT_EQ(image.origin, "7 0 0");
  EXPECT_EQ(image.spacing, "0.25 1 1");
}

TEST(Vti, FieldsOfDerivedGridsHaveTheirOwnCoordinates) {
  const auto image = [](const std::string& attributes, const std::string& by) {
    const ir::Program program =
        program_of("grid F = [-4..11, 0..31] steps 1 " + attributes + "; grid C of F by " + by +
                   "; field A : real on C; stencil s : A on C = 1;");
    return written(program, initial_state(program, bind_params(program).value()), {{0}});
  };
  const ImageData vertices = image("origin [1, 0.5] spacing [0.25, 2]", "[2, 4]");
  EXPECT_EQ(vertices.extent, "0 7 -2 5 0 0");
  EXPECT_EQ(vertices.origin, "0.5 1 0");
  EXPECT_EQ(vertices.spacing, "8 0.5 1");
  const ImageData cells = image("origin [1, 0.5] spacing [0.25, 2]", "[2, 4] cells");
  EXPECT_EQ(cells.origin, "3.5 1.125 0");
  EXPECT_EQ(cells.spacing, "8 0.5 1");
  const ImageData plain = image("", "2 cells");
  EXPECT_EQ(plain.origin, "0.5 0.5 0");
  EXPECT_EQ(plain.spacing, "2 2 1");
}

TEST(Vti, OneFileHoldsFieldsOfOneGrid) {
  const ir::Program program = program_of(
      "grid F = [0..3] steps 1; grid C of F by 1; field A : real on F; field B : real on C;"
      "stencil s : A on F = 1;");
  EXPECT_FALSE(check_vti(program, {{0}, {1}}).ok());
}

TEST(Vti, WritesEveryTypeVectorsAndGridCoordinates) {
  const ir::Program program = program_of(kTypes);
  reference::State state = initial_state(program, bind_params(program).value());
  reference::advance(program, state, 1);
  const ImageData image = written(program, state, {{0}, {1}, {2}, {2, 1}, {3}, {4}, {0, 0, 3}});
  EXPECT_EQ(image.extent, "5 9 0 3 -1 2");
  EXPECT_EQ(image.piece, image.extent);
  EXPECT_EQ(image.origin, "0 0 0");
  EXPECT_EQ(image.spacing, "1 1 1");
  std::string names;
  for (const auto& [name, array] : image.arrays) {
    names += fmt::format("{}:{}x{} ", name, array.type, array.components);
  }
  EXPECT_EQ(names,
            "K:Int32x1 L:Int64x1 S.rho:Float32x1 S.u:Float32x3 S.u[2]:Float32x1 "
            "U:Float32x1 U@-1:Float32x1 V:Float64x2 ");
  // Position 27: k = 7, j = 1, i = 0.
  EXPECT_EQ(image.arrays.at("S.rho").at<float>(27), 3.5f);
  EXPECT_EQ(image.arrays.at("S.u").at<float>(27 * 3 + 1), 1.0f);
  EXPECT_EQ(image.arrays.at("S.u").at<float>(27 * 3 + 2), 7.0f);
  EXPECT_EQ(image.arrays.at("S.u[2]").at<float>(27), 7.0f);
  EXPECT_EQ(image.arrays.at("V").at<double>(27 * 2), 0.875);
  EXPECT_EQ(image.arrays.at("U").at<float>(27), 1.0f);
  EXPECT_EQ(image.arrays.at("U@-1").at<float>(27), 0.0f);
  EXPECT_EQ(image.arrays.at("K").at<int32_t>(27), 17);
  EXPECT_EQ(image.arrays.at("L").bytes.size(), 80u * 8);
  const ImageData inner = written(program, state, {{5}});
  EXPECT_EQ(inner.extent, "6 8 1 2 0 1");
  EXPECT_EQ(inner.arrays.at("W").at<float>(6), 0.5f);
}

TEST(Vti, SmallIntegersKeepTheirTypes) {
  const ir::Program program = program_of(
      "grid G = [0..3] steps 1; field A : byte on G; field B : ubyte on G; field C : short on G;"
      "field D : ushort on G; field E : bool on G; init A[i] = -i; init D[i] = 65535 - i;"
      "init E[i] = i > 1; stencil s : B on G = 1;");
  const ImageData image = written(program, initial_state(program, bind_params(program).value()),
                                  {{0}, {1}, {2}, {3}, {4}});
  std::string types;
  for (const auto& [name, array] : image.arrays) types += fmt::format("{} ", array.type);
  EXPECT_EQ(types, "Int8 UInt8 Int16 UInt16 UInt8 ");
  EXPECT_EQ(image.arrays.at("A").at<int8_t>(3), -3);
  EXPECT_EQ(image.arrays.at("D").at<uint16_t>(1), 65534);
  EXPECT_EQ(image.arrays.at("E").at<uint8_t>(2), 1);
}

TEST(Vti, LowerRanksFillOnePlane) {
  const ir::Program line = program_of(kWave);
  reference::State state = initial_state(line, bind_params(line).value());
  EXPECT_EQ(written(line, state, {{0}}).extent, "0 49 0 0 0 0");
  const ir::Program plane = program_of(kDecay);
  state = initial_state(plane, bind_params(plane).value());
  const ImageData image = written(plane, state, {{0}});
  EXPECT_EQ(image.extent, "0 22 0 19 0 0");
  EXPECT_EQ(image.arrays.at("A").at<float>(23 + 2), -1.5f);
}

TEST(Vti, RefusesHigherRanksAndDifferentBoxes) {
  const ir::Program cube = program_of(kFourDimensional);
  EXPECT_EQ(check_vti(cube, {{0}}).failure().code, "R031");
  EXPECT_EQ(check_vti(cube, {{0}}).failure().message,
            "a .vti file holds at most 3 dimensions, but the grid has 4");
  const ir::Program program = program_of(kTypes);
  EXPECT_EQ(check_vti(program, {{0}, {5}}).failure().message,
            "a .vti file holds fields on the same points, but 'W' and 'S' differ");
  EXPECT_TRUE(check_vti(program, {{0}, {4}}).ok());
}

}  // namespace
}  // namespace stencil::runtime

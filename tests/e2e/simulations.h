// Runs of dsl-examples from the command line, and their output files as numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {

constexpr double kPi = std::numbers::pi;

class Simulations : public Tool {
 protected:
  std::string run(const std::string& example, const std::string& arguments) {
    const Outcome outcome =
        stencilc("run '" STENCIL_SOURCE_DIR "/dsl-examples/" + example + ".stn' " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  // Reads `count` little-endian numbers of type T from a file.
  template <typename T>
  std::vector<T> load(const std::string& name, size_t count) const {
    const std::string bytes = read(file(name));
    std::vector<T> values(count);
    EXPECT_GT(bytes.size(), count * sizeof(T)) << name;
    if (bytes.size() <= count * sizeof(T)) return values;
    std::memcpy(values.data(), bytes.data() + bytes.size() - count * sizeof(T), count * sizeof(T));
    return values;
  }

  template <typename T>
  void save(const std::string& name, const std::string& shape, const std::vector<T>& values) const {
    std::string header = std::string("{'descr': '") + (sizeof(T) == 1 ? "|i1" : "<f8") +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    bytes += header;
    const size_t begin = bytes.size();
    bytes.resize(begin + values.size() * sizeof(T));
    std::memcpy(bytes.data() + begin, values.data(), values.size() * sizeof(T));
    write(name, bytes);
  }

  // A named column of a history, without empty cells.
  std::vector<double> history(const std::string& name, const std::string& column) const {
    std::istringstream rows(read(file(name)));
    std::string row, word;
    std::getline(rows, row);
    std::istringstream names(row);
    int at = 0;
    while (std::getline(names, word, ',') && word != column) ++at;
    std::vector<double> values;
    while (std::getline(rows, row)) {
      std::istringstream words(row);
      for (int k = 0; k <= at; ++k) std::getline(words, word, ',');
      if (!word.empty()) values.push_back(std::stod(word));
    }
    return values;
  }
};

}  // namespace stencil::test

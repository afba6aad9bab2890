// Messages between ranks as text: words and numbers; floating-point numbers as their bits.
#pragma once

#include <cstdint>
#include <istream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/io/field_boxes.h"
#include "runtime/io/field_files.h"
#include "runtime/io/rows.h"

namespace stencil::runtime::words {

std::string numbers(const std::vector<int64_t>& values);
std::vector<int64_t> read_numbers(std::istream& in);

// Params, reductions and the step.
std::string text_of(const reference::State& state);
reference::State read_state(std::istream& in, const ir::Program& program);

std::string text_of(const std::vector<StoredArray>& arrays);
std::vector<StoredArray> read_arrays(std::istream& in);

std::string text_of(const std::vector<SharedFile>& files);
std::vector<SharedFile> read_files(std::istream& in);

// The reader opens the files and checks their sizes: R010.
std::string text_of(const std::vector<FieldFile>& files);
Status read_files(std::istream& in, std::vector<FieldFile>& files);

std::string text_of(const std::vector<Selection>& places);
std::vector<Selection> read_places(std::istream& in);

std::string text_of(const BoxOfField& what);
BoxOfField read_box(std::istream& in);

// A failure is passed on unchanged.
Result<std::string> text_of(const Result<std::vector<uint32_t>>& sums);
std::vector<uint32_t> read_sums(const std::string& text);

Result<std::string> text_of(const Result<std::vector<NonFiniteCount>>& counts);
std::vector<NonFiniteCount> read_counts(const std::string& text);

}  // namespace stencil::runtime::words

// Rows of the settings that several families have.
#pragma once

#include <string>
#include <string_view>

#include "compiler/schedule/setting.h"

namespace stencil::schedule::shared {

// Names, for Family::find and for comparisons with Setting::name.
constexpr std::string_view kTimeTile = "T", kBlock = "block", kElements = "elements",
                           kChunk = "chunk", kPrefetch = "prefetch", kInterior = "interior",
                           kRows = "rows";

Setting time_tile();
Setting block();
Setting elements();
Setting chunk();
Setting prefetch(const std::string& standard);
Setting interior(const std::string& standard);
Setting rows();

}  // namespace stencil::schedule::shared

#include "runtime/devices/part_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stencil::runtime {

namespace {

// One more range costs as much as packing and unpacking kBytesOfRange bytes, and kRangesOfLaunches
// ranges as much as launching the two kernels that pack and unpack.
constexpr int64_t kBytesOfRange = int64_t{2} << 20;
constexpr size_t kRangesOfLaunches = 4;

bool pays(const std::vector<kernel::SwapBox>& boxes, int64_t bytes) {
  return boxes.size() <= kRangesOfLaunches + static_cast<size_t>(bytes / kBytesOfRange);
}

bool same(const std::vector<std::string>& said) {
  return std::adjacent_find(said.begin(), said.end(), std::not_equal_to<>()) == said.end();
}

}  // namespace

// The layout of padded rows if all halos are ranges and copying ranges pays; otherwise "".
std::string PartExchange::ranges() const {
  std::string rows = "rows";
  for (const kernel::HaloSwap& halo : plan_.halos) {
    for (const kernel::SwapMessage& message : plan_.swaps[halo.swap].messages) {
      for (const auto* boxes : {&message.sent, &message.received}) {
        const bool sends = boxes == &message.sent;
        if (!pays(*boxes, sends ? message.send_bytes : message.receive_bytes)) return "";
        for (const kernel::SwapBox& box : *boxes) {
          if (!memory_.range_of(box)) return "";
        }
      }
    }
  }
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    if (!kernel::is_padded(array)) continue;
    rows += fmt::format(" {}: {} {}", a, memory_.evaluate(array.row_pitch).value_or(0),
                        memory_.evaluate(kernel::lead_of(array)).value_or(0));
  }
  return rows;
}

Status PartExchange::prepare() {
  const Status met = parts_.meet(accelerator_);
  if (!met.ok()) return met;
  const auto beside = parts_.all_gather(kernel::exchanges_beside_tiles(plan_) ? "beside" : "");
  if (!beside.ok()) return beside.failure();
  beside_tiles_ = same(beside.value()) && !beside.value().front().empty();
  const auto rows = parts_.all_gather(parts_.takes_ranges() ? ranges() : "");
  if (!rows.ok()) return rows.failure();
  in_ranges_ = same(rows.value()) && !rows.value().front().empty();
  return Done{};
}

Status PartExchange::connect() {
  if (std::exchange(connected_, true)) return Done{};
  for (const kernel::Swap& swap : plan_.swaps) {
    if (!packs(swap)) continue;
    const Status exchanged = exchange(swap);
    if (!exchanged.ok()) return exchanged;
  }
  return Done{};
}

bool PartExchange::packs(const kernel::Swap& swap) const {
  const bool of_arrays =
      std::any_of(plan_.halos.begin(), plan_.halos.end(),
                  [&](const kernel::HaloSwap& halo) { return &plan_.swaps[halo.swap] == &swap; });
  return !in_ranges_ || !of_arrays;
}

std::vector<Transfer> PartExchange::transfers_of(const kernel::Swap& swap) const {
  const bool whole = packs(swap);
  std::vector<Transfer> out;
  for (const kernel::SwapMessage& message : swap.messages) {
    if (whole) {
      out.push_back({message.part, message.send_tag, message.receive_tag, message.send_offset,
                     message.send_bytes, message.receive_offset, message.receive_bytes,
                     memory_.scratch(swap.send), memory_.scratch(swap.receive)});
      continue;
    }
    for (size_t n = 0; n < std::max(message.sent.size(), message.received.size()); ++n) {
      Transfer part{message.part, message.send_tag, message.receive_tag};
      if (n < message.sent.size()) {
        const PlanMemory::Range range = *memory_.range_of(message.sent[n]);
        part.send = memory_.of(message.sent[n].array);
        part.send_offset = range.offset;
        part.send_bytes = range.bytes;
      }
      if (n < message.received.size()) {
        const PlanMemory::Range range = *memory_.range_of(message.received[n]);
        part.receive = memory_.of(message.received[n].array);
        part.receive_offset = range.offset;
        part.receive_bytes = range.bytes;
      }
      out.push_back(part);
    }
  }
  return out;
}

Status PartExchange::exchange(const kernel::Swap& swap) {
  return parts_.exchange(accelerator_, transfers_of(swap));
}

}  // namespace stencil::runtime

#include "runtime/devices/subdomain_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/support/try.h"

namespace stencil::runtime {

namespace {

// The break-even between copying ranges and packing. An additional range costs as much as packing
// and unpacking kBytesOfRange bytes. Launching the pack and unpack kernels costs as much as
// kRangesOfLaunches ranges.
constexpr int64_t kBytesOfRange = int64_t{2} << 20;
constexpr size_t kRangesOfLaunches = 4;

bool pays(const std::vector<kernel::ExchangeBox>& boxes, int64_t bytes) {
  return boxes.size() <= kRangesOfLaunches + static_cast<size_t>(bytes / kBytesOfRange);
}

bool same(const std::vector<std::string>& said) {
  return std::adjacent_find(said.begin(), said.end(), std::not_equal_to<>()) == said.end();
}

}  // namespace

// The layout of padded rows if all halos are ranges and copying ranges pays; otherwise "".
std::string SubdomainExchange::ranges() const {
  std::string rows = "rows";
  for (const kernel::Exchange* halo : halos()) {
    for (const kernel::ExchangeMessage& message : halo->messages) {
      for (const auto* boxes : {&message.sent, &message.received}) {
        const bool sends = boxes == &message.sent;
        if (!pays(*boxes, sends ? message.send_bytes : message.receive_bytes)) return "";
        for (const kernel::ExchangeBox& box : *boxes) {
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

Status SubdomainExchange::prepare() {
  TRY(communicator_.meet(accelerator_));
  const auto beside =
      TRY(communicator_.all_gather(kernel::exchange_beside_tiles(plan_) ? "beside" : ""));
  beside_tiles_ = same(beside) && !beside.front().empty();
  const auto rows = TRY(communicator_.all_gather(communicator_.takes_ranges() ? ranges() : ""));
  in_ranges_ = same(rows) && !rows.front().empty();
  return Done{};
}

Status SubdomainExchange::connect() {
  if (std::exchange(connected_, true)) return Done{};
  for (const kernel::Exchange& exchange : plan_.exchanges) {
    if (!packs(exchange)) continue;
    TRY(this->exchange(exchange));
  }
  return Done{};
}

bool SubdomainExchange::packs(const kernel::Exchange& exchange) const {
  const std::vector<const kernel::Exchange*> halos = this->halos();
  return !in_ranges_ || std::find(halos.begin(), halos.end(), &exchange) == halos.end();
}

// The exchanges of halos; the others exchange scratch memory.
std::vector<const kernel::Exchange*> SubdomainExchange::halos() const {
  std::vector<const kernel::Exchange*> found;
  kernel::for_each_action(plan_, [&](const kernel::Action& action, const kernel::Loop&) {
    const auto* halo = std::get_if<kernel::HaloExchange>(&action);
    if (halo) found.push_back(&plan_.exchanges[halo->exchange]);
  });
  return found;
}

std::vector<Transfer> SubdomainExchange::transfers_of(const kernel::Exchange& exchange) const {
  const bool whole = packs(exchange);
  std::vector<Transfer> out;
  for (const kernel::ExchangeMessage& message : exchange.messages) {
    if (whole) {
      out.push_back({message.subdomain, message.send_tag, message.receive_tag, message.send_offset,
                     message.send_bytes, message.receive_offset, message.receive_bytes,
                     memory_.scratch(exchange.send), memory_.scratch(exchange.receive)});
      continue;
    }
    for (size_t n = 0; n < std::max(message.sent.size(), message.received.size()); ++n) {
      Transfer transfer{message.subdomain, message.send_tag, message.receive_tag};
      if (n < message.sent.size()) {
        const PlanMemory::Range range = *memory_.range_of(message.sent[n]);
        transfer.send = memory_.of(message.sent[n].array);
        transfer.send_offset = range.offset;
        transfer.send_bytes = range.bytes;
      }
      if (n < message.received.size()) {
        const PlanMemory::Range range = *memory_.range_of(message.received[n]);
        transfer.receive = memory_.of(message.received[n].array);
        transfer.receive_offset = range.offset;
        transfer.receive_bytes = range.bytes;
      }
      out.push_back(transfer);
    }
  }
  return out;
}

Status SubdomainExchange::exchange(const kernel::Exchange& exchange) {
  return communicator_.exchange(accelerator_, transfers_of(exchange));
}

}  // namespace stencil::runtime

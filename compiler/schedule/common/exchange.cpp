// Packs and unpacks halo exchanges. A block moves 1024 values of one piece: a box of one component
// of a field, or of scratch memory. Each piece gets a contiguous range of blocks. A block finds its
// piece by comparing its number with these ranges, because kernels cannot index buffers by number.
#include "compiler/schedule/common/exchange.h"

#include <fmt/format.h>

#include "compiler/kernel/rewrite.h"
#include "compiler/kernel/walk.h"
#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

constexpr int kThreads = 256, kPerThread = 4;
constexpr int64_t kPerBlock = kThreads * kPerThread;
constexpr int64_t kUnit = 16;  // bytes: alignment of pieces in the buffer

// A box of values in memory and its position in the message buffer.
struct Moved {
  ir::Points box;
  int field = 0, component = 0, slot = 0;
  int scratch = kernel::kNoScratch;  // if set, the box is in scratch memory instead of a field
  std::vector<int64_t> extents;      // of scratch memory
  Scalar type;
  int64_t offset = 0;  // bytes
};

// All pieces of one direction: memory to buffer, or buffer to memory.
struct Side {
  std::vector<Moved> pieces;
  int64_t bytes = 0;

  void add(Moved piece) {
    piece.offset = bytes;
    const int64_t size = ir::count(piece.box) * size_in_bytes(piece.type);
    bytes += (size + kUnit - 1) / kUnit * kUnit;
    pieces.push_back(std::move(piece));
  }
};

class ExchangeLowering {
 public:
  ExchangeLowering(const Interface& interface, kernel::Module& module)
      : interface_(interface), module_(module), names_(interface.names_in(module)) {}

  // Adds the messages, their buffers and kernels to the plan; `what` becomes part of names.
  int append(const std::string& what, Side sent, Side received,
             std::vector<kernel::ExchangeMessage> messages) {
    kernel::Exchange exchange;
    exchange.send = buffer(what + "_sent", sent.bytes);
    exchange.receive = buffer(what + "_received", received.bytes);
    exchange.messages = std::move(messages);
    if (!sent.pieces.empty()) {
      exchange.pack =
          lower("pack_" + what, "packs messages to other subdomains.", sent, exchange.send, true);
    }
    if (!received.pieces.empty()) {
      exchange.unpack = lower("unpack_" + what, "unpacks messages from other subdomains.", received,
                              exchange.receive, false);
    }
    module_.plan.exchanges.push_back(std::move(exchange));
    return static_cast<int>(module_.plan.exchanges.size()) - 1;
  }

 private:
  int buffer(const std::string& name, int64_t bytes) {
    const Expr elements = kernel::integer(std::max<int64_t>(bytes / 8, 1), Scalar::I64);
    module_.plan.scratch.push_back({names_.unique(name), Scalar::I64, elements});
    return static_cast<int>(module_.plan.scratch.size()) - 1;
  }

  kernel::Launch lower(const std::string& name, const std::string& comment, const Side& side,
                       int memory, bool packs) {
    KernelBuilder builder(interface_, module_, names_.unique(module_.name + "_" + name),
                          "Exchange: " + comment);
    builder.kernel().threads = {kThreads, 1, 1};
    std::map<Scalar, kernel::BufferId> views;
    for (const Moved& piece : side.pieces) {
      if (views.count(piece.type)) continue;
      views[piece.type] = builder.view(module_.plan, memory, piece.type, packs);
    }
    std::vector<int64_t> ends;
    int64_t blocks = 0;
    for (const Moved& piece : side.pieces) {
      blocks += (ir::count(piece.box) + kPerBlock - 1) / kPerBlock;
      ends.push_back(blocks);
    }
    const Expr block = kernel::variable("block", Scalar::I64);
    Body body;
    for (size_t p = side.pieces.size(); p-- > 0;) {
      const int64_t first = p == 0 ? 0 : ends[p - 1];
      Body own = move(builder, side.pieces[p], views.at(side.pieces[p].type), first, packs);
      if (p + 1 == side.pieces.size()) {
        body = std::move(own);
        continue;
      }
      const Expr here = kernel::operation(Op::Lt, {block, kernel::integer(ends[p], Scalar::I64)});
      body = as_body({kernel::If{here, std::move(own), std::move(body)}});
    }
    builder.kernel().body = as_body(threads(std::move(body)));
    return builder.launch(kernel::integer(blocks, Scalar::I64), module_);
  }

  // A thread's share of a piece whose blocks start at number `first`.
  Body move(KernelBuilder& builder, const Moved& piece, kernel::BufferId view, int64_t first,
            bool packs) {
    const std::string turn = builder.names().unique("e");
    const int64_t count = ir::count(piece.box);
    // Value numbers fit 32 bits unless a message has 2^31 values.
    const Scalar type = count < INT32_MAX - kPerBlock ? Scalar::I32 : Scalar::I64;
    const auto number_of = [&](int64_t value) { return kernel::integer(value, type); };
    const Expr block =
        kernel::sub(kernel::variable("block", Scalar::I64), kernel::integer(first, Scalar::I64));
    Expr number = kernel::mul(kernel::convert(block, type), number_of(kPerBlock));
    number = kernel::add(number, kernel::convert(kernel::variable("thread_x"), type));
    number = kernel::add(
        number, kernel::mul(kernel::convert(kernel::variable(turn), type), number_of(kThreads)));
    Body each;
    const Expr value = let(builder.names(), each, "number", number);
    Body moved = move_one(builder, piece, view, value, packs);
    append_all(each,
               guarded(kernel::operation(Op::Lt, {value, number_of(count)}), std::move(moved)));
    return as_body(loop(kernel::LoopKind::Unrolled, turn, kernel::integer(0),
                        kernel::integer(kPerThread), 1, std::move(each)));
  }

  static void append_all(Body& to, Body from) { schedule::append(to, std::move(from)); }

  Body move_one(KernelBuilder& builder, const Moved& piece, kernel::BufferId view,
                const Expr& number, bool packs) {
    Body body;
    Point point(piece.box.size());
    Expr rest = number;
    for (size_t d = piece.box.size(); d-- > 0;) {
      const auto& [low, high] = piece.box[d];
      const Expr extent = kernel::integer(high - low + 1, rest->type);
      const bool last = d == 0;
      const Expr own = last ? rest : kernel::operation(Op::Mod, {rest, extent});
      point[d] = kernel::add(kernel::convert(own, Scalar::I32), kernel::integer(low));
      if (!last) {
        rest = let(builder.names(), body, "rest", kernel::operation(Op::Div, {rest, extent}));
      }
    }
    const Expr packed =
        kernel::add(kernel::convert(number, Scalar::I64),
                    kernel::integer(piece.offset / size_in_bytes(piece.type), Scalar::I64));
    const auto [memory, index] = place(builder, piece, point, !packs);
    const Scalar type = arithmetic_type(piece.type);
    const auto as_stored = [&](const Expr& value) { return kernel::convert(value, piece.type); };
    if (packs) {
      body.push_back({kernel::Store{view, {packed}, as_stored(kernel::load(memory, index, type))}});
    } else {
      body.push_back({kernel::Store{memory, index, as_stored(kernel::load(view, {packed}, type))}});
    }
    return body;
  }

  std::pair<kernel::BufferId, std::vector<Expr>> place(KernelBuilder& builder, const Moved& piece,
                                                       const Point& point, bool stored) {
    if (piece.scratch == kernel::kNoScratch) {
      return {builder.global(piece.field, piece.component, piece.slot, stored),
              interface_.index(point, piece.field, piece.component)};
    }
    Expr number = kernel::integer(0, Scalar::I64);
    for (size_t d = 0; d < point.size(); ++d) {
      number = kernel::add(kernel::mul(number, kernel::integer(piece.extents[d], Scalar::I64)),
                           kernel::convert(point[d], Scalar::I64));
    }
    const auto [known, fresh] = scratch_.try_emplace({builder.kernel().name, piece.scratch}, 0);
    if (fresh) known->second = builder.scratch(module_.plan, piece.scratch, stored);
    return {known->second, {number}};
  }

  const Interface& interface_;
  kernel::Module& module_;
  Names names_;
  // Keyed by kernel name and scratch memory.
  std::map<std::pair<std::string, int>, kernel::BufferId> scratch_;
};

void add(const Interface& interface, const ir::Patch& patch, int slot, Side& to,
         std::vector<kernel::ExchangeBox>& boxes) {
  const ir::Field& field = interface.program().fields[patch.field];
  for (size_t c = 0; c < field.components.size(); ++c) {
    const int component = static_cast<int>(c);
    to.add({patch.box,
            patch.field,
            component,
            slot,
            kernel::kNoScratch,
            {},
            field.components[c].type,
            0});
    kernel::ExchangeBox box{{interface.array_of(patch.field, component), slot}, {}, {}};
    for (size_t d = 0; d < patch.box.size(); ++d) {
      const auto& [low, high] = patch.box[d];
      box.first.push_back(
          kernel::sub(kernel::integer(low), interface.low(field.box, static_cast<int>(d))));
      box.counts.push_back(high - low + 1);
    }
    boxes.push_back(std::move(box));
  }
}

// Appends a message; `fill` adds its pieces to both sides.
template <class Fill>
void add_message(int subdomain, int send_tag, int receive_tag, Side& sent, Side& received,
                 std::vector<kernel::ExchangeMessage>& messages, const Fill& fill) {
  kernel::ExchangeMessage message{subdomain,      send_tag, receive_tag, sent.bytes, 0,
                                  received.bytes, 0};
  fill(message);
  message.send_bytes = sent.bytes - message.send_offset;
  message.receive_bytes = received.bytes - message.receive_offset;
  messages.push_back(std::move(message));
}

// `slot`: for all patches; -1: the slot of each patch's level.
int append_exchanges(const std::vector<ir::PatchExchange>& exchanges, int slot,
                     const std::string& what, const Interface& interface, kernel::Module& module) {
  Side sent, received;
  std::vector<kernel::ExchangeMessage> messages;
  const auto slot_of = [&](const ir::Patch& patch) { return slot < 0 ? patch.level : slot; };
  for (const ir::PatchExchange& exchange : exchanges) {
    add_message(exchange.subdomain, exchange.send_tag, exchange.receive_tag, sent, received,
                messages, [&](kernel::ExchangeMessage& message) {
                  for (const ir::Patch& patch : exchange.sent) {
                    add(interface, patch, slot_of(patch), sent, message.sent);
                  }
                  for (const ir::Patch& patch : exchange.received) {
                    add(interface, patch, slot_of(patch), received, message.received);
                  }
                });
  }
  return ExchangeLowering(interface, module)
      .append(what, std::move(sent), std::move(received), std::move(messages));
}

}  // namespace

std::optional<size_t> append_halo(const ir::HaloExchange& halo, const Interface& interface,
                                  bool counts_tiles, kernel::Module& module) {
  if (halo.exchanges.empty()) return std::nullopt;
  kernel::HaloExchange due;
  due.exchange =
      static_cast<size_t>(append_exchanges(halo.exchanges, -1, "halo", interface, module));
  if (counts_tiles) {
    due.common_tile = halo.common_tile;
    due.tiles_per_exchange = halo.tiles_per_exchange;
  }
  module.plan.actions.push_back(due);
  return due.exchange;
}

void set_outer_blocks_apart(kernel::Module& module) {
  kernel::for_each_action(module.plan, [&](kernel::Action& action, const kernel::Loop&) {
    auto* launch = std::get_if<kernel::Launch>(&action);
    if (!launch || launch->outer_blocks[0] + launch->outer_blocks[1] == 0) return;
    kernel::Kernel& kernel = module.kernels[launch->kernel];
    Names names;
    for (const std::string& name : kernel::names_in(module)) names.reserve(name);
    const std::string first = names.unique("first_block");
    const Expr number =
        kernel::add(kernel::variable("block", Scalar::I64), kernel::variable(first, Scalar::I64));
    const Expr block =
        select(kernel::less(number, launch->blocks), number, kernel::sub(number, launch->blocks));
    kernel::Rewriter rewriter([&](const Expr& expr) -> Expr {
      const auto* variable = std::get_if<kernel::Variable>(&expr->kind);
      return variable && variable->name == "block" ? block : nullptr;
    });
    kernel.body = rewriter.body(kernel.body);
    kernel.scalars.push_back({first, Scalar::I64});
    launch->scalars.push_back(kernel::FirstBlock{});
  });
}

int append_tile_exchange(const ir::Subdomain& subdomain, const ir::SharedTiles& tiles, int values,
                         const Interface& interface, kernel::Module& module) {
  Side sent, received;
  std::vector<kernel::ExchangeMessage> messages;
  const Scalar type = module.plan.scratch[values].type;
  const auto moved = [&](int of) {
    return Moved{tiles.taken[of], 0, 0, 0, values, tiles.counts, type, 0};
  };
  const bool gives = ir::count(tiles.taken[subdomain.number]) > 0;
  kernel::ExchangeMessage own;
  if (gives) {  // all receivers get the same data
    sent.add(moved(subdomain.number));
    own.send_bytes = sent.bytes;
  }
  for (int other = 0; other < subdomain.count; ++other) {
    if (other == subdomain.number) continue;
    kernel::ExchangeMessage message = own;
    message.subdomain = other;
    message.receive_offset = received.bytes;
    if (ir::count(tiles.taken[other]) > 0) received.add(moved(other));
    message.receive_bytes = received.bytes - message.receive_offset;
    if (message.send_bytes + message.receive_bytes > 0) messages.push_back(message);
  }
  const std::string name = module.plan.scratch[values].name;
  return ExchangeLowering(interface, module)
      .append(name, std::move(sent), std::move(received), std::move(messages));
}

int append_profile_exchange(const std::vector<ir::PatchExchange>& exchanges, int slot,
                            const Interface& interface, kernel::Module& module) {
  return append_exchanges(exchanges, slot, "profile", interface, module);
}

}  // namespace stencil::schedule

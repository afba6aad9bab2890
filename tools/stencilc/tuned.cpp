// `stencilc tuned`: lists, exports and imports the tuning database.
#include <fmt/format.h>

#include <map>

#include "compiler/support/escape.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"
#include "runtime/tune/database.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

using tune::Entry;

std::string head_of(const tune::DatabaseSettings& settings) {
  const std::string path = settings.path.empty() ? "none" : visible(settings.path);
  std::string text = fmt::format("file      {}\n", path);
  if (!settings.note.empty()) text += wrapped(settings.note, "note      ");
  return text;
}

// The fastest line per program and size on one device. Names and lines may come from imported files
// and are not trusted.
std::string table_of(const std::vector<const Entry*>& entries) {
  struct Row {
    const Entry* best = nullptr;
    size_t lines = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string, tune::Sizes>, Row> rows;
  for (const Entry* entry : entries) {
    const tune::Key& key = entry->key;
    Row& row = rows[{entry->name, key.program, key.real, key.fp, entry->sizes}];
    if (!row.best || entry->seconds < row.best->seconds) row.best = entry;
    ++row.lines;
  }
  std::vector<std::vector<std::string>> out = {
      {"program", "sizes", "reals", "schedule", "lines", "runs", "us/step"}};
  for (const auto& [key, row] : rows) {
    const Entry& best = *row.best;
    out.push_back({visible(best.name), tune::print(best.sizes),
                   visible(fmt::format("{} {}", best.key.real, best.key.fp)),
                   visible(best.schedule), std::to_string(row.lines), std::to_string(best.runs),
                   fmt::format("{:.4g}", 1e6 * best.seconds)});
  }
  return table(out, 4);
}

std::string listing_of(const std::vector<Entry>& entries) {
  std::map<std::pair<std::string, std::string>, std::vector<const Entry*>> machines;
  size_t others = 0;
  for (const Entry& entry : entries) {
    const bool used = entry.version == tune::code_version();
    others += used ? 0 : 1;
    if (used) machines[{entry.key.device, entry.key.machine}].push_back(&entry);
  }
  std::string text = fmt::format("entries   {}", entries.size());
  if (others > 0) text += fmt::format(", {} of other versions, which are not used", others);
  text += "\n";
  for (const auto& [machine, of] : machines) {
    text += fmt::format("\n{}: {}\n", visible(machine.first), visible(machine.second));
    text += table_of(of);
  }
  return text;
}

Result<std::string> export_to(const tune::Database& database, const std::string& path) {
  const auto entries = database.all();
  if (!entries.ok()) return entries.failure();
  TRY(runtime::write_file_atomically(path, tune::to_json(entries.value())));
  return fmt::format("{} entries in {}\n", entries.value().size(), visible(path));
}

Result<std::string> import_from(const tune::Database& database, const std::string& path) {
  const auto text = TRY(runtime::read_file(path, int64_t{256} << 20));
  const auto entries = tune::from_json(text);
  if (!entries.ok()) {
    Failure failure = entries.failure();
    failure.message = fmt::format("'{}': {}", path, failure.message);
    return failure;
  }
  const auto taken = database.merge(entries.value());
  if (!taken.ok()) return taken.failure();
  return fmt::format("{} of {} entries imported\n", taken.value(), entries.value().size());
}

Result<std::string> answer(const TunedArguments& arguments,
                           const tune::DatabaseSettings& settings) {
  const bool asked = !arguments.export_to.empty() || !arguments.import_from.empty();
  if (settings.path.empty() && asked) {
    return Failure{"R090", "there is no tuning database: " + settings.note, ""};
  }
  if (settings.path.empty()) return head_of(settings);
  const tune::Database database(settings.path);
  if (!arguments.export_to.empty()) return export_to(database, arguments.export_to);
  if (!arguments.import_from.empty()) return import_from(database, arguments.import_from);
  if (arguments.clear) {
    const auto removed = database.clear();
    if (!removed.ok()) return removed.failure();
    return fmt::format("{} entries removed\n", removed.value());
  }
  const auto entries = TRY(database.all());
  return head_of(settings) + listing_of(entries);
}

}  // namespace

int tuned_command(const Arguments& arguments) {
  const auto text = answer(arguments.tuned, tune::database_settings());
  return text.ok() ? print_out(text.value()) : report(text.failure());
}

}  // namespace stencil::tool

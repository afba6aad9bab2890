// The active log is a thread-local pointer rather than a parameter of every stage: passes run deep
// inside the front end and legalization, and only the command line asks for their times.
#include "compiler/support/pass_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace stencil {

namespace {

thread_local PassLog* active_log = nullptr;

}  // namespace

PassLog* PassLog::active() {
  return active_log;
}

PassLog::Scope::Scope(PassLog& log) : outer_(std::exchange(active_log, &log)) {}

PassLog::Scope::~Scope() {
  active_log = outer_;
}

bool PassLog::prints(std::string_view pass) const {
  return std::any_of(print_after_.begin(), print_after_.end(),
                     [&](const std::string& name) { return name == "all" || name == pass; });
}

void PassLog::add_time(std::string_view pass, double seconds) {
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& each) { return each.pass == pass; });
  if (entry == entries_.end()) entry = entries_.insert(entry, {std::string(pass)});
  entry->seconds += seconds;
  ++entry->runs;
}

void PassLog::add_text(std::string_view pass, const std::string& text) {
  texts_ += fmt::format("-- after {}\n{}", pass, text);
}

std::string PassLog::times() const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.seconds;
  std::string out = "   seconds      %  runs  pass\n";
  for (const Entry& entry : entries_) {
    out += fmt::format("{:10.6f}  {:5.1f}  {:4}  {}\n", entry.seconds,
                       sum > 0 ? 100 * entry.seconds / sum : 0, entry.runs, entry.pass);
  }
  return out + fmt::format("{:10.6f}  100.0        total\n", sum);
}

std::vector<std::string> PassLog::names() const {
  std::vector<std::string> out;
  for (const Entry& entry : entries_) out.push_back(entry.pass);
  return out;
}

std::vector<std::string> PassLog::unknown() const {
  std::vector<std::string> out;
  const std::vector<std::string> ran = names();
  for (const std::string& name : print_after_) {
    if (name != "all" && std::find(ran.begin(), ran.end(), name) == ran.end()) out.push_back(name);
  }
  return out;
}

void require_sound(std::string_view pass, const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  for (const std::string& violation : violations) {
    std::fputs(fmt::format("internal error after pass '{}': {}\n", pass, violation).c_str(),
               stderr);
  }
  std::abort();
}

}  // namespace stencil

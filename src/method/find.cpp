// Finding a method by its name.
#include <algorithm>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

std::string canonical(std::string_view name) {
  std::string s(name);
  std::replace(s.begin(), s.end(), '_', '-');
  return s;
}

}  // namespace

const char* to_string(Claim claim) {
  switch (claim) {
    case Claim::no: return "no";
    case Claim::yes: return "yes";
    case Claim::conditional: return "conditional";
  }
  return "";
}

ComponentOrders MethodInfo::orders_on(OrderCase on, int stage_count) const {
  if (order == nullptr) return {};
  ComponentOrders out{.q = order(stage_count), .v = order(stage_count)};
  for (const OrderClaim& claim : orders)
    if (claim.on == on) out = {.q = claim.q.of(stage_count), .v = claim.v.of(stage_count)};
  out.multipliers = out.state();
  return out;
}

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> list = [] {
    std::vector<MethodInfo> out;
    for (const MethodEntry& e : registry()) out.push_back(e.info);
    return out;
  }();
  return list;
}

namespace {
const MethodEntry* look_up(const std::string& wanted) {
  for (const MethodEntry& e : registry())
    if (e.info.name == wanted ||
        std::find(e.info.aliases.begin(), e.info.aliases.end(), wanted) != e.info.aliases.end())
      return &e;
  return nullptr;
}
}  // namespace

bool is_method(std::string_view name) { return look_up(canonical(name)) != nullptr; }

const MethodEntry& find_entry(std::string_view name) {
  const std::string wanted = canonical(name);
  if (const MethodEntry* e = look_up(wanted)) return *e;
  const std::span<const std::string_view> left_out = left_out_methods();
  if (std::find(left_out.begin(), left_out.end(), wanted) != left_out.end())
    throw Error(
        fmt::format("method '{}' was left out of this build, as were all of SUNDIALS (RATTLEBACK_WITH_SUNDIALS=OFF). "
                    "projected-dop853 and ode-dop853 are methods to compare with that it has",
                    name));
  std::vector<std::string> known;
  for (const MethodEntry& e : registry()) {
    known.emplace_back(e.info.name);
    known.insert(known.end(), e.info.aliases.begin(), e.info.aliases.end());
  }
  Message message = fmt::format("unknown method '{}'.", name);
  if (const std::string close = front::nearest(wanted, known); !close.empty())
    message = message + Message(fmt::format(" Did you mean '{}'?", close), close);
  throw error_of(message + " `rattleback methods` lists all of them");
}

const MethodInfo& find_method(std::string_view name) { return find_entry(name).info; }

}  // namespace rattleback

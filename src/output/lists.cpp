#include "output/lists.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "output/layout.hpp"
#include "rattleback/method.hpp"

namespace rattleback::report {
namespace {

// The value of `key = "value"` in the part of a TOML text before its first table. Enough for the files we ship, which
// write these two keys on a line of their own; a test compares with the real reader.
std::string top_level_string(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) break;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    const std::size_t equals = line.find_first_not_of(" \t");
    if (equals == std::string_view::npos || line[equals] != '=') continue;
    const std::size_t open = line.find('"');
    if (open == std::string_view::npos) continue;
    const std::size_t close = line.find('"', open + 1);
    if (close != std::string_view::npos) return std::string(line.substr(open + 1, close - open - 1));
  }
  return {};
}

const char* short_name(Kind kind) {  // the table has 100 columns
  switch (kind) {
    case Kind::mechanical:
    case Kind::dae:
    case Kind::odae: return to_string(kind);
    case Kind::skew_gradient: return "skew";
    case Kind::port_hamiltonian: return "pH";
  }
  return "";
}

std::string kinds(const MethodInfo& info) {
  std::string text;
  for (const Kind kind : kAllKinds)
    if (info.kinds.has(kind)) text += fmt::format("{}{}", text.empty() ? "" : ", ", short_name(kind));
  return text;
}

std::string stages(const MethodInfo& info) {
  if (info.adaptive) return "-";
  return info.fixed_stages != 0 ? fmt::format("{}", info.fixed_stages) : fmt::format(">= {}", info.min_stages);
}

std::string energy(const MethodInfo& info) {
  if (info.energy == Claim::yes) return "exact";
  if (info.energy == Claim::conditional) return "exact (*)";
  if (info.symmetric == Claim::yes) return "bounded";
  return info.symmetric == Claim::conditional ? "bounded (*)" : "not kept";
}

}  // namespace

std::vector<ListedSystem> systems() {
  std::vector<ListedSystem> list;
  for (const ShippedModel& model : shipped_models()) {
    std::string kind = top_level_string(model.text, "kind");
    list.push_back({std::string(model.key), top_level_string(model.text, "name"),
                    kind.empty() ? to_string(Kind::mechanical) : std::move(kind)});
  }
  return list;
}

bool is_adaptive(std::string_view method) {
  return std::ranges::any_of(methods(), [&](const MethodInfo& info) { return info.name == method && info.adaptive; });
}

std::string method_label(const std::string& method, int stages) {
  const bool fixed = std::ranges::any_of(methods(), [&](const MethodInfo& info) {
    return info.name == method && (info.adaptive || info.fixed_stages != 0);
  });
  return fixed ? method : fmt::format("{}({})", method, stages);
}

std::string_view passage(const EventFound& event) {
  return event.direction > 0 ? "up" : event.direction < 0 ? "down" : "touch";
}

std::string orders_text(const ComponentOrders& orders) {
  if (orders.q == orders.v) return fmt::format("{}", orders.q);
  return fmt::format("{} ({} {})", orders.state(), orders.q > orders.v ? "positions" : "velocities",
                     std::max(orders.q, orders.v));
}

std::vector<OrderLine> order_lines(const MethodInfo& info) {
  std::vector<OrderLine> out;
  if (info.order == nullptr) return out;
  const auto add = [&](Kind kind, OrderCase on, std::string_view constraints) {
    OrderLine line{kind, on, constraints, info.order_text, info.order_text};
    for (const OrderClaim& claim : info.orders)
      if (claim.on == on) line.q = claim.q.text, line.v = claim.v.text;
    out.push_back(line);
  };
  const auto takes = [&](Formulation formulation) {
    return std::ranges::find(info.formulations, formulation) != info.formulations.end();
  };
  const bool mechanical = info.kinds.has(Kind::mechanical), dae = info.kinds.has(Kind::dae),
             odae = info.kinds.has(Kind::odae);
  if (mechanical && odae) {
    add(Kind::mechanical, OrderCase::index3, "holonomic, both levels");
  } else if (mechanical) {
    if (!info.needs_holonomic) {
      add(Kind::mechanical, OrderCase::unconstrained, "none");
      add(Kind::mechanical, OrderCase::velocity, "velocity level");
      if (info.energy != Claim::yes)
        add(Kind::mechanical, OrderCase::reaction, "velocity level, forces nonlinear in the multipliers");
    }
    if (takes(Formulation::index3)) add(Kind::mechanical, OrderCase::index3, "index3");
    if (takes(Formulation::ggl)) add(Kind::mechanical, OrderCase::ggl, "ggl");
  }
  if (dae) add(Kind::dae, OrderCase::dae, "index 2");
  if (odae) add(Kind::odae, OrderCase::index3, "both levels");
  if (info.kinds.has(Kind::skew_gradient) || dae) add(Kind::skew_gradient, OrderCase::unconstrained, "none");
  if (info.kinds.has(Kind::port_hamiltonian)) {
    add(Kind::port_hamiltonian, OrderCase::unconstrained, "index 0 or 1");
    add(Kind::port_hamiltonian, OrderCase::dae, "index 2");
  }
  return out;
}

namespace {

// The cases in which a component does not have the order of the table.
std::string other_orders(const MethodInfo& info) {
  std::string text;
  for (const OrderLine& line : order_lines(info)) {
    if (line.q == info.order_text && line.v == info.order_text) continue;
    const std::string orders =
        line.q == line.v ? std::string(line.q) : fmt::format("positions {}, velocities {}", line.q, line.v);
    text += fmt::format(
        "{}{} ({}): {}", text.empty() ? "Orders: " : "; ", to_string(line.kind),
        facts_of(line.kind).lagrangian && line.constraints == "none" ? "no constraints" : line.constraints, orders);
  }
  return text.empty() ? text : text + ". ";
}

}  // namespace

std::string methods_text() {
  std::vector<std::vector<std::string>> rows = {{"METHOD", "SYSTEMS", "STAGES", "ORDER", "SYMMETRIC", "ENERGY"}};
  for (const MethodInfo& info : methods())
    rows.push_back({std::string(info.name), kinds(info), stages(info), std::string(info.order_text),
                    info.symmetric == Claim::conditional ? "yes (*)" : to_string(info.symmetric), energy(info)});
  const std::string table = align(rows, 0);

  // What a method keeps, its source and its conditions follow below its line of the table.
  std::string out;
  std::size_t begin = 0, row = 0;
  while (begin < table.size()) {
    const std::size_t end = table.find('\n', begin) + 1;
    out += table.substr(begin, end - begin);
    begin = end;
    if (row++ == 0) continue;
    const MethodInfo& info = methods()[row - 2];
    std::string about = fmt::format("Constraints: {}. {}", info.constraints, other_orders(info));
    const bool marked = info.symmetric == Claim::conditional || info.energy == Claim::conditional;
    if (!info.note.empty()) about += fmt::format("{}{}. ", marked ? "(*) " : "Note: ", info.note);
    for (const std::string_view alias : info.aliases) about += fmt::format("Also called {}. ", alias);
    about += fmt::format("[{}]", info.source);
    out += wrap(about, "    ", "    ");
  }
  out += '\n';
  out += wrap(
      "Energy \"bounded\": no drift on reversible problems, as for every symmetric method. `-` and `_` in names mean "
      "the "
      "same. `rattleback check SYSTEM` says which of them apply to a system, and why the others do not.",
      "", "");
  return out;
}

std::string systems_text() {
  std::vector<std::vector<std::string>> rows = {{"SYSTEM", "KIND", "TITLE"}};
  for (const ListedSystem& system : systems()) rows.push_back({system.key, system.kind, system.title});
  return align(rows, 0) +
         "\nTry one: rattleback run SYSTEM. Your own system is a model file: rattleback run FILE.toml\n";
}

}  // namespace rattleback::report

#include "report/model_html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "model/grammar/formula.hpp"
#include "model/kind_facts.hpp"
#include "model/kinds/interconnection.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"
#include "report/html_text.hpp"
#include "report/mathml.hpp"
#include "text/quantities.hpp"

namespace rattleback::report {
namespace {

using front::Value;

constexpr std::size_t kMostLines = 60;    // of a table of formulas
constexpr std::size_t kLongest = 3000;    // characters of a formula that is typeset
constexpr std::size_t kShownValues = 40;  // of parameters and starts

// "= ..." in pieces that a line may break between; what is not an expression stays as it was written.
std::string right_side(const std::string& text, bool equals) {
  std::string as_text = fmt::format("{}<code>{}</code>", equals ? math("<mo form=\"infix\">=</mo>") : "",
                                    html(text.size() > kLongest ? text.substr(0, kLongest) + " ..." : text));
  if (text.size() > kLongest) return as_text;
  try {
    std::string out;
    for (const std::string& term : math_terms(front::Formula("report", "a formula", text), equals))
      out += (out.empty() ? "" : " ") + term;
    return out;
  } catch (const Error&) {
    return as_text;
  }
}

std::string value_text_of(const Value& value) {
  return value.type == Value::Type::string ? value.text : fmt::format("{}", value.number);
}

struct Equation {
  std::string left;   // MathML row; "" has no left side
  std::string right;  // text of the expression
  std::string zero;   // "= 0", "&ge; 0": what follows the expression, as MathML; then there is no left side
  std::string label;  // beside it, plain text
};

std::string equations(const std::vector<Equation>& list) {
  std::string out = "<div class=\"equations\">\n";
  for (std::size_t i = 0; i < std::min(list.size(), kMostLines); ++i) {
    const Equation& e = list[i];
    const std::string body = e.zero.empty() ? math(e.left) + " " + right_side(e.right, true)
                                            : right_side(e.right, false) + " " + math(e.zero);
    out += fmt::format("<div class=\"equation\"><div class=\"formula\">{}</div>{}</div>\n", body,
                       e.label.empty() ? "" : fmt::format("<div class=\"label\">{}</div>", html(e.label)));
  }
  out += "</div>\n";
  if (list.size() > kMostLines)
    out += fmt::format("<p class=\"small muted\">... and {} more, which the text of the file below has.</p>\n",
                       list.size() - kMostLines);
  return out;
}

std::string part(const std::string& heading, const std::string& content) {
  return content.empty() ? "" : fmt::format("<h3>{}</h3>\n{}", html(heading), content);
}

// "rod[i=2:N]" -> "rod[i], i = 2, ..., N"
std::string key_label(const std::string& key) {
  const auto open = key.find('['), equal = key.find('='), colon = key.find(':'), close = key.find(']');
  if (open == std::string::npos || equal == std::string::npos || colon == std::string::npos || close < colon ||
      close == std::string::npos)
    return key;
  const std::string index = key.substr(open + 1, equal - open - 1);
  return fmt::format("{}[{}]{}, {} = {}, ..., {}", key.substr(0, open), index, key.substr(close + 1), index,
                     key.substr(equal + 1, colon - equal - 1), key.substr(colon + 1, close - colon - 1));
}

std::string family_of(const std::string& key) { return key_label(key) == key ? "" : key_label(key); }

// The lines of a table: `left` makes the left side from the key.
std::vector<Equation> lines(const Value* table, const std::function<std::string(const std::string&)>& left) {
  std::vector<Equation> out;
  if (table == nullptr || !table->is_table()) return out;
  for (const Value& item : table->items)
    if (item.type == Value::Type::string || item.is_number())
      out.push_back({.left = left(item.key), .right = value_text_of(item), .zero = {}, .label = family_of(item.key)});
  return out;
}

std::vector<Equation> zeros(const Value* table, const std::vector<std::string>& unilateral = {}) {
  std::vector<Equation> out;
  if (table == nullptr || !table->is_table()) return out;
  for (const Value& item : table->items)
    if (item.type == Value::Type::string || item.is_number()) {
      const bool one_sided = std::ranges::find(unilateral, item.key) != unilateral.end();
      out.push_back(
          {.left = {},
           .right = value_text_of(item),
           .zero = one_sided ? "<mo form=\"infix\">&#x2265;</mo><mn>0</mn>" : "<mo form=\"infix\">=</mo><mn>0</mn>",
           .label = key_label(item.key) + (one_sided ? " (unilateral)" : "")});
    }
  return out;
}

// "a,b" -> X with the index a, b.
std::function<std::string(const std::string&)> entry_of(const std::string& matrix) {
  return [matrix](const std::string& key) {
    const auto comma = key.find(',');
    const auto trimmed = [](std::string text) {
      text.erase(0, text.find_first_not_of(' '));
      return text.substr(0, text.find_last_not_of(' ') + 1);
    };
    std::string below = math_name(trimmed(key.substr(0, comma)));
    if (comma != std::string::npos) below += "<mo>,</mo>" + math_name(trimmed(key.substr(comma + 1)));
    return fmt::format("<msub>{}<mrow>{}</mrow></msub>", matrix, below);
  };
}

std::string dotted(const std::string& key) { return math_name(key + "'"); }

std::string upright(const std::string& letter) { return "<mi>" + letter + "</mi>"; }
std::string bold(const std::string& letter) { return "<mi style=\"font-weight: 600\">" + letter + "</mi>"; }

const Value* find(const Value& document, std::initializer_list<const char*> path) {
  const Value* value = &document;
  for (const char* key : path) {
    value = value->is_table() ? value->find(key) : nullptr;
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::vector<std::string> texts_of(const Value* list) {
  std::vector<std::string> out;
  if (list != nullptr)
    for (const Value& item : list->items) out.push_back(item.text);
  return out;
}

std::string definitions(const Value& document) {
  return part("Definitions", [&] {
    const auto list = lines(find(document, {"define"}), [](const std::string& key) { return math_name(key); });
    return list.empty() ? std::string() : equations(list);
  }());
}

// An input { file = ... } in words.
std::string data_text(const Value& input) {
  const auto text = [&](const char* key) {
    const Value* const value = find(input, {key});
    return value != nullptr ? value->text : std::string();
  };
  const std::string column = text("column"), way = text("interpolate");
  return fmt::format("{}from <code>{}</code>, {}",
                     column.empty() ? "" : fmt::format("column <code>{}</code> ", html(column)), html(text("file")),
                     way.empty() ? "linear" : html(way));
}

std::string mechanical(const Value& document) {
  std::vector<Equation> energy;
  if (const Value* L = find(document, {"lagrangian", "L"})) energy.push_back({upright("L"), value_text_of(*L), {}, {}});
  const Value *T = find(document, {"lagrangian", "kinetic"}), *V = find(document, {"lagrangian", "potential"});
  if (T != nullptr || V != nullptr)
    energy.push_back({upright("L"), V == nullptr ? "T" : T == nullptr ? "-V" : "T - V", {}, {}});
  if (T != nullptr) energy.push_back({upright("T"), value_text_of(*T), {}, "kinetic energy"});
  if (V != nullptr) energy.push_back({upright("V"), value_text_of(*V), {}, "potential energy"});
  std::string out = part("Lagrangian", energy.empty() ? "" : equations(energy)) + definitions(document);
  const auto holonomic = zeros(find(document, {"constraints", "holonomic"})),
             nonholonomic = zeros(find(document, {"constraints", "nonholonomic"}));
  if (!holonomic.empty()) out += part("Holonomic constraints: of positions", equations(holonomic));
  if (!nonholonomic.empty()) out += part("Nonholonomic constraints: of velocities", equations(nonholonomic));
  std::vector<Equation> forces = lines(find(document, {"forces"}), entry_of(upright("Q")));
  if (const Value* R = find(document, {"dissipation", "rayleigh"}))
    forces.push_back({upright("R"), value_text_of(*R), {}, "Rayleigh function: a force against its growth"});
  std::string given;  // inputs without a formula
  if (const Value* ports = find(document, {"ports"}))
    for (const Value& port : ports->items) {
      const Value* const input = find(port, {"input"});
      if (input != nullptr && !input->is_table())
        forces.push_back({entry_of(upright("u"))(port.key), value_text_of(*input), {}, "input of port " + port.key});
      else
        given += fmt::format("<p>Input {}: {}.</p>\n", math(entry_of(upright("u"))(port.key)),
                             input != nullptr ? data_text(*input) : std::string("given from outside, 0 here"));
      for (Equation& e : lines(find(port, {"along"}), entry_of(upright("B")))) {
        e.label = "port " + port.key;
        forces.push_back(std::move(e));
      }
    }
  if (!forces.empty()) out += part("Forces", equations(forces) + given);
  return out;
}

std::string row_of(const std::string& content) { return "<p class=\"formula law\">" + math(content) + "</p>\n"; }

std::string dae(const Value& document) {
  std::string out = row_of("<mover>" + bold("y") + "<mo>&#x2D9;</mo></mover><mo>=</mo>" + bold("f") +
                           "<mo>(</mo><mi>t</mi><mo>,</mo>" + bold("y") + "<mo>,</mo>" + bold("z") +
                           "<mo>)</mo><mo>,</mo><mspace width=\"1em\"/><mn>0</mn><mo>=</mo>" + bold("c") +
                           "<mo>(</mo><mi>t</mi><mo>,</mo>" + bold("y") + "<mo>)</mo>");
  out += definitions(document);
  if (const Value* rhs = find(document, {"rhs"})) {
    const auto single = lines(rhs, dotted);
    if (!single.empty()) out += part("Right-hand side", equations(single));
    for (const Value& item : rhs->items)
      if (item.is_table())
        out +=
            part("Part " + item.key + " of the right-hand side",
                 equations(lines(&item, entry_of("<msub>" + upright("f") + "<mn>" + html(item.key) + "</mn></msub>"))));
  }
  return out + part("Constraints", equations(zeros(find(document, {"constraints"}))));
}

std::string odae(const Value& document) {
  const bool momenta = find(document, {"momentum"}) != nullptr;
  std::string out = row_of(
      "<mover>" + bold("y") + "<mo>&#x2D9;</mo></mover><mo>=</mo>" + bold("v") +
      "<mo>,</mo><mspace width=\"1em\"/><mover>" + bold(momenta ? "p" : "z") + "<mo>&#x2D9;</mo></mover><mo>=</mo>" +
      bold("f") + "<mo>+</mo>" + bold("r") + "<mo>(</mo><mi>&#x3C8;</mi><mo>)</mo><mo>,</mo>" +
      "<mspace width=\"1em\"/><mn>0</mn><mo>=</mo>" + bold("g") + "<mo>(</mo>" + bold("y") + "<mo>)</mo>");
  out += definitions(document);
  for (const auto& [key, symbol, title] : {std::array{"v", "v", "Rates of the positions"},
                                           {"momentum", "p", "Momenta"},
                                           {"f", "f", "Forces"},
                                           {"r", "r", "Reactions"}}) {
    const auto list = lines(find(document, {key}), entry_of(upright(symbol)));
    if (!list.empty()) out += part(title, equations(list));
  }
  out +=
      part("Constraints", equations(zeros(find(document, {"constraints"}), texts_of(find(document, {"unilateral"})))));
  if (const Value* e = find(document, {"restitution"}))
    out += fmt::format("<p>Restitution at impacts: {}.</p>\n", math(math_number(e->number)));
  return out;
}

std::string energy_of(const Value& document) {
  const Value* H = find(document, {"hamiltonian"});
  return H == nullptr ? "" : part("Hamiltonian", equations({{upright("H"), value_text_of(*H), {}, {}}}));
}

std::string skew_gradient(const Value& document) {
  return row_of("<mover>" + bold("x") + "<mo>&#x2D9;</mo></mover><mo>=</mo><mi>&#x3A0;</mi><mo>(</mo>" + bold("x") +
                "<mo>)</mo><mo>&#x2207;</mo><mi>H</mi><mo>(</mo>" + bold("x") + "<mo>)</mo>") +
         energy_of(document) + definitions(document) +
         part("Structure matrix, above the diagonal",
              equations(lines(find(document, {"pi"}), entry_of("<mi>&#x3A0;</mi>"))));
}

std::string port_hamiltonian(const Value& document) {
  std::string out = row_of("<mi>E</mi><mover>" + bold("x") + "<mo>&#x2D9;</mo></mover><mo>+</mo>" + bold("r") +
                           "<mo>=</mo><mo>(</mo><mi>J</mi><mo>&#x2212;</mo><mi>R</mi><mo>)</mo>" + bold("z") +
                           "<mo>+</mo><mo>(</mo><mi>B</mi><mo>&#x2212;</mo><mi>P</mi><mo>)</mo>" + bold("u")) +
                    energy_of(document) + definitions(document);
  std::vector<Equation> all;
  const auto add = [&](const Value* table, const std::string& name) {
    for (Equation& e : lines(table, entry_of(name))) all.push_back(std::move(e));
  };
  for (const char* name : {"E", "J", "R", "S", "N", "r", "z"}) add(find(document, {name}), upright(name));
  for (const char* name : {"B", "P"})
    if (const Value* columns = find(document, {name}))
      for (const Value& column : columns->items) {
        const std::size_t before = all.size();
        add(&column, upright(name));
        for (std::size_t i = before; i < all.size(); ++i) all[i].label = "input " + column.key;
      }
  out += part("Entries that are not 0 (the rest follows by symmetry)", all.empty() ? "" : equations(all));
  const auto inputs = lines(find(document, {"inputs"}), entry_of(upright("u")));
  return out + part("Inputs", inputs.empty() ? "" : equations(inputs));
}

std::string interconnection(const Model& model, const Value& document) {
  std::string out = "<p>Port-Hamiltonian systems, joined so that power is kept.</p>\n";
  if (const Value* systems = find(document, {"systems"})) {
    std::string list = "<ul>\n";
    for (const Value& item : systems->items)
      list += fmt::format("<li><b>{}</b>: {}</li>\n", html(item.key), html(value_text_of(item)));
    out += part("Parts", list + "</ul>\n");
  }
  if (const Value* connect = find(document, {"connect"})) {
    std::string list = "<ul>\n";
    for (const Value& item : connect->items)
      list += fmt::format("<li><code>{} = 0</code> ({})</li>\n", html(value_text_of(item)), html(item.key));
    out += part("Connection", list + "</ul>\n");
  }
  std::string states;
  for (std::int32_t i = 0; i < std::min(model.coordinates.size(), std::int32_t{40}); ++i)
    states += fmt::format("{}<code>{}</code>", i == 0 ? "" : ", ", html(model.coordinates[i]));
  return out + part("States of the whole", "<p>" + states + "</p>\n");
}

// --- the text around the formulas

// The comment at the top of the file, as paragraphs.
std::string about(const std::string& text) {
  std::string out, paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) out += fmt::format("<p>{}</p>\n", html(paragraph));
    paragraph.clear();
  };
  for (std::size_t begin = 0; begin < text.size() && text[begin] == '#';) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin + 1, end - begin - 1);
    line.erase(0, line.find_first_not_of(" \t"));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) flush();
    // "Source: ...", "For: ..." stand on lines of their own.
    const auto colon = line.find(": ");
    if (colon < 24 && std::isupper(static_cast<unsigned char>(line[0])) != 0 &&
        std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                    [](unsigned char c) { return std::isalpha(c) != 0 || c == ' '; }))
      flush();
    if (!line.empty()) paragraph += (paragraph.empty() ? "" : " ") + line;
    begin = end + 1;
  }
  flush();
  return out;
}

// The comment behind a value: what follows the first # outside of quotes on its line.
std::string comment_at(const std::string& text, std::size_t offset) {
  char quote = 0;
  for (std::size_t i = offset; i < text.size() && text[i] != '\n'; ++i) {
    if (quote != 0) {
      quote = text[i] == quote ? '\0' : quote;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '#') {
      std::string comment = text.substr(i + 1, std::min(text.find('\n', i), text.size()) - i - 1);
      comment.erase(0, comment.find_first_not_of(" \t"));
      while (!comment.empty() && (comment.back() == '\r' || comment.back() == ' ')) comment.pop_back();
      return comment;
    }
  }
  return {};
}

// What was changed from outside.
const Settings& changes_of(const Model& model) {
  static const Settings none;
  return model.written ? model.written->options.set : none;
}

// Arrays are shown as they stand in the file, with the entries that were set for the run (--set k[2]=5).
std::string array_rows(const Model& model, const Value* table) {
  constexpr std::size_t kMost = 8;  // entries
  std::string rows;
  if (table == nullptr) return rows;
  const Settings& changes = changes_of(model);
  for (const Value& item : table->items) {
    if (item.type != Value::Type::array) continue;
    std::string values, what = html(comment_at(model.text, item.key_offset));
    const auto set = [&](std::size_t i) {
      return std::ranges::find(changes, fmt::format("{}[{}]", item.key, i + 1), [](const auto& s) { return s.first; });
    };
    bool changed = false;
    for (std::size_t i = 0; i < item.items.size(); ++i) {
      const auto value = set(i);
      changed = changed || value != changes.end();
      if (i >= kMost) continue;
      const Value& x = item.items[i];
      values += (i > 0 ? ", " : "") + (value != changes.end() ? html(value->second)
                                       : x.is_number()        ? value_text(x.number)
                                                              : html(x.text));
    }
    if (changed) what += (what.empty() ? "" : "; ") + std::string("set for this run");
    if (item.items.size() > kMost) values += fmt::format(", ... ({} values)", item.items.size());
    rows += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n", math(math_name(item.key)),
                        values, what);
  }
  return rows;
}

std::string parameter_table(const Model& model, const Value* table) {
  const std::string arrays = array_rows(model, table);
  std::string rows;
  std::size_t numbers = 0;
  for (const auto& [name, value] : model.parameters) {
    if (name.ends_with(']') || ++numbers > kShownValues) continue;
    const Value* item = table != nullptr ? table->find(name) : nullptr;
    const bool changed =
        std::ranges::any_of(changes_of(model), [&name = name](const auto& set) { return set.first == name; });
    std::string formula =
        item != nullptr && item->type == Value::Type::string && !changed ? right_side(item->text, true) : "";
    std::string what = item != nullptr ? html(comment_at(model.text, item->key_offset)) : "";
    if (changed) what += (what.empty() ? "" : "; ") + std::string("set for this run");
    rows += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td><td>{}{}{}</td></tr>\n", math(math_name(name)),
                        value_text(value), formula, formula.empty() || what.empty() ? "" : " &middot; ", what);
  }
  if (rows.empty() && arrays.empty()) return {};
  std::string out = "<div class=\"scroll\"><table><tbody>\n" + rows + arrays + "</tbody></table></div>\n";
  if (numbers > kShownValues)
    out += fmt::format("<p class=\"small muted\">... and {} more.</p>\n", numbers - kShownValues);
  return out;
}

std::string start_table(const Model& model, const Trajectory& t) {
  const Trajectory::Records& r = t.records;
  const auto n = static_cast<std::size_t>(model.coordinates.size());
  const bool recorded = r.rows > 0 && r.q.size() >= n;
  const auto first = [&](const std::vector<double>& values, std::size_t size, const std::vector<double>& otherwise) {
    return recorded && values.size() >= size
               ? std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size))
               : otherwise;
  };
  const std::vector<double> q = first(r.q, n, model.q0);
  const auto nv = static_cast<std::size_t>(velocity_count(model));
  const std::vector<double> v = first(r.v, nv, model.v0);
  std::string rows;
  for (std::size_t i = 0; i < std::min(std::max(q.size(), nv), kShownValues); ++i) {
    const auto at = static_cast<std::int32_t>(i);
    const auto cell = [&](const std::string& name, double value) {
      return fmt::format("<td>{}</td><td class=\"number\">{}</td>", math(math_name(name)), value_text(value));
    };
    rows += "<tr>" + (i < q.size() ? cell(model.coordinates[at], q[i]) : "<td></td><td></td>");
    if (i < std::min(nv, v.size())) rows += cell(velocity_name(model, at), v[i]);
    rows += "</tr>\n";
  }
  std::string out = "<div class=\"scroll\"><table><tbody>\n" + rows + "</tbody></table></div>\n";
  if (q.size() > kShownValues)
    out += fmt::format("<p class=\"small muted\">... and {} more coordinates.</p>\n", q.size() - kShownValues);
  return out;
}

// A model from C++ has no text: its formulas are written from the graph.
std::string from_graph(const Model& model) {
  if (model.graph == nullptr || !facts_of(model).lagrangian) return {};
  const auto name = [&](const Node& n) -> std::string {
    if (n.op == Op::input) {
      for (const Port& p : model.ports)
        if (const Node& input = (*model.graph)[p.input]; input.op == Op::input && input.a == n.a) return p.name;
      return "u";
    }
    if (n.space == kTime) return "t";
    if (n.count != 0) return "...";
    const std::string q = n.space == kMultiplier ? "lambda" : model.coordinates[n.base()];
    return n.space == kVelocity ? q + "'" : q;
  };
  std::string out =
      part("Lagrangian", equations({{upright("L"), to_string(*model.graph, model.lagrangian, name), {}, {}}}));
  std::vector<Equation> constraints;
  const auto add = [&](const Entries& entries, const Names& names) {
    for (const Entry& e : entries)
      if (e.count == 0)
        constraints.push_back({.left = {},
                               .right = to_string(*model.graph, e.expr, name),
                               .zero = "<mo form=\"infix\">=</mo><mn>0</mn>",
                               .label = names[e.row.base]});
  };
  add(model.holonomic, model.holonomic_names);
  add(model.nonholonomic, model.nonholonomic_names);
  return out + (constraints.empty() ? "" : part("Constraints", equations(constraints)));
}

}  // namespace

std::string model_html(const Model& model, const Trajectory& trajectory) {
  std::string formulas, exact;
  const Value* parameters = nullptr;
  if (model.written && !model.written->traced) {
    const Value& document = model.written->document->root;
    parameters = find(document, {"parameters"});
    if (front::is_interconnection(document))
      formulas = interconnection(model, document);
    else
      switch (model.kind) {
        case Kind::mechanical: formulas = mechanical(document); break;
        case Kind::dae: formulas = dae(document); break;
        case Kind::odae: formulas = odae(document); break;
        case Kind::skew_gradient: formulas = skew_gradient(document); break;
        case Kind::port_hamiltonian: formulas = port_hamiltonian(document); break;
      }
    const auto known = lines(find(document, {"exact"}), [](const std::string& key) { return math_name(key); });
    if (!known.empty()) exact = part("Exact solution", equations(known));
  } else {
    formulas = from_graph(model);
  }
  std::string out = "<div class=\"about\">" + about(model.text) + "</div>\n<div class=\"model\">\n<div>\n" + formulas +
                    exact + "</div>\n<div>\n" + part("Parameters", parameter_table(model, parameters)) +
                    part("Start", start_table(model, trajectory)) + "</div>\n</div>\n";
  if (!model.text.empty())
    out += fmt::format(
        "<details><summary>The text of the model file</summary>\n<pre tabindex=\"0\"><code>{}</code></pre></details>\n",
        html(model.text));
  return out;
}

}  // namespace rattleback::report

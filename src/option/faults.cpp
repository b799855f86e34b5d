#include "option/faults.hpp"

#include <fmt/format.h>

#include "option/option_table.hpp"
#include "text/words.hpp"

namespace rattleback {

std::vector<Contradiction> contradictions(const Options& o, const Called& called) {
  std::vector<Contradiction> out;
  const auto fault = [&](std::string_view option, std::string text) { out.push_back({option, std::move(text)}); };
  if (o.until && o.steps)
    fault("steps", fmt::format("{} and {} both say where to stop; give one of them", called("until"), called("steps")));
  if (o.adaptive != 0.0 && o.steps)
    fault("steps", fmt::format("{} counts fixed steps, and {} chooses them; give {}", called("steps"),
                               called("adaptive"), called("until T")));
  if (o.adaptive != 0.0 && o.audit_order)
    fault("audit", fmt::format("{} repeats with h/2 and h/4, but {} chooses the steps; leave one of them out",
                               called("audit order"), called("adaptive")));
  if (o.output_every != 0.0 && o.every != 0)
    fault("output-every",
          fmt::format("{} and {} both say what to record; give one of them", called("every"), called("output-every")));
  if (o.resume && o.checkpoint.empty())
    fault("resume", fmt::format("{} needs {}: the file to continue from", called("resume"), called("checkpoint FILE")));
  if (!is_default(option_row("checkpoint-seconds"), o) && o.checkpoint.empty())
    fault("checkpoint-seconds", fmt::format("{} needs {}: the file that is written so often",
                                            called("checkpoint-seconds"), called("checkpoint FILE")));
  if (!o.tableau.empty() && !o.method.empty())
    fault("tableau", fmt::format("{} brings its own method; leave {} out", called("tableau"), called("method")));
  return out;
}

std::vector<Contradiction> missing_partners(const Options& o, const Called& called) {
  if (!o.controller.given() || o.adaptive != 0.0) return {};
  return {
      {"controller", fmt::format("{} needs {}: a fixed step has none", called("controller"), called("adaptive TOL"))}};
}

std::string Options::validate() const {
  std::string faults;
  const auto fault = [&](const std::string& text) {
    if (!text.empty()) faults += (faults.empty() ? "" : "\n") + text;
  };
  for (const OptionRow& row : option_table()) {  // what was not asked for is as in Options{}
    if (is_default(row, *this)) continue;
    const OptionValue value = value_of(row.field, *this);
    switch (shape_of(row.field)) {
      case Shape::whole: fault(fault_of(row, static_cast<double>(std::get<std::int64_t>(value)))); break;
      case Shape::number: fault(fault_of(row, std::get<double>(value))); break;
      case Shape::text: fault(fault_of(row, std::get<std::string>(value))); break;
      case Shape::flag:
      case Shape::texts:
      case Shape::numbers:
      case Shape::values:
      case Shape::none: break;
    }
  }
  for (const Contradiction& c :
       contradictions(*this, [](std::string_view option) { return fmt::format("--{}", option); }))
    fault(c.text);
  return in_words(std::move(faults));
}

}  // namespace rattleback

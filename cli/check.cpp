// `rattleback check`: what can be said about a system without integrating it.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.hpp"
#include "rattleback/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

constexpr std::array kForms = {"port-hamiltonian", "reduced", "latex"};

// The name of a form; "" when none is asked for.
std::string form_of(Arguments& a) {
  if (!a.has("--form")) return "";
  std::string form = a.text("--form").value_or("");
  if (std::ranges::find(kForms, form) == kForms.end())
    a.fault(fmt::format("--form is '{}', but must be one of: {}", form, fmt::join(kForms, ", ")));
  return form;
}

}  // namespace

Arguments declare_check() {
  Arguments a("check",
              "Looks at a system without integrating it: sizes, index, rank of the constraints, whether the start is "
              "consistent and each velocity constraint integrable, symmetries, derivatives, and which methods apply.",
              "rattleback check rolling-disk --start \"phi'=3\"");
  a.system();
  add_model_options(a);
  a.value("--form", "FORM",
          "writes the equations instead: port-hamiltonian (the matrices), reduced (without velocity constraints, in an "
          "adapted frame), latex (a document with the equations of motion)");
  a.flag("--json", "prints one JSON object instead of sentences");
  return a;
}

int check(const Words& words) {
  Arguments a = declare_check();
  if (!a.parse(words)) return kDone;
  const LoadOptions load = model_options(a);
  const std::string form = form_of(a);
  a.refuse_if_faulty();

  const Model model = load_model(a.system_name(), load);
  std::string latex = form == "latex" ? to_latex(model) : "";
  if (!latex.empty() && !a.has("--json")) {
    print(latex);
    return kDone;
  }
  CheckReport report = rattleback::check(model, form == "port-hamiltonian" ? Form::port_hamiltonian
                                                : form == "reduced"        ? Form::reduced
                                                                           : Form::none);
  report.latex = std::move(latex);
  print(a.has("--json") ? to_json(model, report) : to_text(model, report));
  return kDone;
}

}  // namespace rattleback::cli

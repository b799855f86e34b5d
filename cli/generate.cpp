// `rattleback generate`: the steps of a method on a system as a C++ header.
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "common.hpp"
#include "files/replace.hpp"
#include "rattleback/generate.hpp"
#include "run/complete.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

// double-pendulum, rattle -> DoublePendulumRattle
std::string struct_name(std::string_view words) {
  std::string out;
  bool begins = true;
  for (const char c : words) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0) {
      begins = true;
      continue;
    }
    out += static_cast<char>(begins ? std::toupper(letter) : letter);
    begins = false;
  }
  return out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0 ? "Steps" + out : out;
}

}  // namespace

Arguments declare_generate() {
  Arguments a("generate", "Writes the steps of a method on a system as a C++20 header that needs nothing else.",
              "rattleback generate double-pendulum --method rattle --step 0.01 --output double_pendulum.hpp");
  a.system();
  add_options(a, Place::generate,
              {{"method", "default: the model's, else as for `rattleback run`"},
               {"step", "the step that the header suggests; others can be taken too. Default: the model's"}});
  a.value("--name", "NAME", "of the struct, as demo::Pendulum. Default: made of system and method");
  a.value("--output", "FILE.hpp", "where it is written. Default: standard output");
  add_model_options(a);
  return a;
}

int generate(const Words& words) {
  Arguments a = declare_generate();
  if (!a.parse(words)) return kDone;

  LoadOptions load = model_options(a);
  Options options;
  read_options(a, Place::generate, options);
  const std::string output = a.text("--output").value_or("");
  if (a.has("--output")) {
    if (output.ends_with(".hpp") || output.ends_with(".h"))
      a.collect([&] { files::check_place(output, "header"); });
    else
      a.fault(fmt::format("--output takes a file that ends in .hpp or .h, found '{}'", output));
  }
  a.refuse_if_faulty();

  load.unroll_below = kLargestFamily;  // a step is written in single coordinates
  const Model model = load_model(a.system_name(), load);
  check_keep(a, model);
  const std::string method =
      options.tableau.empty() ? options.method.empty() ? model.run.method.value_or("") : options.method : "tableau";
  const std::string name = a.text("--name").value_or(struct_name(model.key + "-" + method));
  const std::string text = step_header(model, options, name);
  if (output.empty()) {
    print(text);
    return kDone;
  }
  Files files;
  files.write(output, fmt::format("Written to {}: struct {}", output, name), [&] { files::write_text(output, text); });
  return files.conclude([&] { return files.text().empty() ? std::string() : files.text().substr(1); });
}

}  // namespace rattleback::cli

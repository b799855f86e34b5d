#include "engine/text/header_runtime.hpp"

#include <string_view>

namespace rattleback {

// Of the files of the same names (cmake/step_texts.cmake).
namespace step_texts {
std::string dense();
std::string largest();
std::string stopping();
std::string solving();
std::string convergence();
std::string block_newton();
std::string starting_values();
std::string angles();
std::string step_loop();
std::string written_steps();
}  // namespace step_texts

std::string header_newton(const std::string& scope) {
  std::string out = "namespace " + scope + " {\n";
  for (const auto text : {step_texts::dense, step_texts::largest, step_texts::stopping, step_texts::solving,
                          step_texts::convergence, step_texts::block_newton, step_texts::starting_values,
                          step_texts::angles, step_texts::step_loop, step_texts::written_steps}) {
    const std::string all = text();
    std::string_view rest = all;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      if (!line.starts_with('#') || line.starts_with("#pragma GCC")) out += line;
      rest.remove_prefix(line.size());
    }
  }
  return out + "}  // namespace " + scope + "\n\n";
}

}  // namespace rattleback

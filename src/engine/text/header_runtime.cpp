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

const char* const kHeaderMath = R"(  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static double tan(double x) { return std::tan(x); }
  static double asin(double x) { return std::asin(x); }
  static double acos(double x) { return std::acos(x); }
  static double atan(double x) { return std::atan(x); }
  static double sinh(double x) { return std::sinh(x); }
  static double cosh(double x) { return std::cosh(x); }
  static double tanh(double x) { return std::tanh(x); }
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double fabs(double x) { return std::fabs(x); }
  static double pow(double x, double y) { return std::pow(x, y); }
  static double atan2(double y, double x) { return std::atan2(y, x); }
  static double hypot(double x, double y) { return std::hypot(x, y); }
  static constexpr double LARGEST = std::numeric_limits<double>::max();
  static double larger(double a, double b) { return a < b ? b : a; }
  static double row_scale(double big) {  // a power of two, so that scaling is exact
    return std::bit_cast<double>((2046 - (std::bit_cast<std::uint64_t>(big) >> 52)) << 52);
  }
)";

}  // namespace rattleback

#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "report/layout.hpp"

namespace rattleback::cli {
namespace {

constexpr double kQuietSeconds = 0.5;

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

std::function<void(const Progress&)> ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  if (progress.seconds < kQuietSeconds) return;
  fmt::print(stderr, "\r{}\x1b[K", progress_text(progress).substr(0, terminal_width()));
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string progress_text(const Progress& p) {
  std::string text = fmt::format("{} of {} steps, t = {:.4g} of {:.4g}", p.step, p.steps, p.t, p.until);
  if (p.step > 0 && p.seconds > 0.0) {
    const double rate = static_cast<double>(p.step) / p.seconds;
    text += fmt::format(", {:.2g} steps/s, {} left", rate,
                        report::duration_text(static_cast<double>(p.steps - p.step) / rate));
  }
  return text + fmt::format(", energy error {}", report::size_text(p.energy_error));
}

}  // namespace rattleback::cli

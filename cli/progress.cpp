#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "answer.hpp"
#include "files/harmless.hpp"
#include "text/quantities.hpp"

namespace rattleback::cli {
namespace {

constexpr double kQuietSeconds = 0.5;

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1 && !is_quiet()) {}

ProgressLine::~ProgressLine() { clear(); }

std::function<void(const Progress&)> ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  if (progress.seconds < kQuietSeconds) return;
  line(progress_text(progress));
}

void ProgressLine::line(const std::string& text) {
  // Not fmt::print, which throws when the terminal is gone: that would end the run.
  const std::string shown = fmt::format("\r{}\x1b[K", files::harmless(text.substr(0, terminal_width())));
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::parts(std::size_t done, std::size_t all, const char* noun) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (seconds < kQuietSeconds || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  std::string text = fmt::format("{} of {} {}", done, all, noun);
  if (done > 0)
    text +=
        fmt::format(", {} left", duration_text(seconds * static_cast<double>(all - done) / static_cast<double>(done)));
  line(text);
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

// Short enough for 80 columns with everyday numbers.
std::string progress_text(const Progress& p) {
  std::string text = fmt::format("{} of {} steps", p.step, p.steps);
  const double rate = p.seconds > 0.0 ? static_cast<double>(p.step) / p.seconds : 0.0;
  if (rate >= 1e6)
    text += fmt::format(" ({:.1f} M/s)", rate / 1e6);
  else if (rate >= 1e3)
    text += fmt::format(" ({:.1f} k/s)", rate / 1e3);
  else if (rate > 0.0)
    text += fmt::format(" ({:.2g}/s)", rate);
  text += fmt::format(", t = {:.4g}", p.t);
  if (rate > 0.0) text += fmt::format(", {} left", duration_text(static_cast<double>(p.steps - p.step) / rate));
  return text + fmt::format(", energy error {}", size_text(p.energy_error));
}

}  // namespace rattleback::cli

// In the place of rsvg.cpp in builds that leave librsvg out. check_figure_path() refuses the names of such files before a run.
#include "plot/rsvg.hpp"

#include "rattleback/error.hpp"

namespace rattleback::plot {
namespace {

[[noreturn]] void refuse() {
  throw Error("this build writes no .pdf and .png files (RATTLEBACK_WITH_RSVG=OFF). Use .svg");
}

}  // namespace

std::string why_no_rsvg() { return "RATTLEBACK_WITH_RSVG=OFF"; }

std::string pdf_of(const std::string&, const std::string&) { refuse(); }

std::string png_of(const std::string&) { refuse(); }

}  // namespace rattleback::plot

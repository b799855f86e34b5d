#include "plot/figure_file.hpp"

#include <fmt/format.h>

#include "files/built_with.hpp"
#include "files/replace.hpp"
#include "plot/rsvg.hpp"
#include "plot/svg.hpp"
#include "rattleback/error.hpp"

namespace rattleback::plot {
namespace {

enum class Format { svg, pdf, png };

Format format_of(const std::string& path) {
  if (path.ends_with(".svg")) return Format::svg;
  if (path.ends_with(".pdf")) return Format::pdf;
  if (path.ends_with(".png")) return Format::png;
  throw Error(
      fmt::format("figure '{}' has an ending that is not known. Figures are written as .svg, .pdf or .png", path));
}

}  // namespace

void check_figure_path(const std::string& path) {
  files::check_place(path, "figure");
  if (format_of(path) == Format::svg) return;
  if (!kWithRsvg)
    throw Error(fmt::format(
        "figure '{}': this build writes no .pdf and .png files (RATTLEBACK_WITH_RSVG=OFF). Use .svg", path));
  if (const std::string why = why_no_rsvg(); !why.empty())
    throw Error(
        fmt::format("figure '{}': .pdf and .png are drawn by librsvg, which was not found ({}). Install it "
                    "(Debian: apt-get install librsvg2-2), or use .svg",
                    path, why));
}

void write_figure(const Figure& figure, const std::string& path) {
  check_figure_path(path);
  switch (format_of(path)) {
    case Format::svg: return files::write_text(path, to_svg(figure));
    case Format::pdf: return files::write_text(path, pdf_of(to_svg(figure, Page::light), figure.title));
    case Format::png: return files::write_text(path, png_of(to_svg(figure, Page::light)));
  }
}

}  // namespace rattleback::plot

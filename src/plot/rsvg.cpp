#include "plot/rsvg.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback::plot {
namespace {

// What we call of librsvg 2.52, cairo 1.16 and GLib, declared as their headers do: so neither these nor the archives of some
// forty libraries behind them are needed where this is built.
struct Handle;
struct Surface;
struct Cairo;
struct Fault {
  std::uint32_t domain;
  int code;
  char* message;
};
struct Rectangle {
  double x, y, width, height;
};
using Sink = int (*)(void* bytes, const unsigned char* data, unsigned int length);  // 0: taken
constexpr int kSuccess = 0, kWriteFailed = 11;                                      // cairo_status_t
constexpr int kOpaque = 1;                                                          // CAIRO_FORMAT_RGB24
constexpr int kTitle = 0, kCreateDate = 5;                                          // cairo_pdf_metadata_t

struct Functions {
  Handle* (*read)(const std::uint8_t* text, std::size_t length, Fault** fault) = nullptr;
  int (*size)(Handle*, double* width, double* height) = nullptr;
  int (*draw)(Handle*, Cairo*, const Rectangle* place, Fault** fault) = nullptr;
  void (*drop_handle)(void*) = nullptr;
  void (*drop_fault)(Fault*) = nullptr;
  Surface* (*pdf)(Sink, void* bytes, double width, double height) = nullptr;
  void (*say)(Surface*, int what, const char* text) = nullptr;
  Surface* (*image)(int format, int width, int height) = nullptr;
  int (*write_png)(Surface*, Sink, void* bytes) = nullptr;
  void (*finish)(Surface*) = nullptr;
  int (*status)(Surface*) = nullptr;
  void (*drop_surface)(Surface*) = nullptr;
  Cairo* (*begin)(Surface*) = nullptr;
  void (*colour)(Cairo*, double red, double green, double blue) = nullptr;
  void (*paint)(Cairo*) = nullptr;
  int (*cairo_status)(Cairo*) = nullptr;
  void (*end)(Cairo*) = nullptr;
  const char* (*words)(int status) = nullptr;
};

struct Library {
  Functions call;
  std::string why;  // it is not there
};

// dlsym() looks in the libraries that librsvg needs, too.
Library load() {
  Library out;
  const auto said = [] {
    const char* const words = dlerror();  // NOLINT(concurrency-mt-unsafe)
    return std::string(words == nullptr ? "it has other functions" : words);
  };
  void* const handle = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    out.why = said();
    return out;
  }
  const auto find = [&](auto& function, const char* name) {
    if (!out.why.empty()) return;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) out.why = said();
  };
  Functions& f = out.call;
  find(f.read, "rsvg_handle_new_from_data");
  find(f.size, "rsvg_handle_get_intrinsic_size_in_pixels");
  find(f.draw, "rsvg_handle_render_document");
  find(f.drop_handle, "g_object_unref");
  find(f.drop_fault, "g_error_free");
  find(f.pdf, "cairo_pdf_surface_create_for_stream");
  find(f.say, "cairo_pdf_surface_set_metadata");
  find(f.image, "cairo_image_surface_create");
  find(f.write_png, "cairo_surface_write_to_png_stream");
  find(f.finish, "cairo_surface_finish");
  find(f.status, "cairo_surface_status");
  find(f.drop_surface, "cairo_surface_destroy");
  find(f.begin, "cairo_create");
  find(f.colour, "cairo_set_source_rgb");
  find(f.paint, "cairo_paint");
  find(f.cairo_status, "cairo_status");
  find(f.end, "cairo_destroy");
  find(f.words, "cairo_status_to_string");
  return out;
}

const Library& library() {
  static const Library loaded = load();  // and never unloaded: GLib cannot be
  return loaded;
}

const Functions& functions() {
  if (!library().why.empty()) throw Error("librsvg was not found: " + library().why);
  return library().call;
}

template <auto Member>
struct Drop {
  template <class T>
  void operator()(T* x) const {
    (functions().*Member)(x);
  }
};
using Read = std::unique_ptr<Handle, Drop<&Functions::drop_handle>>;
using Paper = std::unique_ptr<Surface, Drop<&Functions::drop_surface>>;
using Pen = std::unique_ptr<Cairo, Drop<&Functions::end>>;

// No exception may leave a function that C calls.
int take(void* bytes, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return kSuccess;
  } catch (...) {
    return kWriteFailed;
  }
}

void check(int status) {
  if (status != kSuccess) throw Error(fmt::format("cairo could not draw the figure: {}", functions().words(status)));
}

[[noreturn]] void fail(Fault* fault) {
  const std::string message = fault == nullptr ? "no reason was given" : fault->message;
  if (fault != nullptr) functions().drop_fault(fault);
  throw Error("librsvg could not draw the figure: " + message);
}

struct Drawing {
  Read handle;
  double width = 0.0, height = 0.0;  // in pixels of CSS, 96 of which are an inch
};

Drawing read(const std::string& svg) {
  const Functions& f = functions();
  Fault* fault = nullptr;
  Drawing out{Read(f.read(reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size(), &fault))};
  if (out.handle == nullptr) fail(fault);
  if (f.size(out.handle.get(), &out.width, &out.height) == 0) throw Error("the drawing has no size");
  return out;
}

void draw(const Drawing& drawing, const Pen& pen, double width, double height) {
  const Functions& f = functions();
  Fault* fault = nullptr;
  const Rectangle place{0.0, 0.0, width, height};
  if (f.draw(drawing.handle.get(), pen.get(), &place, &fault) == 0) fail(fault);
  check(f.cairo_status(pen.get()));
}

std::string big_endian(std::uint32_t x) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift);
  return out;
}

// A chunk of a PNG file: length, name, data, and a checksum of name and data (CRC-32 of ISO 3309).
std::string chunk(const std::string& name, const std::string& data) {
  std::uint32_t rest = 0xffffffff;
  for (const char c : name + data) {
    rest ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320 : 0);
  }
  return big_endian(static_cast<std::uint32_t>(data.size())) + name + data + big_endian(~rest);
}

}  // namespace

std::string why_no_rsvg() { return library().why; }

std::string pdf_of(const std::string& svg, const std::string& title) {
  const Functions& f = functions();
  const Drawing drawing = read(svg);
  const double width = drawing.width * 72.0 / 96.0, height = drawing.height * 72.0 / 96.0;  // in points
  std::string bytes;
  const Paper paper(f.pdf(take, &bytes, width, height));
  check(f.status(paper.get()));
  f.say(paper.get(), kTitle, title.c_str());
  f.say(paper.get(), kCreateDate, "");
  {
    const Pen pen(f.begin(paper.get()));
    draw(drawing, pen, width, height);
  }
  f.finish(paper.get());
  check(f.status(paper.get()));
  return bytes;
}

std::string png_of(const std::string& svg) {
  const Functions& f = functions();
  const Drawing drawing = read(svg);
  const double scale = kDotsPerInch / 96.0;
  const double width = std::ceil(drawing.width * scale), height = std::ceil(drawing.height * scale);
  const Paper paper(f.image(kOpaque, static_cast<int>(width), static_cast<int>(height)));
  check(f.status(paper.get()));
  {
    const Pen pen(f.begin(paper.get()));
    f.colour(pen.get(), 1.0, 1.0, 1.0);
    f.paint(pen.get());
    draw(drawing, pen, width, height);
  }
  std::string bytes;
  check(f.write_png(paper.get(), take, &bytes));
  // The resolution, in dots per metre, behind the header, whose length is fixed: what is typeset knows its size.
  constexpr std::size_t kBehindHeader = 8 + 12 + 13;
  const std::string dots = big_endian(static_cast<std::uint32_t>(std::lround(kDotsPerInch / 0.0254)));
  if (bytes.size() > kBehindHeader) bytes.insert(kBehindHeader, chunk("pHYs", dots + dots + '\x01'));
  return bytes;
}

}  // namespace rattleback::plot

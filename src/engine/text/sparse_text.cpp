#include "engine/text/sparse_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/common_text.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/stagger.hpp"
#include "engine/text/text_out.hpp"
#include "expr/instructions.hpp"
#include "step/stopping.hpp"

namespace rattleback {
namespace {

constexpr int kLanes = 4;
// Members of a strip: what 50 vectors hold of them fits into a second-level cache several times. Not tuned.
constexpr std::int32_t kStrip = 256;
static_assert(kStrip % kChunk == 0);
// Models without families have texts that grow with them; beyond this a compiler would take too long.
constexpr std::size_t kMostInstructions = 20'000;

// Every step-th number from an address on, and numbers with such distances.
const char* const kMembersText = R"(#define EVERY(address, step) \
  ((v){(address)[0], (address)[(step)], (address)[2 * (step)], (address)[3 * (step)]})
#define SCATTER(address, step, how, x) \
  (address)[0] how x[0]; (address)[(step)] how x[1]; (address)[2 * (step)] how x[2]; (address)[3 * (step)] how x[3]
#define COUNTED(x, step) ((v){(double)(x), (double)((x) + (step)), (double)((x) + 2 * (step)), (double)((x) + 3 * (step))})
)";

bool is_sink(const LoopInstruction& in) {
  return in.what == LoopCode::store || in.what == LoopCode::store_add || in.what == LoopCode::reduce;
}

// Can its members be taken one after the other, each with all that it stores? The interpreter takes kChunk of them, and
// stores after that.
bool is_plain(const Loop& loop) {
  const auto apart = [&](const LoopInstruction& x, const LoopInstruction& y) {
    const auto low = [&](const LoopInstruction& in) { return std::min(in.a, in.a + in.b * (loop.count - 1)); };
    const auto high = [&](const LoopInstruction& in) { return std::max(in.a, in.a + in.b * (loop.count - 1)); };
    return high(x) < low(y) || high(y) < low(x);
  };
  for (const LoopInstruction& s : loop.body) {
    if (s.what == LoopCode::reduce) return false;
    if (!is_sink(s)) continue;
    if (s.b == 0 && loop.count > 1) return false;
    for (const LoopInstruction& x : loop.body) {
      if (x.what != LoopCode::load && !is_sink(x)) continue;
      if (!(x.a == s.a && x.b == s.b) && !apart(x, s)) return false;
    }
  }
  return true;
}

class Writer : private TextOut {
 public:
  explicit Writer(const SparsePlan& plan) : plan_(plan) {}
  SparseText write();

 private:
  // Statements of the part that is being collected.
  void program(const Program& p);
  void products(const Products& list, const char* to, const char* second = "w", std::int32_t shift = 0);
  void values(const SparsePlan::Block& b);
  void fill(std::int32_t to, std::int32_t size, std::int32_t from);  // from < 0: zeros

  // Their text, for the members i .. end-1.
  void write_part();
  void write_loop(const Program& p, const Loop& loop, bool plain);
  void write_members(const Loop& loop, bool vector);
  void write_run(std::span<const Products::Factors> factors, const Products::Run& run, const char* to,
                 const char* second, std::int32_t shift);
  std::string value(const LoopInstruction& in, bool vector);
  std::size_t table(const std::vector<double>& values);

  const SparsePlan& plan_;
  std::vector<LoopStatement> part_;
  std::size_t parts_ = 0;
  std::vector<const double*> tables_;
  std::vector<std::size_t> loop_tables_;  // of the loop that is written: program's number -> ours
};

std::size_t Writer::table(const std::vector<double>& values) {
  const auto known = std::find(tables_.begin(), tables_.end(), values.data());
  if (known == tables_.end()) {
    tables_.push_back(values.data());
    return tables_.size() - 1;
  }
  return static_cast<std::size_t>(known - tables_.begin());
}

void Writer::fill(std::int32_t to, std::int32_t size, std::int32_t from) {
  LoopStatement& s = part_.emplace_back();
  s.count = size;
  s.accesses.push_back({LoopStatement::kWorkspace, true, to, 1});
  if (from >= 0) s.accesses.push_back({LoopStatement::kWorkspace, false, from, 1});
  s.write = [this, to, from] {
    if (from < 0)
      line("if (i < end) __builtin_memset(w + {} + i, 0, (unsigned long)(end - i) * sizeof *w);", to);
    else
      line("if (i < end) __builtin_memcpy(w + {} + i, w + {} + i, (unsigned long)(end - i) * sizeof *w);", to, from);
  };
}

void Writer::program(const Program& p) {
  for (const Instruction& in : p.code) {
    if (in.code == Code::end) break;
    if (in.code == Code::clear) {
      fill(static_cast<std::int32_t>(in.dst), static_cast<std::int32_t>(in.b), -1);
      continue;
    }
    LoopStatement& s = part_.emplace_back();
    const auto touch = [&](bool writes, std::int64_t slot, std::int32_t step) {
      s.accesses.push_back({LoopStatement::kWorkspace, writes, static_cast<std::int32_t>(slot), step});
    };
    if (in.code != Code::loop) {
      touch(true, in.dst, 0);
      for_each_read(in, [&](std::uint32_t slot) { touch(false, slot, 0); });
      s.single = true;
      s.write = [this, &p, &in] {
        line("{}", statement(
                       p, in, kOne, [](std::uint32_t slot) { return fmt::format("w[{}]", slot); },
                       [&](const std::vector<double>& values) { return fmt::format("tables[{}]", table(values)); }));
      };
      continue;
    }
    const Loop& loop = p.loops[in.a];
    const bool plain = is_plain(loop);
    s.count = loop.count;
    if (!plain) s.unit = kChunk;
    for (const LoopInstruction& x : loop.body) {
      if (x.what == LoopCode::load) touch(false, x.a, x.b);
      if (x.what == LoopCode::broadcast) touch(false, x.a, 0);
      if (x.what == LoopCode::store || x.what == LoopCode::store_add) touch(true, x.a, x.b);
      if (x.what == LoopCode::reduce) touch(true, x.a, 0);
    }
    s.write = [this, &p, &loop, plain] { write_loop(p, loop, plain); };
  }
}

// The loop over members, four at a time or one by one.
std::string loop_over(bool vector) {
  return vector ? fmt::format("for (; i + {0} <= end; i += {0})", kLanes) : "for (; i < end; ++i)";
}

// Members i .. i+3 of an array, or member i.
std::string element(const std::string& array, std::int32_t first, std::int32_t step, bool vector) {
  if (!vector) return fmt::format("{}[{} + {} * i]", array, first, step);
  return step == 1 ? fmt::format("V({} + {} + i)", array, first)
                   : fmt::format("EVERY({} + {} + {} * i, {})", array, first, step, step);
}

// What members of an array get. how: = or +=
std::string stored(const std::string& array, std::int32_t first, std::int32_t step, const char* how,
                   const std::string& x, bool vector) {
  if (!vector || step == 1) return fmt::format("{} {} {};", element(array, first, step, vector), how, x);
  return fmt::format("SCATTER({} + {} + {} * i, {}, {}, {});", array, first, step, step, how, x);
}

std::string Writer::value(const LoopInstruction& in, bool vector) {
  switch (in.what) {
    case LoopCode::load: return element("w", in.a, in.b, vector);
    case LoopCode::table:
      return element(fmt::format("tables[{}]", loop_tables_[static_cast<std::size_t>(in.c)]), in.a, in.b, vector);
    case LoopCode::index: {
      const std::string one = fmt::format("{} + {} * i", in.a, in.b);
      return vector ? fmt::format("COUNTED({}, {})", one, in.b) : fmt::format("(double)({})", one);
    }
    default: break;
  }
  const std::array registers = {in.a, in.b, in.c};
  return formula(in.code, Words{vector},
                 [&](int k) { return fmt::format("r{}", registers[static_cast<std::size_t>(k)]); });
}

// The registers of member i, or of i .. i+3.
void Writer::write_members(const Loop& loop, bool vector) {
  for (const LoopInstruction& in : loop.body) {
    if (is_sink(in)) continue;
    if (in.what == LoopCode::broadcast)
      line("const {} r{} = {};", Words{vector}.type(), in.dst,
           vector ? fmt::format("ALL(b{})", in.dst) : fmt::format("b{}", in.dst));
    else
      line("const {} r{} = {};", Words{vector}.type(), in.dst, value(in, vector));
  }
}

void Writer::write_loop(const Program& p, const Loop& loop, bool plain) {
  loop_tables_.clear();
  for (const std::vector<double>& t : p.tables) loop_tables_.push_back(table(t));
  std::vector<const LoopInstruction*> sinks;
  for (const LoopInstruction& in : loop.body) {
    if (in.what == LoopCode::broadcast) line("const double b{} = w[{}];", in.dst, in.a);
    if (is_sink(in)) sinks.push_back(&in);
  }
  const auto member = [&](const LoopInstruction& in, const std::string& value, bool vector) {
    return stored("w", in.a, in.b, in.what == LoopCode::store ? "=" : "+=", value, vector);
  };
  const auto members = [&](const auto& sink) {
    for (const bool vector : {true, false}) {
      open(loop_over(vector));
      write_members(loop, vector);
      for (std::size_t k = 0; k < sinks.size(); ++k) line("{}", sink(k, fmt::format("r{}", sinks[k]->dst), vector));
      close();
    }
  };
  if (plain) {
    members([&](std::size_t k, const std::string& x, bool vector) { return member(*sinks[k], x, vector); });
    return;
  }
  // kChunk members, then what they store, sink by sink.
  open(fmt::format("for (int first = i, last = end; first < last; first += {})", kChunk));
  line("const int end = first + {} < last ? first + {} : last;", kChunk, kChunk);
  for (std::size_t k = 0; k < sinks.size(); ++k) line("double x{}[{}];", k, kChunk);
  line("int i = first;");
  const auto kept = [](std::size_t k, bool vector) {
    return fmt::format(fmt::runtime(vector ? "V(x{} + (i - first))" : "x{}[i - first]"), k);
  };
  members([&](std::size_t k, const std::string& x, bool vector) { return kept(k, vector) + " = " + x + ";"; });
  for (std::size_t k = 0; k < sinks.size(); ++k) {
    const LoopInstruction& in = *sinks[k];
    if (in.what == LoopCode::reduce) {
      line("{{ double s = 0.0; for (i = first; i < end; ++i) s += x{}[i - first]; w[{}] += s; }}", k, in.a);
      continue;
    }
    line("i = first;");
    if (in.b == 1) line("{} {}", loop_over(true), member(in, kept(k, true), true));
    line("{} {}", loop_over(false), member(in, kept(k, false), false));
  }
  close();
}

// to[..] = sum of w[a] * second[b]
void Writer::products(const Products& list, const char* to, const char* second, std::int32_t shift) {
  const auto array = std::string_view(to) != "w" ? LoopStatement::kMatrix : LoopStatement::kWorkspace;
  for (const Products::Run& run : list.runs()) {
    const auto factors =
        list.factors().subspan(static_cast<std::size_t>(run.first), static_cast<std::size_t>(run.terms));
    LoopStatement& s = part_.emplace_back();
    s.count = run.count;
    s.accesses.push_back({array, true, run.to + shift, run.to_step});
    for (const Products::Factors& f : factors) {
      s.accesses.push_back({LoopStatement::kWorkspace, false, f.a, f.a_step});
      if (std::string_view(second) == "w") s.accesses.push_back({LoopStatement::kWorkspace, false, f.b, f.b_step});
    }
    s.write = [this, factors, &run, to, second, shift] { write_run(factors, run, to, second, shift); };
  }
}

void Writer::write_run(std::span<const Products::Factors> factors, const Products::Run& run, const char* to,
                       const char* second, std::int32_t shift) {
  const bool bound = std::string_view(second) != "w";  // sizes, times the unit roundoff
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (factors[k].a_step == 0) line("const double a{} = w[{}];", k, factors[k].a);
    if (factors[k].b_step == 0) line("const double b{} = {}[{}];", k, second, factors[k].b);
  }
  const auto sum = [&](bool vector) {
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const Products::Factors& f = factors[k];
      const auto all = [&](char name) { return fmt::format(fmt::runtime(vector ? "ALL({}{})" : "{}{}"), name, k); };
      std::string a = f.a_step == 0 ? all('a') : element("w", f.a, f.a_step, vector);
      if (bound) a = Words{vector}.size_of(a);
      const std::string b = f.b_step == 0 ? all('b') : element(second, f.b, f.b_step, vector);
      const bool plain = !bound && f.b_step == 0 && f.b == plan_.one();
      line("{}s {}= {}{}{};", k == 0 ? (vector ? "v " : "double ") : "", k == 0 ? "" : "+", a, plain ? "" : " * ",
           plain ? "" : b);
    }
    if (bound) line("s = {} * s;", newton::kEps);
  };
  for (const bool vector : {true, false}) {
    if (vector && run.count < 2 * kLanes) continue;
    open(loop_over(vector));
    sum(vector);
    line("{}", stored(to, run.to + shift, run.to_step, "=", "s", vector));
    close();
  }
}

void Writer::values(const SparsePlan::Block& b) {
  for (const SparsePlan::Copy& c : b.copies) fill(c.to, c.size, c.from);
  program(b.values);
}

// The collected statements as one function: strip by strip, so that what one statement stores is still close when the next
// one reads it.
void Writer::write_part() {
  open(
      fmt::format("static void part{}(double* const w, double* const out, const double* const size, "
                  "const double* const* const tables)",
                  parts_++));
  const std::int32_t end = stagger(part_);
  const bool strips = end > 2 * kStrip;
  if (strips) open(fmt::format("for (int strip = 0; strip < {}; strip += {})", end, kStrip));
  for (std::size_t k = 0; k < part_.size();) {
    const LoopStatement& s = part_[k];
    if (s.single) {  // one after the other, while they are at the same place
      if (strips) open(fmt::format("if (strip <= {0} && {0} < strip + {1})", s.offset, kStrip));
      for (; k < part_.size() && part_[k].single && part_[k].offset == s.offset; ++k) part_[k].write();
      if (strips) close();
      continue;
    }
    open("");
    if (strips) {
      line("int i = strip - {}, end = i + {};", s.offset, kStrip);
      line("i = {0} + (i < 0 ? 0 : i); end = {0} + (end < {1} ? end : {1});", s.begin, s.count);
    } else {
      line("int i = {}; const int end = {};", s.begin, s.begin + s.count);
    }
    s.write();
    close();
    ++k;
  }
  if (strips) close();
  close();
  part_.clear();
}

SparseText Writer::write() {
  out_ += kHeadText;
  out_ += kOneWordsText;
  out_ += kLaneWordsText;
  out_ += kMembersText;
  for (const SparsePlan::Block& b : plan_.blocks()) {  // in the order of SparsePart
    const auto start = [&] {
      program(b.before);
      products(b.fixed, "w");
    };
    const auto matrix = [&] {
      program(b.jacobian);
      products(b.chain, "w");
      products(b.matrix, "out");
    };
    const auto bounds = [&] { products(b.bounds, "w", "size", b.bound); };
    start();
    write_part();
    values(b);
    write_part();
    values(b);
    program(b.residual);
    write_part();
    matrix();
    write_part();
    bounds();
    write_part();
    start();
    values(b);
    program(b.residual);
    matrix();
    bounds();
    write_part();
  }
  program(plan_.finish());
  write_part();
  open(fmt::format("void {}(int part, double* w, double* out, const double* size, const double* const* tables)",
                   kSparseSymbol));
  open("switch (part)");
  for (std::size_t k = 0; k < parts_; ++k) line("case {}: part{}(w, out, size, tables); break;", k, k);
  close();
  close();
  return {take(), std::move(tables_)};
}

}  // namespace

std::string why_not_native(const SparsePlan& plan) {
  std::size_t count = 0;
  const auto program = [&](const Program& p) {
    count += p.code.size();
    for (const Loop& l : p.loops) count += 2 * l.body.size();
  };
  const auto products = [&](const Products& p) { count += 4 * p.runs().size() + 2 * p.factors().size(); };
  for (const SparsePlan::Block& b : plan.blocks()) {
    for (const Program* p : {&b.before, &b.values, &b.residual, &b.jacobian}) program(*p);
    for (const Products* p : {&b.fixed, &b.chain, &b.matrix, &b.bounds}) products(*p);
  }
  program(plan.finish());
  return count > kMostInstructions ? "its equations are so many and so different that compiling them would not pay"
                                   : "";
}

SparseText sparse_text(const SparsePlan& plan) { return Writer(plan).write(); }

}  // namespace rattleback

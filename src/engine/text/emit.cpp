#include "engine/text/emit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/job.hpp"
#include "engine/text/carried.hpp"
#include "engine/text/common_text.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/solve_text.hpp"
#include "engine/text/stage_lanes.hpp"
#include "engine/text/stage_lanes_text.hpp"
#include "engine/text/step_slots.hpp"
#include "step/convergence.hpp"
#include "step/newton_limits.hpp"
#include "step/starting_values.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

// Steps up to this many instructions are one function, and all slots are variables of it: the fastest code. Longer ones
// are cut into functions that meet in the workspace, because compilers take a time that grows faster than a function.
constexpr std::size_t kOneFunction = 800, kPiece = 250;
// Statements of a piece that has vectors. Measured with 120, 250, 500 and 2000 (prk-murua with five stages): 5.40, 5.38,
// 5.51, 5.86 us a step and 2.1, 1.8, 2.1, 4.9 s to compile.
constexpr std::size_t kLanePiece = 250;
// A compiler needs a time that grows with the text; beyond this one a run would have to be very long.
constexpr std::size_t kMostInstructions = 40000;
// C++ classes: systems of so many unknowns are solved with their determinant.
constexpr std::int32_t kShortSolve = 2;
// C++ classes: a first correction up to this size may be the last. With a factor of 200 its square is still rounding.
constexpr double kSmallStart = 1e-9;

// What is said of two, of all: pairs of pairs, so that no long chain waits for its first.
std::string in_pairs(std::vector<std::string> all, fmt::format_string<std::string&, std::string&> two) {
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) all.push_back(fmt::format(two, all[i], all[i + 1]));
  return all.back();
}

class Text {
 public:
  explicit Text(const StepShape& shape)
      : shape_(shape), plan_(*shape.plan), image_(shape.plan->image()), slots_(shape) {}
  std::string write();
  LoopText parts();

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    out_ += '\n';
  }
  void open(std::string_view text) {
    line("{}{}{{", text, text.empty() ? "" : " ");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}}");
  }

  void prepare();
  void find_local();
  void find_lanes();
  std::string s(std::uint32_t slot);
  std::string s(std::int32_t slot) { return s(static_cast<std::uint32_t>(slot)); }
  std::string cell(const Plan::Block& b, std::int32_t k);  // of the matrix
  void program(const Program& p);
  void piece(const Program& p, std::span<const Instruction> code);
  void lane_program(const Program& p, std::span<const LaneStep> steps);
  void lane_piece(const Program& p, std::span<const LaneStep> steps, const std::set<int>& made);
  // Pieces meet in the workspace, and in p where there are vectors.
  [[nodiscard]] const char* parameters() const { return lanes_ ? "w, p" : "w"; }
  void open_piece();
  [[nodiscard]] std::span<const LaneStep> lane_steps(const Program& p) const {
    return lanes_ ? lanes_->steps(p) : std::span<const LaneStep>();
  }
  [[nodiscard]] bool skipped(const Instruction& in) const { return skipped_.contains(in.dst); }
  [[nodiscard]] const char* unused() const { return header_ ? "[[maybe_unused]] " : ""; }
  [[nodiscard]] bool reads_time() const;
  void carry();
  void remember();
  void predict();
  // C++ classes always do: where the prediction is good, they save an iteration.
  [[nodiscard]] bool looks_far() const { return header_ || starting::looks_far(plan_); }
  // A state that is not finite stays so: without iteration it is enough to look now and then, and to go back to the last
  // look when it is found.
  [[nodiscard]] bool checks_seldom() const {
    return header_ && plan_.blocks().empty() && shape_.gamma.size() == 1 && shape_.angles.empty();
  }
  void short_solve(const Plan::Block& b, bool kept);
  struct Scaled {
    std::uint32_t of = 0, step = 0;
    std::string factor;
    const Instruction* user = nullptr;
  };
  std::map<std::uint32_t, Scaled> find_scaled(std::span<const Instruction> code);
  void tables();
  void sizes();
  void noise();
  void block(const Plan::Block& b);
  void linear_solve(const Plan::Block& b, bool kept);
  void leading_solve(const Plan::Block& b);
  void newton(const Plan::Block& b);
  void sub_step();
  std::string body();

  const StepShape& shape_;
  const Plan& plan_;
  const std::vector<double>& image_;
  const StepSlots slots_;
  std::set<std::uint32_t> used_;   // variables that occur in the text, besides those of one program
  std::set<std::uint32_t> local_;  // slots that one program writes and nobody else reads
  bool cut_ = false;               // into functions that meet in the workspace
  std::optional<StageLanes> lanes_;
  std::vector<int> cells_;  // of a pack: where it is in p, when it leaves its piece; else -1
  int cell_count_ = 0;
  bool header_ = false;  // for a C++ class: the state is stored when the loop ends, values are carried
  CarriedValues carried_;
  std::set<std::uint32_t> skipped_;  // carried, so not computed in the loop
  std::string pieces_;               // the functions that the step was cut into
  std::size_t piece_count_ = 0, block_ = 0;
  std::vector<std::vector<double>> tables_;
  std::set<std::int32_t> loops_, unrolled_;  // sizes of matrices
  std::string out_;
  int depth_ = 0;
};

// Which slots, and which packs, can be variables of one piece.
void Text::find_local() {
  PieceSlots pieces(slots_.named(header_));
  const std::size_t packs = lanes_ ? lanes_->packs().size() : 0;
  std::vector<int> written_in(packs, -1);  // the last piece that has written a pack
  std::vector<char> leaves(packs, 0);      // is read in another piece
  const auto use_pack = [&](int pack) {
    if (written_in[static_cast<std::size_t>(pack)] != pieces.piece()) leaves[static_cast<std::size_t>(pack)] = 1;
  };
  const auto pack_of = [&](std::uint32_t slot) { return lanes_ ? lanes_->home(slot).pack : -1; };
  const auto see = [&](const Instruction& in) {
    // A C++ class leaves instructions out (skipped_): what is written in two places stays one variable there.
    if (header_ && in.code != Code::clear && pieces.written_elsewhere(in.dst)) pieces.share(in.dst);
    const std::uint32_t read[] = {in.a, in.b, in.c};
    for (int k = 0; k < argument_count(in.code); ++k)
      if (const int pack = pack_of(read[k]); pack >= 0) use_pack(pack);
    if (const int pack = pack_of(in.dst); pack >= 0 && in.code != Code::clear) use_pack(pack);
    pieces.see(in);
  };
  const auto see_step = [&](const LaneStep& step) {
    if (step.pack < 0) {
      see(*step.code[0]);
      return;
    }
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      if (step.packs[k] >= 0) {
        use_pack(step.packs[k]);
        continue;
      }
      for (const std::uint32_t slot : step.operands[k])
        if (const int pack = pack_of(slot); pack >= 0)
          use_pack(pack);
        else
          pieces.read(slot);
    }
    written_in[static_cast<std::size_t>(step.pack)] = pieces.piece();
    for (const Instruction* in : step.code)
      if (const int pack = pack_of(in->dst); pack < 0)
        pieces.write(in->dst);
      else if (pack != step.pack)
        use_pack(pack);
  };
  const auto look = [&](const Program& p) {
    std::size_t count = 0;
    pieces.next();
    if (const auto steps = lane_steps(p); !steps.empty()) {
      for (const LaneStep& step : steps) {
        if (cut_ && count++ > 0 && (count - 1) % kLanePiece == 0) pieces.next();
        see_step(step);
      }
      return;
    }
    for (const Instruction& in : p.code) {
      if (in.code == Code::end) break;
      if (cut_ && ++count % kPiece == 0) pieces.next();
      see(in);
    }
  };
  for (const Plan::Block& b : plan_.blocks())
    for (const Program* p : programs_of(b)) look(*p);
  look(plan_.finish());
  for (const char l : leaves) {
    cells_.push_back(l != 0 ? cell_count_ : -1);
    if (l != 0) cell_count_ += 4;
  }
  for (const CarriedValues::Value& c : carried_.values) {
    pieces.share(c.start);
    pieces.share(c.end);
  }
  local_ = pieces.local(slots_);
}

// The stages side by side (stage_lanes.hpp).
void Text::find_lanes() {
  std::vector<std::uint8_t> use(image_.size(), StageLanes::kFree);
  const std::vector<char> known = slots_.named(header_);
  for (std::size_t slot = 0; slot < use.size(); ++slot) {
    const auto number = static_cast<std::uint32_t>(slot);
    if (slots_.is_constant(number)) use[slot] |= StageLanes::kConstant;
    if (known[slot] != 0) use[slot] |= StageLanes::kNamed;
  }
  for (const std::int32_t u : plan_.unknown_slots()) use[static_cast<std::size_t>(u)] |= StageLanes::kForeign;
  for (const Plan::Block& b : plan_.blocks())
    for (std::int32_t k = 0; b.leading && k < b.leading->size; ++k) {
      const std::int32_t y = b.leading->y + k;
      use[static_cast<std::size_t>(y)] |= StageLanes::kForeign;
    }
  lanes_.emplace(plan_, std::move(use));
  if (lanes_->empty()) lanes_.reset();
}

std::string Text::s(std::uint32_t slot) {
  if (slots_.is_constant(slot)) return literal(image_[slot]);
  if (lanes_)
    if (const StageLanes::Place h = lanes_->home(slot); h.pack >= 0)
      return fmt::format("p[{}]", cells_[static_cast<std::size_t>(h.pack)] + h.lane);
  if (local_.contains(slot)) return fmt::format("s{}", slot);
  if (cut_) return fmt::format("w[{}]", slot);
  used_.insert(slot);
  return fmt::format("s{}", slot);
}

std::string Text::cell(const Plan::Block& b, std::int32_t k) {
  const auto slot = static_cast<std::uint32_t>(b.J + k);
  return slots_.is_written(slot) ? s(slot) : literal(image_[slot]);
}

void Text::open_piece() {
  open(fmt::format("static __attribute__((noinline)) void piece{}(double* restrict const w{})", piece_count_++,
                   lanes_ ? ", double* restrict const p" : ""));
}

void Text::lane_program(const Program& p, std::span<const LaneStep> steps) {
  std::set<int> made;
  for (const LaneStep& step : steps)
    if (step.pack >= 0 && !step.code.empty()) made.insert(step.pack);
  for (std::size_t first = 0; first < steps.size();) {
    const std::size_t count = cut_ ? std::min(kLanePiece, steps.size() - first) : steps.size();
    if (cut_) {
      line("piece{}({});", piece_count_, parameters());
      std::swap(out_, pieces_);
      const int depth = std::exchange(depth_, 0);
      open_piece();
      lane_piece(p, steps.subspan(first, count), made);
      close();
      depth_ = depth;
      std::swap(out_, pieces_);
    } else {
      open("");
      lane_piece(p, steps, made);
      close();
    }
    first += count;
  }
}

// made: the packs that this program computes.
void Text::lane_piece(const Program& p, std::span<const LaneStep> steps, const std::set<int>& made) {
  std::set<std::uint32_t> local;
  for (const LaneStep& step : steps)
    for (const Instruction* in : step.code)
      if (local_.contains(in->dst) && lanes_->home(in->dst).pack < 0) local.insert(in->dst);
  for (const std::uint32_t slot : local) line("double s{};", slot);
  std::set<int> here;
  const auto cell = [&](int pack) { return cells_[static_cast<std::size_t>(pack)]; };
  const auto name = [&](std::uint32_t slot) {
    const StageLanes::Place h = lanes_->home(slot);
    return h.pack >= 0 && cell(h.pack) < 0 ? fmt::format("v{}[{}]", h.pack, h.lane) : s(slot);
  };
  const auto type = [&](int pack) { return lane_type(lanes_->packs()[static_cast<std::size_t>(pack)].slots); };
  const auto vector = [&](int pack) {
    return here.contains(pack) ? fmt::format("v{}", pack) : fmt::format("*(const {}*)(p + {})", type(pack), cell(pack));
  };
  const auto table = [&](const std::vector<double>& values) {
    tables_.push_back(values);
    return fmt::format("table{}", tables_.size() - 1);
  };
  for (const LaneStep& step : steps) {
    if (step.pack < 0) {
      line("{}", statement(p, *step.code[0], kOne, name, table));
      continue;
    }
    line("const {} v{} = {};", type(step.pack), step.pack, lane_value(step, name, vector));
    here.insert(step.pack);
    if (cell(step.pack) >= 0) line("*({}*)(p + {}) = v{};", type(step.pack), cell(step.pack), step.pack);
    for (std::size_t k = 0; k < step.code.size(); ++k) {
      const std::uint32_t slot = step.code[k]->dst;
      const StageLanes::Place h = lanes_->home(slot);
      // Known by its name, or living in a pack that another program writes.
      if (h.pack < 0 || (h.pack != step.pack && !made.contains(h.pack))) line("{} = v{}[{}];", s(slot), step.pack, k);
    }
  }
}

void Text::program(const Program& p) {
  if (p.empty()) return;
  if (const auto steps = lane_steps(p); !steps.empty()) {
    lane_program(p, steps);
    return;
  }
  const std::span<const Instruction> all(p.code.data(), p.code.size() - 1);  // without Code::end
  if (!cut_) {
    open("");
    piece(p, all);
    close();
    return;
  }
  // The pieces of find_local().
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t end = std::min(all.size(), first == 0 ? kPiece - 1 : first + kPiece);
    line("piece{}({});", piece_count_, parameters());
    std::swap(out_, pieces_);
    const int depth = std::exchange(depth_, 0);
    open_piece();
    piece(p, all.subspan(first, end - first));
    close();
    depth_ = depth;
    std::swap(out_, pieces_);
    first = end;
  }
}

void Text::piece(const Program& p, std::span<const Instruction> code) {
  std::set<std::uint32_t> local;
  for (const Instruction& in : code)
    if (local_.contains(in.dst) && !skipped(in)) local.insert(in.dst);
  for (const std::uint32_t slot : local) line("{}double s{};", unused(), slot);
  const auto name = [&](std::uint32_t slot) { return s(slot); };
  const auto table = [&](const std::vector<double>& values) {
    tables_.push_back(values);
    return fmt::format("table{}", tables_.size() - 1);
  };
  const std::map<std::uint32_t, Scaled> scaled = header_ ? find_scaled(code) : std::map<std::uint32_t, Scaled>{};
  for (const Instruction& in : code) {
    if (skipped(in) || scaled.contains(in.dst)) continue;
    for (const std::uint32_t slot : {in.a, in.b}) {
      const auto it = scaled.find(slot);
      if (it == scaled.end() || it->second.user != &in) continue;
      const Scaled& x = it->second;
      line("{}", statement(
                     p, in, kOne,
                     [&](std::uint32_t k) {
                       return k == slot ? s(x.of) : k == x.step ? fmt::format("({} * {})", x.factor, s(k)) : s(k);
                     },
                     table));
      break;
    }
    const auto plain = [&](std::uint32_t slot) {
      const auto it = scaled.find(slot);
      return it == scaled.end() || it->second.user != &in;
    };
    if (plain(in.a) && plain(in.b)) line("{}", statement(p, in, kOne, name, table));
  }
}

// c x h with c a power of two is taken as (c h) x: the same bits, and c h is computed once for all steps.
std::map<std::uint32_t, Text::Scaled> Text::find_scaled(std::span<const Instruction> code) {
  std::map<std::uint32_t, Scaled> out;
  const auto h = static_cast<std::uint32_t>(plan_.slot(kStepSize));
  const auto is_product = [](Code c) {
    return c == Code::mul || c == Code::mul_add || c == Code::mul_sub || c == Code::sub_mul;
  };
  std::set<std::uint32_t> steps = {h};  // slots that hold the step size or a constant part of it
  std::map<std::uint32_t, int> uses;
  std::map<std::uint32_t, const Instruction*> user;
  const auto constant = [&](std::uint32_t slot) { return slots_.is_constant(slot); };
  for (const Instruction& in : code) {
    const std::uint32_t x[3] = {in.a, in.b, in.c};
    for (int i = 0; i < argument_count(in.code); ++i) {
      ++uses[x[i]];
      user[x[i]] = &in;
    }
    if (in.code == Code::mul && local_.contains(in.dst))
      if ((constant(in.a) && steps.contains(in.b)) || (constant(in.b) && steps.contains(in.a))) steps.insert(in.dst);
  }
  for (const Instruction& in : code) {
    if (in.code != Code::mul || !local_.contains(in.dst) || uses[in.dst] != 1 || steps.contains(in.dst)) continue;
    const bool first = constant(in.a);
    const std::uint32_t c = first ? in.a : in.b, x = first ? in.b : in.a;
    int exponent = 0;
    if (!constant(c) || constant(x) || std::fabs(std::frexp(image_[c], &exponent)) != 0.5 || std::abs(exponent) > 20)
      continue;
    const Instruction& u = *user[in.dst];
    if (!is_product(u.code) || u.a == u.b || (u.a != in.dst && u.b != in.dst)) continue;
    const std::uint32_t step = u.a == in.dst ? u.b : u.a;
    if (!steps.contains(step) || (u.code != Code::mul && u.c == step) || out.contains(x) || out.contains(step))
      continue;
    // The value of x must still be there: slots are written once in a program.
    out[in.dst] = {.of = x, .step = step, .factor = literal(image_[c]), .user = &u};
  }
  return out;
}

// What corrections are compared with (PlanStepper::sub_step).
void Text::sizes() {
  const auto first = static_cast<std::size_t>(plan_.slot(kPosition));
  const bool velocities = shape_.nv > 0 && !shape_.branch;
  const std::size_t from = first + (velocities ? shape_.n : 0);
  const std::size_t count = shape_.branch ? shape_.n + shape_.nv : shape_.nv > 0 ? shape_.nv : shape_.n;
  line("typical0 = 0x1.56e1fc2f8f359p-997;");  // 1e-300
  for (std::size_t i = 0; i < count; ++i)
    line("typical0 = larger(typical0, fabs({}));", s(static_cast<std::uint32_t>(from + i)));
  line("typical1 = typical0 * {} / fabs({});", literal(shape_.multiplier_scale), s(plan_.slot(kStepSize)));
}

// Sizes that rounding errors come from; looked at when an iteration stagnates.
void Text::noise() {
  line("noise0 = noise1 = 0.0;");
  if (shape_.nv == 0 || shape_.branch) return;
  const std::string h = s(plan_.slot(kStepSize));
  line("noise0 = larger(typical0 * fabs({}), {});", h, shape_.angles.empty() ? "0.0" : literal(kTurnHigh));
  for (std::size_t i = 0; i < shape_.n; ++i)
    line("noise0 = larger(noise0, fabs({}));", s(plan_.slot(kPosition) + static_cast<std::int32_t>(i)));
  line("noise0 = larger(noise0, noise0 / fabs({}));", h);
  line("noise1 = noise0 * {} / fabs({});", literal(shape_.multiplier_scale), h);
}

// The correction d0, d1, ... from residual and matrix. kept: the factors may serve again.
void Text::linear_solve(const Plan::Block& b, bool kept) {
  const std::int32_t n = b.size;
  if (header_ && n <= kShortSolve) {
    short_solve(b, kept);
    return;
  }
  if (n == 1) {
    const std::string J = cell(b, 0);
    line("if (!({} != 0.0 && fabs({}) <= LARGEST)) goto fail;", J, J);
    line("d0 = {} / {};", s(b.r), J);
    return;
  }
  if (!kept) {
    std::string arguments;
    for (std::int32_t k = 0; k < n * n; ++k) arguments += cell(b, k) + ", ";
    for (std::int32_t k = 0; k < n; ++k) arguments += s(b.r + k) + ", ";
    for (std::int32_t k = 0; k < n; ++k) arguments += fmt::format("&d{}{}", k, k + 1 < n ? ", " : "");
    line("if (solve{}({})) goto fail;", n, arguments);
    unrolled_.insert(n);
    return;
  }
  if (!b.linear) open("if (current)");
  program(b.jacobian);
  for (std::int32_t k = 0; k < n * n; ++k) line("lu{}[{}] = {};", n, k / n * padded(n) + k % n, cell(b, k));
  line("if (factor{0}(lu{0}, lower{0}, perm, scale)) goto fail;", n);
  if (!b.linear) close();
  for (std::int32_t k = 0; k < n; ++k) line("r[{}] = {};", k, s(b.r + k));
  line("substitute{0}(lu{0}, lower{0}, perm, scale, r, d);", n);
  for (std::int32_t k = 0; k < n; ++k) line("d{} = d[{}];", k, k);
  loops_.insert(n);
}

// The same from the leading matrix, which is factored once.
void Text::leading_solve(const Plan::Block& b) {
  const LeadingSlots& d = *b.leading;
  const std::int32_t m = d.size;
  const auto S = [&](std::int32_t k) { return s(d.S + k); };
  open("if (k == 1)");
  program(d.matrix);
  if (m == 1) {
    line("if (!({0} != 0.0 && fabs({0}) <= LARGEST)) goto fail;", S(0));
  } else if (m > kUnrolledMatrix) {
    for (std::int32_t k = 0; k < m * m; ++k) line("lu{}[{}] = {};", m, k / m * padded(m) + k % m, S(k));
    line("if (factor{0}(lu{0}, lower{0}, perm, scale)) goto fail;", m);
  }
  close();
  program(d.right);
  if (m == 1) {
    line("{} = {} / {};", s(d.y), s(d.rhs), S(0));
  } else if (m > kUnrolledMatrix) {
    for (std::int32_t k = 0; k < m; ++k) line("r[{}] = {};", k, s(d.rhs + k));
    line("substitute{0}(lu{0}, lower{0}, perm, scale, r, d);", m);
    for (std::int32_t k = 0; k < m; ++k) line("{} = d[{}];", s(d.y + k), k);
    loops_.insert(m);
  } else {
    std::string arguments;
    for (std::int32_t k = 0; k < m * m; ++k) arguments += S(k) + ", ";
    for (std::int32_t k = 0; k < m; ++k) arguments += s(d.rhs + k) + ", ";
    for (std::int32_t k = 0; k < m; ++k) arguments += fmt::format("&d{}{}", k, k + 1 < m ? ", " : "");
    line("if (solve{}({})) goto fail;", m, arguments);
    for (std::int32_t k = 0; k < m; ++k) line("{} = d{};", s(d.y + k), k);
    unrolled_.insert(m);
  }
  program(d.expand);
  for (std::int32_t k = 0; k < b.size; ++k) line("d{} = {};", k, s(correction_slot(b) + k));
}

// One and two unknowns in a C++ class: with the determinant, and one division. The start is good, so the correction need
// not be: its rounding errors are those of a small number. What is nearly singular is left to the pivots of solve_block().
void Text::short_solve(const Plan::Block& b, bool kept) {
  const bool asks = kept && !b.linear;
  if (asks) open("if (current)");
  if (kept) program(b.jacobian);
  if (b.size == 1) {
    line("per = 1.0 / {};", cell(b, 0));
    line("if (!(per != 0.0 && fabs(per) <= LARGEST)) goto fail;");
    if (asks) close();
    line("d0 = per * {};", s(b.r));
    return;
  }
  const std::string a = cell(b, 0), c = cell(b, 1), d = cell(b, 2), e = cell(b, 3), x = s(b.r), y = s(b.r + 1);
  line("size = {} * {}; next = {} * {};", a, e, c, d);
  line("if (!(fabs(size - next) > 0x1p-20 * (fabs(size) + fabs(next)))) goto fail;");
  line("per = 1.0 / ({} * {} - {} * {});", a, e, c, d);
  if (asks) close();
  line("d0 = per * ({} * {} - {} * {});", e, x, c, y);
  line("d1 = per * ({} * {} - {} * {});", a, y, d, x);
}

void Text::newton(const Plan::Block& b) {
  const std::int32_t n = b.size;
  bool kinds[2] = {false, false};
  for (const Equations::Scale k : b.scales) kinds[static_cast<std::size_t>(k)] = true;
  const auto each = [&](auto&& what) {
    for (int k = 0; k < 2; ++k)
      if (kinds[k]) what(k);
  };
  const bool leads = b.leading.has_value();
  const bool keeps = !leads && (n > newton::kFullNewton || (header_ && n <= kShortSolve));
  line("last = 0.0; since = 0; k = 0;");
  if (keeps) line("current = 1;");
  open("for (;;)");
  line("if (++k > max_newton) goto fail;");
  program(b.residual);
  if (leads) {
    leading_solve(b);
  } else {
    if (!keeps) program(b.jacobian);
    linear_solve(b, keeps);
  }
  // The correction, and its size.
  std::vector<std::string> big[2], change[2], sum;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::string x = s(b.unknowns[static_cast<std::size_t>(i)]);
    const auto k = static_cast<std::size_t>(b.scales[static_cast<std::size_t>(i)]);
    line("{} -= d{};", x, i);
    big[k].push_back(fmt::format("fabs({})", x));
    change[k].push_back(fmt::format("fabs(d{})", i));
    sum.push_back(change[k].back());
  }
  each([&](int k) {
    big[k].push_back(fmt::format("typical{}", k));
    line("big{} = {};", k, in_pairs(big[k], "larger({}, {})"));
    line("change{} = {};", k, in_pairs(change[k], "larger({}, {})"));
  });
  line("if (!({} <= LARGEST)) goto fail;", in_pairs(sum, "({} + {})"));
  if (kinds[0] && kinds[1])
    line("size = larger(change0 / big0, change1 / big1);");
  else
    line("size = change{} / big{};", kinds[0] ? 0 : 1, kinds[0] ? 0 : 1);
  each([&](int k) { line("if (since == 0) first{} = big{};", k, k); });
  line("older = ratio;");
  line("ratio = 0.0;");
  if (looks_far()) line("if (k == 1 && size > {}) rough = 1;", literal(starting::kRough));
  // Convergence::arrived
  line("if (size <= {} || size <= tolerance) break;", literal(Convergence::kEps));
  const std::string left = fmt::format("left[part * {} + {}]", plan_.blocks().size(), block_);
  const bool remembers = header_ && !leads && !shape_.cautious;
  if (remembers) {
    // What the first correction leaves is about its square; by which factor was measured in earlier steps. One step in
    // kLook looks whether that still holds. Factors change: where the correction is not small, it is not trusted.
    line("if (k == 1 && !look && size <= {} && 16.0 * {} * size * size <= {}) break;", literal(kSmallStart), left,
         literal(Convergence::kSmall));
  }
  open("if (++since >= 2)");
  line("ratio = size / last;");
  if (remembers) line("if (k == 2 && size > {}) {} = ratio / last;", literal(Convergence::kNoise), left);
  const std::string squared = shape_.cautious ? "ratio" : "ratio * ratio";
  const std::string kept = "ratio / (1.0 - ratio > 0.5 ? 1.0 - ratio : 0.5)";
  line("next = {};", leads ? kept : keeps ? fmt::format("current ? {} : {}", squared, kept) : squared);
  const std::string two =
      fmt::format("size * size * ratio * older <= {}", literal(Convergence::kSmall * Convergence::kSmall));
  line("if (ratio < 1.0 && size * next <= {}{}) break;", literal(Convergence::kSmall),
       leads   ? fmt::format(" && (since < 3 || {})", two)
       : keeps ? fmt::format(" && (current || since < 3 || {})", two)
               : std::string());
  open(fmt::format("if (ratio > {})", literal(Convergence::kStagnant)));
  line("if (size <= {}) break;", leads   ? literal(Convergence::kCertainlyRounding)
                                 : keeps ? fmt::format("(current ? {} : {})", literal(Convergence::kRoundingLevel),
                                                       literal(Convergence::kCertainlyRounding))
                                         : literal(Convergence::kRoundingLevel));
  noise();
  if (kinds[0] && kinds[1])
    line("next = larger(change0 / larger(big0, noise0), change1 / larger(big1, noise1));");
  else
    line("next = change{0} / larger(big{0}, noise{0});", kinds[0] ? 0 : 1);
  line("if (next <= {}) break;", literal(Convergence::kNoise));
  if (leads)  // newton::at_the_floor
    line("if (ratio > {} && older > 0.0 && older <= {} && next <= {}) break;", literal(newton::kSaddleContraction),
         literal(newton::kLeadingContraction), literal(newton::kLeadingNoise));
  // Here the residual is judged; that is left to the interpreter.
  if (!leads) line("if (k > {}{}) goto fail;", newton::kPatience, keeps ? " && current" : "");
  close();
  if (leads)
    line("if (ratio > {} || (ratio > {} && size > {})) goto fail;", literal(newton::kSaddleContraction),
         literal(newton::kLeadingContraction), literal(newton::kLeadingRounding));
  close();
  line("last = size;");
  if (keeps) line("current = ratio > {};", literal(newton::kRefresh));
  close();
  line("spent += k;");
  // Convergence::ran_away without the noise, which makes this one the stricter of the two.
  each([&](int k) { line("if (big{} > {} * first{}) goto fail;", k, literal(Convergence::kRunaway), k); });
}

void Text::block(const Plan::Block& b) {
  program(b.before);
  if (!b.linear) {
    newton(b);
    return;
  }
  program(b.residual);
  line("++spent;");
  if (b.size == 1) {
    const std::string x = s(b.unknowns[0]), J = cell(b, 0);
    line("{} -= {} / {};", x, s(b.r), J);
    line("if (!({} != 0.0)) goto fail;", J);
    return;
  }
  const bool unroll = b.size <= kUnrolledMatrix;
  if (unroll) program(b.jacobian);
  linear_solve(b, !unroll);
  std::string sum;
  for (std::int32_t i = 0; i < b.size; ++i) {
    line("{} -= d{};", s(b.unknowns[static_cast<std::size_t>(i)]), i);
    sum += fmt::format("{}fabs(d{})", i > 0 ? " + " : "", i);
  }
  line("if (!({} <= LARGEST)) goto fail;", sum);
}

// PlanStepper::sub_step, from the starting values to what is remembered.
void Text::sub_step() {
  const auto unknowns = plan_.unknown_slots();
  if (!plan_.linear()) {
    sizes();
    predict();
  }
  for (block_ = 0; block_ < plan_.blocks().size(); ++block_) block(plan_.blocks()[block_]);
  program(plan_.finish());
  const auto result = [&](std::size_t i) { return s(plan_.result_slot() + static_cast<std::int32_t>(i)); };
  // A sum of finite numbers that overflows is left to the interpreter too.
  std::string sum;
  for (std::size_t i = 0; i < shape_.state; ++i) sum += (i > 0 ? " + " : "") + result(i);
  const bool checked = !checks_seldom();
  if (checked) line("if (!(fabs({}) <= LARGEST)) goto fail;", sum);
  for (std::size_t i = 0; i < shape_.state; ++i)
    line("{} = {};", s(plan_.slot(kPosition) + static_cast<std::int32_t>(i)), result(i));
  if (header_) {
    carry();
    return;
  }
  // Stored in every step: kept in registers for the case of a failure, they would be in the way.
  for (std::size_t i = 0; i < shape_.state; ++i) {
    const std::int32_t slot = plan_.slot(kPosition) + static_cast<std::int32_t>(i);
    line("w[{}] = {};", slot, s(slot));
  }
  for (std::size_t i = 0; i < shape_.m; ++i) line("multipliers[{}] = {};", i, result(shape_.state + i));
  const auto keep = [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i)
      if (!cut_) line("w[{}] = {};", first + i, s(first + i));
  };
  keep(plan_.extra_slot(), plan_.extra_count());
  keep(plan_.power_slot(), plan_.power_count());
  if (!cut_)
    for (const std::int32_t u : unknowns) line("w[{}] = {};", u, s(u));
  remember();
}

// Predictions of all unknowns at once, in loops over rows that compilers take in lanes.
void Text::predict() {
  const auto unknowns = plan_.unknown_slots();
  if (!looks_far()) {
    line("x1 = history + (part * {} + job->newest[part]) * {};", starting::kRows, shape_.history_width);
    for (std::size_t i = 0; i < unknowns.size(); ++i) line("{} = near_value(x1 + {});", s(unknowns[i]), i);
    return;
  }
  line("look = ((count + done) & {}) == 0;", starting::kLook - 1);
  line("rough = 0;");
  line("predict(history + (part * {} + job->newest[part]) * {}, job->far[part], guess);", starting::kRows,
       shape_.history_width);
  for (std::size_t i = 0; i < unknowns.size(); ++i) line("{} = guess[{}];", s(unknowns[i]), i);
}

void Text::remember() {
  if (plan_.linear()) return;
  const auto unknowns = plan_.unknown_slots();
  line("x1 = next_row(history + part * {}, job->newest + part);", starting::kRows * shape_.history_width);
  for (std::size_t i = 0; i < unknowns.size(); ++i) line("x1[{}] = {};", i, s(unknowns[i]));
  if (!looks_far()) return;
  line("if (rough) job->far[part] = 0;");
  line("else if (look) job->far[part] = far_is_better(x1);");
}

// The end of a step in a C++ class. A linear plan goes on from its unknowns, another one from what is remembered.
void Text::carry() {
  for (std::size_t i = 0; i < shape_.m; ++i)
    line("l{} = {};", i, s(plan_.result_slot() + static_cast<std::int32_t>(shape_.state + i)));
  if (plan_.linear())
    for (const std::int32_t u : plan_.unknown_slots()) line("w[{}] = {};", u, s(u));
  remember();
  const auto& values = carried_.values;
  for (std::size_t i = 0; i < values.size(); ++i) line("c{} = {};", i, s(values[i].end));
  for (std::size_t i = 0; i < values.size(); ++i) line("{} = c{};", s(values[i].start), i);
}

std::string Text::body() {
  depth_ = 1;
  const bool composed = shape_.gamma.size() > 1;
  const auto state = [&](std::size_t i) { return s(plan_.slot(kPosition) + static_cast<std::int32_t>(i)); };
  if (!carried_.values.empty()) {
    line("{} = h;", s(plan_.slot(kStepSize)));
    open("");
    piece(plan_.finish(), carried_.first);
    close();
    skipped_.insert(carried_.skipped.begin(), carried_.skipped.end());
  }
  open("for (; done < steps; ++done)");
  if (composed || (plan_.has(kTime) && (!header_ || reads_time())))
    line("at = job->t_base + (double)(count + done) * h;");
  line("spent = 0;");
  if (composed) {
    for (std::size_t i = 0; i < shape_.state; ++i) line("z{} = {};", i, state(i));
    open(fmt::format("for (part = 0; part < {}; ++part)", shape_.gamma.size()));
  }
  line("before = spent;");
  if (plan_.has(kTime)) line("{} = at;", s(plan_.slot(kTime)));
  line("{} = {};", s(plan_.slot(kStepSize)), composed || shape_.gamma[0] != 1.0 ? "parts[part] * h" : "h");
  if (plan_.has(kPreviousStep)) line("{} = h_before;", s(plan_.slot(kPreviousStep)));
  sub_step();
  if (composed) {
    line("at += {};", s(plan_.slot(kStepSize)));
    close();
  }
  if (checks_seldom()) {
    std::string sum;
    for (std::size_t i = 0; i < shape_.state; ++i) sum += (i > 0 ? " + " : "") + state(i);
    open("if ((done & 7) == 7)");
    open(fmt::format("if (!(fabs({}) <= LARGEST))", sum));
    line("done -= 7;");
    line("goto back;");
    close();
    for (std::size_t i = 0; i < shape_.state; ++i) line("z{} = {};", i, state(i));
    for (std::size_t i = 0; i < shape_.m; ++i) line("y{0} = l{0};", i);
    close();
  }
  if (!plan_.blocks().empty()) {
    line("iterations += spent;");
    line("if (spent > most) most = spent;");
  }
  if (plan_.has(kPreviousStep)) line("h_before = h;");
  std::string turned;
  for (const std::int32_t i : shape_.angles)
    turned += fmt::format("{}fabs({}) > {}", turned.empty() ? "" : " || ", state(static_cast<std::size_t>(i)),
                          literal(kTurnHigh));
  if (!turned.empty()) {  // whole turns are taken off outside
    open(fmt::format("if ({})", turned));
    line("++done;");
    line("break;");
    close();
  }
  close();
  if (checks_seldom()) {
    std::string sum;
    for (std::size_t i = 0; i < shape_.state; ++i) sum += (i > 0 ? " + " : "") + state(i);
    open(fmt::format("if (!(fabs({}) <= LARGEST))", sum));
    line("done -= done & 7;");
    out_ += "back:\n";
    for (std::size_t i = 0; i < shape_.state; ++i) line("{} = z{};", state(i), i);
    for (std::size_t i = 0; i < shape_.m; ++i) line("l{0} = y{0};", i);
    close();
  }
  line("part = 0;");
  line("spent = before = 0;");
  if (!checks_seldom()) out_ += "fail:\n";
  if (header_) {
    for (std::size_t i = 0; i < shape_.state; ++i)
      if (!cut_) line("w[{}] = {};", plan_.slot(kPosition) + static_cast<std::int32_t>(i), state(i));
    for (std::size_t i = 0; i < shape_.m; ++i) line("multipliers[{}] = l{};", i, i);
  }
  if (composed)
    for (std::size_t i = 0; i < shape_.state; ++i) line("job->saved[{}] = z{};", i, i);
  line("job->at = at; job->done = done; job->iterations = iterations; job->most = most;");
  line("job->part = part; job->spent = before; job->h_before = done > 0 ? h : h_before;");
  depth_ = 0;
  return std::move(out_);
}

void Text::tables() {
  if (tables_.empty()) return;
  out_ += kLookUpText;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    std::string values;
    for (const double x : tables_[i]) values += literal(x) + ",";
    line("static const double table{}[] = {{{}}};", i, values);
  }
}

bool Text::reads_time() const {
  const auto t = static_cast<std::uint32_t>(plan_.slot(kTime));
  const auto reads = [&](const Program& p) {
    return std::any_of(p.code.begin(), p.code.end(), [&](const Instruction& in) {
      const int count = in.code == Code::end ? 0 : argument_count(in.code);
      return (count > 0 && in.a == t) || (count > 1 && in.b == t) || (count > 2 && in.c == t);
    });
  };
  return reads(plan_.finish()) || std::any_of(plan_.blocks().begin(), plan_.blocks().end(), [&](const Plan::Block& b) {
           return reads(b.before) || reads(b.residual) || reads(b.jacobian);
         });
}

void Text::prepare() {
  // A linear plan that fails must leave its unknowns as they were; Newton's iteration starts from others anyway.
  cut_ = plan_.instruction_count() > kOneFunction && !plan_.linear();
  if (!header_ && shape_.stage_lanes) find_lanes();
  find_local();
}

std::string Text::write() {
  prepare();
  const std::string code = body();
  out_.clear();
  out_ += kHeadText;
  out_ += kNativeJobText;
  if (lanes_) out_ += kPairText;
  tables();
  if (!plan_.linear()) out_ += starting_text(shape_.history_width, plan_.unknown_slots().size(), kOne);
  for (const std::int32_t n : unrolled_) out_ += unrolled_solve_text(n, kOne);
  for (const std::int32_t n : loops_) out_ += factor_text(n);
  out_ += pieces_;
  open(fmt::format("void {}(struct NativeJob* job)", kNativeSymbol));
  line("double* restrict const w = job->w;");
  line("double* restrict const history = job->history;");
  line("const double h = job->h, tolerance = job->tolerance;");
  line("double h_before = job->h_before, at = 0.0;");
  line("const long long steps = job->steps, count = job->count;");
  line("long long done = 0, iterations = 0;");
  line("int part = 0, spent = 0, before = 0, most = job->most, k = 0, since = 0, current = 1;");
  line("const int max_newton = job->max_newton;");
  line("double typical0, typical1, noise0, noise1, big0, big1, change0, change1, first0 = 0.0, first1 = 0.0;");
  line("double size, last, ratio = 0.0, older, next;");
  std::string gamma;
  for (const double x : shape_.gamma) gamma += literal(x) + ",";
  line("static const double parts[] = {{{}}};", gamma);
  std::int32_t largest = 1;
  for (const Plan::Block& b : plan_.blocks()) largest = std::max(largest, b.size);
  for (std::int32_t i = 0; i < largest; ++i) line("double d{} = 0.0;", i);
  if (!loops_.empty()) {
    const std::int32_t n = *loops_.rbegin();
    for (const std::int32_t k : loops_) line("double lu{0}[{1}] = {{0.0}}, lower{0}[{1}] = {{0.0}};", k, k * padded(k));
    line("double scale[{0}], r[{0}], d[{0}] = {{0.0}};", padded(n));
    line("int perm[{}];", n);
  }
  if (shape_.gamma.size() > 1)
    for (std::size_t i = 0; i < shape_.state; ++i) line("double z{} = 0.0;", i);
  line("double* restrict const multipliers = job->multipliers;");
  if (lanes_) line("double p[{}] __attribute__((aligned(32))) = {{0.0}};", std::max(cell_count_, 4));
  for (const std::uint32_t slot : used_) line("double s{} = w[{}];", slot, slot);
  if (!plan_.linear()) {
    line("double* x1;");
    if (looks_far()) {
      line("double guess[{}];", plan_.unknown_slots().size());
      line("int look, rough;");
    }
  }
  out_ += code;
  close();
  return std::move(out_);
}

LoopText Text::parts() {
  header_ = true;
  carried_ = carried_values(shape_);
  prepare();
  LoopText out;
  out.loop = body();
  out_.clear();
  tables();
  if (!plan_.linear()) out_ += starting_text(shape_.history_width, plan_.unknown_slots().size(), kOne);
  for (const std::int32_t n : unrolled_) out_ += unrolled_solve_text(n, kOne);
  for (const std::int32_t n : loops_) out_ += factor_text(n);
  out.functions = out_ + pieces_;
  out_.clear();
  depth_ = 1;
  std::int32_t largest = 1;
  for (const Plan::Block& b : plan_.blocks()) largest = std::max(largest, b.size);
  for (std::int32_t i = 0; i < largest; ++i) line("[[maybe_unused]] double d{} = 0.0;", i);
  if (!loops_.empty()) {
    for (const std::int32_t k : loops_) line("double lu{0}[{1}] = {{}}, lower{0}[{1}] = {{}};", k, k * padded(k));
    line("double scale[{0}] = {{}}, r[{0}] = {{}}, d[{0}] = {{}};", padded(*loops_.rbegin()));
    line("int perm[{}] = {{}};", *loops_.rbegin());
  }
  for (std::size_t i = 0; i < shape_.m; ++i) line("double l{0} = multipliers[{0}];", i);
  for (std::size_t i = 0; i < carried_.values.size(); ++i) line("double c{};", i);
  for (const std::uint32_t slot : used_) line("[[maybe_unused]] double s{} = w[{}];", slot, slot);
  for (std::size_t i = 0; i < shape_.state && (shape_.gamma.size() > 1 || checks_seldom()); ++i)
    line("double z{} = w[{}];", i, plan_.slot(kPosition) + static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < shape_.m && checks_seldom(); ++i) line("double y{0} = l{0};", i);
  out.variables = std::move(out_);
  return out;
}

}  // namespace

LoopText loop_text(const StepShape& shape) { return Text(shape).parts(); }

std::vector<const Program*> programs_of(const Plan::Block& b) {
  if (b.leading) return {&b.before, &b.residual, &b.leading->matrix, &b.leading->right, &b.leading->expand};
  return {&b.before, &b.residual, &b.jacobian};
}

std::string why_not_native(const Plan& plan) {
  if (plan.is_sparse()) return "large systems are solved with sparse matrices, and have no step of one piece";
  if (plan.instruction_count() > kMostInstructions) return "its step is so long that compiling it would not pay";
  for (const Plan::Block& b : plan.blocks()) {
    if (b.saddle) return "its stage system is solved with a matrix that is shared by the stages, which is not compiled";
    for (const Program* p : programs_of(b))
      if (!p->loops.empty()) return "its model has families that are not unrolled";
  }
  return plan.finish().loops.empty() ? "" : "its model has families that are not unrolled";
}

std::string native_text(const StepShape& shape) { return Text(shape).write(); }

}  // namespace rattleback

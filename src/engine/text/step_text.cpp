#include "engine/text/step_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/text/common_text.hpp"
#include "engine/text/solve_text.hpp"
#include "expr/instructions.hpp"
#include "step/starting_values.hpp"

namespace rattleback {
namespace {

std::string lane_type(const LaneSlots& slots) { return slots.size() == 2 ? "pair" : "lanes"; }

// A lane too many repeats the last one.
std::string together(const LaneSlots& x, const SlotName& name) {
  std::string out = "(" + lane_type(x) + "){";
  for (std::size_t k = 0; k < (x.size() == 2 ? 2U : 4U); ++k)
    out += (k > 0 ? ", " : "") + name(x[std::min(k, x.size() - 1)]);
  return out + "}";
}

// What a pack holds. vector: how the text calls a pack.
std::string lane_value(const LaneStep& step, const SlotName& name, const std::function<std::string(int)>& vector) {
  if (step.code.empty()) return together(step.operands[0], name);
  return formula(step.code[0]->code, kFour, [&](int operand) {
    const auto k = static_cast<std::size_t>(operand);
    return step.packs[k] >= 0 ? vector(step.packs[k]) : together(step.operands[k], name);
  });
}

}  // namespace

StepText::StepText(const StepShape& shape, Words words, bool header)
    : shape_(shape),
      plan_(*shape.plan),
      image_(shape.plan->image()),
      slots_(*shape.plan, shape.state),
      words_(words),
      header_(header),
      looks_far_(header || starting::looks_far(*shape.plan)),
      sizes_{{number("typical0"), number("typical1")}, {number("noise0"), number("noise1")}} {
  for (const Plan::Block& b : plan_.blocks()) largest_block_ = std::max(largest_block_, b.size);
}

std::string StepText::any(const Condition& x) const {
  if (!words_.wide) return x.text;
  std::string all;
  for (int c = 0; c < at_once_; ++c) {
    std::string one = x.mask();
    for (std::size_t i; (i = one.find('@')) != std::string::npos;) one.replace(i, 1, std::to_string(c));
    all += (c > 0 ? " | " : "") + one;
  }
  return "some(" + all + ")";
}

void StepText::prepare() {
  // A linear plan that fails must leave its unknowns as they were; Newton's iteration starts from others anyway.
  cut_ = plan_.instruction_count() > kOneFunction && !plan_.linear();
  if (!words_.wide && !header_ && shape_.stage_lanes) lanes_.emplace(plan_, slots_, slots_.named(header_));
  if (lanes_ && lanes_->empty()) lanes_.reset();
  find_local();
}

// Stages side by side where that was found to pay, else one instruction after the other.
std::vector<LaneStep> StepText::statements(const Program& p) const {
  const std::span<const LaneStep> found = lanes_ ? lanes_->steps(p) : std::span<const LaneStep>();
  std::vector<LaneStep> out(found.begin(), found.end());
  for (const Instruction& in : p.code)
    if (found.empty() && in.code != Code::end) out.emplace_back().code = {&in};
  return out;
}

template <class Piece>
void StepText::each_piece(std::span<const LaneStep> all, const Piece& piece) const {
  while (!all.empty()) {
    const std::size_t size = cut_ ? std::min(kPiece, all.size()) : all.size();
    piece(all.first(size));
    all = all.subspan(size);
  }
}

// Which slots, and which packs, can be variables of one piece. Packs are numbered as slots behind all others.
void StepText::find_local() {
  std::vector<char> shared = slots_.named(header_);
  const auto place_of = [slots = shared.size()](int pack) {
    return static_cast<std::uint32_t>(slots) + static_cast<std::uint32_t>(pack);
  };
  shared.resize(shared.size() + (lanes_ ? lanes_->packs().size() : 0), 0);
  PieceSlots pieces(std::move(shared));
  const auto read = [&](std::uint32_t slot) { pieces.read(home(slot) >= 0 ? place_of(home(slot)) : slot); };
  const auto see = [&](const LaneStep& step) {
    if (step.pack < 0) for_each_read(*step.code[0], read);
    for (std::size_t k = 0; k < step.operands.size(); ++k)
      if (step.packs[k] >= 0)
        pieces.read(place_of(step.packs[k]));
      else
        std::for_each(step.operands[k].begin(), step.operands[k].end(), read);
    if (step.pack >= 0) pieces.write(place_of(step.pack));
    for (const Instruction* const in : step.code)
      for_each_written(*in, [&](std::uint32_t slot) {
        if (home(slot) >= 0)
          pieces.read(place_of(home(slot)));  // a lane of another pack is changed where that is
        else if (in->code == Code::clear || (header_ && pieces.written_elsewhere(slot)))
          pieces.share(
              slot);  // a C++ class leaves instructions out (skipped_): what two write stays one variable there
        else
          pieces.write(slot);
      });
  };
  for (const Program* const p : programs_of(plan_))
    each_piece(statements(*p), [&](std::span<const LaneStep> piece) {
      pieces.next();
      for (const LaneStep& step : piece) see(step);
    });
  for (std::size_t k = 0; lanes_ && k < lanes_->packs().size(); ++k) {
    const bool leaves = pieces.is_shared(place_of(static_cast<int>(k)));
    cells_.push_back(leaves ? cell_count_ : -1);
    if (leaves) cell_count_ += 4;
  }
  for (const CarriedValues::Value& c : carried_.values) {
    pieces.share(c.start);
    pieces.share(c.end);
  }
  local_ = pieces.local(slots_);
}

std::string StepText::s(std::uint32_t slot) {
  if (slots_.is_constant(slot)) return words_.number(image_[slot]);
  if (home(slot) >= 0)
    return fmt::format("p[{}]", cells_[static_cast<std::size_t>(home(slot))] + lanes_->home(slot).lane);
  if (!local_.contains(slot)) {
    if (cut_) return fmt::format(fmt::runtime(words_.wide ? "W({}, @)" : "w[{}]"), slot);
    used_.insert(slot);
  }
  return called(fmt::format("s{}", slot));
}

Said StepText::cell(const Plan::Block& b, std::int32_t k) {
  const auto slot = static_cast<std::uint32_t>(b.J + k);
  return slots_.is_written(slot) ? at(b.J + k) : Said(image_[slot]);
}

Said StepText::sum(std::int32_t first) {
  std::vector<Said> all;
  for (std::size_t i = 0; i < shape_.state; ++i) all.push_back(at(first + static_cast<std::int32_t>(i)));
  return in_pairs(std::move(all), [](const Said& x, const Said& y) { return x + y; });
}

std::string StepText::table(const std::vector<double>& values) {
  tables_.push_back(values);
  return fmt::format("table{}", tables_.size() - 1);
}

// What is written becomes a block, or a function of its own when the step is cut: pieces meet in the workspace, and in
// p where there are vectors.
template <class Write>
void StepText::in_piece(const Write& write) {
  if (!cut_) {
    open("");
    write();
    close();
    return;
  }
  line("piece{}({});", piece_count_, lanes_ ? "w, p" : "w");
  std::swap(out_, pieces_);
  const int depth = std::exchange(depth_, 0);
  open(fmt::format("static __attribute__((noinline)) void piece{}(double* __restrict const w{})", piece_count_++,
                   lanes_ ? ", double* __restrict const p" : ""));
  write();
  close();
  depth_ = depth;
  std::swap(out_, pieces_);
}

// The pieces of find_local().
void StepText::program(const Program& p) {
  const std::vector<LaneStep> all = statements(p);
  std::set<int> made;
  for (const LaneStep& step : all)
    if (step.pack >= 0 && !step.code.empty()) made.insert(step.pack);
  each_piece(all, [&](std::span<const LaneStep> part) { in_piece([&] { piece(p, part, made); }); });
}

// made: the packs that this program computes.
void StepText::piece(const Program& p, std::span<const LaneStep> steps, const std::set<int>& made) {
  std::set<std::uint32_t> local;
  for (const LaneStep& step : steps)
    for (const Instruction* const in : step.code)
      if (local_.contains(in->dst) && !skipped_.contains(in->dst) && home(in->dst) < 0) local.insert(in->dst);
  for (const std::uint32_t slot : local)
    line("{}{} {};", header_ ? "[[maybe_unused]] " : "", words_.type(), called(fmt::format("s{}", slot)));
  std::set<int> here;
  const auto cell = [&](int pack) { return cells_[static_cast<std::size_t>(pack)]; };
  const auto name = [&](std::uint32_t slot) {
    const int pack = home(slot);
    return pack >= 0 && cell(pack) < 0 ? fmt::format("v{}[{}]", pack, lanes_->home(slot).lane) : s(slot);
  };
  const auto type = [&](int pack) { return lane_type(lanes_->packs()[static_cast<std::size_t>(pack)]); };
  const auto vector = [&](int pack) {
    return here.contains(pack) ? fmt::format("v{}", pack) : fmt::format("*(const {}*)(p + {})", type(pack), cell(pack));
  };
  const auto new_table = [&](const std::vector<double>& values) { return table(values); };
  for (const LaneStep& step : steps) {
    if (step.pack < 0) {
      if (const Instruction& in = *step.code[0]; !skipped_.contains(in.dst))
        line("{}", statement(p, in, words_, name, new_table));
      continue;
    }
    line("const {} v{} = {};", type(step.pack), step.pack, lane_value(step, name, vector));
    here.insert(step.pack);
    if (cell(step.pack) >= 0) line("*({}*)(p + {}) = v{};", type(step.pack), cell(step.pack), step.pack);
    for (std::size_t k = 0; k < step.code.size(); ++k) {
      const std::uint32_t slot = step.code[k]->dst;
      const int pack = home(slot);
      // Known by its name, or living in a pack that another program writes.
      if (pack < 0 || (pack != step.pack && !made.contains(pack))) line("{} = v{}[{}];", s(slot), step.pack, k);
    }
  }
}

void StepText::sub_step() {
  if (plan_.has(kTime)) set(at(plan_.slot(kTime)), Said("at"));
  const bool part = shape_.gamma.size() > 1 || shape_.gamma[0] != 1.0;
  set(at(plan_.slot(kStepSize)), Said(part ? "parts[part] * h" : "h"));
  if (plan_.has(kPreviousStep)) set(at(plan_.slot(kPreviousStep)), Said("h_before"));
  if (!plan_.linear()) {
    sizes();
    predict();
  }
  blocks();
  program(plan_.finish());
  leave();
}

void StepText::step() {
  const bool composed = shape_.gamma.size() > 1;
  if (composed || plan_.has(kTime)) line("at = job->t_base + (double)(count + done) * h;");
  if (composed) open(fmt::format("for (part = 0; part < {}; ++part)", shape_.gamma.size()));
  if (!words_.wide) line("before = spent;");
  sub_step();
  if (!composed) return;
  line("at += parts[part] * h;");
  close();
}

// What functions of C and of C++ are told.
void StepText::job() {
  const char* const unused = header_ ? "[[maybe_unused]] " : "";
  for (const char* const what : {words_.wide ? "all" : "w", "history", "multipliers"})
    line("{}double* __restrict const {} = job->{};", unused, what, what == std::string_view("all") ? "w" : what);
  line("{}const double h = job->h;", unused);
  line("{}double h_before = job->h_before, at = 0.0, *x0, *x1;", unused);
  line("{}const long long steps = job->steps, count = job->count;", unused);
  line("long long done = 0;");
  line("{}int part = 0, k = 0;", unused);
  if (!header_) line("const double tolerance = job->tolerance;");
  if (!header_) line("const int max_newton = job->max_newton;");
  line("{}static const double parts[] = {{{}}};", unused, literals(shape_.gamma));
}

void StepText::variables() {
  const char* const unused = header_ ? "[[maybe_unused]] " : "";
  const char* const start = words_.wide ? "" : " = 0";
  for (const std::string& name : numbers_) line("{}{} {}{};", unused, words_.type(), called(name), start);
  for (const std::string& name : truths_) line("{}{} {}{};", unused, words_.truth(), called(name), start);
}

void StepText::functions() {
  for (std::size_t i = 0; i < tables_.size(); ++i)
    line("static {} double table{}[] = {{{}}};", header_ ? "constexpr" : "const", i, literals(tables_[i]));
  if (!plan_.linear()) out_ += starting_text(shape_.history_width, plan_.unknown_slots().size(), words_);
  for (const std::int32_t n : unrolled_) out_ += unrolled_solve_text(n, words_);
  for (const std::int32_t n : loops_) out_ += words_.wide ? lane_factor_text(n) : factor_text(n);
  out_ += pieces_;
}

}  // namespace rattleback

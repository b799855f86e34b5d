#include "engine/text/step_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/text/common_text.hpp"
#include "engine/text/solve_text.hpp"
#include "step/starting_values.hpp"

namespace rattleback {
namespace {

// Statements of a piece that has vectors. Measured with 120, 250, 500 and 2000 (prk-murua with five stages): 5.40,
// 5.38, 5.51, 5.86 us a step and 2.1, 1.8, 2.1, 4.9 s to compile.
constexpr std::size_t kLanePiece = 250;

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
      slots_(shape),
      words_(words),
      header_(header),
      looks_far_(header || starting::looks_far(*shape.plan)),
      sizes_{{number("typical0"), number("typical1")}, {number("noise0"), number("noise1")}} {
  for (const Plan::Block& b : plan_.blocks()) largest_block_ = std::max(largest_block_, b.size);
}

void StepText::put(std::string_view text) {
  const bool each = text.find('@') != std::string_view::npos;
  for (int c = 0; c < (each ? at_once_ : 1); ++c) {
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
    for (const char x : text)
      if (x == '@')
        out_ += std::to_string(c);
      else
        out_ += x;
    out_ += '\n';
  }
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
  if (!words_.wide && !header_ && shape_.stage_lanes) find_lanes();
  find_local();
}

// Which slots, and which packs, can be variables of one piece.
void StepText::find_local() {
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
    for_each_read(in, [&](std::uint32_t slot) {
      if (const int pack = pack_of(slot); pack >= 0) use_pack(pack);
    });
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
void StepText::find_lanes() {
  std::vector<std::uint8_t> use(image_.size(), StageLanes::kFree);
  const std::vector<char> known = slots_.named(header_);
  for (std::size_t slot = 0; slot < use.size(); ++slot) {
    const auto number = static_cast<std::uint32_t>(slot);
    if (slots_.is_constant(number)) use[slot] |= StageLanes::kConstant;
    if (slots_.is_parameter(number)) use[slot] |= StageLanes::kConstant | StageLanes::kInput;
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

std::string StepText::s(std::uint32_t slot) {
  if (slots_.is_constant(slot)) return words_.number(image_[slot]);
  if (lanes_)
    if (const StageLanes::Place h = lanes_->home(slot); h.pack >= 0)
      return fmt::format("p[{}]", cells_[static_cast<std::size_t>(h.pack)] + h.lane);
  if (!local_.contains(slot)) {
    if (cut_) return fmt::format(fmt::runtime(words_.wide ? "W({}, @)" : "w[{}]"), slot);
    used_.insert(slot);
  }
  return number(fmt::format("s{}", slot)).text;
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
  if (p.empty()) return;
  const auto pieces = [&](auto all, std::size_t size, std::size_t first_size, const auto& write) {
    for (std::size_t first = 0; first < all.size();) {
      const std::size_t end = cut_ ? std::min(all.size(), first == 0 ? first_size : first + size) : all.size();
      in_piece([&] { write(all.subspan(first, end - first)); });
      first = end;
    }
  };
  if (const auto steps = lane_steps(p); !steps.empty()) {
    std::set<int> made;
    for (const LaneStep& step : steps)
      if (step.pack >= 0 && !step.code.empty()) made.insert(step.pack);
    pieces(steps, kLanePiece, kLanePiece, [&](auto part) { lane_piece(p, part, made); });
    return;
  }
  const std::span<const Instruction> all(p.code.data(), p.code.size() - 1);  // without Code::end
  pieces(all, kPiece, kPiece - 1, [&](auto part) { piece(p, part); });
}

// made: the packs that this program computes.
void StepText::lane_piece(const Program& p, std::span<const LaneStep> steps, const std::set<int>& made) {
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
  const auto new_table = [&](const std::vector<double>& values) { return table(values); };
  for (const LaneStep& step : steps) {
    if (step.pack < 0) {
      line("{}", statement(p, *step.code[0], kOne, name, new_table));
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

void StepText::piece(const Program& p, std::span<const Instruction> code) {
  std::set<std::uint32_t> local;
  for (const Instruction& in : code)
    if (local_.contains(in.dst) && !skipped_.contains(in.dst)) local.insert(in.dst);
  for (const std::uint32_t slot : local)
    line("{}{} {};", header_ ? "[[maybe_unused]] " : "", words_.type(), number(fmt::format("s{}", slot)).text);
  const auto name = [&](std::uint32_t slot) { return s(slot); };
  const auto new_table = [&](const std::vector<double>& values) { return table(values); };
  const std::map<std::uint32_t, Scaled> scaled = header_ ? find_scaled(code) : std::map<std::uint32_t, Scaled>{};
  for (const Instruction& in : code) {
    if (skipped_.contains(in.dst) || scaled.contains(in.dst)) continue;
    for (const std::uint32_t slot : {in.a, in.b}) {
      const auto it = scaled.find(slot);
      if (it == scaled.end() || it->second.user != &in) continue;
      const Scaled& x = it->second;
      line("{}", statement(
                     p, in, kOne,
                     [&](std::uint32_t k) {
                       return k == slot ? s(x.of) : k == x.step ? fmt::format("({} * {})", x.factor, s(k)) : s(k);
                     },
                     new_table));
      break;
    }
    const auto plain = [&](std::uint32_t slot) {
      const auto it = scaled.find(slot);
      return it == scaled.end() || it->second.user != &in;
    };
    if (plain(in.a) && plain(in.b)) line("{}", statement(p, in, words_, name, new_table));
  }
}

// c x h with c a power of two is taken as (c h) x: the same bits, and c h is computed once for all steps.
std::map<std::uint32_t, StepText::Scaled> StepText::find_scaled(std::span<const Instruction> code) {
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
    for_each_read(in, [&](std::uint32_t slot) {
      ++uses[slot];
      user[slot] = &in;
    });
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

void StepText::functions() {
  if (!tables_.empty()) {
    out_ += kLookUpText;
    if (words_.wide) out_ += kLaneLookUpText;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      std::string values;
      for (const double x : tables_[i]) values += literal(x) + ",";
      line("static const double table{}[] = {{{}}};", i, values);
    }
  }
  if (!plan_.linear()) out_ += starting_text(shape_.history_width, plan_.unknown_slots().size(), words_);
  for (const std::int32_t n : unrolled_) out_ += unrolled_solve_text(n, words_);
  for (const std::int32_t n : loops_) out_ += words_.wide ? lane_factor_text(n) : factor_text(n);
  out_ += pieces_;
}

}  // namespace rattleback

// Running programs. One switch per instruction; the lane loop is inside, so its cost is shared by all lanes.
#include <algorithm>
#include <cstring>

#include "expr/arithmetic.hpp"
#include "expr/program.hpp"

namespace rattleback {
namespace {

void run_loop(const Program& program, const Loop& loop, double* w, int lanes, int lane) {
  double* const regs = w + static_cast<std::ptrdiff_t>(loop.scratch) * lanes;  // shared by all lanes, one at a time
  const auto slot = [&](std::int32_t s) -> double& { return w[static_cast<std::ptrdiff_t>(s) * lanes + lane]; };
  // What is the same for all members is read once.
  std::size_t varying = 0;
  for (; varying < loop.body.size() && loop.body[varying].what == LoopCode::broadcast; ++varying) {
    const LoopInstruction& in = loop.body[varying];
    std::fill_n(regs + static_cast<std::ptrdiff_t>(in.dst) * kChunk, kChunk, slot(in.a));
  }
  const std::span<const LoopInstruction> body = std::span(loop.body).subspan(varying);
  for (std::int32_t first = 0; first < loop.count; first += kChunk) {
    const int valid = std::min<std::int32_t>(kChunk, loop.count - first);
    const bool full = valid == kChunk && lanes == 1;
    // Past the end a chunk repeats the last member: padding, not a second code path.
    const auto member = [&](int l) { return first + std::min(l, valid - 1); };
    for (const LoopInstruction& in : body) {
      double* const d = regs + static_cast<std::ptrdiff_t>(in.dst) * kChunk;
      const double* const a = regs + static_cast<std::ptrdiff_t>(in.a) * kChunk;
      const double* const b = regs + static_cast<std::ptrdiff_t>(in.b) * kChunk;
      switch (in.what) {
        case LoopCode::load:
          if (full && in.b == 1) {
            std::memcpy(d, w + in.a + first, kChunk * sizeof(double));
            break;
          }
          for (int l = 0; l < kChunk; ++l) d[l] = slot(in.a + in.b * member(l));
          break;
        case LoopCode::broadcast: {
          const double x = slot(in.a);
          for (int l = 0; l < kChunk; ++l) d[l] = x;
          break;
        }
        case LoopCode::index:
          for (int l = 0; l < kChunk; ++l) d[l] = static_cast<double>(in.a + in.b * member(l));
          break;
        case LoopCode::table:
          for (int l = 0; l < kChunk; ++l)
            d[l] = program.tables[static_cast<std::size_t>(in.c)].data()[in.a + in.b * member(l)];
          break;
        case LoopCode::store:
          if (full && in.b == 1) {
            std::memcpy(w + in.a + first, d, kChunk * sizeof(double));
            break;
          }
          for (int l = 0; l < valid; ++l) slot(in.a + in.b * (first + l)) = d[l];
          break;
        case LoopCode::store_add:
          if (full && in.b == 1) {
            double* const to = w + in.a + first;
            for (int l = 0; l < kChunk; ++l) to[l] += d[l];
            break;
          }
          for (int l = 0; l < valid; ++l) slot(in.a + in.b * (first + l)) += d[l];
          break;
        case LoopCode::reduce: {
          double s = 0.0;
          for (int l = 0; l < valid; ++l) s += d[l];
          slot(in.a) += s;
          break;
        }
        case LoopCode::arithmetic:
          switch (in.code) {
#define CASE1(name, formula)           \
  case Code::name:                     \
    for (int l = 0; l < kChunk; ++l) { \
      const double x = a[l];           \
      d[l] = formula;                  \
    }                                  \
    break;
#define CASE2(name, formula)           \
  case Code::name:                     \
    for (int l = 0; l < kChunk; ++l) { \
      const double x = a[l], y = b[l]; \
      d[l] = formula;                  \
    }                                  \
    break;
            RATTLEBACK_ARITHMETIC(CASE1, CASE2)
#undef CASE1
#undef CASE2
            case Code::select: {
              const double* const c = regs + static_cast<std::ptrdiff_t>(in.c) * kChunk;
              for (int l = 0; l < kChunk; ++l) d[l] = a[l] != 0.0 ? b[l] : c[l];
              break;
            }
            case Code::mul_add:
            case Code::mul_sub:
            case Code::sub_mul:
            case Code::clear:
            case Code::loop:
            case Code::lookup:
            case Code::lookup_slope:
            case Code::end: break;  // not emitted in loop bodies
          }
      }
    }
  }
}

}  // namespace

// Threaded code: every operation jumps straight to the next one, which the processor predicts better than one shared
// jump. Labels as values are an extension that GCC and clang have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
template <int W>
void Program::run_lanes(double* w) const {
  static const void* const kTargets[] = {
      &&do_neg,  &&do_sin,        &&do_cos,          &&do_tan,  &&do_asin,    &&do_acos,    &&do_atan,    &&do_sinh,
      &&do_cosh, &&do_tanh,       &&do_exp,          &&do_log,  &&do_sqrt,    &&do_abs,     &&do_sign,    &&do_add,
      &&do_sub,  &&do_mul,        &&do_div,          &&do_pow,  &&do_atan2,   &&do_min,     &&do_max,     &&do_hypot,
      &&do_less, &&do_less_equal, &&do_select,       &&do_copy, &&do_mul_add, &&do_mul_sub, &&do_sub_mul, &&do_clear,
      &&do_loop, &&do_lookup,     &&do_lookup_slope, &&do_end};
  static_assert(sizeof kTargets / sizeof kTargets[0] == static_cast<std::size_t>(Code::end) + 1);
  if (code.empty()) return;
  const Instruction* in = code.data();
// Operand addresses; computed where they are used, because most operations have fewer than three arguments.
#define AT(operand) (w + static_cast<std::size_t>(in->operand) * W)
#define NEXT goto* kTargets[static_cast<std::size_t>(in->code)]  // NOLINT(bugprone-macro-parentheses): a statement
  NEXT;
#define CASE1(name, formula)       \
  do_##name : {                    \
    const double* const a = AT(a); \
    double* const d = AT(dst);     \
    for (int l = 0; l < W; ++l) {  \
      const double x = a[l];       \
      d[l] = formula;              \
    }                              \
    ++in;                          \
    NEXT;                          \
  }
#define CASE2(name, formula)                         \
  do_##name : {                                      \
    const double *const a = AT(a), *const b = AT(b); \
    double* const d = AT(dst);                       \
    for (int l = 0; l < W; ++l) {                    \
      const double x = a[l], y = b[l];               \
      d[l] = formula;                                \
    }                                                \
    ++in;                                            \
    NEXT;                                            \
  }
#define CASE3(name, formula)                                           \
  do_##name : {                                                        \
    const double *const a = AT(a), *const b = AT(b), *const c = AT(c); \
    double* const d = AT(dst);                                         \
    for (int l = 0; l < W; ++l) {                                      \
      const double x = a[l], y = b[l], z = c[l];                       \
      d[l] = formula;                                                  \
    }                                                                  \
    ++in;                                                              \
    NEXT;                                                              \
  }
  RATTLEBACK_ARITHMETIC(CASE1, CASE2)
  RATTLEBACK_ARITHMETIC_OF_THREE(CASE3)
do_clear : {
  double* const d = AT(dst);
  for (std::size_t k = 0; k < static_cast<std::size_t>(in->b) * W; ++k) d[k] = 0.0;
}
  ++in;
  NEXT;
do_loop:
  for (int l = 0; l < W; ++l) run_loop(*this, loops[in->a], w, W, l);
  ++in;
  NEXT;
do_lookup:
do_lookup_slope : {
  const double* const a = AT(a);
  double* const d = AT(dst);
  for (int l = 0; l < W; ++l) d[l] = look_up(tables[in->b], a[l], in->code == Code::lookup_slope);
}
  ++in;
  NEXT;
do_end:
  return;
#undef AT
#undef CASE1
#undef CASE2
#undef CASE3
#undef NEXT
}
#pragma GCC diagnostic pop

template void Program::run_lanes<1>(double*) const;
template void Program::run_lanes<2>(double*) const;
template void Program::run_lanes<4>(double*) const;
template void Program::run_lanes<8>(double*) const;
template void Program::run_lanes<16>(double*) const;

}  // namespace rattleback

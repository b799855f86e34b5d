// The solves of a block of equations: Newton's iteration with the rules of step/stopping.hpp, and its linear systems.
#include "engine/text/solve_text.hpp"
#include "engine/text/step_text.hpp"
#include "step/starting_values.hpp"

namespace rattleback {
namespace {

// C++ classes: systems of so many unknowns are solved with their determinant.
constexpr std::int32_t kShortSolve = 2;
// C++ classes: a first correction up to this size may be the last. With a factor of 200 its square is still rounding.
constexpr double kSmallStart = 1e-9;

std::string name(const char* what, std::int32_t number) { return what + std::to_string(number); }

}  // namespace

void StepText::fail(const Condition& condition) {
  if (words_.wide)
    line("{0} = {1} & {2}; ok_@ &= ~{0}; {1} &= ~{0};", truth("bad").text, going().text, condition.mask());
  else
    line("if ({}) goto fail;", condition.text);
}

Said StepText::largest(std::int32_t first, std::size_t count) {
  std::vector<Said> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(size_of(at(first + static_cast<std::int32_t>(i))));
  if (all.empty()) return 0.0;
  return in_pairs(std::move(all), [](const Said& x, const Said& y) { return larger(x, y); });
}

// What corrections are compared with (stepping::Run::sizes).
void StepText::sizes() {
  newton::typical_sizes(*this, sizes_, largest(state(shape_.sized_from()), shape_.sized()), multiplier_scale(),
                        at(plan_.slot(kStepSize)));
}

// Of changes and sizes of both kinds of unknowns, where this block has both.
template <class Of>
Said StepText::over_kinds(const Of& of) {
  if (kinds_[0] && kinds_[1]) return larger(of(0), of(1));
  return of(kinds_[0] ? 0 : 1);
}

// Looked at when an iteration stagnates.
void StepText::noise(newton::Progress<Said, SaidCount>& p) {
  if (shape_.has_sizes_of_velocities()) {
    newton::noise_sizes(*this, sizes_, largest(state(0), shape_.n), shape_.turn(), multiplier_scale(),
                        at(plan_.slot(kStepSize)));
  } else {
    for (const Said& x : sizes_.noise) set(x, 0.0);
  }
  set(p.noise,
      over_kinds([&](int k) { return number(name("change", k)) / larger(number(name("big", k)), sizes_.noise[k]); }));
}

// Larger matrices, in loops. Lanes that keep their old factors, or are not solving any more, are left as they are.
void StepText::factor(std::int32_t n, const Cells& matrix) {
  for (std::int32_t k = 0; k < n * n; ++k)
    if (words_.wide)
      line("next{}_@[{}] = {};", n, k, matrix(k).in(words_));
    else
      line("lu{}[{}] = {};", n, k / n * padded(n) + k % n, matrix(k).text);
  if (words_.wide)
    fail(Condition(fmt::format("current_@ & factor{0}(next{0}_@, lu{0}_@, perm{0}_@, scale{0}_@, current_@ & go_@)", n),
                   kFour));
  else
    fail(Condition(fmt::format("factor{0}(lu{0}, lower{0}, perm, scale)", n)));
  loops_.insert(n);
}

void StepText::substitute(std::int32_t n, const Cells& right, const Cells& to) {
  const std::string r = called("r"), d = called("d");
  for (std::int32_t k = 0; k < n; ++k) line("{}[{}] = {};", r, k, right(k).in(words_));
  if (words_.wide)
    line("substitute{0}(lu{0}_@, perm{0}_@, scale{0}_@, r_@, d_@);", n);
  else
    line("substitute{0}(lu{0}, lower{0}, perm, scale, r, d);", n);
  for (std::int32_t k = 0; k < n; ++k) line("{} = {}[{}];", to(k).text, d, k);
}

// Small ones, in scalars: d0, d1, ...
void StepText::eliminate(std::int32_t n, const Cells& matrix, const Cells& right) {
  std::string arguments;
  for (std::int32_t k = 0; k < n * n; ++k) arguments += matrix(k).in(words_) + ", ";
  for (std::int32_t k = 0; k < n; ++k) arguments += right(k).in(words_) + ", ";
  for (std::int32_t k = 0; k < n; ++k) arguments += "&" + number(name("d", k)).text + (k + 1 < n ? ", " : "");
  fail(Condition(fmt::format("solve{}({})", n, arguments), words_));
  unrolled_.insert(n);
}

// The correction d0, d1, ... from residual and matrix. kept: the factors may serve again.
void StepText::linear_solve(const Plan::Block& b, bool kept) {
  const std::int32_t n = b.size;
  const Cells matrix = [&](std::int32_t k) { return cell(b, k); };
  const Cells right = [&](std::int32_t k) { return at(b.r + k); };
  if (header_ && n <= kShortSolve) {
    short_solve(b, kept);
  } else if (n == 1) {
    fail(!(matrix(0) != 0.0 && size_of(matrix(0)) <= kLargestNumber));
    set(number("d0"), right(0) / matrix(0));
  } else if (!kept) {
    eliminate(n, matrix, right);
  } else {
    if (!b.linear) open("if (" + any(truth("current") && going()) + ")");
    program(b.jacobian);
    if (b.linear && words_.wide) set(truth("current"), going());
    factor(n, matrix);
    if (!b.linear) close();
    substitute(n, right, [&](std::int32_t k) { return number(name("d", k)); });
  }
}

// The same from the leading matrix, which is factored once.
void StepText::leading_solve(const Plan::Block& b) {
  const LeadingSlots& d = *b.leading;
  const std::int32_t m = d.size;
  const Cells matrix = [&](std::int32_t k) { return at(d.S + k); };
  const Cells right = [&](std::int32_t k) { return at(d.rhs + k); };
  const Cells y = [&](std::int32_t k) { return at(d.y + k); };
  open("if (k == 1)");
  program(d.matrix);
  if (m == 1) {
    fail(!(matrix(0) != 0.0 && size_of(matrix(0)) <= kLargestNumber));
  } else if (m > kUnrolledMatrix) {
    if (words_.wide) set(truth("current"), going());
    factor(m, matrix);
  }
  close();
  program(d.right);
  if (m == 1) {
    set(y(0), right(0) / matrix(0));
  } else if (m > kUnrolledMatrix) {
    substitute(m, right, y);
  } else {
    eliminate(m, matrix, right);
    for (std::int32_t k = 0; k < m; ++k) set(y(k), number(name("d", k)));
  }
  program(d.expand);
  for (std::int32_t k = 0; k < b.size; ++k) set(number(name("d", k)), at(correction_slot(b) + k));
}

// One and two unknowns in a C++ class: with the determinant, and one division. The start is good, so the correction
// need not be: its rounding errors are those of a small number. What is nearly singular is left to the pivots of
// solve_block().
void StepText::short_solve(const Plan::Block& b, bool kept) {
  const bool asks = kept && !b.linear;
  if (asks) open("if (current)");
  if (kept) program(b.jacobian);
  const Said per = number("per"), x = at(b.r), a = cell(b, 0);
  if (b.size == 1) {
    set(per, 1.0 / a);
    fail(!(per != 0.0 && size_of(per) <= kLargestNumber));
    if (asks) close();
    set(number("d0"), per * x);
    return;
  }
  const Said c = cell(b, 1), d = cell(b, 2), e = cell(b, 3), y = at(b.r + 1), size = number("size"),
             next = number("next");
  set(size, a * e);
  set(next, c * d);
  fail(!(size_of(size - next) > 0x1p-20 * (size_of(size) + size_of(next))));
  set(per, 1.0 / (a * e - c * d));
  if (asks) close();
  set(number("d0"), per * (e * x - c * y));
  set(number("d1"), per * (a * y - d * x));
}

void StepText::newton(const Plan::Block& b) {
  const std::int32_t n = b.size;
  kinds_[0] = kinds_[1] = false;
  for (const Equations::Scale k : b.scales) kinds_[static_cast<std::size_t>(k)] = true;
  const auto each = [&](auto&& what) {
    for (int k = 0; k < 2; ++k)
      if (kinds_[k]) what(k, number(name("big", k)), number(name("first", k)));
  };
  const bool leads = b.leading.has_value();
  const bool keeps = !leads && (n > newton::kFullNewton || (header_ && n <= kShortSolve));
  const Condition current = keeps ? truth("current") : Condition(!leads);
  const SaidCount k{"k"};
  newton::Progress<Said, SaidCount> p{
      number("size"), number("next"), number("last"), number("ratio"), number("older"), number("next"), k};
  if (words_.wide) {
    // Rows that no lane has exchanged yet: what is not solved must not point anywhere either.
    if (const std::int32_t rows = leads ? b.leading->size : n; keeps || (leads && rows > kUnrolledMatrix))
      line("for (k = 0; k < {0}; ++k) perm{0}_@[k] = WHOLE(k);", rows);
    set(going(), fine());
  }
  line("k = 0;");
  if (keeps) set(current, words_.wide ? going() : Condition("1"));
  if (words_.wide) {
    open("while (" + any(going()) + ")");
    open("if (++k > max_newton)");
    line("ok_@ &= ~go_@;");
    line("break;");
    close();
    set(arrived(), Condition("WHOLE(0)", words_));
  } else {
    open("for (;;)");
    line("if (++k > max_newton) goto fail;");
  }
  program(b.residual);
  if (leads) {
    leading_solve(b);
  } else {
    if (!keeps) program(b.jacobian);
    linear_solve(b, keeps);
  }
  // The correction, and its size.
  std::vector<Said> big[2], change[2], all;
  for (std::int32_t i = 0; i < n; ++i) {
    const Said x = at(b.unknowns[static_cast<std::size_t>(i)]), d = number(name("d", i));
    const auto kind = static_cast<std::size_t>(b.scales[static_cast<std::size_t>(i)]);
    set(x, pick(going(), x - d, x));
    big[kind].push_back(size_of(x));
    change[kind].push_back(size_of(d));
    all.push_back(change[kind].back());
  }
  const auto most = [](const Said& x, const Said& y) { return larger(x, y); };
  each([&](int kind, const Said& now, const Said&) {
    big[kind].push_back(sizes_.typical[kind]);
    set(now, in_pairs(big[kind], most));
    set(number(name("change", kind)), in_pairs(change[kind], most));
  });
  fail(!(in_pairs(all, [](const Said& x, const Said& y) { return x + y; }) <= kLargestNumber));
  set(p.size, over_kinds([&](int kind) { return number(name("change", kind)) / number(name("big", kind)); }));
  when(Condition("k == 1"), [&] {
    each([&](int, const Said& now, const Said& first) { set(first, now); });
    if (looks_far_)
      line("{} |= {};", truth("rough").text,
           words_.wide ? (going() && p.size > starting::kRough).text : "(" + (p.size > starting::kRough).text + ")");
  });
  if (header_ && !leads && !shape_.cautious) {
    // What the first correction leaves is about its square; by which factor was measured in earlier steps. One step in
    // kLook looks whether that still holds. Factors change: where the correction is not small, it is not trusted.
    const std::string left = fmt::format("left[part * {} + {}]", plan_.blocks().size(), block_);
    line("if (k == 1 && !look && size <= {} && 16.0 * {} * size * size <= {}) break;", literal(kSmallStart), left,
         literal(newton::kSmall));
    line("if (k == 2 && size > {} && size > tolerance) {} = size / last / last;", literal(newton::kNoise), left);
  }
  newton::arrived(*this, p, current, leads, k, Said("tolerance"), shape_.cautious);
  if (leads) fail(!arrived() && newton::leads_too_slowly(p));
  if (keeps) set(current, p.ratio > newton::kRefresh);
  // Without the noise, which makes this one the stricter of the two.
  Condition away = false;
  each([&](int, const Said& now, const Said& first) { away = away || newton::ran_away(now, first); });
  if (words_.wide) {
    line("ok_@ &= ~{};", (going() && arrived() && away).mask());
    line("go_@ &= ~arrived_@;");
    close();
  } else {
    close();
    line("spent += k;");
    fail(away);
  }
}

void StepText::linear(const Plan::Block& b) {
  program(b.residual);
  if (words_.wide)
    set(going(), fine());
  else
    line("++spent;");
  if (b.size == 1) {
    const Said x = at(b.unknowns[0]), J = cell(b, 0);
    set(x, x - at(b.r) / J);
    fail(!(J != 0.0));
    return;
  }
  const bool unroll = b.size <= kUnrolledMatrix;
  if (unroll)
    program(b.jacobian);
  else if (words_.wide)
    line("for (k = 0; k < {0}; ++k) perm{0}_@[k] = WHOLE(k);", b.size);
  linear_solve(b, !unroll);
  std::vector<Said> all;
  for (std::int32_t i = 0; i < b.size; ++i) {
    const Said x = at(b.unknowns[static_cast<std::size_t>(i)]), d = number(name("d", i));
    set(x, x - d);
    all.push_back(size_of(d));
  }
  fail(!(in_pairs(all, [](const Said& x, const Said& y) { return x + y; }) <= kLargestNumber));
}

void StepText::block(const Plan::Block& b) {
  program(b.before);
  if (b.linear)
    linear(b);
  else
    newton(b);
}

void StepText::blocks() {
  for (block_ = 0; block_ < plan_.blocks().size(); ++block_) block(plan_.blocks()[block_]);
}

}  // namespace rattleback

// Random pairs of requests: a checkpoint is written with one and resumed with the other. Values are drawn from the table of
// options (option/option_table.hpp), so that a new option is in the game as soon as it has its row. The resumed run has the bits
// of the uninterrupted one, or it is refused with the name of an option that differs; nothing else may happen.
#pragma once

#include <bit>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "option/option_table.hpp"
#include "output/json.hpp"
#include "rattleback/error.hpp"
#include "run/support.hpp"

namespace rattleback::testing {

// All that a run says, but for times and the note that there was nothing to resume.
inline std::string everything(const Model& model, const Trajectory& t) {
  nlohmann::ordered_json json = report::run_json(model, t);
  for (const char* key : {"wall_seconds", "compile_seconds", "native", "compiled_steps"}) json.erase(key);
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  for (const auto& note : json["notes"]) {  // those of what was compiled count the steps since the resumption
    const auto text = note.get<std::string>();
    if (!text.starts_with("there is no checkpoint") && !text.starts_with("--native on: ")) notes.push_back(note);
  }
  json["notes"] = notes;
  const auto& r = t.records;
  std::string text = json.dump();
  for (const auto* list : {&r.t, &r.q, &r.v, &r.multipliers, &r.energy, &r.residual_position, &r.residual_velocity,
                           &r.inputs, &r.outputs, &r.balance, &t.q, &t.v, &t.multipliers}) {
    text += '\n';
    for (const double x : *list) text += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(x));
  }
  return text;
}

struct Played {
  int resumed = 0, refused = 0, not_written = 0;
  std::string text() const {
    return fmt::format("{} resumed, {} refused, {} not written", resumed, refused, not_written);
  }
};

class ResumePairs {
 public:
  struct Game {
    std::string system;
    std::vector<std::string> methods;
    std::vector<std::string> events;
  };
  static std::vector<Game> games() {
    return {
        {"skate",
         {"", "spark-gauss", "srk-gauss", "mclachlan-perlmutter", "cortes-martinez", "gonzalez-r", "ode-dop853", "ode"},
         {"x - 0.01", "t - 0.33"}},
        {"pendulum", {"", "prk-murua", "rattle", "projected-dop853", "euler-true", "dg-gonzalez"}, {"x", "y + 0.9"}},
        {"gearbox", {"", "spark-gauss", "cortes-martinez"}, {"q1 - 0.1"}},
        {"dae-hessenberg", {"", "srk-gauss", "rk-radau-iia"}, {"y1 - 1.1"}},
        {"friction-on-cubic", {"", "euler-natural", "euler-symplectic"}, {"y1"}},
        {"suslov", {"", "dg-avf", "dg-itoh-abe", "rk-gauss"}, {"rho1 - 0.1"}},
        {"driven-oscillator", {"", "dg-gonzalez", "collocation-lobatto-iiic"}, {"p"}}};
  }

  ResumePairs(unsigned seed, bool native) : random_(seed), native_(native) {}

  void play(const Model& model, const Game& game, Played& played) {
    Options a;
    std::vector<OptionRow> rows;  // what belongs to a request
    for (const OptionRow& row : option_table())
      if (row.on_resume != OnResume::none && row.on_resume != OnResume::end) rows.push_back(row);
    for (const OptionRow& row : rows)
      if (one_in(9)) draw(row, a, game);
    if (!a.validate().empty()) return play(model, game, played);
    Options b = a;
    for (int changes = static_cast<int>(random_() % 3); changes > 0; --changes)
      draw(rows[random_() % rows.size()], b, game);
    const auto steps = static_cast<std::int64_t>(random_() % 20);
    end(a, steps);
    end(b, one_in(8) ? steps / 2 : steps + static_cast<std::int64_t>(random_() % 20));
    const Scratch scratch;
    a.checkpoint = scratch.file();
    try {
      (void)simulate(model, a);
    } catch (const Error&) {
      ++played.not_written;
      return;
    }
    const std::string difference = difference_text(a, b);
    SCOPED_TRACE(fmt::format("{}: {}; changed: {}", game.system, request_text(a), difference));
    std::string expected, expected_fault, found, fault;
    try {
      expected = everything(model, simulate(model, b));
    } catch (const Error& error) {
      expected_fault = error.what();
    }
    b.checkpoint = a.checkpoint;
    b.resume = true;
    try {
      found = everything(model, simulate(model, b));
      ++played.resumed;
    } catch (const Error& error) {
      fault = error.what();
      ++played.refused;
    }
    if (fault.empty()) {
      EXPECT_EQ(found, expected) << expected_fault;
      return;
    }
    if (fault == expected_fault) return;
    bool named = false, must_resume = expected_fault.empty();
    for (const OptionRow& row : option_table()) {
      if (option_text(row, a) == option_text(row, b) || row.on_resume == OnResume::none) continue;
      named = named || fault.find(flag_of(row)) != std::string::npos;
      must_resume = must_resume && row.on_resume == OnResume::free;
    }
    named = named || (a.method != b.method && fault.find("--stages") != std::string::npos);  // the method's
    EXPECT_TRUE(named) << fault;
    EXPECT_FALSE(must_resume) << fault;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }

  // Where it ends: by steps or time where there is a choice.
  void end(Options& o, std::int64_t steps) {
    o.until.reset();
    o.steps.reset();
    const double h = o.step != 0.0 ? o.step : 0.1;
    if (o.adaptive == 0.0 && one_in(2))
      o.steps = steps;
    else
      o.until = h * (static_cast<double>(steps) + (one_in(2) ? 0.37 : 0.0));
  }

  void draw(const OptionRow& row, Options& o, const Game& game) {
    std::visit([&](auto field) { o.*field = value(row, o.*field, game); }, row.field);
    if (row.name == "native" && o.native == "on" && !native_) o.native = "off";
  }
  bool value(const OptionRow&, bool old, const Game&) { return !old; }
  std::string value(const OptionRow& row, const std::string& old, const Game& game) {
    if (row.name == "method") return one_of(game.methods);
    return old;  // a file
  }
  template <class E>
  Choice<E> value(const OptionRow& row, const Choice<E>&, const Game&) {
    std::vector<std::string> words = {""};
    for (const std::string_view word : words_of(row)) words.emplace_back(word);
    return one_of(words);
  }
  std::vector<std::string> value(const OptionRow&, const std::vector<std::string>&, const Game& game) {
    std::vector<std::string> out;
    for (const std::string& each : game.events)
      if (one_in(2)) out.push_back(each);
    return out;
  }
  template <class R, class... A>
  std::function<R(A...)> value(const OptionRow&, const std::function<R(A...)>&, const Game&) {
    return {};
  }
  std::vector<double> value(const OptionRow&, const std::vector<double>&, const Game&) { return {}; }
  rattleback::Values value(const OptionRow&, const rattleback::Values&, const Game&) { return {}; }
  std::stop_token value(const OptionRow&, const std::stop_token&, const Game&) { return {}; }
  template <class Number>
  Number value(const OptionRow& row, const Number& old, const Game&) {
    std::vector<double> some = {0.05, 0.07, 0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0, 1e-4, 1e-6, 0.0};
    if (row.name == "step") some = {0.05, 0.1};
    std::erase_if(some, [&](double x) { return !fault_of(row, x).empty() || (is_whole(row) && x != std::floor(x)); });
    if (some.empty()) return old;
    if constexpr (std::is_arithmetic_v<Number>)
      return static_cast<Number>(one_of(some));
    else
      return static_cast<typename Number::value_type>(one_of(some));
  }

  static std::string request_text(const Options& o) {
    std::string text;
    for (const OptionRow& row : option_table())
      if (!is_default(row, o)) text += fmt::format(" {}={}", flag_of(row), option_text(row, o));
    return text;
  }
  static std::string difference_text(const Options& a, const Options& b) {
    std::string text;
    for (const OptionRow& row : option_table())
      if (option_text(row, a) != option_text(row, b)) text += fmt::format(" {}={}", flag_of(row), option_text(row, b));
    return text;
  }

  std::mt19937 random_;
  bool native_;
};

inline Played play_resume_pairs(unsigned seed, int pairs_of_each, bool native) {
  Played played;
  ResumePairs pairs(seed, native);
  for (const ResumePairs::Game& game : ResumePairs::games()) {
    const Model model = load_model(game.system, {.unroll_below = kLargestFamily});
    for (int k = 0; k < pairs_of_each; ++k) pairs.play(model, game, played);
  }
  return played;
}

}  // namespace rattleback::testing

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "support/random_checks.hpp"

namespace rattleback::testing {

std::vector<const MethodInfo*> methods_for(RandomFamily family) {
  std::vector<const MethodInfo*> out;
  for (const MethodInfo& info : methods()) {
    bool fits = false;
    switch (family) {
      case RandomFamily::mechanism:
      case RandomFamily::mechanical: fits = info.kinds.has(Kind::mechanical); break;
      case RandomFamily::dae: fits = info.kinds.has(Kind::dae); break;
      case RandomFamily::odae: fits = info.kinds.has(Kind::odae); break;
      case RandomFamily::skew_gradient: fits = info.kinds.has(Kind::skew_gradient) || info.kinds.has(Kind::dae); break;
      case RandomFamily::port_hamiltonian: fits = info.kinds.has(Kind::port_hamiltonian); break;
    }
    if (fits) out.push_back(&info);
  }
  return out;
}

RandomSchedule::RandomSchedule(RandomFamily family, std::vector<RandomCheck> checks)
    : methods_(methods_for(family)), checks_(std::move(checks)) {
  for (const MethodInfo* method : methods_)
    for (const RandomCheck check : checks_) counts_[{std::string(method->name), check}] = {};
}

std::vector<std::pair<const MethodInfo*, RandomCheck>> RandomSchedule::draw(std::uint64_t number) const {
  std::vector<std::pair<const MethodInfo*, RandomCheck>> all;
  for (std::size_t i = 0; i < methods_.size(); ++i)  // begins elsewhere for each model
    for (const RandomCheck check : checks_)
      if (check != RandomCheck::native) all.emplace_back(methods_[(i + 13 * number) % methods_.size()], check);
  const auto turns = [&](const auto& pair) {
    const Count& c = counts_.at({std::string(pair.first->name), pair.second});
    return 5 * (c.agreed + c.wrong) + c.refused + c.beside;  // what gave no answer is tried again soon
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return turns(a) < turns(b); });
  if (number % 20 == 0 && std::find(checks_.begin(), checks_.end(), RandomCheck::native) != checks_.end())
    all.emplace(all.begin(), least_compiled(), RandomCheck::native);
  return all;
}

const MethodInfo* RandomSchedule::least_compiled() const {
  const auto drawn = [&](const MethodInfo* method) {
    const Count& c = counts_.at({std::string(method->name), RandomCheck::native});
    return c.drawn + c.left_out;
  };
  return *std::min_element(methods_.begin(), methods_.end(),
                           [&](const MethodInfo* a, const MethodInfo* b) { return drawn(a) < drawn(b); });
}

void RandomSchedule::note(const MethodInfo& method, RandomCheck check, const Verdict& verdict) {
  Count& c = counts_[{std::string(method.name), check}];
  ++c.drawn;
  switch (verdict.is) {
    case Verdict::Is::agrees: ++c.agreed; break;
    case Verdict::Is::refused: ++c.refused; break;
    case Verdict::Is::beside_the_point: ++c.beside; break;
    case Verdict::Is::wrong: ++c.wrong; break;
  }
}

void RandomSchedule::leave_out(const MethodInfo& method, RandomCheck check) {
  ++counts_[{std::string(method.name), check}].left_out;
}

std::vector<std::string> RandomSchedule::never_drawn() const {
  std::vector<std::string> out;
  for (const auto& [pair, c] : counts_)
    if (c.drawn == 0 && c.left_out == 0) out.push_back(fmt::format("{}: {}", pair.first, to_string(pair.second)));
  return out;
}

std::vector<std::string> RandomSchedule::without_answer() const {
  std::vector<std::string> out;
  for (const auto& [pair, c] : counts_)
    if (pair.second != RandomCheck::native && c.agreed + c.wrong == 0 && (c.drawn == 0 || c.refused > 0))
      out.push_back(fmt::format("{}: {} ({} refused)", pair.first, to_string(pair.second), c.refused));
  return out;
}

std::string RandomSchedule::summary() const {
  std::map<RandomCheck, Count> sums;
  for (const auto& [pair, c] : counts_) {
    Count& sum = sums[pair.second];
    sum.drawn += c.drawn;
    sum.agreed += c.agreed;
    sum.refused += c.refused;
    sum.beside += c.beside;
    sum.wrong += c.wrong;
  }
  std::string out;
  for (const auto& [check, c] : sums)
    out += fmt::format("  {:12} {:5} drawn {:5} agree {:5} refused {:5} beside {:4} wrong\n", to_string(check), c.drawn,
                       c.agreed, c.refused, c.beside, c.wrong);
  return out;
}

namespace {

Verdict guarded(Subject& subject, const MethodInfo& method, RandomCheck check) {
  try {
    return subject.verdict(method, check);
  } catch (const std::exception& error) {  // nothing but Error may leave the library, and that is a refusal
    return {Verdict::Is::wrong, fmt::format("exception: {}", error.what())};
  }
}

std::string told(const RandomModel& model, const MethodInfo& method, RandomCheck check, const std::string& text) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("random_{}_{}.toml", to_string(model.family), model.number);
  std::ofstream(file) << model.text;
  if (check == RandomCheck::units && model.small) std::ofstream(file.string() + ".small.toml") << *model.small;
  return fmt::format(
      "{}: {}, {}: {}\n    model: {}\n    repeat: RATTLEBACK_RANDOM={}:{}:{}:{} random_tests --gtest_filter='*Named*'",
      model.title(), method.name, to_string(check), text, file.string(), to_string(model.family), model.number,
      method.name, to_string(check));
}

}  // namespace

RandomReport run_random(const RandomRun& run) {
  RandomSchedule schedule(run.family, run.checks);
  RandomReport out;
  for (std::uint64_t number = run.first; number < run.first + static_cast<std::uint64_t>(run.models); ++number) {
    Subject subject(random_model(run.family, number));
    if (run.progress && (number - run.first) % 100 == 0) run.progress(number - run.first, out);
    int answers = 0;
    std::set<std::string_view> unfit;  // methods that do not apply to this model
    for (const auto& [method, check] : schedule.draw(number)) {
      if (answers == run.pairs) break;
      if (unfit.contains(method->name)) continue;
      if (run.left_out && run.left_out(subject, *method, check)) {
        schedule.leave_out(*method, check);
        continue;
      }
      const std::clock_t began = std::clock();
      const Verdict verdict = guarded(subject, *method, check);
      const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
      if (out.slow.size() < 5 || seconds > out.slow.back().first) {
        out.slow.emplace_back(seconds,
                              fmt::format("{}: {}, {}", subject.random().title(), method->name, to_string(check)));
        std::sort(out.slow.rbegin(), out.slow.rend());
        out.slow.resize(std::min<std::size_t>(out.slow.size(), 5));
      }
      schedule.note(*method, check, verdict);
      if (verdict.is == Verdict::Is::agrees || verdict.is == Verdict::Is::wrong) ++answers;
      if (verdict.is == Verdict::Is::wrong) out.wrong.push_back(told(subject.random(), *method, check, verdict.text));
      if (verdict.is == Verdict::Is::refused) {
        if (verdict.text.find("does not apply") != std::string::npos) unfit.insert(method->name);
        std::string kind = verdict.text.substr(0, 120);
        std::erase_if(kind, [](char c) { return std::string("0123456789.+-").find(c) != std::string::npos; });
        out.refusals.try_emplace(std::string(method->name) + ": " + kind,
                                 told(subject.random(), *method, check, verdict.text));
      }
    }
  }
  out.never_drawn = schedule.never_drawn();
  out.without_answer = schedule.without_answer();
  out.summary = schedule.summary();
  return out;
}

std::string repeat_one(const std::string& what) {
  std::vector<std::string> words;
  std::istringstream in(what);
  for (std::string word; std::getline(in, word, ':');) words.push_back(word);
  if (words.size() != 4) throw std::invalid_argument("expected family:number:method:check, found " + what);
  for (int f = 0; f <= static_cast<int>(RandomFamily::port_hamiltonian); ++f) {
    const auto family = static_cast<RandomFamily>(f);
    if (words[0] != to_string(family)) continue;
    Subject subject(random_model(family, std::stoull(words[1])));
    const MethodInfo& method = find_method(words[2]);
    for (int c = 0; c < kRandomChecks; ++c) {
      const auto check = static_cast<RandomCheck>(c);
      if (words[3] != to_string(check)) continue;
      const Verdict verdict = guarded(subject, method, check);
      const char* const is = verdict.is == Verdict::Is::agrees    ? "agrees"
                             : verdict.is == Verdict::Is::refused ? "refused"
                             : verdict.is == Verdict::Is::wrong   ? "wrong"
                                                                  : "beside the point";
      return fmt::format("{}: {}", is, told(subject.random(), method, check, verdict.text));
    }
  }
  throw std::invalid_argument("unknown family or check in " + what);
}

}  // namespace rattleback::testing

#include "reproduce/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "files/harmless.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "reproduce/columns.hpp"
#include "reproduce/distance.hpp"
#include "reproduce/measures.hpp"
#include "run/complete.hpp"
#include "study/slope.hpp"

namespace rattleback::reproduce {
namespace {

using plot::Series;

constexpr int kPixels = 1500;  // curves are kept as they look at this width

Series thin(Series s) {
  const auto points = plot::thinned(s.x, s.y, kPixels);
  s.x.clear();
  s.y.clear();
  for (const auto& [x, y] : points) {
    s.x.push_back(x);
    s.y.push_back(y);
  }
  return s;
}

// The largest in each of many pieces of a curve: what a logarithmic axis shows of errors that change their sign or jump
// between rounding errors.
Series envelope(const Series& s) {
  constexpr std::size_t kPieces = 500;
  const std::size_t piece = std::max<std::size_t>(1, s.x.size() / kPieces);
  Series out{.label = s.label, .x = {}, .y = {}, .style = s.style, .colour = s.colour};
  for (std::size_t i = 0; i < s.x.size(); i += piece) {
    const auto from = s.y.begin() + static_cast<std::ptrdiff_t>(i);
    out.x.push_back(s.x[i]);
    out.y.push_back(*std::max_element(from, from + static_cast<std::ptrdiff_t>(std::min(piece, s.x.size() - i))));
  }
  return out;
}

// A logarithmic axis shows sizes; what is exactly 0 stands at the smallest that rounding leaves.
void for_axis(std::vector<double>& values, bool logarithmic) {
  if (!logarithmic) return;
  for (double& v : values) v = std::fmax(std::fabs(v), 1e-17);
}

std::vector<std::string> columns_of(const Panel& panel) {
  std::vector<std::string> out{panel.y};
  out.insert(out.end(), panel.more_y.begin(), panel.more_y.end());
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : files::harmless(text)) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

bool Finding::as_expected() const {
  return faults.empty() && std::ranges::all_of(numbers, [](const Number& n) { return n.ok(); });
}

Experiment::Experiment(Recipe recipe, std::stop_token stop) : recipe_(std::move(recipe)), stop_(std::move(stop)) {
  for (const Study& study : recipe_.studies)
    for (const Wish& wish : study.wishes) keep_records_ = keep_records_ || as_distance(wish.measure);
  for (const Panel& panel : recipe_.panels)
    for (const std::string& y : columns_of(panel)) keep_records_ = keep_records_ || as_distance(y);
  for (std::size_t i = 0; i < recipe_.studies.size(); ++i) add_jobs(i);
}

void Experiment::add_jobs(std::size_t number) {
  const Study& study = recipe_.studies[number];
  const bool one_for_all_steps = study.verb == Study::Verb::order;
  for (const Case& variant : study.cases)
    for (const auto& method : study.methods)
      for (const double h : study.steps) {
        Job job;
        job.study = number;
        job.variant = &variant;
        job.method = method;
        job.step = h;
        const auto add = [&](const std::string& part) {
          if (!part.empty()) job.label += (job.label.empty() ? "" : ", ") + part;
        };
        add(method.second > 0 ? fmt::format("{}({})", method.first, method.second) : method.first);
        if (study.steps.size() > 1 && !one_for_all_steps) add(fmt::format("h = {:.6g}", h));
        add(variant.label);
        job.series.resize(recipe_.panels.size());
        jobs_.push_back(std::move(job));
        if (one_for_all_steps) break;
      }
}

double Experiment::weight(std::size_t job) const {
  const Job& j = jobs_[job];
  const Study& s = recipe_.studies[j.study];
  const double h = j.step > 0.0 ? j.step : 0.1, until = j.variant->options.until.value_or(10.0);
  const double members = static_cast<double>(std::max<std::size_t>(1, s.members.count));
  if (s.verb == Study::Verb::section) return 100.0 * static_cast<double>(s.section.crossings) * members;
  return until / h * members * std::max(1, j.method.second);
}

Options Experiment::options_of(const Job& job) const {
  Options options = job.variant->options;
  options.method = job.method.first;
  options.stages = job.method.second;
  options.step = job.step;
  options.stop = stop_;
  return options;
}

std::vector<std::string> Experiment::measures_of(std::size_t number) const {
  const Study& study = recipe_.studies[number];
  std::vector<std::string> out;
  for (const Wish& wish : study.wishes)
    if (!as_distance(wish.measure)) out.push_back(wish.measure);
  for (const Panel& panel : recipe_.panels)
    for (const std::string& y : columns_of(panel))
      if (panel.shows(study.name) && panel.x == "case" && !as_distance(y)) out.push_back(y);
  return out;
}

std::size_t Experiment::number_in_study(const Job& job) const {
  std::size_t number = 0;
  for (const Job& other : jobs_) {
    if (&other == &job) break;
    if (other.study == job.study) ++number;
  }
  return number;
}

// Calls draw_panel(panel, series) for the panels that show this job over time.
template <class Draw>
void Experiment::draw(Job& job, const Draw& draw_panel) const {
  const std::size_t number = number_in_study(job);
  for (std::size_t p = 0; p < recipe_.panels.size(); ++p) {
    const Panel& panel = recipe_.panels[p];
    if (!panel.shows(recipe_.studies[job.study].name) || panel.x == "case") continue;
    if (!panel.only.empty() && !std::ranges::count(panel.only, number)) continue;
    draw_panel(panel, job.series[p]);
    for (Series& s : job.series[p]) {
      for_axis(s.x, panel.log_x);
      for_axis(s.y, panel.log_y);
      if (s.style == Series::Style::line) s = panel.log_y ? envelope(s) : thin(std::move(s));
    }
  }
}

void Experiment::run_run(Job& job) const {
  const Study& study = recipe_.studies[job.study];
  const Options options = options_of(job);
  const Model model = load_to_run(study.system, job.variant->load, options);
  const Trajectory trajectory = simulate(model, as_taken(model, options));
  if (trajectory.status == Status::cancelled) throw Cancelled(trajectory.message);
  const auto measures = measures_of(job.study);
  if (trajectory.status == Status::stopped && !std::ranges::count(measures, "stopped")) throw Error(trajectory.message);
  for (const std::string& name : measures) job.measured[name] = measure(model, trajectory, name);
  draw(job, [&](const Panel& panel, std::vector<Series>& to) {
    const std::vector<std::string> ys = columns_of(panel);
    for (const std::string& y : ys)
      to.push_back({.label = ys.size() > 1 ? (job.label.empty() ? y : job.label + ": " + y) : job.label,
                    .x = column_of(model, trajectory, panel.x),
                    .y = column_of(model, trajectory, y),
                    .style = panel.points ? Series::Style::points : Series::Style::line});
  });
  if (keep_records_) job.states = states_of(model, trajectory);
}

void Experiment::run_order(Job& job) const {
  const Study& study = recipe_.studies[job.study];
  OrderRequest request;
  request.methods = {job.method};
  request.steps = study.steps;
  request.reference = study.reference;
  request.options = job.variant->options;
  request.options.stop = stop_;
  request.options.until.reset();
  LoadOptions options = job.variant->load;
  options.unroll_below = kLargestFamily;
  const Model model = load_model(study.system, options);
  request.until = job.variant->options.until.value_or(model.run.until.value_or(1.0));
  const OrderReport report = order_study(model, request);
  for (const std::string& name : measures_of(job.study)) job.measured[name] = measure(report, name);
  draw(job, [&](const Panel& panel, std::vector<Series>& to) {
    Series s{.label = job.label, .style = Series::Style::line_and_points};
    for (const OrderRun& run : report.runs) {
      s.x.push_back(run.step);
      s.y.push_back(panel.y == "error_positions"     ? run.error_q
                    : panel.y == "error_velocities"  ? run.error_v
                    : panel.y == "error_multipliers" ? run.error_multipliers
                                                     : run.error);
    }
    to.push_back(std::move(s));
  });
}

void Experiment::run_section(Job& job) const {
  const Study& study = recipe_.studies[job.study];
  SectionRequest request = study.section;
  request.options = options_of(job);
  request.starts = study.members;
  request.threads = 1;
  const SectionReport report = section(MemberSource{study.system, job.variant->load}, request);
  if (report.status == Status::cancelled) throw Cancelled(report.message);
  if (report.status == Status::stopped) throw Error(report.message);
  for (const SectionStart& start : report.starts)
    if (start.status == Status::stopped) throw Error(start.message);
  for (const std::string& name : measures_of(job.study)) job.measured[name] = measure(request, report, name);
  draw(job, [&](const Panel& panel, std::vector<Series>& to) {
    const auto axis = [&](const std::string& name) {
      const auto found = std::ranges::find(request.axes, name);
      if (name != "t" && found == request.axes.end()) throw Error(fmt::format("the section has no axis '{}'", name));
      return static_cast<std::size_t>(found - request.axes.begin());
    };
    const std::size_t x = axis(panel.x), y = axis(panel.y);
    for (std::size_t i = 0; i < report.starts.size(); ++i) {
      std::string label;
      for (std::size_t k = 0; k < report.names.size(); ++k)
        label += fmt::format("{}{} = {:.3g}", k > 0 ? ", " : "", report.names[k], report.starts[i].values[k]);
      to.push_back({.label = label, .style = Series::Style::points});
    }
    for (const SectionPoint& p : report.points) {
      to[p.start].x.push_back(panel.x == "t" ? p.t : p.axes[x]);
      to[p.start].y.push_back(p.axes[y]);
    }
  });
}

void Experiment::run_ensemble(Job& job) const {
  const Study& study = recipe_.studies[job.study];
  EnsembleRequest request;
  request.options = options_of(job);
  request.members = study.members;
  request.threads = 1;
  const EnsembleReport report = ensemble(MemberSource{study.system, job.variant->load}, request);
  if (report.status == Status::cancelled) throw Cancelled(report.message);
  if (report.status == Status::stopped) throw Error(report.message);
  if (!report.failed.empty()) throw Error(report.members[report.failed.front()].message);
  for (const std::string& name : measures_of(job.study)) job.measured[name] = measure(report, study.power, name);
  draw(job, [&](const Panel& panel, std::vector<Series>& to) {
    to.push_back({.label = job.label,
                  .x = ensemble_column(report, study.power, panel.x),
                  .y = ensemble_column(report, study.power, panel.y)});
  });
}

void Experiment::run_check(Job& job) const {
  const Study& study = recipe_.studies[job.study];
  const CheckReport report = check(load_model(study.system, job.variant->load));
  for (const std::string& name : measures_of(job.study)) job.measured[name] = measure(report, name);
}

void Experiment::run(std::size_t number) {
  Job& job = jobs_[number];
  const auto begin = std::chrono::steady_clock::now();
  try {
    switch (recipe_.studies[job.study].verb) {
      case Study::Verb::run: run_run(job); break;
      case Study::Verb::order: run_order(job); break;
      case Study::Verb::section: run_section(job); break;
      case Study::Verb::ensemble: run_ensemble(job); break;
      case Study::Verb::check: run_check(job); break;
    }
  } catch (const Error& error) {
    job.fault = fmt::format("{}: {}", job.label.empty() ? recipe_.studies[job.study].name : job.label, error.what());
  } catch (const std::bad_alloc&) {
    job.fault = "there was no memory for a run. Take fewer --threads";
  }
  job.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The distance to the first run of the study that is named; distance(reference): that the job's own study names.
std::optional<std::vector<double>> Experiment::distances(const Job& job, const std::string& measure) const {
  auto what = as_distance(measure);
  if (!what) return std::nullopt;
  if (what->run == "reference") what->run = recipe_.studies[job.study].reference;
  for (const Job& other : jobs_)
    if (recipe_.studies[other.study].name == what->run)
      return std::vector<double>{distance(*what, job.states, other.states)};
  throw Error(fmt::format("{}: there is no study with the name '{}'", measure, what->run));
}

void Experiment::judge(const Study& study, const std::vector<const Job*>& jobs, Finding& out) const {
  for (const Wish& wish : study.wishes) {
    struct Found {
      std::string what;
      double value, x;
    };
    std::vector<Found> all;
    for (const Job* job : jobs) {
      const auto distance = distances(*job, wish.measure);
      const std::vector<double>& values = distance ? *distance : job->measured.at(wish.measure);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::string what = job->label;
        if (values.size() > 1)
          what += fmt::format("{}{} = {:.3g}", what.empty() ? "" : ", ",
                              study.members.names.empty() ? "start" : study.members.names[0],
                              study.members.names.empty() ? static_cast<double>(i) : study.members.values[i]);
        what += (what.empty() ? "" : ": ") + in_words(wish.measure);
        all.push_back({what, values[i], job->variant->x});
      }
    }
    if (wish.fit) {
      // One line for each method and step, over the cases.
      const std::size_t lines = study.methods.size() * study.steps.size(), cases = study.cases.size();
      std::vector<Found> slopes;
      for (std::size_t line = 0; line < lines && all.size() == lines * cases; ++line) {
        std::vector<double> x, y;
        for (std::size_t c = 0; c < cases; ++c) {
          x.push_back(all[c * lines + line].x);
          y.push_back(all[c * lines + line].value);
        }
        slopes.push_back({fmt::format("{}, {}: exponent over the cases", jobs[line]->label, in_words(wish.measure)),
                          fit_line(x, y, 0.0).fitted, 0.0});
      }
      all = std::move(slopes);
    }
    if (wish.expected.size() != 1 && wish.expected.size() != all.size()) {
      out.faults.push_back(fmt::format("'{}' has {} expected numbers, but {} are measured", wish.measure,
                                       wish.expected.size(), all.size()));
      continue;
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      out.numbers.push_back({all[i].what, all[i].value, wish.expected[wish.expected.size() == 1 ? 0 : i]});
  }
}

void Experiment::compose_figure(Finding& out) const {
  out.figure = {.title = fmt::format("{}: {}", recipe_.id, recipe_.title),
                .caption = recipe_.caption,
                .panels = {},
                .columns = recipe_.columns};
  out.csv = "panel,series,x,y\n";
  for (std::size_t p = 0; p < recipe_.panels.size(); ++p) {
    const Panel& panel = recipe_.panels[p];
    plot::Panel drawn{.title = panel.title,
                      .x = {.label = panel.x_label, .logarithmic = panel.log_x},
                      .y = {.label = panel.y_label, .logarithmic = panel.log_y},
                      .series = {},
                      .same_scale = panel.same_scale};
    std::map<std::string, std::size_t> by_label;  // of the lines over the cases
    for (const Job& job : jobs_) {
      if (panel.x != "case") {
        for (const Series& s : job.series[p]) drawn.series.push_back(s);
        continue;
      }
      const std::string& study = recipe_.studies[job.study].name;
      if (!panel.shows(study)) continue;
      std::string label = job.label;
      if (!job.variant->label.empty() && label.ends_with(job.variant->label))
        label.resize(label.size() - std::min(label.size(), job.variant->label.size() + 2));
      if (panel.of.size() > 1) label += (label.empty() ? "" : ", ") + study;
      const std::vector<std::string> ys = columns_of(panel);
      for (const std::string& y : ys) {
        const std::string line = ys.size() == 1 ? label : label + (label.empty() ? "" : ", ") + in_words(y);
        const auto [place, fresh] = by_label.try_emplace(line, drawn.series.size());
        if (fresh) drawn.series.push_back({.label = line, .style = Series::Style::line_and_points});
        const auto distance = distances(job, y);
        const std::vector<double>& values = distance ? *distance : job.measured.at(y);
        drawn.series[place->second].x.push_back(job.variant->x);
        drawn.series[place->second].y.push_back(values.at(0));
      }
    }
    if (panel.labels.size() == drawn.series.size())
      for (std::size_t i = 0; i < drawn.series.size(); ++i) drawn.series[i].label = panel.labels[i];
    for (const Series& s : drawn.series)
      for (std::size_t i = 0; i < s.x.size(); ++i)
        out.csv += fmt::format("{},{},{},{}\n", p + 1, quoted(s.label), s.x[i], s.y[i]);
    out.figure.panels.push_back(std::move(drawn));
  }
}

Finding Experiment::finish() const {
  Finding out;
  for (const Job& job : jobs_) {
    out.seconds += job.seconds;
    if (!job.fault.empty()) out.faults.push_back(job.fault);
  }
  if (!out.faults.empty()) return out;
  try {
    for (std::size_t i = 0; i < recipe_.studies.size(); ++i) {
      std::vector<const Job*> jobs;
      for (const Job& job : jobs_)
        if (job.study == i) jobs.push_back(&job);
      judge(recipe_.studies[i], jobs, out);
    }
    compose_figure(out);
  } catch (const Error& error) {
    out.faults.emplace_back(error.what());
  }
  return out;
}

}  // namespace rattleback::reproduce

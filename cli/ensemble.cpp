// `rattleback ensemble`: many members of one system, and the statistics of their energy errors.
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "common.hpp"
#include "members.hpp"
#include "output/ending.hpp"
#include "output/figures.hpp"
#include "output/write.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "study/ranks.hpp"
#include "text/message.hpp"
#include "text/parts.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_ensemble() {
  Arguments a(
      "ensemble",
      "Runs a system for many starts or parameters, over threads, and prints the statistics of the energy error. "
      "The numbers have the same bits for any number of threads.",
      "rattleback ensemble skate --random 200 --seed 7 --spread \"theta'=0.1\" --step 0.1 --until 50");
  a.system();
  add_member_options(a, true);
  add_run_options(
      a, Place::ensemble,
      {{"until", "end time. Default: the model's"},
       {"every", "the statistics and records take every K-th step. Default: all, thinned beyond 10^6"},
       {"output-columns", "further columns of --members and of records, as in run; \"=t,x\" writes these alone"},
       {"native", "steps as compiled machine code; auto, the default: when that pays"}});
  a.value("--output", "FILE.csv|FILE.h5", "writes the statistics over time; FILE.h5 has the members, too");
  a.value("--members", "FILE.csv|FILE.h5",
          "writes one row for each member: what varies, its end, outputs, what was kept");
  a.flag("--keep-trajectories", "puts the records of all members into the file of --members, which must be FILE.h5");
  add_plot_option(a, "draws the outputs, or the end and the energy, over what varies; two lists of --vary make a map");
  a.value("--over-time", "NAME,NAME",
          "of --plot: draws these columns of all members over time, coloured by what varies");
  a.flag("--json", "prints one JSON object instead of tables");
  a.value("--rows", "N", "of --json: lists the first N members. Default: 20");
  return a;
}

namespace {

struct Outputs {
  std::string statistics, members, plot;
  std::vector<std::string> over_time;
  bool keep = false;
  std::size_t rows = 20;
};

Outputs read_outputs(Arguments& a) {
  Outputs out;
  out.statistics = a.text("--output").value_or("");
  out.members = a.text("--members").value_or("");
  out.keep = a.has("--keep-trajectories");
  if (a.has("--output")) a.collect([&] { check_output_path(out.statistics); });
  if (a.has("--members")) a.collect([&] { check_output_path(out.members); });
  if (a.has("--output") && same_file(out.statistics, out.members))
    a.fault("--output and --members name the same file; give two names");
  if (out.keep && !a.has("--members"))
    a.fault("--keep-trajectories needs --members FILE.h5, the file that the records go to");
  if (out.keep && a.has("--members") && !out.members.ends_with(".h5"))
    a.fault(fmt::format("--keep-trajectories writes HDF5: use --members FILE.h5, found '{}'", out.members));
  out.plot = read_plot_path(a);
  if (same_file(out.statistics, out.plot)) a.fault("--output and --plot name the same file; give two names");
  if (same_file(out.members, out.plot)) a.fault("--members and --plot name the same file; give two names");
  if (a.has("--over-time")) out.over_time = parts_outside_brackets(a.text("--over-time").value_or(""), ',');
  for (std::string& name : out.over_time) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty())
      a.fault("--over-time takes names with commas between them, for example x,theta; there is an empty place");
  }
  if (a.has("--over-time") && !a.has("--plot")) a.fault("--over-time needs --plot FILE, where it is drawn");
  if (const auto rows = a.whole("--rows", 0)) out.rows = static_cast<std::size_t>(*rows);
  if (a.has("--rows") && !a.has("--json")) a.fault("--rows is for --json: how many members are listed there");
  return out;
}

// What is drawn over time and no column yet becomes one, beside those that were asked for or that the model has.
void add_columns(const Model& model, const std::vector<std::string>& names, Options& options) {
  if (names.empty()) return;
  if (options.output_columns.empty() && model.run.others) options.output_columns = model.run.others->output_columns;
  for (const std::string& name : names) options.output_columns += (options.output_columns.empty() ? "" : ",") + name;
}

// A fault of such a column by the flag that named it.
Error in_words_of(const std::vector<std::string>& names, const Error& error) {
  std::string text = error.what();
  for (const std::string& name : names)
    if (const auto at = text.find("--output-columns " + name + ":"); at != std::string::npos)
      return in_other_words(error, text.replace(at, std::string_view("--output-columns").size(), "--over-time"));
  return error;
}

}  // namespace

int ensemble(const Words& words) {
  // Under mpirun one process speaks and writes for all. mpirun ends all as soon as one ends with a fault, so none may end before
  // that one has spoken: MPI begins before anything can be refused, and its end waits for all.
  const bool silent = Ranks::number_in_environment() > 0;
  if (silent &&
      (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr))
    return kOutputFailed;
  try {
    (void)Ranks::get();
  } catch (const Error&) {
    if (silent) return kDone;
    throw;
  }
  Arguments a = declare_ensemble();
  if (!a.parse(words)) return kDone;

  EnsembleRequest request;
  MemberSource source{a.system_name(), model_options(a)};
  const Outputs outputs = read_outputs(a);
  const MemberOptions members = read_member_options(a, !a.system_name().empty());
  read_run_options(a, Place::ensemble, request.options, request.threads);
  a.refuse_if_faulty();

  const Model model = load_to_run(source.system, source.load, request.options, Place::ensemble);
  check_keep(a, model);
  request.members = make_members(model, members);
  ProgressLine progress;
  request.progress = [&](std::size_t done, std::size_t all) { progress.parts(done, all, "members"); };
  request.mpi = true;
  std::optional<MemberFile> records;
  if (outputs.keep && !silent) records.emplace(model, outputs.members);
  report::MemberCurves curves(outputs.over_time, request.members.count);
  add_columns(model, outputs.over_time, request.options);
  if (outputs.keep || !outputs.over_time.empty())
    request.keep = [&](std::size_t member, const Trajectory& run) {
      if (records) records->add(run);
      if (!outputs.over_time.empty()) curves.add(member, run);
    };
  begin_computing();
  EnsembleReport report = [&] {
    try {
      return ensemble(source, request);
    } catch (const Error& error) {
      throw in_words_of(outputs.over_time, error);
    }
  }();
  progress.clear();
  report.message = with_signal(report.message);
  if (silent) return kDone;

  Files files;
  files.write(outputs.statistics, fmt::format("Written to {}", outputs.statistics),
              [&] { write_ensemble(model, report, outputs.statistics); });
  files.write(outputs.members, fmt::format("Members: {} ({} rows)", outputs.members, report.members.size()), [&] {
    if (records)
      records->finish(report);
    else
      write_members(model, report, outputs.members);
  });
  files.draw(outputs.plot,
             [&] { return report::figure_of(model, report, outputs.over_time.empty() ? nullptr : &curves); });
  const report::Ending ending = report::ending_of(report);
  const int status = files.conclude(
      [&] { return a.has("--json") ? to_json(model, report, outputs.rows) : to_text(model, report) + files.text(); },
      exit_status(ending.status));
  if (!ending.message.empty()) say(ending.message);
  return status;
}

}  // namespace rattleback::cli

// `rattleback ensemble`: many members of one system, and the statistics of their energy errors.
#include <cstdio>

#include <fmt/format.h>

#include "bind/applies.hpp"
#include "common.hpp"
#include "members.hpp"
#include "output/ending.hpp"
#include "output/write.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "study/ranks.hpp"
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
  add_run_options(a, Place::ensemble,
                  {{"until", "end time. Default: the model's"},
                   {"every", "the statistics take every K-th step. Default: all, thinned beyond 10^6"},
                   {"native", "steps as compiled machine code; auto, the default: when that pays"}});
  a.value("--output", "FILE.csv|FILE.h5", "writes the statistics over time; FILE.h5 has the members, too");
  a.flag("--json", "prints one JSON object instead of tables");
  return a;
}

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
  const std::string output = a.text("--output").value_or("");
  const MemberOptions members = read_member_options(a, !a.system_name().empty());
  read_run_options(a, Place::ensemble, request.options, request.threads);
  if (a.has("--output")) a.collect([&] { check_output_path(output); });
  a.refuse_if_faulty();

  const Model model = load_to_run(source.system, source.load, request.options, Place::ensemble);
  check_keep(a, model);
  request.members = make_members(model, members);
  ProgressLine progress;
  request.progress = [&](std::size_t done, std::size_t all) { progress.parts(done, all, "members"); };
  request.mpi = true;
  begin_computing();
  EnsembleReport report = ensemble(source, request);
  progress.clear();
  report.message = with_signal(report.message);
  if (silent) return kDone;

  Files files;
  files.write(output, fmt::format("Written to {}", output), [&] { write_ensemble(model, report, output); });
  const report::Ending ending = report::ending_of(report);
  const int status =
      files.conclude([&] { return a.has("--json") ? to_json(model, report) : to_text(model, report) + files.text(); },
                     exit_status(ending.status));
  if (!ending.message.empty()) say(ending.message);
  return status;
}

}  // namespace rattleback::cli

#include "output/ending.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace rattleback::report {

Ending ending_of(const CompareReport& report) {
  const auto done = [](const CompareRun& run) { return run.status == CompareRun::Status::done; };
  if (std::any_of(report.runs.begin(), report.runs.end(), done)) return {};
  return {Status::stopped, fmt::format("no method reached t = {:g}", report.until)};
}

Ending ending_of(const EnsembleReport& report) {
  std::string failed;
  if (!report.failed.empty())
    failed = fmt::format("{} of {} members stopped early", report.failed.size(), report.members.size());
  if (report.status == Status::done) return {failed.empty() ? Status::done : Status::stopped, failed};
  return {report.status, report.message + (failed.empty() ? "" : "\n" + failed)};
}

Ending ending_of(const SectionReport& report) {
  const auto stopped = [](const SectionStart& start) { return start.status == Status::stopped; };
  const auto at = std::find_if(report.starts.begin(), report.starts.end(), stopped);
  std::string failed;
  if (at != report.starts.end()) failed = fmt::format("start {}: {}", at - report.starts.begin(), at->message);
  if (report.status == Status::done) return {failed.empty() ? Status::done : Status::stopped, failed};
  return {report.status, report.message + (failed.empty() ? "" : "\n" + failed)};
}

void put_ending(Json& json, const Ending& ending) {
  if (ending.status == Status::done) return;
  json["status"] = to_string(ending.status);
  json["message"] = ending.message;
}

}  // namespace rattleback::report

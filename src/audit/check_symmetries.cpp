#include "audit/check_symmetries.hpp"

#include "audit/find_symmetries.hpp"
#include "audit/large_symmetries.hpp"
#include "audit/symmetry_judge.hpp"
#include "expr/scalars.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

void in_single_coordinates(const Model& model, const System& system, CheckReport& out) {
  SymmetryJudge judge(system);
  std::vector<std::vector<NodeId>> named;
  for (const Symmetry& s : model.symmetries) {
    named.push_back(scalars(judge.graph(), s.field, judge.n()));
    const SymmetryVerdict verdict = judge(named.back());
    out.symmetries.push_back({s.name, verdict.of_lagrangian, verdict.of_constraints, verdict.conserved()});
  }
  for (FoundField& found : find_symmetries(judge, model, named))
    out.found_symmetries.push_back({std::move(found.field), found.conserved});
}

void as_families(const Model& model, const System* system, CheckReport& out) try {
  LargeSymmetries large = judge_large(model, system);
  const std::vector<SymmetryVerdict>& verdicts = large.named;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    out.symmetries.push_back(
        {model.symmetries[i].name, verdicts[i].of_lagrangian, verdicts[i].of_constraints, verdicts[i].conserved()});
  for (FoundField& found : large.found) out.found_symmetries.push_back({std::move(found.field), found.conserved});
} catch (const NeedsUnrolling&) {
  out.notes.emplace_back("the derivatives of [symmetries] are no families, so they were not judged at this size");
}

}  // namespace

void check_symmetries(const Model& model, const System* system, CheckReport& out) {
  if (!facts_of(model).lagrangian) return;
  if (system != nullptr && !system->is_large() && !system->has_families())
    in_single_coordinates(model, *system, out);
  else
    as_families(model, system, out);
}

}  // namespace rattleback

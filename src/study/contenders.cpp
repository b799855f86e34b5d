#include "study/contenders.hpp"

#include "rattleback/method.hpp"
#include "tableau/user_tableau.hpp"

#include <fmt/format.h>

namespace rattleback {

std::string Contender::label(const std::string& method, int of_stages) const {
  if (own) return name;
  const MethodInfo& info = find_method(method);
  return info.fixed_stages != 0 || info.adaptive ? method : fmt::format("{}({})", method, of_stages);
}

Options Contender::options(Options of_all) const {
  of_all.method = own ? "" : name;
  of_all.stages = stages;
  if (!own) of_all.tableau.clear();
  return of_all;
}

std::vector<Contender> contenders(const std::vector<std::pair<std::string, int>>& methods, const Options& options) {
  std::vector<Contender> out;
  for (const auto& [name, stages] : methods) {
    (void)find_method(name);
    out.push_back({name, stages});
  }
  if (options.tableau.empty()) return out;
  Contender own{read_user_tableau(options.tableau).a.name, 0, true};
  // A name of its own beside the others.
  for (const Contender& other : out)
    if (own.name == other.name || own.name == other.label(std::string(find_method(other.name).name), other.stages))
      own.name += " (tableau)";
  out.push_back(std::move(own));
  return out;
}

}  // namespace rattleback

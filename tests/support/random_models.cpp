#include "support/random_models.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace rattleback::testing {

const char* to_string(RandomFamily family) {
  switch (family) {
    case RandomFamily::mechanism: return "mechanism";
    case RandomFamily::mechanical: return "mechanical";
    case RandomFamily::dae: return "dae";
    case RandomFamily::odae: return "odae";
    case RandomFamily::skew_gradient: return "skew-gradient";
    case RandomFamily::port_hamiltonian: return "port-hamiltonian";
  }
  return "";
}

RandomModel random_model(RandomFamily family, std::uint64_t number) {
  switch (family) {
    case RandomFamily::mechanism: return random_mechanism(number);
    case RandomFamily::mechanical: return random_mechanical(number);
    case RandomFamily::dae: return random_dae(number);
    case RandomFamily::odae: return random_odae(number);
    case RandomFamily::skew_gradient: return random_skew_gradient(number);
    case RandomFamily::port_hamiltonian: return random_port_hamiltonian(number);
  }
  return {};
}

double Draw::in(double from, double to) { return std::round((from + (to - from) * random_.uniform()) * 1e3) / 1e3; }

double Draw::decades(double from, double to) {
  const double exponent = from + (to - from) * random_.uniform(), scale = std::pow(10.0, std::floor(exponent) - 2);
  return std::round(std::pow(10.0, exponent) / scale) * scale;
}

int Draw::whole(int from, int to) {
  return from + static_cast<int>(random_.bits() % static_cast<std::uint64_t>(to - from + 1));
}

std::string Draw::smooth(const std::vector<std::string>& names) {
  const std::string a = of(names), b = of(names);
  const double c = in(0.3, 1.5), d = in(-1, 1);
  switch (whole(0, 11)) {
    case 0: return fmt::format("{}*sin({}*{} + {})", c, in(0.5, 2), a, d);
    case 1: return fmt::format("{}*cos({} - {}*{})", c, a, in(0.2, 0.9), b);
    case 2: return fmt::format("{}*{}*{}/(1 + {}^2)", c, a, b, a);
    case 3: return fmt::format("{}*exp(-({} - {})^2)", c, a, d);
    case 4: return fmt::format("{}*atan({} + {})", c, a, b);
    case 5: return fmt::format("{}*tanh({}*{})", c, in(0.5, 1.5), a);
    case 6: return fmt::format("{}/(2 + sin({})*cos({}))", c, a, b);
    case 7: return fmt::format("{}*sqrt(1 + {}^2 + {}^2)", c, a, b);
    case 8: return fmt::format("{}*log(2 + {}^2)", c, a);
    case 9: return fmt::format("{}*hypot(1.5, {})", c, a);
    case 10: return fmt::format("{}*atan2({}, 2 + {}^2)", c, a, b);
    default: return fmt::format("if({} < 1e6, {}*sin({}), sqrt(-1 - {}^2))", a, c, b, a);  // what is not taken is nan
  }
}

namespace {

bool of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

// What stands in quotes in `line`, from `from` on.
std::vector<std::string> quoted(const std::string& line) {
  std::vector<std::string> out;
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at)) {
    const std::size_t end = line.find('"', at + 1);
    out.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

bool lists_variables(const std::string& line) {
  for (const char* key : {"coordinates", "states", "algebraic", "positions", "velocities", "multipliers"})
    if (line.starts_with(key)) return true;
  return false;
}

std::string key_of(const std::string& line) {
  const std::size_t end = line.find(" = ");
  std::string key = line.substr(0, end);
  std::erase(key, '"');
  return key;
}

}  // namespace

Renamed renamed(const std::string& text) {
  std::set<std::string> old;
  std::string table;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("[")) table = line;
    if (table.empty() && lists_variables(line))
      for (const std::string& name : quoted(line)) old.insert(name.substr(0, name.find('[')));
    if ((table.starts_with("[constraints") || table == "[define]") && !line.starts_with("[")) {
      const std::string key = key_of(line);
      old.insert(key.substr(0, key.find_first_of("[(")));
    }
  }
  Renamed out;
  int count = 0;
  for (const std::string& name : old) out.names.emplace_back(name, fmt::format("n{}_{}", ++count, name.size() % 3));
  for (std::size_t at = 0; at < text.size();) {
    if (!of_name(text[at])) {
      out.text += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && of_name(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const auto it =
        std::find_if(out.names.begin(), out.names.end(), [&](const auto& pair) { return pair.first == word; });
    out.text += it == out.names.end() ? word : it->second;
    at = end;
  }
  return out;
}

std::string reordered(const std::string& text, std::uint64_t number, bool coordinates) {
  Draw draw(number, 77);
  const auto shuffle = [&](std::vector<std::string>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(draw.whole(0, static_cast<int>(i) - 1))]);
  };
  std::string out;
  std::vector<std::string> pending;
  const auto flush = [&] {
    shuffle(pending);
    for (const std::string& line : pending) out += line + "\n";
    pending.clear();
  };
  // Entries "a,b" of a matrix stand above its diagonal: they keep the order of the states.
  const bool by_pairs = text.find("[pi]\n") != std::string::npos || text.find("[J]\n") != std::string::npos;
  const bool factors = text.find("lambda(") == std::string::npos;
  std::string table;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("[")) {
      flush();
      table = line;
      out += line + "\n";
    } else if (table.empty() && coordinates && !by_pairs &&
               (line.starts_with("coordinates") || line.starts_with("states"))) {
      std::vector<std::string> names = quoted(line);
      shuffle(names);
      out += line.substr(0, line.find('['));
      for (std::size_t i = 0; i < names.size(); ++i) out += fmt::format("{}\"{}\"", i == 0 ? "[" : ", ", names[i]);
      out += "]\n";
    } else if (table.empty() || table == "[lagrangian]" || table == "[run]") {
      out += line + "\n";
    } else if (table == "[pi]" || table == "[J]" || table == "[R]" || table == "[E]") {
      out += line + "\n";
    } else if (factors && table.starts_with("[constraints.") && draw.chance(0.5)) {
      const std::size_t from = line.find(" = \"") + 4, to = line.rfind('"');
      pending.push_back(
          fmt::format("{}-2*({}){}", line.substr(0, from), line.substr(from, to - from), line.substr(to)));
    } else {
      pending.push_back(line);
    }
  }
  flush();
  return out;
}

}  // namespace rattleback::testing

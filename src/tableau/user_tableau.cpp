// Reads and checks a user's own tableau. Order of the checks: the file, its keys, each value, then what the values
// must satisfy together; the first fault is reported with its place.
#include "tableau/user_tableau.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/read.hpp"
#include "rattleback/error.hpp"
#include "tableau/evaluate_coefficient.hpp"
#include "tableau/order_conditions.hpp"
#include "text/document.hpp"

namespace rattleback {
namespace {

using front::Value;

constexpr int kMaxStages = 20;
constexpr std::size_t kLongestName = 100;  // of what a message repeats
// Coefficients written with 15 digits or more pass; with fewer, the order is not what it claims to be.
constexpr double kTolerance = 1e-13;
// Smallest over largest pivot of a matrix that counts as invertible. Up to s = 20 the shipped families
// have at least 1.9e-3 where they are invertible and at most 1e-17 where not.
constexpr double kSingular = 1e-10;

const std::vector<std::string> kKeys{"name",       "order", "A",  "b",  "c",  "Ahat", "Atilde",
                                     "constraint", "omega", "A1", "A2", "A3", "A4",   "A5"};

std::string digits(double x, const char* format = "%.6g") {
  char text[40];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

std::string count(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::size_t edit_distance(const std::string& x, const std::string& y) {
  std::vector<std::size_t> row(y.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= x.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= y.size(); ++j)
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (x[i - 1] != y[j - 1])}));
  }
  return row[y.size()];
}

// " Did you mean 'x'?" for the nearest of the known words; nothing if none is near.
Message suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(small_letters(word), small_letters(candidate));
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? Message(" Did you mean '" + *best + "'?", *best) : Message();
}

using Numbers = std::vector<double>;
using ExactNumbers = std::vector<Real>;

Numbers rounded(const ExactNumbers& exact) {
  Numbers result;
  for (const Real x : exact) result.push_back(static_cast<double>(x));
  return result;
}

// Smallest over largest pivot in Gaussian elimination with complete pivoting: 0 for a singular matrix.
double pivot_ratio(Numbers m, std::size_t n) {
  double first = 0, smallest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(m[i * n + j]) > std::abs(m[row * n + column])) row = i, column = j;
    smallest = std::abs(m[row * n + column]);
    if (k == 0) first = smallest;
    if (smallest == 0) return 0;
    for (std::size_t j = 0; j < n; ++j) std::swap(m[k * n + j], m[row * n + j]);
    for (std::size_t i = 0; i < n; ++i) std::swap(m[i * n + k], m[i * n + column]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] / m[k * n + k];
      for (std::size_t j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return n == 0 ? 1 : smallest / first;
}

// Rows of weights that span the same conditions as b_j c_j^(i-1): Legendre polynomials instead of the powers of c keep the
// matrix well conditioned for many stages.
Numbers usual_weights(const Tableau& t) {
  const std::size_t s = t.b.size();
  Numbers out((s - 1) * s, 0.0);
  for (std::size_t k = 0; k < s; ++k) {
    const double x = 2 * t.c[k] - 1;
    double before = 0, legendre = 1;
    for (std::size_t i = 0; i + 1 < s; ++i) {
      out[i * s + k] = t.b[k] * legendre;
      const auto n = static_cast<double>(i);
      before = std::exchange(legendre, ((2 * n + 1) * x * legendre - n * before) / (n + 1));
    }
  }
  return out;
}

// [W R; b^T]: what the conditions on the constraint see of the reactions, with coefficients R, to leading order.
Numbers weighted_matrix(const UserTableau& tableau, const Numbers& reaction) {
  const Numbers weights = tableau.omega.empty() ? usual_weights(tableau.a) : tableau.omega;
  const std::size_t s = tableau.a.b.size();
  Numbers matrix(s * s, 0.0);
  for (std::size_t i = 0; i + 1 < s; ++i)
    for (std::size_t k = 0; k < s; ++k)
      for (std::size_t j = 0; j < s; ++j) matrix[i * s + j] += weights[i * s + k] * reaction[k * s + j];
  std::copy(tableau.a.b.begin(), tableau.a.b.end(), matrix.end() - static_cast<std::ptrdiff_t>(s));
  return matrix;
}

// Do the rows, read from right to left, span the same conditions?
bool is_mirrored(const Numbers& rows, std::size_t s) {
  Numbers both = rows;
  for (std::size_t i = 0; i + 1 < s; ++i)
    for (std::size_t j = 0; j < s; ++j) both.push_back(rows[i * s + s - 1 - j]);
  // Elimination row by row: the mirrored ones leave nothing.
  const std::size_t count = both.size() / s;
  double size = 0.0;
  for (const double x : both) size = std::max(size, std::fabs(x));
  std::vector<char> taken(s, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t pivot = s;
    for (std::size_t j = 0; j < s; ++j)
      if (taken[j] == 0 && (pivot == s || std::fabs(both[i * s + j]) > std::fabs(both[i * s + pivot]))) pivot = j;
    const bool left = pivot < s && std::fabs(both[i * s + pivot]) > kSingular * size;
    if (i + 1 >= s && left) return false;
    if (!left) continue;
    taken[pivot] = 1;
    for (std::size_t r = i + 1; r < count; ++r) {
      const double factor = both[r * s + pivot] / both[i * s + pivot];
      for (std::size_t j = 0; j < s; ++j) both[r * s + j] -= factor * both[i * s + j];
    }
  }
  return true;
}

struct Place {
  std::size_t line = 1, column = 1;
};

// The first [table] header, if there is one: a tableau has none. Strings and arrays are skipped as far as a correct file
// needs; on others the parser stops before it gets that far.
std::optional<Place> find_table_header(std::string_view text) {
  Place place;
  int depth = 0;               // of brackets
  bool line_is_empty = true;   // so far
  std::string_view delimiter;  // of the string we are in
  for (std::size_t i = 0; i < text.size(); ++i, ++place.column) {
    const char c = text[i];
    if (c == '\n') {
      place = {.line = place.line + 1, .column = 0};
      line_is_empty = true;
      if (delimiter.size() == 1) delimiter = {};
    } else if (!delimiter.empty()) {
      if (c == '\\' && delimiter[0] == '"' && i + 1 < text.size() && text[i + 1] != '\n') {
        ++i, ++place.column;
      } else if (text.substr(i, delimiter.size()) == delimiter) {
        i += delimiter.size() - 1, place.column += delimiter.size() - 1;
        delimiter = {};
      }
    } else if (c == '"' || c == '\'') {
      const std::string_view triple = c == '"' ? R"(""")" : "'''";
      delimiter = text.substr(i, 3) == triple ? triple : triple.substr(0, 1);
      i += delimiter.size() - 1, place.column += delimiter.size() - 1;
      line_is_empty = false;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c != ' ' && c != '\t') {
      if (c == '[' && depth == 0 && line_is_empty) return place;
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && depth > 0) --depth;
      line_is_empty = false;
    }
  }
  return std::nullopt;
}

// The text, unless it has tables, which would be reported one by one as unknown keys.
std::string without_tables(const std::string& text, const std::string& path) {
  if (const auto header = find_table_header(text))
    throw Error(path + ":" + std::to_string(header->line) + ":" + std::to_string(header->column) +
                    ": a tableau has no [tables]: write all its keys at the top level",
                {.file = path, .line = header->line, .column = header->column});
  return text;
}

class TableauReader {
 public:
  TableauReader(const std::string& text, const std::string& path)
      : path_(path), source_(path, without_tables(text, path)), table_(front::parse_document(source_)) {}

  UserTableau read() {
    check_keys();
    read_name();
    read_order();
    read_matrix_and_weights();
    UserTableau result{.a = shared_, .ahat = shared_, .atilde = shared_, .weighted = true};
    if (has("Ahat")) result.ahat.A = rounded(matrix("Ahat"));
    if (has("Atilde")) result.atilde.A = rounded(matrix("Atilde"));
    result.weighted = read_constraint();
    if (has("omega")) {
      if (!result.weighted)
        fail(place("omega"), "omega has the weights of constraint = \"weighted\", not of \"stages\"");
      result.omega = rounded(matrix("omega", stages_ - 1));
    }
    for (std::size_t k = 0; k < result.parts.size(); ++k)
      if (const std::string key = "A" + std::to_string(k + 1); has(key)) result.parts[k] = rounded(matrix(key));
    check_sums();
    check_order(result);
    if (!result.has_parts()) result.weighted ? check_weighted(result) : check_stages(result);
    return result;
  }

 private:
  [[noreturn]] void fail(const Value& at, const Message& message) const { source_.fail(at.offset, message); }

  // The value of a key which must be there.
  [[nodiscard]] const Value& required(const std::string& key, const std::string& example) const {
    if (const Value* value = table_.find(key)) return *value;
    throw Error(path_ + ": key '" + key + "' is missing. Add, for example, " + example, {.file = path_});
  }

  [[nodiscard]] bool has(const std::string& key) const { return table_.find(key) != nullptr; }
  [[nodiscard]] const Value& place(const std::string& key) const { return *table_.find(key); }

  void check_keys() const {
    for (const Value& v : table_.items) {
      if (std::find(kKeys.begin(), kKeys.end(), v.key) != kKeys.end()) continue;
      const std::string name = v.key.substr(0, kLongestName);
      std::string all;
      for (const std::string& known : kKeys) all += known + (&known == &kKeys.back() ? "" : ", ");
      source_.fail(v.key_offset,
                   "unknown key '" + name + "' in a tableau." + suggestion(name, kKeys) + " Known here: " + all);
    }
  }

  void read_name() {
    shared_.name = std::filesystem::path(path_).stem().string();
    const Value* value = table_.find("name");
    if (value == nullptr) return;
    if (value->type != Value::Type::string || value->text.empty())
      fail(*value, "name must be a text in quotes which is not empty");
    shared_.name = value->text;
  }

  void read_order() {
    const Value& value = required("order", "order = 4");
    if (value.type != Value::Type::integer || value.number < 1 || value.number > 2 * kMaxStages)
      fail(value, "order must be a whole number from 1 to " + std::to_string(2 * kMaxStages) +
                      ": the order of convergence you claim");
    shared_.order = static_cast<int>(value.number);
  }

  [[nodiscard]] Real number(const Value& value, const std::string& what) const {
    Real result = 0;
    if (value.is_number()) {
      result = value.number;
    } else if (value.type == Value::Type::string) {
      try {
        result = evaluate_coefficient(value.text);
      } catch (const Error& error) {
        fail(value, what + " = " + error.what());
      }
    } else {
      fail(value, what + " must be a number or a text such as \"1/6\" or \"1/2 - sqrt(3)/6\"");
    }
    if (const auto x = static_cast<double>(result); !std::isfinite(x))
      fail(value, what + " = " + digits(x) + " is not a finite number");
    return result;
  }

  // As many values as there are stages. Called `what` as a whole and `element`[i] one by one.
  [[nodiscard]] ExactNumbers vector(const Value& value, const std::string& what, const std::string& element) const {
    if (value.type != Value::Type::array)
      fail(value, what + " must be an array of numbers, such as [\"1/2\", \"1/2\"]");
    if (value.items.size() != stages_)
      fail(value, what + " has " + count(value.items.size(), "value") + ", but A has " + count(stages_, "row"));
    ExactNumbers result;
    for (std::size_t i = 0; i < stages_; ++i)
      result.push_back(number(value.items[i], element + "[" + std::to_string(i + 1) + "]"));
    return result;
  }

  // Of so many rows; without a number, one for each stage.
  [[nodiscard]] ExactNumbers matrix(const std::string& key, std::optional<std::size_t> wanted = {}) {
    const std::string example = key + " = [[\"1/4\", \"1/4 - sqrt(3)/6\"], [\"1/4 + sqrt(3)/6\", \"1/4\"]]";
    const Value& value = required(key, example);
    const std::vector<Value>& rows = value.items;
    if (value.type != Value::Type::array || rows.empty())
      fail(value, key + " must be an array of rows, such as " + example);
    if (key == "A") stages_ = rows.size();
    if (stages_ > static_cast<std::size_t>(kMaxStages))
      fail(value, key + " has " + count(stages_, "row") + ", but at most " + std::to_string(kMaxStages) +
                      " stages are possible");
    if (wanted && rows.size() != *wanted)
      fail(value, key + " has " + count(rows.size(), "row") + ", but a method with " + count(stages_, "stage") +
                      " has " + std::to_string(*wanted) +
                      ": one condition less than stages, beside the end of the step");
    if (!wanted && rows.size() != stages_)
      fail(value, key + " has " + count(rows.size(), "row") + ", but A has " + count(stages_, "row"));
    ExactNumbers result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ExactNumbers row =
          vector(rows[i], "row " + std::to_string(i + 1) + " of " + key, key + "[" + std::to_string(i + 1) + "]");
      result.insert(result.end(), row.begin(), row.end());
    }
    return result;
  }

  void read_matrix_and_weights() {
    const ExactNumbers A = matrix("A");
    for (std::size_t i = 0; i < stages_; ++i) {
      Real sum = 0;
      for (std::size_t j = 0; j < stages_; ++j) sum += A[i * stages_ + j];
      row_sums_.push_back(static_cast<double>(sum));
    }
    shared_.A = rounded(A);
    shared_.stages = static_cast<int>(stages_);
    shared_.b = rounded(vector(required("b", "b = [\"1/2\", \"1/2\"]"), "b", "b"));
    const Value* c = table_.find("c");
    shared_.c = c != nullptr ? rounded(vector(*c, "c", "c")) : row_sums_;
  }

  [[nodiscard]] bool read_constraint() const {
    const Value* value = table_.find("constraint");
    if (value == nullptr) return true;
    const bool text = value->type == Value::Type::string;
    if (text && value->text == "weighted") return true;
    if (text && value->text == "stages") return false;
    const std::string found = value->text.substr(0, kLongestName);
    fail(*value, "constraint must be \"weighted\" or \"stages\"" +
                     (text ? ", not \"" + found + "\"." + suggestion(found, {"weighted", "stages"}) : Message(".")));
  }

  void check_sums() const {
    const double sum = std::accumulate(shared_.b.begin(), shared_.b.end(), 0.0);
    if (!(std::abs(sum - 1) <= kTolerance))
      fail(place("b"), "the weights b sum to " + digits(sum, "%.15g") + " instead of 1");
    for (std::size_t i = 0; i < stages_; ++i)
      if (!(std::abs(row_sums_[i] - shared_.c[i]) <= kTolerance))
        fail(place("c"), "c[" + std::to_string(i + 1) + "] = " + digits(shared_.c[i], "%.15g") + ", but row " +
                             std::to_string(i + 1) + " of A sums to " + digits(row_sums_[i], "%.15g") +
                             ". Correct the row, or leave c out");
  }

  using Named = std::pair<const Tableau*, std::string>;

  // Groups of variables with different coefficients; equal ones are one group. Trees are coloured with three groups at once.
  void check_order(const UserTableau& tableau) const {
    std::vector<Tableau> parts;
    for (const Numbers& part : tableau.parts)
      if (!part.empty()) parts.push_back(tableau.a), parts.back().A = part;
    std::vector<Named> all{{&tableau.a, "A"}};
    const auto add = [&](const Tableau& candidate, const std::string& name) {
      for (const Named& group : all)
        if (group.first->A == candidate.A) return;
      all.emplace_back(&candidate, name);
    };
    add(tableau.ahat, "Ahat");
    add(tableau.atilde, "Atilde");
    std::size_t next = 0;
    for (std::size_t k = 0; k < tableau.parts.size(); ++k)
      if (!tableau.parts[k].empty()) add(parts[next++], "A" + std::to_string(k + 1));
    if (all.size() <= 3) return check_order_of(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        for (std::size_t k = j + 1; k < all.size(); ++k) check_order_of({all[i], all[j], all[k]});
  }

  void check_order_of(const std::vector<Named>& named) const {
    std::vector<const Tableau*> groups;
    std::string names;
    for (const auto& [group, name] : named) {
      names += (groups.empty() ? "" : ", ") + std::string(1, "abc"[groups.size()]) + " = " + name;
      groups.push_back(group);
    }
    const int claimed = shared_.order, stages = shared_.stages;
    const std::string claim = "order = " + std::to_string(claimed) + " is claimed, but ";
    if (claimed > 2 * stages)
      fail(place("order"),
           claim + "a method with " + count(stages_, "stage") + " has at most order " + std::to_string(2 * stages));
    const int found = order_of(groups, claimed, kTolerance);
    if (found >= claimed) return;
    const std::string partitioned = groups.size() == 1 ? "" : " for the partitioned method (" + names + ")";
    if (found >= max_tree_order(groups.size())) {
      const auto [B, C, D] = simplifying_assumptions(groups, claimed, kTolerance);
      fail(place("order"), claim + "only order " + std::to_string(found) + " could be shown" + partitioned +
                               ": beyond order " + std::to_string(max_tree_order(groups.size())) +
                               " it takes the simplifying assumptions, and only B(" + std::to_string(B) + "), C(" +
                               std::to_string(C) + "), D(" + std::to_string(D) +
                               ") hold. Write order = " + std::to_string(found));
    }
    const Condition condition = worst_condition(groups, found + 1);
    const bool rounded = condition.residual < 1e-6;
    fail(place("order"),
         claim + "the order conditions hold only up to order " + std::to_string(found) + partitioned + ": tree " +
             condition.tree + " of order " + std::to_string(found + 1) + " gives " + digits(condition.value) +
             " instead of 1/" + digits(condition.gamma) + " (residual " + digits(condition.residual, "%.1e") +
             ", allowed " + digits(kTolerance, "%.0e") + "). " +
             (rounded     ? "The coefficients look rounded: write all digits, or exact texts such as \"1/6\""
              : found > 0 ? "Write order = " + std::to_string(found) + ", or correct the coefficients"
                          : "Correct the coefficients"));
  }

  // Where to point for a fault of the reaction coefficients.
  [[nodiscard]] const Value& reaction_place() const {
    return place(has("constraint") ? "constraint" : has("Atilde") ? "Atilde" : "A");
  }
  [[nodiscard]] std::string reaction_name() const { return has("Atilde") ? "Atilde" : "A"; }

  // The reactions are determined by k_i = 0 if Atilde is invertible. If the first stage is the start of the step, where
  // the constraint holds already, the first row is zero in all matrices and the other rows count.
  void check_stages(const UserTableau& tableau) const {
    if (pivot_ratio(tableau.atilde.A, stages_) > kSingular) return;
    const auto starts_at_q0 = [&](const Tableau& t) {
      return std::all_of(t.A.begin(), t.A.begin() + static_cast<std::ptrdiff_t>(stages_),
                         [](double x) { return x == 0; });
    };
    if (stages_ > 1 && starts_at_q0(tableau.a) && starts_at_q0(tableau.ahat) && starts_at_q0(tableau.atilde)) {
      Numbers rest;
      for (std::size_t i = 1; i < stages_; ++i)
        for (std::size_t j = 1; j < stages_; ++j) rest.push_back(tableau.atilde.A[i * stages_ + j]);
      if (pivot_ratio(rest, stages_ - 1) > kSingular) return;
    }
    fail(reaction_place(),
         "constraint = \"stages\" needs " + reaction_name() +
             " invertible, or its first row zero and the rest invertible: otherwise the reactions are not "
             "determined. It is singular here" +
             (determines(tableau, tableau.atilde.A) ? ", but constraint = \"weighted\" is possible" : ""));
  }

  void check_weighted(const UserTableau& tableau) const {
    if (determines(tableau, tableau.atilde.A)) return;
    fail(reaction_place(),
         "constraint = \"weighted\" needs the matrix [W " + reaction_name() + "; b^T], W" +
             (tableau.omega.empty() ? "_ij = b_j c_j^(i-1)" : " = omega") +
             ", invertible: otherwise the reactions are not determined. It "
             "is singular here. " +
             (has("Atilde") ? "Change Atilde" : "Give an Atilde for the reaction, such as Lobatto IIIB for IIIA"));
  }

  std::string path_;
  front::Source source_;
  Value table_;
  Tableau shared_;  // what the three have in common, and A
  std::size_t stages_ = 0;
  Numbers row_sums_;  // of A, rounded once
};

}  // namespace

bool UserTableau::has_parts() const {
  return std::any_of(parts.begin(), parts.end(), [](const Numbers& part) { return !part.empty(); });
}

bool is_variational(const UserTableau& tableau) { return is_symplectic(tableau.a, tableau.ahat, kTolerance); }

bool is_symmetric(const UserTableau& tableau, int parts) {
  const auto mirrored = [&](const Numbers& A) {
    Tableau t = tableau.a;
    t.A = A;
    return is_symmetric(t, kTolerance);
  };
  bool all = tableau.omega.empty() || is_mirrored(tableau.omega, tableau.a.b.size());
  for (int k = 0; k < parts; ++k) all = all && mirrored(tableau.part(static_cast<std::size_t>(k)));
  return all && mirrored(tableau.a.A) && (parts > 0 || (mirrored(tableau.ahat.A) && mirrored(tableau.atilde.A)));
}

bool determines(const UserTableau& tableau, const std::vector<double>& reaction) {
  return pivot_ratio(weighted_matrix(tableau, reaction), tableau.a.b.size()) > kSingular;
}

UserTableau parse_user_tableau(const std::string& text, const std::string& path) {
  return TableauReader(text, path).read();
}

UserTableau read_user_tableau(const std::string& path) {
  const files::FileText file = files::read_text(path, files::kLargestTableau);
  if (!file.fault.empty()) throw Error(path + ": " + file.fault + ". A tableau is a short TOML file", {.file = path});
  return parse_user_tableau(file.text, path);
}

}  // namespace rattleback

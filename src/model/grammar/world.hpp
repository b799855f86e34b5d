// All names of a model and what they stand for. Filled table by table; parameters are evaluated when first needed, so
// they may refer to each other in any order.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/rounding.hpp"
#include "model/data.hpp"
#include "model/grammar/formula.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/model.hpp"
#include "text/document.hpp"

namespace rattleback::front {

inline constexpr std::int64_t kMaxCount = 10'000'000;  // members of a family, terms of a sum, coordinates in all

enum class Thing : std::uint8_t {
  parameter,
  coordinate,
  velocity,
  algebraic,
  definition,
  function,
  constraint,
  port,
  invariant,
  symmetry,
  quasi
};

struct Symbol {
  Thing thing = Thing::parameter;
  std::int32_t number = 0;  // into the list of its kind; for coordinates the group of Names
  std::size_t offset = 0;   // where it was named
};

struct Parameter {
  std::string name;
  bool array = false;
  std::vector<Formula> formulas;
  std::vector<double> values, errors;  // errors: bounds of what rounding may have done
  std::vector<std::uint8_t> state;     // 0 not evaluated, 1 being evaluated, 2 done
  std::vector<double> used;            // the values when somebody asked for them ...
  std::vector<std::uint8_t> uses;      // ... who, as bits
};

// One entry of [define]: a single formula, or the members from..to of a family.
struct DefinitionPiece {
  std::int64_t from = 0, to = 0;
  std::string index;
  Formula formula;
};
struct Definition {
  std::string name;
  bool family = false;
  std::vector<DefinitionPiece> pieces;  // ascending
};

// A function of the model: what it is of its arguments, by a formula or a table.
struct OwnFunction {
  std::string name;
  std::vector<std::string> arguments;
  std::optional<Formula> formula;
  std::shared_ptr<const DataTable> data = {};
};

// An index in scope: inside a loop its value is base + stride*k, k = 0..loop-1; otherwise stride is 0. A hidden one
// belongs to a loop around the current loop, which the graph cannot express.
struct Index {
  std::string_view name;
  std::int64_t base = 0, stride = 0;
  bool hidden = false;
};
struct Scope;
// What an argument of a function stands for: a part of the formula that calls it, there. It is a number of a graph or a plain
// one, and an index where it is used as one.
struct Argument {
  std::string_view name;
  const Formula* formula = nullptr;
  std::int32_t part = -1;
  const Scope* scope = nullptr;
  NodeId node = 0;
  Rounded number = {};
  bool hidden = false;  // of a loop around the current one
};
struct Scope {
  std::vector<Index> indices;
  std::int32_t loop = 0;
  std::vector<Argument> arguments = {};
};
struct Affine {
  std::int64_t base = 0, stride = 0;
};
// Thrown where an expression cannot be a loop (an index that is not affine, a loop in a loop): it is unrolled instead.
struct NotALoop {};

// What an expression may contain.
struct Rules {
  bool time = false, positions = false, velocities = false, algebraic = false, multipliers = false, definitions = false,
       accelerations = false;
  bool quasi = false;   // quasi-velocities, also where velocities cannot be
  std::string accepts;  // the same in words, for messages
};

// "x[3]", and "`x[5]` does not exist: x has the members 1:4".
std::string element_name(std::string_view stem, std::int64_t i);
std::string no_element(std::string_view stem, std::int64_t i, const std::string& range);

class World {
 public:
  World(const Source& text, Kind what) : source(text), kind(what) {}

  const Source& source;  // NOLINT: the world lives as long as its source
  Kind kind;
  [[nodiscard]] const KindFacts& facts() const { return facts_of(kind); }
  Names coordinates, algebraic;
  Names velocities;          // odae: with names of their own; elsewhere they are the coordinates with a prime
  Names quasi;               // quasi-velocities of [kinematics], or momenta:
  bool hamiltonian = false;  // the model is written with these
  Names holonomic, nonholonomic, constraints;  // names of constraints; a dae and an odae have `constraints` only
  std::vector<Parameter> parameters;
  std::vector<Definition> definitions;
  std::vector<std::size_t> outputs;  // definitions that runs write down
  std::vector<OwnFunction> functions;
  // While parameters are evaluated: coordinates and definitions, not yet declared; and definitions alone.
  std::vector<std::string> named_later, defined_later;

  void declare(const std::string& name, Thing thing, std::int32_t number, std::size_t offset);
  [[nodiscard]] const Symbol* find(std::string_view name) const;
  [[nodiscard]] std::string describe(const Symbol& symbol) const;  // "a coordinate"
  [[nodiscard]] std::string noun(Thing thing) const;               // the same without its article
  // Names that an expression with these rules may use.
  [[nodiscard]] std::vector<std::string> known(const Rules& rules, const Scope& scope) const;
  // The function that is called here, with as many arguments as it takes.
  [[nodiscard]] const OwnFunction& function(const Formula& f, const AstNode& node) const;
  // "unknown name `thta` in ...": always throws.
  [[noreturn]] void unknown(const Formula& f, const AstNode& node, const Rules& rules, const Scope& scope) const;

  // Value of a parameter, or of an element (from 0) of an array. Its bound is one ulp at least, also of a whole number.
  Rounded parameter(std::int32_t number, std::size_t element = 0);
  // Who asks for values of parameters from here on. What the tables ask for decides as they are read: the size of a family,
  // the range of a line, a number. What the formulas ask for decides about them: the range of a sum, an index. What
  // stands in them as a number is an input of the graph.
  enum class Use : std::uint8_t { none = 0, tables = 1, formulas = 2, inputs = 4 };
  void note(Use use);
  [[nodiscard]] Use asking() const { return use_; }
  void set_asking(Use use) { use_ = use; }
  // Have all parameters that were asked for so still the same values?
  [[nodiscard]] bool unchanged(Use use) const;
  // The values of all, an array element by element: "k[2]".
  [[nodiscard]] std::vector<std::pair<std::string, double>> values() const;
  [[nodiscard]] std::vector<double> errors() const;                                     // in the same order,
  [[nodiscard]] std::size_t place(std::int32_t number, std::size_t element = 0) const;  // and where in it
  // The array element named by `node` of a formula, with index `i` counted from 1.
  static std::size_t array_element(const Formula& f, const AstNode& node, const Parameter& p, std::int64_t i,
                                   const Scope& scope, std::int64_t k);

  // Integer arithmetic of an index expression.
  Affine integer(const Formula& f, std::int32_t node, const Scope& scope);
  // The bounds of a range; checks order and size.
  std::pair<std::int64_t, std::int64_t> range(const Formula& f, std::int32_t from, std::int32_t to, const Scope& scope);
  // Refuses an index name that already means something.
  void check_index_name(const Formula& f, std::size_t at, std::string_view name, const Scope& scope) const;

  // Parameters that the formula of an element refers to.
  [[nodiscard]] std::vector<std::pair<std::int32_t, std::size_t>> uses_in(std::pair<std::int32_t, std::size_t> element);

  [[nodiscard]] static std::string where(const Scope& scope, std::int64_t k);  // " for i = 3"
  static const Index* find_index(const Scope& scope, std::string_view name);
  static const Argument* find_argument(const Scope& scope, std::string_view name);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, Symbol, Hash, std::equal_to<>> symbols_;
  Use use_ = Use::none;
  std::vector<std::string> evaluating_;  // names of the parameters on the way, to show a cycle
};

}  // namespace rattleback::front

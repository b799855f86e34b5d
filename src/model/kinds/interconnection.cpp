#include "model/kinds/interconnection.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "expr/parameters.hpp"
#include "expr/traverse.hpp"
#include "linalg/decompositions.hpp"
#include "model/grammar/circle.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kinds/build_port_hamiltonian.hpp"
#include "model/kinds/port_hamiltonian.hpp"
#include "model/reader.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSingular = 1e-10;
// A file of two parts that are files of two parts ... doubles with each level.
constexpr int kMostParts = 1000;
constexpr int kDeepest = 16;                // parts of parts
constexpr std::int32_t kMostStates = 1500;  // their matrices are dense. Eight doublings have 767: 0.5 s, 40 MB

struct Part {
  std::string name;
  Model model;
  PortHamiltonian f;
  std::int32_t first_state = 0, first_input = 0;
  std::size_t first_parameter = 0;
};

// Expressions of one graph in another, with the states and the parameters at other places. What was decided by values of
// parameters comes along, whether an expression needs it or not.
class Import {
 public:
  Import(Graph& to, const Graph& from, std::int32_t states, std::size_t parameters)
      : to_(to), from_(from), states_(states), parameters_(static_cast<std::uint32_t>(parameters)) {
    for (NodeId id = 0; id < from.size(); ++id)
      if (from.is_made(id)) image_.emplace(id, made(from[id], from.constant_error(id)));
    for (const auto& [id, value] : from.settled()) (void)to.settle(image_.at(id));
  }

  // The input `from`, which is given from outside, has this number in the other graph.
  void rename_input(NodeId from, std::uint32_t number) {
    if (from_[from].op == Op::input) image_.emplace(from, to_.input(number, from_[from].value));
  }

  NodeId operator()(NodeId root) {
    if (const auto known = image_.find(root); known != image_.end()) return known->second;  // most entries are 0
    for (const NodeId id : reachable(from_, std::span(&root, 1)))
      if (!image_.contains(id))
        image_.emplace(
            id, from_.is_constant(id) ? to_.constant(from_[id].value, from_.constant_error(id)) : copy(from_[id]));
    return image_.at(root);
  }

 private:
  // Of constants that stand before it.
  NodeId made(const Node& n, double error) {
    if (n.c == kMadeByParameter) return to_.parameter(parameters_ + n.a, n.value, error);
    if (n.c == kMadeInGroup) {
      const Graph::Group& group = from_.groups()[n.a];
      std::vector<NodeId> of;
      for (const NodeId id : group.from) of.push_back((*this)(id));
      return to_.computed(group.compute, of, group.count)[n.b];
    }
    const Op op = op_that_made(n.c);
    return arity(op) == 1 ? to_.unary(op, (*this)(n.a)) : to_.binary(op, (*this)(n.a), (*this)(n.b));
  }

  NodeId copy(const Node& n) {
    if (n.count != 0) throw NeedsUnrolling();
    const auto arg = [&](NodeId k) { return image_.at(k); };
    switch (n.op) {
      case Op::constant:
      case Op::variable: return to_.variable(n.space, n.base() + (n.space == kPosition ? states_ : 0));
      case Op::lookup:
      case Op::lookup_slope: {
        const auto values = from_.table_values(n.c);
        return to_.lookup(to_.add_table({values.begin(), values.end()}), arg(n.a), n.op == Op::lookup_slope);
      }
      case Op::index:
      case Op::table:
      case Op::input:  // only inputs are, and these have new names
      case Op::sum: throw NeedsUnrolling();
      default: break;
    }
    switch (arity(n.op)) {
      case 1: return to_.unary(n.op, arg(n.a));
      case 2: return to_.binary(n.op, arg(n.a), arg(n.b));
      default: return to_.select(arg(n.a), arg(n.b), arg(n.c));
    }
  }

  Graph& to_;
  const Graph& from_;
  std::int32_t states_;
  std::uint32_t parameters_;
  std::unordered_map<NodeId, NodeId> image_;
};

// Files that are being read, each within the one that names it, and the parts that were read for the outermost one.
struct Opened {
  explicit Opened(std::string name) : file(std::move(name)), within(innermost), depth(within ? within->depth + 1 : 1) {
    if (within == nullptr) parts_read = 0;
    innermost = this;
  }
  ~Opened() { innermost = within; }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  // From the file of this name, if it is open, to the innermost one.
  static std::vector<std::string> since(const std::string& file) {
    std::vector<std::string> names;
    for (const Opened* open = innermost; open != nullptr; open = open->within) {
      names.insert(names.begin(), std::filesystem::path(open->file).filename().string());
      if (open->file == file) return names;
    }
    return {};
  }

  std::string file;
  const Opened* within;
  int depth;
  static thread_local const Opened* innermost;
  static thread_local int parts_read;
};
thread_local const Opened* Opened::innermost = nullptr;
thread_local int Opened::parts_read = 0;

std::string canonical(const std::string& file) {
  std::error_code fault;
  const auto path = std::filesystem::weakly_canonical(file, fault);
  return fault ? file : path.string();
}

class Joiner {
 public:
  Joiner(const Source& source, const Value& document, const LoadOptions& options)
      : source_(source),
        document_(document),
        options_(options),
        text_(source, Kind::port_hamiltonian),
        reader_(text_.world, source) {}

  Model join() {
    reader_.only(document_, "", interconnection_kind().keys);
    if (const Value* v = document_.find("name")) text_.name = reader_.text(*v, "`name`");
    if (const Value* v = document_.find("project")) text_.project = reader_.boolean(*v, "`project`");
    load_parts();
    LoadOptions own = options_;
    std::erase_if(own.set, [](const auto& s) { return s.first.find('.') != std::string::npos; });
    read_parameters(text_.world, reader_, document_, own);
    read_connection();
    find_structure();
    read_run(text_, reader_, document_);
    return build();
  }

 private:
  [[nodiscard]] std::size_t part_number(const std::string& name) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].name == name) return i;
    return parts_.size();
  }

  // --- parts

  void load_parts() {
    const Opened here(canonical(source_.file()));
    const Value* systems = reader_.table(document_, "systems", "systems");
    if (systems == nullptr || systems->items.empty())
      source_.fail(systems == nullptr ? 0 : systems->offset,
                   "`[systems]` is missing or empty. Write [systems] with a = \"a.toml\" and b = \"b.toml\"");
    std::vector<std::string> names;
    for (const Value& v : systems->items) names.push_back(v.key);
    std::vector<LoadOptions> load(names.size(), {.set = {}, .start = {}, .unroll_below = options_.unroll_below});
    // "a.m" -> part a, name m. Starts of the file come first, so that those of the user replace them.
    const auto split = [&](const std::string& name, const auto& unknown) {
      const std::size_t dot = name.find('.');
      const auto it = std::find(names.begin(), names.end(), name.substr(0, dot));
      if (dot == std::string::npos || it == names.end()) unknown();
      return std::pair(static_cast<std::size_t>(it - names.begin()), name.substr(dot + 1));
    };
    if (const Value* initial = reader_.table(document_, "initial", "initial"))
      for (const Value& v : initial->items) {
        const auto [part, name] = split(v.key, [&] {
          source_.fail(v.key_offset, "`" + v.key + "` in [initial] names no state of a part. Write \"" + names[0] +
                                         ".NAME\"; the parts are " + listed(names));
        });
        if (v.type != Value::Type::string && !v.is_number())
          source_.fail(v.offset, "expected a number or an expression in quotes for the start of `" + v.key +
                                     "`, found " + describe(v.type));
        if (name.starts_with("u."))
          guesses_[v.key] = reader_.number(v, "the start of `" + v.key + "`");
        else
          load[part].start.emplace_back(name, v.type == Value::Type::string ? v.text : number_text(v.number));
      }
    for (const auto& [name, value] : options_.start) {
      const auto [part, rest] = split(name, [&, n = name, x = value] {
        throw Error(fmt::format("--start {}={}: names no state of a part. Write {}.NAME; the parts are {}", n, x,
                                names[0], listed(names)));
      });
      load[part].start.emplace_back(rest, value);
    }
    for (const auto& [name, value] : options_.set)
      if (name.find('.') != std::string::npos) {
        const auto [part, rest] = split(name, [&, n = name, x = value] {
          throw Error(fmt::format("--set {}={}: there is no such part; the parts are {}", n, x, listed(names)));
        });
        load[part].set.emplace_back(rest, value);
      }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Value& v = systems->items[i];
      if (!is_name(v.key))
        source_.fail(v.key_offset, "the name of a part is letters, digits and _, found `" + v.key + "`");
      Part part{v.key, load_part(v, load[i]), {}, states_, inputs_};
      if (part.model.kind != Kind::port_hamiltonian)
        source_.fail(v.offset, "part `" + v.key + "` is of kind " + to_string(part.model.kind) +
                                   ". An interconnection takes port-Hamiltonian systems");
      part.f = PortHamiltonian(part.model);
      states_ += part.f.n;
      inputs_ += part.f.inputs;
      if (states_ > kMostStates)
        source_.fail(v.offset, fmt::format("the parts up to `{}` have {} states together; an interconnection takes {}",
                                           v.key, states_, kMostStates));
      parts_.push_back(std::move(part));
    }
  }

  Model load_part(const Value& v, const LoadOptions& load) const {
    const std::string name = reader_.text(v, "part `" + v.key + "`");
    const std::filesystem::path file = std::filesystem::path(source_.file()).parent_path() / name;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      const std::string stem = std::filesystem::path(name).stem().string();
      const auto shipped = shipped_models();
      const bool known =
          std::any_of(shipped.begin(), shipped.end(), [&](const ShippedModel& m) { return m.key == stem; });
      if (known && name.find('/') == std::string::npos) return load_model(stem, load);
      source_.fail(v.offset, "part `" + v.key + "`: there is no file `" + file.string() +
                                 "`. A part is a model file, relative to this one, or a shipped system");
    }
    if (const std::vector<std::string> circle = Opened::since(canonical(file.string())); !circle.empty())
      source_.fail(v.offset, "part `" + v.key + "`: `" + file.string() +
                                 "` contains itself through its parts: " + circle_text(circle));
    if (Opened::innermost != nullptr && Opened::innermost->depth > kDeepest)
      source_.fail(v.offset, fmt::format("part `{}`: parts within parts more than {} deep", v.key, kDeepest));
    if (++Opened::parts_read > kMostParts)
      source_.fail(v.offset,
                   fmt::format("part `{}`: more than {} parts in all, those of the parts counted", v.key, kMostParts));
    return load_part_file(file.string(), load);
  }

  // --- equations

  // a.u.push and a.y.push as variables: inputs first, then outputs. In formulas the dots are written _.
  void declare_ports() {
    for (const char* which : {"u", "y"})
      for (const Part& part : parts_)
        for (const std::string& input : part.f.input_names) {
          ports_.push_back(part.name + "." + which + "." + input);
          std::string plain = ports_.back();
          std::replace(plain.begin(), plain.end(), '.', '_');
          text_.world.declare(plain, Thing::coordinate, text_.world.coordinates.size(), 0);
          text_.world.coordinates.add(plain);
        }
  }

  // The text with dots of names as _. Numbers keep theirs.
  std::string plain(const Value& v) const {
    std::string out = v.text;
    for (std::size_t i = 0; i < out.size();) {
      const auto letter = [&](std::size_t k) {
        return std::isalpha(static_cast<unsigned char>(out[k])) != 0 || out[k] == '_';
      };
      const auto more = [&](std::size_t k) {
        return k < out.size() && (letter(k) || std::isdigit(static_cast<unsigned char>(out[k])) != 0);
      };
      if (std::isdigit(static_cast<unsigned char>(out[i])) != 0 || out[i] == '.') {  // a number
        while (i < out.size() && (more(i) || out[i] == '.' ||
                                  ((out[i] == '+' || out[i] == '-') && (out[i - 1] == 'e' || out[i - 1] == 'E'))))
          ++i;
        continue;
      }
      if (!letter(i)) {
        ++i;
        continue;
      }
      const std::size_t from = i;
      while (more(i) || (i < out.size() && out[i] == '.' && more(i + 1))) ++i;
      const std::string name = out.substr(from, i - from);
      if (name.find('.') == std::string::npos) continue;
      if (std::find(ports_.begin(), ports_.end(), name) == ports_.end())
        source_.fail(source_.inside(v.offset, from), "unknown port `" + name + "` in equation `" + v.key + "`. " +
                                                         did_you_mean(name, ports_) + "Known here: " + listed(ports_));
      std::replace(out.begin() + static_cast<std::ptrdiff_t>(from), out.begin() + static_cast<std::ptrdiff_t>(i), '.',
                   '_');
    }
    return out;
  }

  void read_connection() {
    declare_ports();
    const Value* connect = reader_.table(document_, "connect", "connect");
    if (connect == nullptr || connect->items.empty())
      source_.fail(
          connect == nullptr ? 0 : connect->offset,
          "`[connect]` is missing or empty. Write [connect] with equations between inputs and outputs that are "
          "0, such as force = \"a.u.push + b.u.pull\" and speed = \"a.y.push - b.y.pull\"");
    static const Rules rules{.positions = true,
                             .accepts = "inputs such as a.u.push, outputs such as a.y.push, numbers and parameters"};
    Graph g;
    Elaborator e(text_.world, g, {});
    const auto count = static_cast<Index>(inputs_);
    M_ = N_ = MatrixXd::Zero(static_cast<Index>(connect->items.size()), count);
    for (const Value& v : connect->items) {
      const auto row = static_cast<Index>(equations_.size());
      if (v.type != Value::Type::string)
        source_.fail(v.offset,
                     "expected an expression in quotes for equation `" + v.key + "`, found " + describe(v.type));
      const Formula formula(source_, v.offset, "equation `" + v.key + "`", plain(v));
      const NodeId left = e.expression(formula, rules);
      for (const Entry& d : gradient(g, left, kPosition)) {
        if (!g.is_constant(d.expr))
          formula.fail(0, "not linear in `" + ports_[static_cast<std::size_t>(d.row.base)] + "`",
                       "A connection is linear in the inputs and outputs");
        (d.row.base < inputs_ ? N_ : M_)(row, d.row.base % inputs_) = g[d.expr].value;
      }
      const NodeId rest = substitute(g, left, [&](NodeId) { return g.zero(); });
      if (!g.is_constant(rest, 0.0))
        formula.fail(0, "a term without inputs and outputs",
                     "A connection has none: a constant would be a source of energy");
      if (M_.row(row).isZero(0.0) && N_.row(row).isZero(0.0))
        formula.fail(0, "neither an input nor an output occurs", "An equation ties inputs and outputs together");
      equations_.push_back(v.key);
      places_.push_back(v.offset);
    }
  }

  // --- the Dirac structure of the connection

  void find_structure() {
    for (Index j = 0; j < M_.cols(); ++j)
      if (!M_.col(j).isZero(0.0) || !N_.col(j).isZero(0.0)) connected_.push_back(j);
    const auto k = static_cast<Index>(connected_.size());
    MatrixXd both(M_.rows(), 2 * k);
    for (Index j = 0; j < k; ++j) {
      both.col(j) = M_.col(connected_[static_cast<std::size_t>(j)]);
      both.col(k + j) = N_.col(connected_[static_cast<std::size_t>(j)]);
    }
    for (Index i = 0; i < both.rows(); ++i) both.row(i) /= both.row(i).cwiseAbs().maxCoeff();
    const auto [rank, kernel] = linalg::rank_and_kernel(both, kSingular);  // kernel: (y, u)
    const std::string counted = fmt::format("{} connected input{} ({})", k, k == 1 ? "" : "s", names_of(k));
    if (rank != k) {
      const bool few = rank < k;
      source_.fail(places_.back(),
                   fmt::format("the connection is not power-preserving: {} independent equation{} for {}. {}", rank,
                               rank == 1 ? "" : "s", counted,
                               few ? "As many are needed: what is not tied to anything could give any power"
                                   : "As many are allowed: more would tie what the parts must decide"));
    }
    const MatrixXd Y = kernel.topRows(k), U = kernel.bottomRows(k);
    const MatrixXd power = linalg::transposed_product(Y, U);
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(power + power.transpose());
    const double largest = k > 0 ? eigen.values.cwiseAbs().maxCoeff() : 0.0;
    if (largest > kSingular * (kernel.squaredNorm() + 1e-300)) {
      const Index worst = eigen.values(k - 1) >= 0.999 * largest ? k - 1 : 0;  // of two as large, the gain
      VectorXd d = linalg::product(kernel, VectorXd(eigen.vectors.col(worst)));
      Index big = 0;
      d /= d.cwiseAbs().maxCoeff(&big);
      if (d(big) < 0.0) d = -d;
      std::string direction;
      for (Index j = 0; j < 2 * k; ++j)
        if (std::fabs(d(j)) > 1e-6)
          direction += fmt::format("{}{} = {:.3g}", direction.empty() ? "" : ", ",
                                   ports_[static_cast<std::size_t>(connected_[static_cast<std::size_t>(j % k)]) +
                                          (j < k ? static_cast<std::size_t>(inputs_) : 0)],
                                   d(j));
      // The equation that ties what the direction consists of.
      Index named = 0;
      linalg::product(both.cwiseAbs(), VectorXd(d.cwiseAbs())).maxCoeff(&named);
      source_.fail(places_[static_cast<std::size_t>(named)],
                   fmt::format("the connection is not power-preserving: equation `{}` and the others allow {}, where "
                               "y^T u = {:.3g} instead of 0. Check the signs",
                               equations_[static_cast<std::size_t>(named)], direction, d.head(k).dot(d.tail(k))));
    }
    // A largest set of free inputs, the first ones first.
    MatrixXd basis(0, U.cols());
    for (Index j = 0; j < k; ++j) {
      MatrixXd more(basis.rows() + 1, U.cols());
      more << basis, U.row(j);
      if (U.row(j).isZero(0.0) || linalg::rank_of(more, kSingular) < more.rows()) continue;
      basis = more;
      free_.push_back(j);
    }
    if (free_.empty()) {  // all connected inputs are 0
      U_ = MatrixXd::Zero(k, 0);
      K_ = MatrixXd::Zero(0, 0);
      return;
    }
    const MatrixXd inverse = linalg::pseudo_inverse(basis);
    U_ = tidy(linalg::product(U, inverse));
    K_ = tidy(linalg::product(linalg::transposed_product(U_, Y), inverse));
    K_ = (0.5 * (K_ - K_.transpose())).eval();
  }

  // Without the rounding errors of numbers that are whole.
  static MatrixXd tidy(MatrixXd m) {
    for (double& x : m.reshaped())
      if (const double whole = std::round(x); std::fabs(x - whole) < 1e-12) x = whole;
    return m;
  }

  [[nodiscard]] std::string names_of(Index k) const {
    std::string text;
    for (Index j = 0; j < k; ++j)
      text += (j == 0 ? "" : ", ") + ports_[static_cast<std::size_t>(connected_[static_cast<std::size_t>(j)])];
    return text;
  }

  // --- the joined system

  using Matrix = PortHamiltonian::Matrix;

  // The joined system as it grows: its matrices over all inputs of the parts stand here until inputs are joined.
  struct Joined {
    Joined(std::size_t states, std::size_t inputs)
        : graph(std::make_shared<Graph>()),
          g(*graph),
          B(states, std::vector<NodeId>(inputs, g.zero())),
          P(B),
          S(inputs, std::vector<NodeId>(inputs, g.zero())),
          N(S),
          u(inputs, g.zero()) {}
    void put(Entries& entries, std::int32_t row, std::int32_t col, NodeId e) const {
      if (!g.is_constant(e, 0.0)) entries.push_back({e, 0, {row, 0}, {col, 0}});
    }

    Model model;
    std::shared_ptr<Graph> graph;
    Graph& g;
    Matrix B, P, S, N;
    std::vector<NodeId> u;
    std::size_t parameters = 0;  // of the whole; inputs from outside are numbered behind them
  };

  Model build() {
    Joined to(static_cast<std::size_t>(states_), static_cast<std::size_t>(inputs_));
    Model& model = to.model;
    model.kind = Kind::port_hamiltonian;
    model.name = text_.name;
    model.project = text_.project;
    model.run = text_.run;
    model.parameters = text_.world.values();
    model.hamiltonian = to.g.zero();
    to.parameters = model.parameters.size();
    for (Part& part : parts_) {
      part.first_parameter = to.parameters;
      to.parameters += part.model.parameters.size();
    }
    // How the parts are joined was decided by numbers that may be made of these.
    for (std::uint32_t i = 0; i < model.parameters.size(); ++i)
      (void)to.g.settle(to.g.parameter(i, model.parameters[i].second));
    for (const Part& part : parts_) take(to, part);
    add_free_inputs(to);
    join_free_inputs(to);
    keep_outer_inputs(to);
    share_powers(to.g, model.ph, to.B, to.P, to.S, to.N, to.u);
    model.graph = std::move(to.graph);
    hold(model);
    return std::move(model);
  }

  static void take(Joined& to, const Part& part) {
    Model& model = to.model;
    Import in(to.g, part.f.graph, part.first_state, part.first_parameter);
    const std::int32_t x = part.first_state;
    for (const std::string& name : part.f.states) model.coordinates.add(part.name + "." + name);
    model.q0.insert(model.q0.end(), part.model.q0.begin(), part.model.q0.end());
    model.q0_error.insert(model.q0_error.end(), part.model.q0_error.begin(), part.model.q0_error.end());
    for (const std::int32_t a : part.model.angles) model.angles.push_back(a + x);
    for (const auto& [name, value] : part.model.parameters)
      model.parameters.emplace_back(part.name + "." + name, value);
    PortHamiltonianParts::Part share;
    share.name = part.name;
    share.H = in(part.f.H);
    model.hamiltonian = to.g.add(model.hamiltonian, share.H);
    model.ph.parts.push_back(share);
    for (std::int32_t i = 0; i < part.f.n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (std::int32_t j = 0; j < part.f.n; ++j) {
        const auto col = static_cast<std::size_t>(j);
        to.put(model.ph.E, x + i, x + j, in(part.f.E[row][col]));
        to.put(model.ph.J, x + i, x + j, in(part.f.J[row][col]));
        to.put(model.ph.R, x + i, x + j, in(part.f.R[row][col]));
      }
      to.put(model.ph.r, x + i, 0, in(part.f.r[row]));
      to.put(model.ph.z, x + i, 0, in(part.f.z[row]));
      for (std::int32_t k = 0; k < part.f.inputs; ++k) {
        const auto col = static_cast<std::size_t>(k), at = static_cast<std::size_t>(part.first_input) + col;
        to.B[static_cast<std::size_t>(x) + row][at] = in(part.f.B[row][col]);
        to.P[static_cast<std::size_t>(x) + row][at] = in(part.f.P[row][col]);
      }
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.f.inputs); ++k) {
      const std::size_t at = static_cast<std::size_t>(part.first_input) + k;
      in.rename_input(part.f.u[k], static_cast<std::uint32_t>(to.parameters + at));
      to.u[at] = in(part.f.u[k]);
      for (std::size_t l = 0; l < static_cast<std::size_t>(part.f.inputs); ++l) {
        to.S[at][static_cast<std::size_t>(part.first_input) + l] = in(part.f.S[k][l]);
        to.N[at][static_cast<std::size_t>(part.first_input) + l] = in(part.f.N[k][l]);
      }
    }
  }

  [[nodiscard]] std::size_t port(std::size_t j) const { return static_cast<std::size_t>(connected_[j]); }

  // Row l of U^T times a list over the inputs: a sum over the connected ones.
  NodeId times_U(Graph& g, const std::vector<NodeId>& list, std::int32_t l) const {
    NodeId sum = g.zero();
    for (std::size_t j = 0; j < connected_.size(); ++j)
      if (const double factor = U_(static_cast<Index>(j), l); factor != 0.0 && list[port(j)] != g.zero())
        sum = g.add(sum, g.mul(g.constant(factor), list[port(j)]));
    return sum;
  }

  // The free inputs w become algebraic states.
  void add_free_inputs(Joined& to) const {
    Model& model = to.model;
    for (const Index j : free_) {
      const std::string name = ports_[port(static_cast<std::size_t>(j))];
      const auto row = static_cast<std::int32_t>(model.q0.size());
      model.coordinates.add(name);
      const auto guess = guesses_.find(name);
      model.q0.push_back(guess == guesses_.end() ? 0.0 : guess->second);
      model.q0_error.push_back(kUlp * std::fabs(model.q0.back()));
      to.put(model.ph.z, row, 0, to.g.variable(kPosition, row));
    }
  }

  void join_free_inputs(Joined& to) const {
    Graph& g = to.g;
    PortHamiltonianParts& ph = to.model.ph;
    const auto w = static_cast<std::int32_t>(free_.size());
    Matrix NU, SU;  // by columns of U
    for (std::int32_t k = 0; k < w; ++k) {
      NU.emplace_back(to.N.size(), g.zero());
      SU.emplace_back(to.S.size(), g.zero());
      for (std::size_t i = 0; i < to.N.size(); ++i) {
        NU.back()[i] = times_U(g, to.N[i], k);
        SU.back()[i] = times_U(g, to.S[i], k);
      }
    }
    for (std::int32_t l = 0; l < w; ++l) {
      for (std::int32_t i = 0; i < states_; ++i) {
        const NodeId b = times_U(g, to.B[static_cast<std::size_t>(i)], l),
                     p = times_U(g, to.P[static_cast<std::size_t>(i)], l);
        to.put(ph.J, i, states_ + l, b);
        to.put(ph.J, states_ + l, i, g.neg(b));
        to.put(ph.R, i, states_ + l, p);
        to.put(ph.R, states_ + l, i, p);
      }
      for (std::int32_t k = 0; k < w; ++k) {
        to.put(ph.J, states_ + l, states_ + k,
               g.add(g.constant(K_(l, k)), times_U(g, NU[static_cast<std::size_t>(k)], l)));
        to.put(ph.R, states_ + l, states_ + k, times_U(g, SU[static_cast<std::size_t>(k)], l));
      }
    }
  }

  // The inputs that stay.
  void keep_outer_inputs(Joined& to) const {
    PortHamiltonianParts& ph = to.model.ph;
    const auto w = static_cast<std::int32_t>(free_.size());
    std::vector<std::size_t> outer;
    for (std::size_t j = 0; j < to.u.size(); ++j)
      if (std::find(connected_.begin(), connected_.end(), static_cast<Index>(j)) == connected_.end())
        outer.push_back(j);
    for (std::size_t e = 0; e < outer.size(); ++e) {
      const std::size_t j = outer[e];
      PortHamiltonianParts::Input& input = ph.inputs.emplace_back();
      const std::string& full = ports_[j];  // a.u.push
      const std::size_t dot = full.find('.');
      input.name = full.substr(0, dot) + full.substr(dot + 2);
      input.u = to.u[j];
      for (std::int32_t i = 0; i < states_; ++i) {
        to.put(input.B, i, 0, to.B[static_cast<std::size_t>(i)][j]);
        to.put(input.P, i, 0, to.P[static_cast<std::size_t>(i)][j]);
      }
      std::vector<NodeId> n_column, s_column;
      for (std::size_t i = 0; i < to.u.size(); ++i) {
        n_column.push_back(to.N[i][j]);
        s_column.push_back(to.S[i][j]);
      }
      for (std::int32_t l = 0; l < w; ++l) {
        to.put(input.B, states_ + l, 0, times_U(to.g, n_column, l));
        to.put(input.P, states_ + l, 0, times_U(to.g, s_column, l));
      }
      for (std::size_t f = 0; f < outer.size(); ++f) {
        to.put(ph.S, static_cast<std::int32_t>(e), static_cast<std::int32_t>(f), to.S[j][outer[f]]);
        to.put(ph.N, static_cast<std::int32_t>(e), static_cast<std::int32_t>(f), to.N[j][outer[f]]);
      }
    }
  }

  // States that a projection of the start leaves alone.
  void hold(Model& model) const {
    const std::vector<char> algebraic = algebraic_columns(*model.graph, model.ph.E, model.coordinates.size());
    const auto keep = [&](const std::string& name, const FilePlace& at, const std::string& place,
                          const std::string& where) {
      const auto state = model.coordinates.find(name);
      if (!state)
        throw error_of(
            place + "`" + name + "` names no state of a part. " + did_you_mean(name, model.coordinates.all()), at);
      if (algebraic[static_cast<std::size_t>(*state)] != 0) refuse_to_hold({place + "`" + name + "` in " + where, at});
      model.keep_q.push_back(*state);
    };
    if (const Value* list = document_.find("keep"); list != nullptr && options_.keep.empty())
      for (const Value& v : reader_.array(*list, "`keep`").items)
        keep(reader_.text(v, "an entry of `keep`"), source_.where(v.offset), source_.place(v.offset), "`keep`");
    for (const std::string& name : options_.keep) keep(name, {}, "--keep " + name + ": ", "--keep");
    std::sort(model.keep_q.begin(), model.keep_q.end());
  }

  // The powers of the parts as expressions of the efforts z, which stand in kMultiplier.
  void share_powers(Graph& g, PortHamiltonianParts& to, const PortHamiltonian::Matrix& B,
                    const PortHamiltonian::Matrix& P, const PortHamiltonian::Matrix& S,
                    const PortHamiltonian::Matrix& N, std::vector<NodeId> u) const {
    const auto effort = [&](std::int32_t i) { return g.variable(kMultiplier, i); };
    for (std::size_t j = 0; j < connected_.size(); ++j) {
      NodeId value = g.zero();
      for (std::size_t l = 0; l < free_.size(); ++l)
        value = g.add(value, g.mul(g.constant(U_(static_cast<Index>(j), static_cast<Index>(l))),
                                   effort(states_ + static_cast<std::int32_t>(l))));
      u[static_cast<std::size_t>(connected_[j])] = value;
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      PortHamiltonian::At at;
      const auto x = static_cast<std::size_t>(part.first_state), n = static_cast<std::size_t>(part.f.n);
      const auto first = static_cast<std::size_t>(part.first_input), m = static_cast<std::size_t>(part.f.inputs);
      const auto block = [](const PortHamiltonian::Matrix& whole, std::size_t row, std::size_t rows, std::size_t col,
                            std::size_t cols) {
        PortHamiltonian::Matrix out;
        for (std::size_t i = row; i < row + rows; ++i)
          out.emplace_back(whole[i].begin() + static_cast<std::ptrdiff_t>(col),
                           whole[i].begin() + static_cast<std::ptrdiff_t>(col + cols));
        return out;
      };
      Import in(g, part.f.graph, part.first_state, part.first_parameter);
      for (const auto& row : part.f.R) {
        at.R.emplace_back();
        for (const NodeId e : row) at.R.back().push_back(in(e));
      }
      at.B = block(B, x, n, first, m);
      at.P = block(P, x, n, first, m);
      at.S = block(S, first, m, first, m);
      at.N = block(N, first, m, first, m);
      at.u.assign(u.begin() + static_cast<std::ptrdiff_t>(first), u.begin() + static_cast<std::ptrdiff_t>(first + m));
      for (std::size_t i = 0; i < n; ++i) at.z.push_back(effort(static_cast<std::int32_t>(x + i)));
      const std::vector<NodeId> y = PortHamiltonian::outputs(g, at);
      PortHamiltonianParts::Part& share = to.parts[p];
      share.dissipated = PortHamiltonian::dissipated(g, at);
      share.supplied = share.received = g.zero();
      for (std::size_t k = 0; k < m; ++k) {
        const bool joined =
            std::find(connected_.begin(), connected_.end(), static_cast<Index>(first + k)) != connected_.end();
        NodeId& sum = joined ? share.received : share.supplied;
        sum = g.add(sum, g.mul(y[k], at.u[k]));
      }
    }
  }

  const Source& source_;
  const Value& document_;
  const LoadOptions& options_;
  ModelText text_;
  Reader reader_;
  std::vector<Part> parts_;
  std::int32_t states_ = 0, inputs_ = 0;
  std::vector<std::string> ports_;  // a.u.push ..., then a.y.push ...
  std::map<std::string, double> guesses_;
  MatrixXd M_, N_;  // equations by inputs
  std::vector<std::string> equations_;
  std::vector<std::size_t> places_;
  std::vector<Index> connected_;  // inputs
  std::vector<Index> free_;       // among the connected ones
  MatrixXd U_, K_;
};

}  // namespace

bool is_interconnection(const Value& document) {
  const Value* v = document.find("kind");
  return v != nullptr && v->type == Value::Type::string && v->text == interconnection_kind().name;
}

Model load_interconnection(const Source& source, const Value& document, const LoadOptions& options) {
  return Joiner(source, document, options).join();
}

}  // namespace rattleback::front

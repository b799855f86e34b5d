// Typed access to the tables of a model file, with messages that say what was found and what would be accepted.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/keys.hpp"
#include "model/model_text.hpp"

namespace rattleback::front {

// Members of a family that have been named so far, to notice when two keys name the same one.
class Members {
 public:
  // False when some of from..to (or the plain name) is there already.
  bool insert(const std::string& name, std::int64_t from, std::int64_t to);

 private:
  std::map<std::string, std::map<std::int64_t, std::int64_t>> ranges_;
};

// A key of a table with its range evaluated.
struct Key {
  std::string stem;
  bool primed = false, indexed = false;
  std::string index;  // "" unless a range with an index
  std::int64_t from = 0, to = 0;
  std::size_t offset = 0;  // place in the file; only for keys of the file
};

// What its file may say.
inline const FileKind& file_kind(const World& world) {
  return world.hamiltonian ? hamiltonian_kind() : file_kind(world.kind);
}

class Reader {
 public:
  Reader(World& world, const Source& source) : world_(world), source_(source) {}

  // Refuses keys that are not in the list; `table` is "[lagrangian]", or "" for the top of the file. The way: of keys_at().
  void only(const Value& parent, const std::string& table, std::initializer_list<std::string_view> way) const;
  void only(const Value& parent, const std::string& table, std::span<const KeyRow> accepted) const;
  void only(const Value& parent, const std::string& table, const std::vector<std::string>& accepted) const;
  // The table of that name, or nullptr; an error when it is something else.
  const Value* table(const Value& parent, const std::string& key, const std::string& path) const;
  [[nodiscard]] std::string text(const Value& value, const std::string& what) const;
  [[nodiscard]] bool boolean(const Value& value, const std::string& what) const;
  [[nodiscard]] const Value& array(const Value& value, const std::string& what) const;
  [[nodiscard]] Formula formula(const Value& value, const std::string& role) const;
  // A number that may be an expression of the parameters.
  double number(const Value& value, const std::string& role);

  // The key of a line; `what` as in "a force".
  Key key(const Value& value, const std::string& what);
  Key key(const KeyPattern& pattern);
  // A table whose keys are coordinates or states (forces, right-hand sides): one line each, rows = positions. quasi: or
  // quasi-velocities, whose rows follow.
  std::vector<Line> lines_by_variable(const Value& parent, const std::string& table, const Names& names, Thing thing,
                                      const std::string& role, bool quasi = false);
  // The position of the first element a key names, among coordinates (or algebraic variables).
  std::int32_t position(const Key& key, const Names& names, Thing thing, const std::string& table);
  // What stands in a table of data, such as { file = "f.csv", time = "t", column = "u" }: at_key and column_key are the keys of
  // the two columns, which without them have the names that follow.
  DataText data(const Value& table, const std::string& what, std::span<const KeyRow> keys, const std::string& at_key,
                const std::string& at, const std::string& column_key, const std::string& column);
  // A matrix: keys "a,b", of single entries or of families such as "x[i=1:3],y[i+1]".
  MatrixText matrix(const Value& parent, const std::string& table, const std::string& name, const Names& names,
                    Thing thing, MatrixSymmetry symmetry);
  // A table of constraints: names them, one line each.
  std::vector<Line> constraint_lines(const Value& parent, Names& names, const std::string& role);

 private:
  World& world_;
  const Source& source_;
};

void read_parameters(World& world, Reader& reader, const Value& document, const LoadOptions& options);
void change_parameters(World& world, const LoadOptions& options);  // and evaluates them all
Names read_names(World& world, Reader& reader, const Value& list, const std::string& key, Thing thing);
void read_definitions(World& world, Reader& reader, const Value& document);
void read_angles(ModelText& text, Reader& reader, const Value& document);
void read_auxiliary(ModelText& text, Reader& reader, const Value& document);
void read_kinematics(ModelText& text, Reader& reader, const Value& document);
void read_momenta(ModelText& text, Reader& reader, const Value& document);
void read_energy(ModelText& text, Reader& reader, const Value& document);
void read_mechanical(ModelText& text, Reader& reader, const Value& document);
void read_dae(ModelText& text, Reader& reader, const Value& document);
void read_odae(ModelText& text, Reader& reader, const Value& document);
void read_skew_gradient(ModelText& text, Reader& reader, const Value& document);
void read_port_hamiltonian(ModelText& text, Reader& reader, const Value& document);
void read_invariants(ModelText& text, Reader& reader, const Value& document);
void read_symmetries(ModelText& text, Reader& reader, const Value& document);
// A system without a Lagrangian has none.
void refuse_symmetries(const World& world, const Value& document);
void read_exact(ModelText& text, Reader& reader, const Value& document);
void read_events(ModelText& text, Reader& reader, const Value& document);
void read_view(ModelText& text, Reader& reader, const Value& document);
void read_units(ModelText& text, Reader& reader, const Value& document);
void read_run(ModelText& text, Reader& reader, const Value& document);
void read_starts(ModelText& text, Reader& reader, const Value& document, const LoadOptions& options);

}  // namespace rattleback::front

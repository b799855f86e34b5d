// The models of the members of a section or an ensemble.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/starts/start_reader.hpp"
#include "option/option_table.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback {

class MemberModels {
 public:
  // Throws Error for a name that is neither a parameter nor a start value. `noun` is what messages call a member.
  MemberModels(const MemberSource& source, const Members& members, const Options& options, Place place,
               std::string noun);
  MemberModels(const Model& model, const Members& members, std::string noun);

  [[nodiscard]] const Model& base() const { return base_; }
  [[nodiscard]] std::size_t count() const { return members_.count; }
  [[nodiscard]] std::vector<double> values(std::size_t member) const;
  // What varies, as columns of files: parameters by their names, starts as start.NAME beside the ends of the same name.
  [[nodiscard]] std::vector<std::string> columns() const;
  // Throws Error, with the member's number, when there is no model with these values.
  [[nodiscard]] Model model(std::size_t member) const;
  // A reader of starts for place(); null where numbers of a Model vary, which need none. Each thread has its own.
  [[nodiscard]] std::unique_ptr<StartReader> start_reader() const;
  // Puts the start of a member into a copy of base(). False when the member differs in more than its start, or when it has to
  // be read with model() to say what is wrong with it.
  bool place(std::size_t member, StartReader* reader, Model& model) const;
  // "start 3 (z0 = 0.5)"
  [[nodiscard]] std::string describe(std::size_t member) const;

 private:
  void check();
  // Of a model whose q0 or v0 were changed after it was made.
  void keep_changed_starts();
  [[nodiscard]] Model read(std::size_t member) const;

  std::string noun_;
  Members members_;
  std::optional<MemberSource> source_;
  Model base_;
  std::vector<bool> parameter_;  // by name
};

// The value of a number or an expression of numbers and parameters, such as "0.9*sqrt(2)". Throws Error, beginning with
// `option`.
double evaluate_number(const Model& model, const std::string& option, const std::string& text);

// What varies must be known, and not named twice. `origin` is what messages begin with. Throws Error.
void check_name(const Model& model, const std::string& origin, const std::string& name);
void check_twice(const std::string& origin, const std::vector<std::string>& names);
// How many members there may be at random. Throws Error.
void check_count(std::int64_t count);

// Notes of single runs, each once; when every member has its own, the first of them stand for all.
void add_notes(std::vector<std::string>& all, std::vector<std::string>& of_one);

// How far the members were moved to consistent starts.
struct Moved {
  std::size_t count = 0;
  double by = 0.0;
  void see(const Model& model, const std::vector<double>& q0, const std::vector<double>& v0);
  void see(Kind kind, const std::vector<double>& q_asked, const std::vector<double>& v_asked,
           const std::vector<double>& q0, const std::vector<double>& v0);
};

}  // namespace rattleback

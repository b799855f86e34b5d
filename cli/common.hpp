// Options that several verbs share.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "plot/figure.hpp"
#include "rattleback/simulate.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

// --set, --start and --keep: how a user changes a model without editing it.
void add_model_options(Arguments& arguments);
LoadOptions model_options(Arguments& arguments);
// Throws Error when --keep has nothing to say. Not for `check`, which looks at the nearest start anyway.
void check_keep(const Arguments& arguments, const Model& model);

// Options of a run by their names in the table (run/option_table.hpp), with its help or another one.
void add_options(Arguments& arguments, std::initializer_list<std::string_view> names);
void add_option(Arguments& arguments, std::string_view name, const std::string& help = {});
// --formulation, --project, --compose ...: how any method is applied.
void add_method_options(Arguments& arguments);
// --alpha, --rtol, --atol, --gain, --redundant: what some methods and systems need.
void add_special_options(Arguments& arguments);
// Everything of the table that the verb has, with all faults, but for what the verb reads itself.
void read_options(Arguments& arguments, Options& options, std::initializer_list<std::string_view> but = {});

// --plot FILE.svg: the path, "" without it; a wrong one is a fault.
void add_plot_option(Arguments& arguments, const std::string& what);
std::string read_plot_path(Arguments& arguments);

// Files written behind a computation. Its result is printed even if the disk turned out to be full or memory ended: each
// file is tried, and failures are kept until then.
class Files {
 public:
  // Nothing for an empty path. `said` is what the text output says of a file that was written.
  void write(const std::string& path, const std::string& said, const std::function<void()>& write_it);
  void draw(const std::string& path, const std::function<plot::Figure()>& figure);
  void fail(std::string_view message);  // what could not be written otherwise
  [[nodiscard]] const std::string& text() const { return text_; }
  // Prints the result, then says on stderr what could not be written. The exit status: that of the computation if it ended
  // early, else 74 if something is missing. Throws OutputFailed.
  [[nodiscard]] int conclude(const std::function<std::string()>& result, int status = kDone);

 private:
  void attempt(const std::string& what, const std::function<void()>& action);
  std::string text_, failed_;
};

// The method by any of its names, with faults collected; "" stays "".
void check_method(Arguments& arguments, const std::string& name);

}  // namespace rattleback::cli

// Options that several verbs share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "option/option_table.hpp"
#include "plot/figure.hpp"
#include "rattleback/simulate.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

// --set, --start and --keep: how a user changes a model without editing it.
void add_model_options(Arguments& arguments);
LoadOptions model_options(Arguments& arguments);
// Throws Error when --keep has nothing to say. Not for `check`, which looks at the nearest start anyway.
void check_keep(const Arguments& arguments, const Model& model);

using OptionWords = std::vector<std::pair<std::string_view, const char*>>;  // name and help
// All options of a run that the verb has in the table (option/option_table.hpp), with its help, or in words of the verb's own.
void add_options(Arguments& arguments, Place place, const OptionWords& words = {});
// What was given of them, with all faults.
void read_options(Arguments& arguments, Place place, Options& options);

// Do two paths name one file? Not where one is "".
bool same_file(const std::string& one, const std::string& other);

// --plot FILE: the path, "" without it; a wrong one is a fault.
void add_plot_option(Arguments& arguments, const std::string& what);
std::string read_plot_path(Arguments& arguments);

// A fault if two paths name the same file.
void check_different(Arguments& arguments, const char* option, const std::string& path, const char* other_option,
                     const std::string& other_path);

// --table FILE.tex: the same of a table.
void add_table_option(Arguments& arguments);
std::string read_table_path(Arguments& arguments);

// Files written behind a computation. Its result is printed even if the disk turned out to be full or memory ended: each
// file is tried, and failures are kept until then.
class Files {
 public:
  // Nothing for an empty path. `said` is what the text output says of a file that was written. That a file was there before
  // and is no more is said on stderr.
  void write(const std::string& path, const std::string& said, const std::function<void()>& write_it);
  void draw(const std::string& path, const std::function<plot::Figure()>& figure);
  void write_table(const std::string& path, const std::function<std::string()>& text);
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

// [run]: the options of a run that a model file may give, by the names that they have on the command line. What there is, and its
// ranges, stands in the table of options.
#include <algorithm>
#include <cmath>

#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"
#include "option/faults.hpp"
#include "option/option_table.hpp"

namespace rattleback::front {
namespace {

class RunTable {
 public:
  RunTable(const Source& source, Reader& reader, const Value& table)
      : source_(source), reader_(reader), table_(table), known_(option_names(Place::model_file)) {
    for (Value& v : table_.items) {  // newton_tol and newton-tol mean the same, as on the command line
      std::string dashed = v.key;
      std::replace(dashed.begin(), dashed.end(), '_', '-');
      if (is_known(dashed)) v.key = dashed;
    }
  }

  Options read() {
    check_keys();
    for (const Value& v : table_.items) {
      const OptionRow& row = option_row(v.key);
      const std::string called = "`" + v.key + "` in [run]";
      if (row.word.empty())
        set_value(row.field, options_, value(v, row, called));
      else
        for (const auto& [offset, word] : texts(v, called))
          refuse(offset, set_word(row.name, Place::model_file, word, called, options_));
    }
    const Called called = [](std::string_view option) {
      return "`" + std::string(option.substr(0, option.find(' '))) + "`";
    };
    for (const auto& faults : {contradictions(options_, called), missing_partners(options_, called)})
      for (const Contradiction& fault : faults)
        source_.fail(table_.find(fault.option)->key_offset, fault.text + " (in [run])");
    return options_;
  }

 private:
  [[nodiscard]] bool is_known(const std::string& key) const {
    return std::find(known_.begin(), known_.end(), key) != known_.end();
  }

  void refuse(std::size_t offset, const std::string& fault) const {
    if (!fault.empty()) source_.fail(offset, fault);
  }

  void check_keys() const {
    for (const Value& v : table_.items) {
      if (table_.find(v.key) != &v) source_.fail(v.key_offset, "`" + v.key + "` is given twice in [run]");
      const std::vector<std::string> flags = option_names(Place::run);
      if (!is_known(v.key) && std::find(flags.begin(), flags.end(), v.key) != flags.end())
        source_.fail(v.key_offset, "`" + v.key +
                                       "` is no key of [run], which says what is computed, not with which files or how "
                                       "on this machine. Pass --" +
                                       v.key);
    }
    reader_.only(table_, "[run]", known_);
  }

  // Also one alone.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> texts(const Value& v,
                                                                       const std::string& called) const {
    if (v.type == Value::Type::string) return {{v.offset, v.text}};
    if (v.type != Value::Type::array)
      source_.fail(v.offset, "expected a string or an array of strings for " + called + ", found " + describe(v.type));
    std::vector<std::pair<std::size_t, std::string>> list;
    for (const Value& item : v.items) list.emplace_back(item.offset, reader_.text(item, "an entry of " + called));
    return list;
  }

  OptionValue value(const Value& v, const OptionRow& row, const std::string& called) {
    switch (shape_of(row.field)) {
      case Shape::whole: return whole(v, row, called);
      case Shape::number: return number(v, row, called);
      case Shape::flag: return reader_.boolean(v, called);
      case Shape::texts: {
        std::vector<std::string> list;
        for (auto& [offset, text] : texts(v, called)) list.push_back(std::move(text));
        return list;
      }
      case Shape::text:
      case Shape::numbers:
      case Shape::values:
      case Shape::none: break;
    }
    const std::string text = reader_.text(v, called);
    refuse(v.offset, fault_of(row, text, called));
    return text;
  }

  double number(const Value& v, const OptionRow& row, const std::string& called) {
    const double x = reader_.number(v, called);
    // A model's run goes forwards; backwards is for those who ask for it.
    const bool forwards = row.name == "step" || row.name == "until";
    if (forwards && !(x > 0.0)) source_.fail(v.offset, called + " must be positive, found " + number_text(x));
    refuse(v.offset, fault_of(row, x, called));
    return x;
  }

  std::int64_t whole(const Value& v, const OptionRow& row, const std::string& called) {
    const double x = reader_.number(v, called);
    if (!words_of(row).empty()) refuse(v.offset, fault_of(row, x, called));
    const std::string least = row.holds == nullptr ? "" : row.holds(0.0) ? " from 0" : " from 1";
    if (x != std::floor(x) || !fault_of(row, x, called).empty())
      source_.fail(v.offset, called + " must be a whole number" + least + ", found " + number_text(x));
    constexpr double kExact = 9007199254740992.0;  // up to here every whole number is a double
    if (std::fabs(x) > std::min(kExact, static_cast<double>(largest_of(row.field))))
      source_.fail(v.offset, called + " is too large: " + number_text(x));
    return static_cast<std::int64_t>(x);
  }

  const Source& source_;
  Reader& reader_;
  Value table_;
  std::vector<std::string> known_;
  Options options_;
};

}  // namespace

void read_run(ModelText& text, Reader& reader, const Value& document) {
  const Value* table = reader.table(document, "run", "run");
  if (table == nullptr) return;
  Options given = RunTable(text.world.source, reader, *table).read();
  // These four have places of their own.
  RunDefaults& run = text.run;
  if (!given.method.empty()) run.method = std::exchange(given.method, {});
  if (given.stages != 0) run.stages = std::exchange(given.stages, 0);
  if (given.step != 0.0) run.step = std::exchange(given.step, 0.0);
  run.until = std::exchange(given.until, std::nullopt);
  const auto rows = option_table();
  if (!std::all_of(rows.begin(), rows.end(), [&](const OptionRow& row) { return is_default(row, given); }))
    run.others = std::make_shared<const Options>(std::move(given));
}

}  // namespace rattleback::front

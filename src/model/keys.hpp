// What a model file may say: the keys and tables of each kind of system, what their values are, and a sentence on each. The
// reader refuses what is not here and suggests what is near; the schema with which editors complete and underline is written
// of the same rows. A new key is one row, and what its reader does with it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "rattleback/model.hpp"

namespace rattleback::front {

// `format = 1`: the formats of model files that this version reads. A file without it is of the first one.
inline constexpr std::array kFormats = {1};

struct KeyRow;

// What stands behind a key.
struct ValueRule {
  enum class What : std::uint8_t {
    text,        // a string
    expression,  // a string that is a formula
    formula,     // a number, or a formula in quotes
    boolean,
    format,   // one of kFormats
    kind,     // the name of a kind
    list,     // an array of `each`
    table,    // with these `keys`
    entries,  // a table of `each`, under names of the user's
    either,   // `each` or `other`
    run       // the table [run], whose keys are rows of the table of options
  };
  What what = What::text;
  const ValueRule* each = nullptr;
  const ValueRule* other = nullptr;
  std::span<const KeyRow> keys = {};
  std::size_t least = 0, most = 0;  // so many items or entries; most = 0: any number
  std::string_view pattern = {};    // entries: the regular expression that their keys match; "": any
};

struct KeyRow {
  std::string_view key;
  const ValueRule* value = nullptr;
  std::string_view about = {};
  bool required = false;
};

// `kind = "..."`: the kinds of system, and interconnections.
struct FileKind {
  std::string_view name, about;
  std::span<const KeyRow> keys;
};
std::span<const FileKind> file_kinds();  // what a file without `kind` is comes first
const FileKind& file_kind(Kind kind);
const FileKind& hamiltonian_kind();  // a mechanical system that is written with momenta
const FileKind& interconnection_kind();

// The keys of a table, by the way to it: {} for the top of the file, {"lagrangian"}, {"ports", "*"} for each table in [ports].
std::span<const KeyRow> keys_at(const FileKind& kind, std::initializer_list<std::string_view> way);

}  // namespace rattleback::front

// The TOML text as a tree that keeps the order and the places of the file. Only document.cpp knows the TOML library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/source.hpp"

namespace rattleback::front {

inline constexpr std::size_t kMaxTextSize = 4'000'000;  // bytes of a model file

struct Value {
  enum class Type { string, integer, number, boolean, array, table, date };

  Type type = Type::table;
  std::string key;             // of a member of a table
  std::size_t key_offset = 0;  // places in the text
  std::size_t offset = 0;
  std::string text;          // string
  double number = 0.0;       // integer, number
  bool boolean = false;      // boolean
  std::vector<Value> items;  // array, table; in the order of the file

  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] bool is_number() const { return type == Type::integer || type == Type::number; }
  [[nodiscard]] bool is_table() const { return type == Type::table; }
};

const char* describe(Value::Type type);  // "a string", "a table", ...

Value parse_document(const Source& source);

}  // namespace rattleback::front

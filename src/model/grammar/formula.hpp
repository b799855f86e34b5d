// One expression of a model file as a syntax tree, with the place of every part of it.
//
//   expression := term (("+" | "-") term)*
//   term       := signed (("*" | "/") signed)*
//   signed     := ("+" | "-") signed | power
//   power      := primary ("^" signed)?                 so -x^2 = -(x^2), 2^-y and 2^3^2 = 2^(3^2) follow
//   primary    := number | "(" expression ")" | name ("[" expression "]")? ("'" "'"?)? | function "(" ... ")"
//               | "if" "(" expression compare expression "," expression "," expression ")"
//               | "sum" "(" name "=" expression ":" expression "," expression ")"
//               | "dt" "(" expression ")" | "lambda" "(" name ("[" expression "]")? ")"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/expr.hpp"
#include "text/source.hpp"

namespace rattleback::front {

inline constexpr int kMaxNesting = 400;              // of parentheses, signs and powers
inline constexpr std::size_t kMaxFormula = 500'000;  // characters of one expression

enum class Ast : std::uint8_t {
  number,
  reference,  // name, name[index], either with '
  negate,
  chain,  // a + b - c ... or a * b / c ...: children with their joining operation, so that length is not depth
  power,
  call,         // function of one or two arguments
  apply,        // a function of the model's own; its arguments
  conditional,  // comparison, yes, no
  compare,      // less or less_equal of two children
  sum,          // from, to, body; name = the index
  rate,         // dt(f)
  multiplier    // lambda(name) or lambda(name[index])
};

struct AstNode {
  Ast kind = Ast::number;
  Op op = Op::add;                   // call, compare
  Op joined = Op::add;               // how this child continues its chain
  bool primed = false;               // reference
  bool twice = false;                // x''
  std::uint32_t begin = 0, end = 0;  // place in the text
  std::uint32_t name_begin = 0, name_size = 0;
  double value = 0.0;
  std::int32_t first = -1, next = -1;  // first child, next sibling; -1 = none
};

class Formula {
 public:
  // role: what the expression is, for messages ("the kinetic energy"). literal: place of the value in the source.
  Formula(const Source& source, std::size_t literal, std::string role, std::string text);
  // A value that a user gave beside the file; option = "--set m=2*x".
  Formula(std::string option, std::string role, std::string text);
  // A number written as a number.
  static Formula constant(const Source& source, std::size_t literal, std::string role, double value);

  [[nodiscard]] const AstNode& operator[](std::int32_t node) const { return nodes[static_cast<std::size_t>(node)]; }
  [[nodiscard]] std::string_view name_of(const AstNode& node) const {
    return std::string_view(text).substr(node.name_begin, node.name_size);
  }
  [[nodiscard]] std::string_view text_of(const AstNode& node) const {
    return std::string_view(text).substr(node.begin, node.end - node.begin);
  }

  // Throws "place: what in role "text". advice".
  [[noreturn]] void fail(std::size_t at, const std::string& what, const Message& advice = {}) const;
  [[noreturn]] void fail(const AstNode& node, const std::string& what, const Message& advice = {}) const {
    fail(node.begin, what, advice);
  }
  [[nodiscard]] std::string place(std::size_t at) const;

  std::string role, text;
  std::vector<AstNode> nodes;
  std::int32_t root = -1;

 private:
  friend class Parser;
  Formula() = default;

  const Source* source_ = nullptr;
  std::size_t literal_ = 0;
  std::string option_;
};

// What a key or a list entry names: x, x', w[2], "rod[i=1:N]", "x[i=1:N]'", or, in lists of names, "x[1:N]".
struct KeyPattern {
  std::string stem;
  bool primed = false;
  bool indexed = false;
  std::string index;                // name of the index of a family; "" otherwise
  std::int32_t from = -1, to = -1;  // nodes of the bounds; for one element both are the same
  Formula formula;                  // holds the nodes and the place
};
KeyPattern parse_key(const Source& source, std::size_t literal, const std::string& role, const std::string& text);
KeyPattern parse_option_key(const std::string& option, const std::string& role, const std::string& text);

// The key of a function: "far(a, b)". Nothing where it is another key.
struct FunctionKey {
  std::string name;
  std::vector<std::string> arguments;
};
std::optional<FunctionKey> parse_function_key(const Source& source, std::size_t literal, const std::string& role,
                                              const std::string& text);

bool is_name(std::string_view text);
bool is_reserved(std::string_view name);
// Operation of a function of one or two arguments.
struct Function {
  std::string_view name;
  Op op;
};
const std::vector<Function>& functions();
// Refuses the call of a function that there is not. own: functions of the model.
[[noreturn]] void unknown_function(const Formula& f, const AstNode& node, const std::vector<std::string>& own);

}  // namespace rattleback::front

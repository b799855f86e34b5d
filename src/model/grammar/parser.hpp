// Recursive descent from text to syntax tree; the grammar stands in formula.hpp. Used by formula.cpp only.
#pragma once

#include "model/grammar/formula.hpp"

namespace rattleback::front {

class Parser {
 public:
  explicit Parser(Formula& formula) : f_(formula) {}
  void parse();
  static KeyPattern key(const Source* source, std::size_t literal, const std::string& option, const std::string& role,
                        const std::string& text);
  static FunctionKey function_key(const Source& source, std::size_t literal, const std::string& role,
                                  const std::string& text);

 private:
  enum class Token : std::uint8_t { end, number, name, prime, symbol, other };

  void advance();
  void read_number();
  [[nodiscard]] bool at(char symbol) const { return token_ == Token::symbol && f_.text[begin_] == symbol; }
  [[nodiscard]] std::string found() const;
  [[noreturn]] void expected(const std::string& what, const std::string& advice = {}) const;
  void expect(char symbol, const std::string& where);
  [[nodiscard]] std::string_view name() const { return std::string_view(f_.text).substr(begin_, size_); }

  std::int32_t make(Ast kind, std::size_t begin);
  std::int32_t close(std::int32_t node);
  void adopt(std::int32_t parent, std::int32_t child);

  std::int32_t expression();
  std::int32_t term();
  std::int32_t signed_value();
  std::int32_t power();
  std::int32_t primary();
  std::int32_t named();
  std::int32_t function_call(Op op, int arguments, std::int32_t node);
  std::int32_t own_function(std::int32_t node);
  std::int32_t conditional(std::int32_t node);
  std::int32_t summation(std::int32_t node);
  std::int32_t rate(std::int32_t node);
  std::int32_t multiplier(std::int32_t node);
  void index(std::int32_t node);
  template <class Operand>
  std::int32_t chain(char plus, char minus, Op with_plus, Op with_minus, Operand operand);

  Formula& f_;
  Token token_ = Token::end;
  std::size_t begin_ = 0, size_ = 0;  // of the current token
  std::size_t last_end_ = 0;          // of the token before
  double number_ = 0.0;
  int depth_ = 0;
  std::vector<std::int32_t> last_child_;
};

}  // namespace rattleback::front

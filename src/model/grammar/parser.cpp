#include "model/grammar/parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"
#include "text/stack_room.hpp"

namespace rattleback::front {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// What people write in other languages.
std::string usual_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {{"ln", "log(x)"},
                                                                      {"arcsin", "asin(x)"},
                                                                      {"arccos", "acos(x)"},
                                                                      {"arctan", "atan(x)"},
                                                                      {"pow", "x^y"},
                                                                      {"fabs", "abs(x)"},
                                                                      {"sgn", "sign(x)"},
                                                                      {"sqr", "x^2"},
                                                                      {"ddt", "dt(f)"},
                                                                      {"diff", "dt(f)"},
                                                                      {"der", "dt(f)"},
                                                                      {"where", "if(a < b, x, y)"},
                                                                      {"select", "if(a < b, x, y)"}};
  for (const auto& [theirs, ours] : kUsual)
    if (name == theirs) return "Write " + std::string(ours) + ". ";
  return {};
}

int argument_count(Op op) { return arity(op); }

}  // namespace

void unknown_function(const Formula& f, const AstNode& node, const std::vector<std::string>& own) {
  const std::string word(f.name_of(node)), usual = usual_name(word);
  std::vector<std::string> names = {"if", "sum", "dt", "lambda"};
  for (const Function& each : functions()) names.emplace_back(each.name);
  names.insert(names.end(), own.begin(), own.end());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  f.fail(node.begin, "unknown function `" + word.substr(0, 40) + "`",
         (usual.empty() ? did_you_mean(word, names) : Message(usual)) +
             "A product is written with a star. Functions: " + all);
}

// --- tokens

void Parser::advance() {
  const std::string& s = f_.text;
  last_end_ = begin_ + size_;
  std::size_t i = last_end_;
  while (i < s.size() && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r')) ++i;
  begin_ = i;
  size_ = 0;
  if (i >= s.size()) {
    token_ = Token::end;
  } else if (digit(s[i]) || (s[i] == '.' && i + 1 < s.size() && digit(s[i + 1]))) {
    read_number();
  } else if (letter(s[i])) {
    while (i + size_ < s.size() && (letter(s[i + size_]) || digit(s[i + size_]))) ++size_;
    token_ = Token::name;
  } else if (s[i] == '\'') {
    token_ = Token::prime;
    size_ = 1;
  } else if (std::string_view("+-*/^()[],:=<>").find(s[i]) != std::string_view::npos) {
    token_ = Token::symbol;
    size_ = 1;
  } else {
    token_ = Token::other;
    size_ = 1;
    while (i + size_ < s.size() && (static_cast<unsigned char>(s[i + size_]) & 0xC0U) == 0x80U) ++size_;
  }
}

void Parser::read_number() {
  const std::string& s = f_.text;
  token_ = Token::number;
  const auto digits = [&] {
    while (begin_ + size_ < s.size() && digit(s[begin_ + size_])) ++size_;
  };
  digits();
  if (begin_ + size_ < s.size() && s[begin_ + size_] == '.') {
    ++size_;
    digits();
  }
  if (begin_ + size_ < s.size() && (s[begin_ + size_] == 'e' || s[begin_ + size_] == 'E')) {
    std::size_t k = begin_ + size_ + 1;
    if (k < s.size() && (s[k] == '+' || s[k] == '-')) ++k;
    if (k < s.size() && digit(s[k])) {
      size_ = k - begin_;
      digits();
    }
  }
  const std::string_view digits_text = std::string_view(s).substr(begin_, size_);
  const auto [end, fault] = std::from_chars(digits_text.data(), digits_text.data() + digits_text.size(), number_);
  if (fault == std::errc::result_out_of_range) {
    f_.fail(begin_,
            "the number " + std::string(digits_text.substr(0, 40)) + " is outside the range of double precision");
  }
  if (begin_ + size_ < s.size() && letter(s[begin_ + size_])) {
    std::size_t k = begin_ + size_;
    while (k < s.size() && (letter(s[k]) || digit(s[k]))) ++k;
    const std::string word = s.substr(begin_ + size_, std::min<std::size_t>(k - begin_ - size_, 40));
    f_.fail(begin_ + size_, "expected an operator after " + std::string(digits_text) + ", found `" + word + "`",
            "A product is written with a star: " + std::string(digits_text) + "*" + word);
  }
}

std::string Parser::found() const {
  if (token_ == Token::end) return "the end";
  return "`" + f_.text.substr(begin_, std::min<std::size_t>(size_, 40)) + "`";
}

void Parser::expected(const std::string& what, const std::string& advice) const {
  f_.fail(begin_, "expected " + what + ", found " + found(), advice);
}

void Parser::expect(char symbol, const std::string& where) {
  if (!at(symbol)) expected("`" + std::string(1, symbol) + "` " + where);
  advance();
}

// --- nodes

std::int32_t Parser::make(Ast kind, std::size_t begin) {
  const auto id = static_cast<std::int32_t>(f_.nodes.size());
  f_.nodes.push_back({});
  last_child_.push_back(-1);
  f_.nodes.back().kind = kind;
  f_.nodes.back().begin = static_cast<std::uint32_t>(begin);
  f_.nodes.back().end = static_cast<std::uint32_t>(begin_ + size_);
  return id;
}

std::int32_t Parser::close(std::int32_t node) {
  f_.nodes[static_cast<std::size_t>(node)].end = static_cast<std::uint32_t>(last_end_);
  return node;
}

void Parser::adopt(std::int32_t parent, std::int32_t child) {
  std::int32_t& last = last_child_[static_cast<std::size_t>(parent)];
  (last < 0 ? f_.nodes[static_cast<std::size_t>(parent)].first : f_.nodes[static_cast<std::size_t>(last)].next) = child;
  last = child;
}

// --- grammar

void Parser::parse() {
  if (f_.text.size() > kMaxFormula)
    f_.fail(0,
            "an expression of " + std::to_string(f_.text.size()) + " characters, where " + std::to_string(kMaxFormula) +
                " are allowed,",
            "Write repeated terms as sum(i = 1:N, ...)");
  advance();
  if (token_ == Token::end) f_.fail(0, "expected an expression, found nothing");
  f_.root = expression();
  if (token_ == Token::end) return;
  if (at(')')) expected("an operator or the end", "This `)` closes nothing");
  if (at('='))
    expected("an operator or the end",
             "An equation a = b is written a - (b), which is zero; comparisons belong in if(a < b, x, y)");
  if (at('<') || at('>')) expected("an operator or the end", "Comparisons belong in if(a < b, x, y)");
  if (token_ == Token::prime) expected("an operator or the end", "' follows the name of a coordinate, as in x'");
  if (token_ == Token::name || token_ == Token::number || at('(')) {
    expected("an operator or the end", "A product is written with a star");
  }
  expected("an operator or the end");
}

template <class Operand>
std::int32_t Parser::chain(char plus, char minus, Op with_plus, Op with_minus, Operand operand) {
  const std::size_t begin = begin_;
  const std::int32_t head = operand();
  if (!at(plus) && !at(minus)) return head;
  const std::int32_t node = make(Ast::chain, begin);
  f_.nodes[static_cast<std::size_t>(head)].joined = with_plus;
  adopt(node, head);
  while (at(plus) || at(minus)) {
    const Op op = at(plus) ? with_plus : with_minus;
    advance();
    const std::int32_t child = operand();
    f_.nodes[static_cast<std::size_t>(child)].joined = op;
    adopt(node, child);
  }
  return close(node);
}

std::int32_t Parser::expression() {
  return chain('+', '-', Op::add, Op::sub, [&] { return term(); });
}

std::int32_t Parser::term() {
  return chain('*', '/', Op::mul, Op::div, [&] { return signed_value(); });
}

std::int32_t Parser::signed_value() {
  if (stack_is_short()) f_.fail(begin_, std::string("parentheses, signs or powers ") + kStackIsShort);
  if (++depth_ > kMaxNesting)
    f_.fail(begin_, "parentheses, signs or powers nested more than " + std::to_string(kMaxNesting) + " deep",
            "Name parts of it in [define]");
  std::int32_t result = -1;
  if (at('-')) {
    const std::size_t begin = begin_;
    advance();
    const std::int32_t inner = signed_value();
    result = make(Ast::negate, begin);
    adopt(result, inner);
    close(result);
  } else if (at('+')) {
    advance();
    result = signed_value();
  } else {
    result = power();
  }
  --depth_;
  return result;
}

std::int32_t Parser::power() {
  const std::size_t begin = begin_;
  const std::int32_t base = primary();
  if (!at('^')) return base;
  advance();
  const std::int32_t exponent = signed_value();
  const std::int32_t node = make(Ast::power, begin);
  adopt(node, base);
  adopt(node, exponent);
  return close(node);
}

std::int32_t Parser::primary() {
  if (token_ == Token::number) {
    const std::int32_t node = make(Ast::number, begin_);
    f_.nodes[static_cast<std::size_t>(node)].value = number_;
    advance();
    return node;
  }
  if (token_ == Token::name) return named();
  if (at('(')) {
    const std::size_t open = begin_;
    advance();
    const std::int32_t inner = expression();
    if (!at(')')) expected("an operator or `)` for the `(` at character " + std::to_string(open + 1));
    advance();
    return inner;
  }
  if (at('*') && last_end_ > 0 && f_.text[last_end_ - 1] == '*')
    expected("a number, a name or `(` after `*`", "Powers are written x^2");
  const std::string after = last_end_ == 0 ? "" : " after `" + f_.text.substr(last_end_ - 1, 1) + "`";
  expected("a number, a name or `(`" + after);
}

std::int32_t Parser::named() {
  const std::string word(name());
  const std::int32_t node = make(Ast::reference, begin_);
  f_.nodes[static_cast<std::size_t>(node)].name_begin = static_cast<std::uint32_t>(begin_);
  f_.nodes[static_cast<std::size_t>(node)].name_size = static_cast<std::uint32_t>(size_);
  advance();
  if (at('(')) {
    if (word == "if") return conditional(node);
    if (word == "sum") return summation(node);
    if (word == "dt") return rate(node);
    if (word == "lambda") return multiplier(node);
    for (const Function& f : functions())
      if (f.name == word) return function_call(f.op, argument_count(f.op), node);
    return own_function(node);
  }
  if (word == "pi") {
    f_.nodes[static_cast<std::size_t>(node)].kind = Ast::number;
    f_.nodes[static_cast<std::size_t>(node)].value = std::numbers::pi;
    return node;
  }
  if (word != "t" && is_reserved(word)) expected("`(` after the function `" + word + "`");
  if (at('[')) index(node);
  if (token_ == Token::prime) {
    f_.nodes[static_cast<std::size_t>(node)].primed = true;
    advance();
    if (token_ == Token::prime) {
      f_.nodes[static_cast<std::size_t>(node)].twice = true;
      advance();
    }
    if (token_ == Token::prime) expected("an operator or the end", "There are velocities x' and accelerations x''");
    if (at('['))
      expected("an operator or the end", "The index comes before the ', as in " + word.substr(0, 40) + "[i]'");
  }
  return close(node);
}

void Parser::index(std::int32_t node) {
  advance();
  if (stack_is_short()) f_.fail(begin_, std::string("indices ") + kStackIsShort);
  if (++depth_ > kMaxNesting) f_.fail(begin_, "indices nested more than " + std::to_string(kMaxNesting) + " deep");
  adopt(node, expression());
  --depth_;
  if (at(':')) expected("`]` after the index", "A range x[1:N] stands in the list of coordinates only");
  expect(']', "after the index");
}

std::int32_t Parser::function_call(Op op, int arguments, std::int32_t node) {
  AstNode& call = f_.nodes[static_cast<std::size_t>(node)];
  call.kind = Ast::call;
  call.op = op;
  const std::string word(f_.name_of(call));
  const std::size_t begin = call.begin;
  advance();
  int count = 0;
  while (!at(')') || count > 0) {
    adopt(node, expression());
    ++count;
    if (!at(',')) break;
    advance();
  }
  if (!at(')')) expected("`,` or `)` in the call of `" + word + "`");
  advance();
  if (count != arguments)
    f_.fail(begin, "`" + word + "` takes " + std::to_string(arguments) + (arguments == 1 ? " argument" : " arguments") +
                       ", found " + std::to_string(count));
  return close(node);
}

// Which there are is known when all tables are read.
std::int32_t Parser::own_function(std::int32_t node) {
  f_.nodes[static_cast<std::size_t>(node)].kind = Ast::apply;
  const std::string word(f_.name_of(f_.nodes[static_cast<std::size_t>(node)]));
  advance();
  while (!at(')')) {
    adopt(node, expression());
    if ((at('<') || at('>')) && !usual_name(word).empty()) unknown_function(f_, f_[node], {});
    if (!at(',')) break;
    advance();
  }
  if (!at(')')) expected("`,` or `)` in the call of `" + word.substr(0, 40) + "`");
  advance();
  return close(node);
}

std::int32_t Parser::conditional(std::int32_t node) {
  const std::string shape = "Write if(a < b, x, y) with <, <=, > or >=";
  f_.nodes[static_cast<std::size_t>(node)].kind = Ast::conditional;
  advance();
  const std::size_t begin = begin_;
  const std::int32_t left = expression();
  const bool less = at('<'), greater = at('>');
  if (!less && !greater) expected("a comparison", shape);
  advance();
  const bool or_equal = at('=') && begin_ == last_end_;
  if (or_equal) advance();
  const std::int32_t right = expression();
  const std::int32_t compare = make(Ast::compare, begin);
  f_.nodes[static_cast<std::size_t>(compare)].op = or_equal ? Op::less_equal : Op::less;
  adopt(compare, less ? left : right);
  adopt(compare, less ? right : left);
  close(compare);
  adopt(node, compare);
  for (int branch = 0; branch < 2; ++branch) {
    if (!at(',')) expected("`,`", shape);
    advance();
    adopt(node, expression());
  }
  if (!at(')')) expected("`)`", shape);
  advance();
  return close(node);
}

std::int32_t Parser::summation(std::int32_t node) {
  const std::string shape = "Write sum(i = 1:N, x[i]^2)";
  AstNode& sum = f_.nodes[static_cast<std::size_t>(node)];
  sum.kind = Ast::sum;
  advance();
  if (token_ != Token::name) expected("the name of an index", shape);
  sum.name_begin = static_cast<std::uint32_t>(begin_);
  sum.name_size = static_cast<std::uint32_t>(size_);
  if (is_reserved(name())) expected("the name of an index", "`" + std::string(name()) + "` is reserved");
  advance();
  if (!at('=')) expected("`=`", shape);
  advance();
  adopt(node, expression());
  if (!at(':')) expected("`:`", shape);
  advance();
  adopt(node, expression());
  if (!at(',')) expected("`,`", shape);
  advance();
  adopt(node, expression());
  if (!at(')')) expected("an operator or `)`", shape);
  advance();
  return close(node);
}

std::int32_t Parser::rate(std::int32_t node) {
  f_.nodes[static_cast<std::size_t>(node)].kind = Ast::rate;
  advance();
  adopt(node, expression());
  if (at(',')) expected("`)`", "dt(f) takes one expression; it is the derivative by time");
  expect(')', "after the expression of dt");
  return close(node);
}

std::int32_t Parser::multiplier(std::int32_t node) {
  AstNode& lambda = f_.nodes[static_cast<std::size_t>(node)];
  lambda.kind = Ast::multiplier;
  advance();
  if (token_ != Token::name) expected("the name of a constraint", "Write lambda(rod) or lambda(rod[i])");
  lambda.name_begin = static_cast<std::uint32_t>(begin_);
  lambda.name_size = static_cast<std::uint32_t>(size_);
  advance();
  if (at('[')) index(node);
  expect(')', "after the name of the constraint");
  return close(node);
}

// --- keys

KeyPattern Parser::key(const Source* source, std::size_t literal, const std::string& option, const std::string& role,
                       const std::string& text) {
  KeyPattern k{{}, false, false, {}, -1, -1, Formula()};
  Formula& f = k.formula;
  f.role = role;
  f.text = text;
  f.source_ = source;
  f.literal_ = literal;
  f.option_ = option;
  Parser p(f);
  const std::string shapes =
      "Names are letters, digits and _, alone (x), with an index (x[2]) or with a range (x[i=1:N])";
  if (text.size() > 1000) f.fail(0, "a name of " + std::to_string(text.size()) + " characters");
  if (!text.empty() && digit(text[0])) f.fail(0, "expected a name, found `" + text.substr(0, 40) + "`", shapes);
  p.advance();
  if (p.token_ != Token::name) p.expected("a name", shapes);
  k.stem = p.name();
  if (is_reserved(k.stem))
    f.fail(p.begin_, "`" + k.stem + "` is reserved, it cannot be the name of something", "Choose another name");
  p.advance();
  if (p.at('[')) {
    k.indexed = true;
    p.advance();
    if (p.token_ == Token::name) {  // i=1:N, or an expression that begins with a name
      const std::size_t begin = p.begin_, size = p.size_;
      p.advance();
      if (p.at('=')) {
        k.index = text.substr(begin, size);
        if (is_reserved(k.index))
          f.fail(begin, "`" + k.index + "` is reserved, it cannot be an index", "Choose another name");
        p.advance();
      } else {
        p.begin_ = begin;
        p.size_ = 0;
        p.advance();
      }
    }
    k.from = k.to = p.expression();
    if (p.at(':')) {
      p.advance();
      k.to = p.expression();
    } else if (!k.index.empty()) {
      p.expected("`:` and the last index", shapes);
    }
    p.expect(']', "after the index");
  }
  if (p.token_ == Token::prime) {
    k.primed = true;
    p.advance();
  }
  if (p.token_ != Token::end) p.expected("the end of the name", shapes);
  return k;
}

FunctionKey Parser::function_key(const Source& source, std::size_t literal, const std::string& role,
                                 const std::string& text) {
  Formula f;
  f.role = role;
  f.text = text;
  f.source_ = &source;
  f.literal_ = literal;
  Parser p(f);
  const std::string shape = "A function is written \"far(a, b)\" = \"sqrt(a^2 + b^2)\"";
  if (text.size() > 1000) f.fail(0, "a name of " + std::to_string(text.size()) + " characters");
  const auto take_name = [&](const char* what) {
    if (p.token_ != Token::name) p.expected(what, shape);
    std::string name(p.name());
    if (is_reserved(name))
      f.fail(p.begin_, "`" + name + "` is reserved, it cannot be the name of something", "Choose another name");
    p.advance();
    return name;
  };
  FunctionKey key;
  p.advance();
  key.name = take_name("a name");
  p.expect('(', "after the name of a function");
  for (;;) {
    const std::size_t at = p.begin_;
    key.arguments.push_back(take_name("the name of an argument"));
    if (std::count(key.arguments.begin(), key.arguments.end(), key.arguments.back()) > 1)
      f.fail(at, "the argument `" + key.arguments.back() + "` is there twice", shape);
    if (!p.at(',')) break;
    p.advance();
  }
  p.expect(')', "after the arguments");
  if (p.token_ != Token::end) p.expected("the end of the name", shape);
  return key;
}

}  // namespace rattleback::front

// Values that a model in C++ is written with, by number and by name: its parameters and its inputs. They are types of their
// own, so that no member of a model takes one for the other, or for a state, by accident.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

namespace detail {

[[noreturn]] void no_such_value(const char* what, std::string_view name, std::span<const std::string> names);
[[noreturn]] void no_such_value(const char* what, std::size_t number, std::size_t size);

// Values by number and by name.
template <class T>
class Named {
 public:
  Named() = default;
  explicit Named(std::vector<std::pair<std::string, T>> values) {
    for (auto& [name, value] : values) {
      names_.push_back(std::move(name));
      values_.push_back(std::move(value));
    }
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 protected:
  [[nodiscard]] const T& at(const char* what, std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return values_[i];
    no_such_value(what, name, names_);
  }
  [[nodiscard]] const T& at(const char* what, std::size_t number) const {
    if (number >= values_.size()) no_such_value(what, number, values_.size());
    return values_[number];
  }

 private:
  std::vector<std::string> names_;
  std::vector<T> values_;
};

}  // namespace detail

// The parameters of a model, p["l2"] or p[1]; size() and names() say what there is.
template <class T>
class Parameters : public detail::Named<T> {
 public:
  using detail::Named<T>::Named;
  // By name or by number, which counts from 0. Throws Error where there is no such one:
  const T& operator[](std::string_view name) const { return this->at("parameter", name); }
  const T& operator[](std::integral auto number) const {
    return this->at("parameter", static_cast<std::size_t>(number));
  }
};

// The inputs of its ports, u["motor"] or u[0]; size() and names() say what there is.
template <class T>
class Inputs : public detail::Named<T> {
 public:
  using detail::Named<T>::Named;
  // By name or by number, which counts from 0. Throws Error where there is no such one:
  const T& operator[](std::string_view name) const { return this->at("input", name); }
  const T& operator[](std::integral auto number) const { return this->at("input", static_cast<std::size_t>(number)); }
};

}  // namespace rattleback

// Sums of products: what is regular is kept as steps, and the sums are those of the terms one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "step/products.hpp"

namespace rattleback::testing {
namespace {

using Terms = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::vector<double> numbers(std::size_t count) {
  std::vector<double> w(count);
  for (std::size_t i = 0; i < count; ++i) w[i] = std::sin(1.0 + 3.7 * static_cast<double>(i));
  return w;
}

struct Target {
  std::int32_t to;
  Terms terms;
};

// Everything at once and one by one: the same bits.
void expect_sums(const Products& products, const std::vector<Target>& targets, std::size_t slots, std::size_t results) {
  const std::vector<double> w = numbers(slots);
  std::vector<double> out(results, -7.0), expected(results, -7.0);
  products.run(w.data(), out.data());
  for (const Target& t : targets) {
    double s = 0.0;
    for (const auto& [a, b] : t.terms) s += w[static_cast<std::size_t>(a)] * w[static_cast<std::size_t>(b)];
    expected[static_cast<std::size_t>(t.to)] = s;
  }
  EXPECT_EQ(out, expected);
}

// K M^-1 K^T of a chain, row by row, in a band of width 4.
TEST(Products, ATridiagonalMatrixIsAFewRuns) {
  constexpr std::int32_t n = 1003, K = 10, S = K + 2 * n;  // two derivatives for each rod, twice
  std::vector<Target> targets;
  for (std::int32_t i = 0; i < n; ++i) {
    if (i > 0) targets.push_back({4 * i, {{K + i, S + i}, {K + n + i, S + n + i}}});
    targets.push_back({4 * i + 1, {{K + i, S + i}, {K + n + i, S + n + i}, {K + i, 3}}});
    if (i + 1 < n) targets.push_back({4 * i + 2, {{K + i, S + i + 1}, {K + n + i, S + n + i + 1}}});
  }
  Products products;
  for (const Target& t : targets) products.add(t.to, t.terms, t.to % 4);
  EXPECT_LE(products.runs().size(), 6U);  // 3
  expect_sums(products, targets, static_cast<std::size_t>(S) + 2 * n, 4 * n);
}

TEST(Products, WhatHasNoOrderIsKeptToo) {
  std::vector<Target> targets;
  for (std::int32_t i = 0; i < 500; ++i) {
    Target t{(i * 211) % 500, {}};
    for (std::int32_t k = 0; k <= i * i % 5; ++k) t.terms.emplace_back((i * 37 + k * 91) % 300, (i * i + k) % 300);
    targets.push_back(t);
  }
  Products products;
  for (const Target& t : targets) products.add(t.to, t.terms, t.to % 3);
  expect_sums(products, targets, 300, 500);
}

// The second half needs what the first has computed.
TEST(Products, NothingPassesABarrier) {
  constexpr std::int32_t n = 200;
  std::vector<double> w = numbers(4 * n), expected = w;
  Products products;
  for (std::int32_t i = 0; i < n; ++i) products.add(n + i, Terms{{i, i}}, 0);
  products.barrier();
  for (std::int32_t i = 0; i < n; ++i) products.add(2 * n + i, Terms{{n + (n - 1 - i), i}}, 0);
  products.run(w.data(), w.data());
  for (std::size_t i = 0; i < n; ++i) expected[n + i] = expected[i] * expected[i];
  for (std::size_t i = 0; i < n; ++i) expected[2 * n + i] = expected[n + (n - 1 - i)] * expected[i];
  EXPECT_EQ(w, expected);
}

TEST(Products, BoundsAreSumsOfMagnitudes) {
  const std::vector<double> w = numbers(100);
  const double size[] = {1.0, 100.0};
  Products products;
  for (std::int32_t i = 0; i < 50; ++i) products.add(i, Terms{{i, 0}, {i + 50, 1}}, 0);
  std::vector<double> out(50);
  products.run_bounds(w.data(), size, 0.5, out.data());
  for (std::size_t i = 0; i < 50; ++i) EXPECT_DOUBLE_EQ(out[i], 0.5 * (std::fabs(w[i]) + 100.0 * std::fabs(w[i + 50])));
}

}  // namespace
}  // namespace rattleback::testing

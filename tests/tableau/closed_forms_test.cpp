// The tableaux which the source documents print, as they print them: appendix B of [Hilden2009] and section 7 of
// [Jay2009]. All agree to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tableau/evaluate_coefficient.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

double ulps(double computed, double printed) {
  if (printed == 0) return computed == 0 ? 0 : std::numeric_limits<double>::infinity();
  const double ulp = std::nextafter(std::abs(printed), std::numeric_limits<double>::infinity()) - std::abs(printed);
  return std::abs(computed - printed) / ulp;
}

using Texts = std::vector<std::string>;

void expect_printed(const Tableau& tableau, const Texts& A, const Texts& b, const Texts& c) {
  const auto compare = [&](const std::vector<double>& computed, const Texts& printed, const char* what) {
    ASSERT_EQ(computed.size(), printed.size());
    for (std::size_t i = 0; i < computed.size(); ++i)
      EXPECT_LE(ulps(computed[i], static_cast<double>(evaluate_coefficient(printed[i]))), 2)  // 0
          << tableau.name << " " << tableau.stages << ": " << what << " number " << i << ", " << printed[i];
  };
  compare(tableau.A, A, "A");
  compare(tableau.b, b, "b");
  compare(tableau.c, c, "c");
}

const Texts kGauss2C{"1/2 - sqrt(3)/6", "1/2 + sqrt(3)/6"};
const Texts kLobatto4B{"1/12", "5/12", "5/12", "1/12"};
const Texts kLobatto4C{"0", "(5 - sqrt(5))/10", "(5 + sqrt(5))/10", "1"};
const Texts kLobatto3B{"1/6", "2/3", "1/6"};
const Texts kLobatto3C{"0", "1/2", "1"};
const Texts kHalves{"1/2", "1/2"};

TEST(PrintedTableaux, GaussAgrees) {
  expect_printed(gauss(1), {"1/2"}, {"1"}, {"1/2"});
  expect_printed(gauss(2), {"1/4", "1/4 - sqrt(3)/6", "1/4 + sqrt(3)/6", "1/4"}, kHalves, kGauss2C);
  expect_printed(gauss(3),
                 {"5/36", "2/9 - sqrt(15)/15", "5/36 - sqrt(15)/30",   //
                  "5/36 + sqrt(15)/24", "2/9", "5/36 - sqrt(15)/24",   //
                  "5/36 + sqrt(15)/30", "2/9 + sqrt(15)/15", "5/36"},  //
                 {"5/18", "4/9", "5/18"}, {"1/2 - sqrt(15)/10", "1/2", "1/2 + sqrt(15)/10"});
}

TEST(PrintedTableaux, RadauIAAgrees) {
  expect_printed(radau_ia(1), {"1"}, {"1"}, {"0"});
  expect_printed(radau_ia(2), {"1/4", "-1/4", "1/4", "5/12"}, {"1/4", "3/4"}, {"0", "2/3"});
  expect_printed(radau_ia(3),
                 {"1/9", "(-1 - sqrt(6))/18", "(-1 + sqrt(6))/18",          //
                  "1/9", "(88 + 7*sqrt(6))/360", "(88 - 43*sqrt(6))/360",   //
                  "1/9", "(88 + 43*sqrt(6))/360", "(88 - 7*sqrt(6))/360"},  //
                 {"1/9", "(16 + sqrt(6))/36", "(16 - sqrt(6))/36"}, {"0", "(6 - sqrt(6))/10", "(6 + sqrt(6))/10"});
}

// Not in those documents: [HairerWanner1996, tables IV.5.5 and IV.5.6].
TEST(PrintedTableaux, RadauIIAAgrees) {
  expect_printed(radau_iia(1), {"1"}, {"1"}, {"1"});
  expect_printed(radau_iia(2), {"5/12", "-1/12", "3/4", "1/4"}, {"3/4", "1/4"}, {"1/3", "1"});
  expect_printed(radau_iia(3),
                 {"(88 - 7*sqrt(6))/360", "(296 - 169*sqrt(6))/1800", "(-2 + 3*sqrt(6))/225",  //
                  "(296 + 169*sqrt(6))/1800", "(88 + 7*sqrt(6))/360", "(-2 - 3*sqrt(6))/225",  //
                  "(16 - sqrt(6))/36", "(16 + sqrt(6))/36", "1/9"},                            //
                 {"(16 - sqrt(6))/36", "(16 + sqrt(6))/36", "1/9"}, {"(4 - sqrt(6))/10", "(4 + sqrt(6))/10", "1"});
}

TEST(PrintedTableaux, LobattoIIIAAgrees) {
  expect_printed(lobatto_iiia(2), {"0", "0", "1/2", "1/2"}, kHalves, {"0", "1"});
  expect_printed(lobatto_iiia(3), {"0", "0", "0", "5/24", "1/3", "-1/24", "1/6", "2/3", "1/6"}, kLobatto3B, kLobatto3C);
  expect_printed(lobatto_iiia(4),
                 {"0", "0", "0", "0",                                                                         //
                  "(11 + sqrt(5))/120", "(25 - sqrt(5))/120", "(25 - 13*sqrt(5))/120", "(-1 + sqrt(5))/120",  //
                  "(11 - sqrt(5))/120", "(25 + 13*sqrt(5))/120", "(25 + sqrt(5))/120", "(-1 - sqrt(5))/120",  //
                  "1/12", "5/12", "5/12", "1/12"},
                 kLobatto4B, kLobatto4C);
}

TEST(PrintedTableaux, LobattoIIIBAgrees) {
  expect_printed(lobatto_iiib(2), {"1/2", "0", "1/2", "0"}, kHalves, {"0", "1"});
  expect_printed(lobatto_iiib(3), {"1/6", "-1/6", "0", "1/6", "1/3", "0", "1/6", "5/6", "0"}, kLobatto3B, kLobatto3C);
  expect_printed(lobatto_iiib(4),
                 {"1/12", "(-1 - sqrt(5))/24", "(-1 + sqrt(5))/24", "0",       //
                  "1/12", "(25 + sqrt(5))/120", "(25 - 13*sqrt(5))/120", "0",  //
                  "1/12", "(25 + 13*sqrt(5))/120", "(25 - sqrt(5))/120", "0",  //
                  "1/12", "(11 - sqrt(5))/24", "(11 + sqrt(5))/24", "0"},
                 kLobatto4B, kLobatto4C);
}

TEST(PrintedTableaux, LobattoIIICAndItsAdjointAgree) {
  expect_printed(lobatto_iiic(2), {"1/2", "-1/2", "1/2", "1/2"}, kHalves, {"0", "1"});
  expect_printed(lobatto_iiic(3), {"1/6", "-1/3", "1/6", "1/6", "5/12", "-1/12", "1/6", "2/3", "1/6"}, kLobatto3B,
                 kLobatto3C);
  expect_printed(lobatto_iiic_star(2), {"0", "0", "1", "0"}, kHalves, {"0", "1"});
  expect_printed(lobatto_iiic_star(3), {"0", "0", "0", "1/4", "1/4", "0", "0", "1", "0"}, kLobatto3B, kLobatto3C);
}

TEST(PrintedTableaux, LobattoIIIDAgrees) {
  expect_printed(lobatto_iiid(2), {"1/4", "-1/4", "3/4", "1/4"}, kHalves, {"0", "1"});
  expect_printed(lobatto_iiid(3), {"1/12", "-1/6", "1/12", "5/24", "1/3", "-1/24", "1/12", "5/6", "1/12"}, kLobatto3B,
                 kLobatto3C);
}

}  // namespace
}  // namespace rattleback

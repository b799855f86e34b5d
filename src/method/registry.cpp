#include "method/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "method/discrete/discrete_lagrange.hpp"
#include "method/port_hamiltonian/port_hamiltonian_gradient.hpp"
#include "method/runge_kutta/ode_dop853.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

int two_s(int s) { return 2 * s; }
int two_s_minus_1(int s) { return 2 * s - 1; }
int two_s_minus_2(int s) { return 2 * s - 2; }
int same(int s) { return s; }
int gauss_standard(int s) { return s % 2 == 1 ? s + 1 : s; }
// Of positions when forces are nonlinear in the multipliers: errors of the multipliers at the stages enter squared.
int gauss_reaction(int s) { return s % 2 == 1 ? 2 * s : 2 * s - 2; }
int radau_ia_reaction(int s) { return std::max(1, 2 * s - 2); }
int one(int) { return 1; }
int two(int) { return 2; }
int seven(int) { return 7; }
int eight(int) { return 8; }

constexpr OrderRule kOne = {one, "1"}, kTwo = {two, "2"}, kTwoS = {two_s, "2s"}, kStageOrder = {same, "s"},
                    kTwoSMinus1 = {two_s_minus_1, "2s-1"}, kGaussStandard = {gauss_standard, "s+1 or s (even s)"},
                    kGaussReaction = {gauss_reaction, "2s or 2s-2 (even s)"},
                    kRadauIaReaction = {radau_ia_reaction, "2s-2 (s = 1: 1)"};

constexpr std::string_view kVelocityEnd = "velocity level to rounding";
constexpr std::string_view kStages = "velocity level at the stages, not at the end points";
constexpr std::string_view kBothEnd = "velocity level to rounding; holonomic ones also position level";
constexpr std::string_view kDrifts = "none: drifts off the constraint";

using F = Formulation;

std::vector<MethodEntry> make() {
  std::vector<MethodEntry> list;
  const auto rk = [&](std::string_view name, Scheme (*scheme)(int), bool mechanical, bool dae, int min_stages,
                      int (*order)(int), std::string_view order_text, Claim symmetric, std::string_view constraints,
                      std::string_view source, std::string_view note = {}, int fixed = 0) {
    MethodEntry e;
    e.info = {.name = name,
              .mechanical = mechanical,
              .dae = dae,
              .min_stages = min_stages,
              .fixed_stages = fixed,
              .default_stages = fixed != 0 ? fixed : std::max(min_stages, 2),
              .order = order,
              .order_text = order_text,
              .symmetric = symmetric,
              .constraints = constraints,
              .source = source,
              .note = note};
    if (mechanical) e.info.formulations = {F::none, F::index2, F::ggl};
    e.scheme = scheme;
    list.push_back(std::move(e));
  };
  const auto formulations = [&](std::vector<Formulation> ways) { list.back().info.formulations = std::move(ways); };
  rk("spark-lobatto-ab", spark_lobatto_ab, true, false, 2, two_s_minus_2, "2s-2", Claim::yes, kBothEnd,
     "Jay 2009, 7.5; Hilden 2009, 2.5.3");
  formulations({F::index3, F::index2, F::ggl});
  rk("spark-lobatto-abd", spark_lobatto_abd, true, false, 2, two_s_minus_2, "2s-2", Claim::yes, kBothEnd,
     "Jay 2009, 7.6");
  formulations({F::index3, F::index2, F::ggl});
  rk("spark-lobatto-ab-modified", spark_lobatto_ab_modified, true, false, 2, two, "2", Claim::conditional, kVelocityEnd,
     "Jay 2009, 8.4", "order 2 and symmetric when L_v = M v with constant M; order 1 and not symmetric otherwise", 2);
  formulations({F::none, F::index2});
  list.back().uneven_multipliers = true;
  rk("prk-lobatto", prk_lobatto, true, false, 2, two_s_minus_2, "2s-2", Claim::yes, kBothEnd,
     "Symank 2025, 6.2; Jay 1996",
     "needs holonomic constraints; with two stages it is RATTLE, which is also its alias");
  formulations({F::index3});
  list.back().info.aliases = {"rattle"};
  list.back().info.alias_stages = 2;
  list.back().info.needs_holonomic = true;
  rk("prk-murua", prk_murua, true, false, 1, two_s, "2s", Claim::yes, kBothEnd, "Symank 2025, 6.3; Murua 1997",
     "with --formulation index2 the positions drift");
  formulations({F::ggl, F::index2});
  rk("spark-gauss", spark_gauss, true, false, 1, two_s, "2s", Claim::yes, kVelocityEnd, "Jay 2009, 7.3, 7.4");
  rk("spark-euler-1", spark_euler_1, true, false, 1, one, "1", Claim::no, kVelocityEnd, "Jay 2009, 7.1", {}, 1);
  rk("spark-euler-2", spark_euler_2, true, false, 1, one, "1", Claim::no, kVelocityEnd, "Jay 2009, 7.2", {}, 1);
  rk("spark-lobatto", spark_lobatto, false, true, 2, two_s_minus_2, "2s-2", Claim::conditional,
     "constraint to rounding", "Hilden 2009, 2.5", "symmetric when the parts f3 and f4 are zero");
  list.back().first_part_free = true;
  rk("srk-gauss", srk_gauss, true, true, 1, two_s, "2s", Claim::yes, kVelocityEnd, "Hilden 2009, 2.6");
  rk("srk-radau-ia", srk_radau_ia, true, true, 2, two_s_minus_1, "2s-1", Claim::no, kVelocityEnd, "Hilden 2009, 2.6");
  rk("rk-gauss", rk_gauss, true, true, 1, gauss_standard, "s+1 or s (even s)", Claim::yes, kStages,
     "Hilden 2009, 2.4, table 2.1");
  // The constraint holds at the stages. What is off at the ends of steps is normal to it, and positions do not see it.
  list.back().info.orders = {{OrderCase::unconstrained, kTwoS, kTwoS},
                             {OrderCase::velocity, kTwoS, kGaussStandard},
                             {OrderCase::reaction, kGaussReaction, kGaussStandard}};
  list.back().info.off_at_ends = true;
  rk("rk-radau-ia", rk_radau_ia, true, true, 1, same, "s", Claim::no, kStages, "Hilden 2009, 2.4, table 2.1");
  list.back().info.orders = {{OrderCase::unconstrained, kTwoSMinus1, kTwoSMinus1},
                             {OrderCase::velocity, kTwoSMinus1, kStageOrder},
                             {OrderCase::reaction, kRadauIaReaction, kStageOrder}};
  list.back().info.off_at_ends = true;
  rk("rk-radau-iia", rk_radau_iia, true, true, 1, two_s_minus_1, "2s-1", Claim::no, kVelocityEnd,
     "Hilden 2009, 2.4, table 2.1");
  rk("rk-lobatto-iiia", rk_lobatto_iiia, true, true, 2, two_s_minus_2, "2s-2", Claim::yes, kVelocityEnd,
     "Hilden 2009, 2.4, table 2.1", "carries the last stage's multiplier to the next step");
  rk("rk-lobatto-iiic", rk_lobatto_iiic, true, true, 2, two_s_minus_2, "2s-2", Claim::no, kVelocityEnd,
     "Hilden 2009, 2.4, table 2.1; Symank 2025, 5");

  const auto collocation = [&](std::string_view name, Tableau (*tableau)(int), int min_stages, int (*order)(int),
                               std::string_view order_text, Claim symmetric, std::string_view constraints,
                               std::string_view source, std::string_view note) {
    MethodEntry e;
    e.info = {.name = name,
              .min_stages = min_stages,
              .default_stages = 2,
              .order = order,
              .order_text = order_text,
              .symmetric = symmetric,
              .constraints = constraints,
              .source = source,
              .note = note,
              .formulations = {F::index2},
              .port_hamiltonian = true};
    e.info.mechanical = true;
    e.collocation = tableau;
    list.push_back(std::move(e));
  };
  collocation("collocation-gauss", gauss, 1, two_s, "2s", Claim::yes, kStages, "Symank 2025, 5.3, 7.2",
              "keeps the power balance to rounding when H is quadratic and free of t, E constant; its own algebraic "
              "states have a lower order than those that are reported");
  list.back().info.energy = Claim::conditional;
  list.back().info.orders = {{OrderCase::velocity, kTwoS, kGaussStandard},
                             {OrderCase::reaction, kGaussReaction, kGaussStandard},
                             {OrderCase::dae, kGaussStandard, kGaussStandard}};
  list.back().info.off_at_ends = true;
  collocation("collocation-lobatto-iiic", lobatto_iiic, 2, two_s_minus_2, "2s-2", Claim::no, kVelocityEnd,
              "Symank 2025, 5.3, 7.2", "damps fast motions; loses energy");

  MethodEntry mp;
  mp.info = {
      .name = "mclachlan-perlmutter",
      .aliases = {"si-dla"},
      .mechanical = true,
      .fixed_stages = 1,
      .default_stages = 1,
      .order = two,
      .order_text = "2",
      .symmetric = Claim::conditional,
      .constraints = kVelocityEnd,
      .source = "McLachlan and Perlmutter 2006; Hilden 2009, 3.3, 4.3",
      .note = "order 2 and symmetric for L = T(v) - U(q) with constant mass; order 1 and not symmetric otherwise",
      .formulations = {F::none, F::index2}};
  mp.step = mclachlan_perlmutter_step;
  list.push_back(std::move(mp));
  MethodEntry cm;
  cm.info = {.name = "cortes-martinez",
             .aliases = {"i-dla"},
             .mechanical = true,
             .fixed_stages = 1,
             .default_stages = 1,
             .order = two,
             .order_text = "2 (positions)",
             .symmetric = Claim::conditional,
             .constraints = "velocity level at the midpoints, not at the end points",
             .source = "Cortes and Martinez 2001; Hilden 2009, 3.2",
             .note =
                 "a two-step method, reversed by swapping its two positions; its velocities (q_k - q_{k-1})/h are "
                 "first-order values; order 1 and not symmetric when a constraint is nonlinear in v",
             .formulations = {F::none, F::index2}};
  for (const OrderCase on : {OrderCase::unconstrained, OrderCase::velocity, OrderCase::reaction})
    cm.info.orders.push_back({on, kTwo, kOne});
  cm.step = cortes_martinez_step;
  cm.first_step = cortes_martinez_start;
  list.push_back(std::move(cm));

  using Energy = EnergyRule::Kind;
  using Frame = EnergyMethod::Frame;
  const auto energy = [&](std::string_view name, EnergyMethod how, int (*order)(int), std::string_view order_text,
                          Claim symmetric, std::string_view source, std::string_view note = {}, int fixed = 1) {
    MethodEntry e;
    e.info = {.name = name,
              .mechanical = true,
              .fixed_stages = fixed,
              .default_stages = fixed != 0 ? fixed : 2,
              .order = order,
              .order_text = order_text,
              .symmetric = symmetric,
              .energy = Claim::yes,
              .constraints =
                  how.frame == Frame::canonical ? "none: the velocity level in the mean of a step only" : kVelocityEnd,
              .source = source,
              .note = note,
              .formulations = {F::none, F::index2},
              .skew_gradient = how.frame == Frame::reduced};
    e.energy = how;
    list.push_back(std::move(e));
  };
  energy("dg-gonzalez", {.kind = Energy::gonzalez}, two, "2", Claim::yes, "Gonzalez 1996; Celledoni et al., 3.1, 3.2");
  const auto on_port_hamiltonian = [&](Equations (*step)(const PortHamiltonian&)) {
    list.back().info.port_hamiltonian = true;
    list.back().info.note = "on port-Hamiltonian systems it keeps the power balance to rounding for any Hamiltonian";
    list.back().port_hamiltonian_step = step;
    list.back().algebraic_off_at_ends = true;
  };
  on_port_hamiltonian(gonzalez_step);
  energy("dg-avf", {.kind = Energy::collocation}, two, "2", Claim::yes,
         "Harten et al. 1983; Celledoni et al., 3.1, 3.2");
  on_port_hamiltonian([](const PortHamiltonian& f) { return avf_step(f); });
  energy("dg-itoh-abe", {.kind = Energy::coordinate}, one, "1", Claim::no,
         "Itoh and Abe 1988; Celledoni et al., 3.1, 3.2");
  energy("avf-collocation", {.kind = Energy::collocation}, two_s, "2s", Claim::yes,
         "Cohen and Hairer 2011; Hairer 2010", {}, 0);
  energy("gonzalez-r", {.kind = Energy::gonzalez}, two, "2", Claim::yes, "Celledoni et al., 3.3",
         "the same step as dg-gonzalez on a mechanical system");
  list.back().info.skew_gradient = false;
  energy("gonzalez-r-fd", {.kind = Energy::gonzalez, .frame = Frame::differences}, two, "2", Claim::yes,
         "Celledoni et al., remark 3.5", "derivatives of the basis are central differences with increment h");
  energy("gonzalez-f", {.kind = Energy::gonzalez, .frame = Frame::canonical}, two, "2", Claim::yes,
         "Celledoni et al., (15)");
  list.back().info.off_at_ends = true;

  const auto euler = [&](std::string_view name, bool natural, bool conjugate, std::string_view source) {
    MethodEntry e;
    e.info = {.name = name,
              .mechanical = true,
              .fixed_stages = 1,
              .default_stages = 1,
              .order = one,
              .order_text = natural ? "1 or 0" : "1",
              .symmetric = Claim::no,
              .constraints = "position and velocity level to rounding",
              .source = source,
              .note = natural
                          ? "order 0 when r is nonlinear in psi, else 1; mechanical systems need holonomic constraints "
                            "only"
                          : "--compose 2, 4, 6, 8 with its adjoint; mechanical systems need holonomic constraints "
                            "only",
              .odae = true};
    e.overdetermined = EulerScheme{.natural = natural, .conjugate = conjugate};
    list.push_back(std::move(e));
  };
  euler("euler-natural", true, false, "Jay and Simeon, (3.2)");
  euler("euler-true", false, false, "Jay and Simeon, (3.5)");
  euler("euler-conjugate-natural", true, true, "Jay and Simeon, (3.7)");
  euler("euler-conjugate-true", false, true, "Jay and Simeon, (3.8)");

  const auto baseline = [&](std::string_view name, Baseline which, std::string_view order_text,
                            std::string_view constraints, std::string_view source, std::string_view note) {
    MethodEntry e;
    e.info = {.name = name,
              .mechanical = true,
              .fixed_stages = 1,
              .default_stages = 1,
              .order = nullptr,
              .order_text = order_text,
              .symmetric = Claim::no,
              .constraints = constraints,
              .source = source,
              .note = note,
              .adaptive = true};
    e.info.dense = which == Baseline::index1 ? "the polynomial of IDA's step" : "a shorter step of its own";
    e.baseline = which;
    list.push_back(std::move(e));
  };
  baseline("ode", Baseline::ode, "5(4), adaptive", kDrifts, "SUNDIALS ARKODE, Dormand-Prince 5(4)",
           "baseline: multiplier eliminated, steps chosen by --rtol and --atol");
  baseline("index1", Baseline::index1, "1 to 5, adaptive", kDrifts,
           "SUNDIALS IDA, BDF on the differentiated constraint", "baseline: steps chosen by --rtol and --atol");
  baseline("baumgarte", Baseline::baumgarte, "5(4), adaptive", "none: errors are fed back and stay near the tolerances",
           "Baumgarte 1972; SUNDIALS ARKODE, Dormand-Prince 5(4)",
           "baseline: steps chosen by --rtol and --atol, feedback by --gain");

  MethodEntry dop853;
  dop853.info = {.name = "ode-dop853",
                 .mechanical = true,
                 .fixed_stages = 12,
                 .default_stages = 12,
                 .order = eight,
                 .order_text = "8",
                 .symmetric = Claim::no,
                 .constraints = kDrifts,
                 .source = "Prince and Dormand 1981; Hairer, Norsett, Wanner 1993, II.5, II.10",
                 .note =
                     "baseline: multiplier eliminated; with --adaptive its own estimates of order 5 and 3 choose "
                     "the steps"};
  dop853.explicit_step = ode_dop853_step;
  dop853.info.dense = "its own polynomial, with four more stages";
  dop853.info.dense_order = seven;
  dop853.info.dense_order_text = "7";
  dop853.underlying_ode = true;
  list.push_back(dop853);
  MethodEntry projected = std::move(dop853);
  projected.info.name = "projected-dop853";
  projected.info.constraints = kBothEnd;
  projected.info.source = "Hairer and Wanner 1996, VII.2; Prince and Dormand 1981";
  projected.info.note = "the end of each step is put back onto the constraints; fast over short times, energy drifts";
  projected.explicit_step = projected_dop853_step;
  projected.info.dense = MethodInfo{}.dense;
  projected.info.dense_order = nullptr;
  projected.info.dense_order_text = {};
  list.push_back(std::move(projected));
  return list;
}

std::string canonical(std::string_view name) {
  std::string s(name);
  std::replace(s.begin(), s.end(), '_', '-');
  return s;
}

}  // namespace

const char* to_string(Claim claim) {
  switch (claim) {
    case Claim::no: return "no";
    case Claim::yes: return "yes";
    case Claim::conditional: return "conditional";
  }
  return "";
}

ComponentOrders MethodInfo::orders_on(OrderCase on, int stage_count) const {
  if (order == nullptr) return {};
  ComponentOrders out{.q = order(stage_count), .v = order(stage_count)};
  for (const OrderClaim& claim : orders)
    if (claim.on == on) out = {.q = claim.q.of(stage_count), .v = claim.v.of(stage_count)};
  out.multipliers = out.state();
  return out;
}

std::span<const MethodEntry> registry() {
  static const std::vector<MethodEntry> list = make();
  return list;
}

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> list = [] {
    std::vector<MethodInfo> out;
    for (const MethodEntry& e : registry()) out.push_back(e.info);
    return out;
  }();
  return list;
}

namespace {
const MethodEntry* look_up(const std::string& wanted) {
  for (const MethodEntry& e : registry())
    if (e.info.name == wanted ||
        std::find(e.info.aliases.begin(), e.info.aliases.end(), wanted) != e.info.aliases.end())
      return &e;
  return nullptr;
}
}  // namespace

bool is_method(std::string_view name) { return look_up(canonical(name)) != nullptr; }

const MethodEntry& find_entry(std::string_view name) {
  const std::string wanted = canonical(name);
  if (const MethodEntry* e = look_up(wanted)) return *e;
  std::vector<std::string> known;
  for (const MethodEntry& e : registry()) {
    known.emplace_back(e.info.name);
    known.insert(known.end(), e.info.aliases.begin(), e.info.aliases.end());
  }
  std::string message = fmt::format("unknown method '{}'.", name);
  if (const std::string close = front::nearest(wanted, known); !close.empty())
    message += fmt::format(" Did you mean '{}'?", close);
  throw Error(message + " `rattleback methods` lists all of them");
}

const MethodInfo& find_method(std::string_view name) { return find_entry(name).info; }

}  // namespace rattleback

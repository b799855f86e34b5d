// rattleback.h: handles are objects behind pointers, exceptions become statuses and texts.
#include "rattleback/rattleback.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "rattleback/dynamics.hpp"
#include "rattleback/error.hpp"
#include "rattleback/stepper.hpp"
#include "rattleback/version.hpp"
#include "run/names.hpp"
#include "run/option_text.hpp"

struct rattleback_model {
  rattleback::Model model;
};
struct rattleback_options {
  rattleback::Options options;
};
struct rattleback_stepper {
  rattleback::Stepper stepper;
  rattleback::Failure failure = rattleback::Failure::none;
};
struct rattleback_snapshot {
  rattleback::Snapshot snapshot;
};
struct rattleback_dynamics {
  rattleback::Dynamics dynamics;
};

namespace {

using rattleback::StepReport;

// Of this thread. A text that does not fit into memory any more is one that is there.
std::string& last_error() {
  thread_local std::string text;
  return text;
}

int keep(int status, const char* text) noexcept {
  try {
    last_error() = text;
  } catch (...) {  // the status tells what there is to tell
  }
  return status;
}

template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return RATTLEBACK_OK;
  } catch (const rattleback::Error& error) {
    return keep(RATTLEBACK_WRONG, error.what());
  } catch (const std::bad_alloc&) {
    return keep(RATTLEBACK_WRONG, "not enough memory");
  } catch (const std::exception& error) {
    return keep(RATTLEBACK_INTERNAL, error.what());
  } catch (...) {
    return keep(RATTLEBACK_INTERNAL, "an unexpected fault");
  }
}

template <class T>
T& needed(T* handle, const char* what) {
  if (handle == nullptr) throw rattleback::Error(std::string(what) + " is a null pointer");
  return *handle;
}

std::string text_of(const char* text, const char* what) { return std::string(&needed(text, what)); }

// Takes steps.
template <class Steps>
int told(rattleback_stepper* stepper, const Steps& steps) noexcept {
  if (stepper == nullptr) return keep(RATTLEBACK_WRONG, "stepper is a null pointer");
  const StepReport report = steps(stepper->stepper);
  stepper->failure = report.failure;
  if (report.ok) return RATTLEBACK_OK;
  return guarded([&] { last_error() = stepper->stepper.message(); }) == RATTLEBACK_OK ? RATTLEBACK_STOPPED
                                                                                      : RATTLEBACK_INTERNAL;
}

template <class Of>
int copy(const rattleback_stepper* stepper, double* to, const Of& of) noexcept {
  return guarded([&] {
    const std::span<const double> from = of(needed(stepper, "stepper").stepper);
    std::copy(from.begin(), from.end(), from.empty() ? to : &needed(to, "the array"));
  });
}

// call(dynamics, n, m)
template <class Call>
int with(rattleback_dynamics* dynamics, const Call& call) noexcept {
  return guarded([&] {
    rattleback::Dynamics& d = needed(dynamics, "dynamics").dynamics;
    call(d, static_cast<std::size_t>(d.n()), static_cast<std::size_t>(d.m()));
  });
}

}  // namespace

extern "C" {

const char* rattleback_error(void) { return last_error().c_str(); }
const char* rattleback_version(void) { return rattleback::version(); }

int rattleback_model_load(const char* system, rattleback_model** model) {
  return guarded([&] {
    needed(model, "model") = nullptr;
    *model = new rattleback_model{rattleback::load_model(text_of(system, "system"))};
  });
}

int rattleback_model_parse(const char* text, const char* name, rattleback_model** model) {
  return guarded([&] {
    needed(model, "model") = nullptr;
    *model = new rattleback_model{rattleback::parse_model(text_of(text, "text"), text_of(name, "name"))};
  });
}

void rattleback_model_free(rattleback_model* model) { delete model; }

int rattleback_model_set(rattleback_model* model, const char* parameter, double value) {
  return guarded([&] {
    auto& of = needed(model, "model").model;
    of = of.with({{text_of(parameter, "parameter"), rattleback::exact_text(value)}});
  });
}

int rattleback_options_new(rattleback_options** options) {
  return guarded([&] { needed(options, "options") = new rattleback_options{}; });
}

void rattleback_options_free(rattleback_options* options) { delete options; }

int rattleback_options_set(rattleback_options* options, const char* name, const char* value) {
  return guarded([&] {
    rattleback::put_option(needed(options, "options").options, text_of(name, "name"), text_of(value, "value"));
  });
}

int rattleback_stepper_new(const rattleback_model* model, const rattleback_options* options,
                           rattleback_stepper** stepper) {
  return guarded([&] {
    needed(stepper, "stepper") = nullptr;
    *stepper = new rattleback_stepper{
        {needed(model, "model").model, options != nullptr ? options->options : rattleback::Options{}}};
  });
}

void rattleback_stepper_free(rattleback_stepper* stepper) { delete stepper; }
int rattleback_stepper_step(rattleback_stepper* stepper) {
  return told(stepper, [](auto& s) { return s.step(); });
}
int rattleback_stepper_advance(rattleback_stepper* stepper, int64_t steps) {
  return told(stepper, [&](auto& s) { return s.advance(steps); });
}
int rattleback_stepper_advance_to(rattleback_stepper* stepper, double t) {
  return told(stepper, [&](auto& s) { return s.advance_to(t); });
}
int rattleback_stepper_failure(const rattleback_stepper* stepper) {
  return stepper != nullptr ? static_cast<int>(stepper->failure) : RATTLEBACK_INCONSISTENT;
}
double rattleback_stepper_t(const rattleback_stepper* stepper) {
  return stepper != nullptr ? stepper->stepper.t() : std::nan("");
}
double rattleback_stepper_step_size(const rattleback_stepper* stepper) {
  return stepper != nullptr ? stepper->stepper.step_size() : std::nan("");
}

int rattleback_stepper_set_step(rattleback_stepper* stepper, double h) {
  return guarded([&] { needed(stepper, "stepper").stepper.set_step(h); });
}

int rattleback_stepper_energy(const rattleback_stepper* stepper, double* energy) {
  return guarded([&] { needed(energy, "energy") = needed(stepper, "stepper").stepper.energy(); });
}

void rattleback_stepper_size(const rattleback_stepper* stepper, size_t* q, size_t* v, size_t* multipliers) {
  const auto size =
      stepper != nullptr ? rattleback::sizes_of(stepper->stepper.model()) : rattleback::StateSizes{0, 0, 0};
  if (q != nullptr) *q = size.q;
  if (v != nullptr) *v = size.v;
  if (multipliers != nullptr) *multipliers = size.multipliers;
}

int rattleback_stepper_q(const rattleback_stepper* stepper, double* q) {
  return copy(stepper, q, [](const auto& s) { return s.q(); });
}
int rattleback_stepper_v(const rattleback_stepper* stepper, double* v) {
  return copy(stepper, v, [](const auto& s) { return s.v(); });
}
int rattleback_stepper_multipliers(const rattleback_stepper* stepper, double* multipliers) {
  return copy(stepper, multipliers, [](const auto& s) { return s.multipliers(); });
}

int rattleback_stepper_index(const rattleback_stepper* stepper, const char* name, size_t* index) {
  return guarded([&] { needed(index, "index") = needed(stepper, "stepper").stepper.index(text_of(name, "name")); });
}

int rattleback_stepper_set_parameter(rattleback_stepper* stepper, const char* name, double value) {
  return guarded([&] { needed(stepper, "stepper").stepper.set_parameter(text_of(name, "name"), value); });
}

int rattleback_stepper_set_input(rattleback_stepper* stepper, const char* port, double u) {
  return guarded([&] { needed(stepper, "stepper").stepper.set_input(text_of(port, "port"), u); });
}

int rattleback_stepper_set_state(rattleback_stepper* stepper, double t, const double* q, const double* v) {
  return guarded([&] {
    const auto size = rattleback::sizes_of(needed(stepper, "stepper").stepper.model());
    const auto list = [](const double* x, std::size_t count, const char* what) {
      return count == 0 ? std::span<const double>{} : std::span(&needed(x, what), count);
    };
    stepper->stepper.set_state(t, list(q, size.q, "q"), list(v, size.v, "v"));
  });
}

int rattleback_stepper_save(const rattleback_stepper* stepper, rattleback_snapshot** snapshot) {
  return guarded([&] {
    needed(snapshot, "snapshot") = nullptr;
    *snapshot = new rattleback_snapshot{needed(stepper, "stepper").stepper.save()};
  });
}

int rattleback_stepper_restore(rattleback_stepper* stepper, const rattleback_snapshot* snapshot) {
  return guarded([&] { needed(stepper, "stepper").stepper.restore(needed(snapshot, "snapshot").snapshot); });
}

void rattleback_snapshot_free(rattleback_snapshot* snapshot) { delete snapshot; }

int rattleback_dynamics_new(const rattleback_model* model, rattleback_dynamics** dynamics) {
  return guarded([&] {
    needed(dynamics, "dynamics") = nullptr;
    *dynamics = new rattleback_dynamics{rattleback::Dynamics(needed(model, "model").model)};
  });
}

void rattleback_dynamics_free(rattleback_dynamics* dynamics) { delete dynamics; }

void rattleback_dynamics_size(const rattleback_dynamics* dynamics, size_t* n, size_t* m) {
  if (n != nullptr) *n = dynamics != nullptr ? static_cast<size_t>(dynamics->dynamics.n()) : 0;
  if (m != nullptr) *m = dynamics != nullptr ? static_cast<size_t>(dynamics->dynamics.m()) : 0;
}

int rattleback_dynamics_set(rattleback_dynamics* dynamics, double t, const double* q, const double* v) {
  return with(dynamics, [&](rattleback::Dynamics& d, std::size_t n, std::size_t) {
    d.set(t, {&needed(q, "q"), n}, {&needed(v, "v"), n});
  });
}

int rattleback_dynamics_mass(rattleback_dynamics* dynamics, double* M) {
  return with(dynamics, [&](rattleback::Dynamics& d, std::size_t n, std::size_t) { d.mass({&needed(M, "M"), n * n}); });
}

int rattleback_dynamics_force(rattleback_dynamics* dynamics, double* f) {
  return with(dynamics, [&](rattleback::Dynamics& d, std::size_t n, std::size_t) { d.force({&needed(f, "f"), n}); });
}

int rattleback_dynamics_constraint_jacobian(rattleback_dynamics* dynamics, double* K) {
  return with(dynamics, [&](rattleback::Dynamics& d, std::size_t n, std::size_t m) {
    d.constraint_jacobian({m > 0 ? &needed(K, "K") : K, m * n});
  });
}

int rattleback_dynamics_acceleration(rattleback_dynamics* dynamics, double* a, double* lambda) {
  return with(dynamics, [&](rattleback::Dynamics& d, std::size_t n, std::size_t m) {
    d.acceleration({&needed(a, "a"), n}, {m > 0 ? &needed(lambda, "lambda") : lambda, m});
  });
}

}  // extern "C"

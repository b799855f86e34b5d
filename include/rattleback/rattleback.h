/* Stepping from C, and from everything that calls C: Julia, MATLAB, other simulators.
 *
 * Handles are made by ..._load, ..._parse, ..._new and ended by ..._free. Functions that may fail return a status; what was
 * wrong is then the text of rattleback_error() of the same thread. A handle is used by one thread at a time; models may be
 * shared by several. Lists of numbers are written into arrays of the caller, whose sizes rattleback_..._size tell. */
#ifndef RATTLEBACK_H
#define RATTLEBACK_H

#include <stddef.h>
#include <stdint.h>

#include "rattleback/export.hpp"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattleback_model rattleback_model;
typedef struct rattleback_options rattleback_options;
typedef struct rattleback_stepper rattleback_stepper;
typedef struct rattleback_snapshot rattleback_snapshot;
typedef struct rattleback_dynamics rattleback_dynamics;

/* As the exit statuses of the program: done; a wrong or impossible request; a step that failed, after which the stepper is
 * at its last good state; a fault of the library. */
enum { RATTLEBACK_OK = 0, RATTLEBACK_WRONG = 2, RATTLEBACK_STOPPED = 3, RATTLEBACK_INTERNAL = 70 };

/* Why a step failed (rattleback_stepper_failure). */
enum {
  RATTLEBACK_NONE = 0,
  RATTLEBACK_NEWTON = 1,
  RATTLEBACK_SINGULAR = 2,
  RATTLEBACK_NOT_FINITE = 3,
  RATTLEBACK_INCONSISTENT = 4,
  RATTLEBACK_CANCELLED = 5
};

/* Of the last call of this thread that returned another status than RATTLEBACK_OK; "" when there was none. Valid until the
 * next call. */
RATTLEBACK_API const char* rattleback_error(void);

/* Models: the path of a model file or the name of a shipped system; or a text, with the name that messages call it. */
RATTLEBACK_API int rattleback_model_load(const char* system, rattleback_model** model);
RATTLEBACK_API int rattleback_model_parse(const char* text, const char* name, rattleback_model** model);
RATTLEBACK_API void rattleback_model_free(rattleback_model* model);
RATTLEBACK_API int rattleback_model_set(rattleback_model* model, const char* parameter, double value);

/* What is asked of a run: names are those of the command line without their dashes ("method", "step", "newton-tol"), values
 * as they are typed there. Null options are the model's own. */
RATTLEBACK_API int rattleback_options_new(rattleback_options** options);
RATTLEBACK_API void rattleback_options_free(rattleback_options* options);
RATTLEBACK_API int rattleback_options_set(rattleback_options* options, const char* name, const char* value);

/* One step at a time (see stepper.hpp). */
RATTLEBACK_API int rattleback_stepper_new(const rattleback_model* model, const rattleback_options* options,
                                          rattleback_stepper** stepper);
RATTLEBACK_API void rattleback_stepper_free(rattleback_stepper* stepper);
RATTLEBACK_API int rattleback_stepper_step(rattleback_stepper* stepper);
RATTLEBACK_API int rattleback_stepper_advance(rattleback_stepper* stepper, int64_t steps);
RATTLEBACK_API int rattleback_stepper_advance_to(rattleback_stepper* stepper, double t);
RATTLEBACK_API int rattleback_stepper_failure(const rattleback_stepper* stepper);
RATTLEBACK_API double rattleback_stepper_t(const rattleback_stepper* stepper);
RATTLEBACK_API double rattleback_stepper_step_size(const rattleback_stepper* stepper);
RATTLEBACK_API int rattleback_stepper_set_step(rattleback_stepper* stepper, double h);
RATTLEBACK_API int rattleback_stepper_energy(const rattleback_stepper* stepper, double* energy);
/* How many positions (or states), velocities and multipliers there are; pointers may be null. */
RATTLEBACK_API void rattleback_stepper_size(const rattleback_stepper* stepper, size_t* q, size_t* v,
                                            size_t* multipliers);
RATTLEBACK_API int rattleback_stepper_q(const rattleback_stepper* stepper, double* q);
RATTLEBACK_API int rattleback_stepper_v(const rattleback_stepper* stepper, double* v);
RATTLEBACK_API int rattleback_stepper_multipliers(const rattleback_stepper* stepper, double* multipliers);
/* Where a name stands in them: "theta", "theta'", "lambda.rod". */
RATTLEBACK_API int rattleback_stepper_index(const rattleback_stepper* stepper, const char* name, size_t* index);
RATTLEBACK_API int rattleback_stepper_set_parameter(rattleback_stepper* stepper, const char* name, double value);
RATTLEBACK_API int rattleback_stepper_set_input(rattleback_stepper* stepper, const char* port, double u);
RATTLEBACK_API int rattleback_stepper_set_state(rattleback_stepper* stepper, double t, const double* q,
                                                const double* v);
RATTLEBACK_API int rattleback_stepper_save(const rattleback_stepper* stepper, rattleback_snapshot** snapshot);
RATTLEBACK_API int rattleback_stepper_restore(rattleback_stepper* stepper, const rattleback_snapshot* snapshot);
RATTLEBACK_API void rattleback_snapshot_free(rattleback_snapshot* snapshot);

/* The equations as numbers at one state (see dynamics.hpp): M is n x n and K m x n, row by row. */
RATTLEBACK_API int rattleback_dynamics_new(const rattleback_model* model, rattleback_dynamics** dynamics);
RATTLEBACK_API void rattleback_dynamics_free(rattleback_dynamics* dynamics);
RATTLEBACK_API void rattleback_dynamics_size(const rattleback_dynamics* dynamics, size_t* n, size_t* m);
RATTLEBACK_API int rattleback_dynamics_set(rattleback_dynamics* dynamics, double t, const double* q, const double* v);
RATTLEBACK_API int rattleback_dynamics_mass(rattleback_dynamics* dynamics, double* M);
RATTLEBACK_API int rattleback_dynamics_force(rattleback_dynamics* dynamics, double* f);
RATTLEBACK_API int rattleback_dynamics_constraint_jacobian(rattleback_dynamics* dynamics, double* K);
RATTLEBACK_API int rattleback_dynamics_acceleration(rattleback_dynamics* dynamics, double* a, double* lambda);

RATTLEBACK_API const char* rattleback_version(void);

#ifdef __cplusplus
}
#endif

#endif

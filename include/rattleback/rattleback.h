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

/* A system. Several threads may use one. */
typedef struct rattleback_model rattleback_model;
/* What is asked of a run. */
typedef struct rattleback_options rattleback_options;
/* A method bound to a model, and its state. */
typedef struct rattleback_stepper rattleback_stepper;
/* Everything that the next step of a stepper depends on. */
typedef struct rattleback_snapshot rattleback_snapshot;
/* The equations of a mechanical model as numbers, at one state. */
typedef struct rattleback_dynamics rattleback_dynamics;

/* What functions return, as the exit statuses of the program. */
enum {
  RATTLEBACK_OK = 0,       /* done */
  RATTLEBACK_WRONG = 2,    /* a wrong or impossible request */
  RATTLEBACK_STOPPED = 3,  /* a step failed, after which the stepper is at its last good state */
  RATTLEBACK_INTERNAL = 70 /* a fault of the library */
};

/* Why a step failed (rattleback_stepper_failure). */
enum {
  RATTLEBACK_NONE = 0,         /* it did not */
  RATTLEBACK_NEWTON = 1,       /* Newton's iteration did not converge */
  RATTLEBACK_SINGULAR = 2,     /* a matrix was singular */
  RATTLEBACK_NOT_FINITE = 3,   /* a number was none any more */
  RATTLEBACK_INCONSISTENT = 4, /* the request or the state does not fit */
  RATTLEBACK_CANCELLED = 5     /* somebody wished so */
};

/* Of the last call of this thread that returned another status than RATTLEBACK_OK; "" when there was none. Valid until the
 * next call. */
RATTLEBACK_API const char* rattleback_error(void);

/* Reads a model: the path of a model file or the name of a shipped system. */
RATTLEBACK_API int rattleback_model_load(const char* system, rattleback_model** model);
/* Reads a model from a text, with the name that messages call it. */
RATTLEBACK_API int rattleback_model_parse(const char* text, const char* name, rattleback_model** model);
/* Ends a model, or a null pointer. Steppers that were made of it stay. */
RATTLEBACK_API void rattleback_model_free(rattleback_model* model);
/* Gives a parameter another value, for what is made of the model from here on; no other thread may use it meanwhile. */
RATTLEBACK_API int rattleback_model_set(rattleback_model* model, const char* parameter, double value);

/* Options of which none is given. Null options are the same. */
RATTLEBACK_API int rattleback_options_new(rattleback_options** options);
/* Ends options, or a null pointer. */
RATTLEBACK_API void rattleback_options_free(rattleback_options* options);
/* Gives one option: names are those of the command line without their dashes ("method", "step", "newton-tol"), values as they
 * are typed there. */
RATTLEBACK_API int rattleback_options_set(rattleback_options* options, const char* name, const char* value);

/* One step at a time (see stepper.hpp). Null options are the model's own. */
RATTLEBACK_API int rattleback_stepper_new(const rattleback_model* model, const rattleback_options* options,
                                          rattleback_stepper** stepper);
/* Ends a stepper, or a null pointer. */
RATTLEBACK_API void rattleback_stepper_free(rattleback_stepper* stepper);
/* One step of rattleback_stepper_step_size(). */
RATTLEBACK_API int rattleback_stepper_step(rattleback_stepper* stepper);
/* So many steps, or up to the first that fails. */
RATTLEBACK_API int rattleback_stepper_advance(rattleback_stepper* stepper, int64_t steps);
/* Whole steps up to a time, then a shorter one. */
RATTLEBACK_API int rattleback_stepper_advance_to(rattleback_stepper* stepper, double t);
/* Why the last of these calls failed: one of RATTLEBACK_NONE ... RATTLEBACK_CANCELLED. */
RATTLEBACK_API int rattleback_stepper_failure(const rattleback_stepper* stepper);
/* Time of the state. */
RATTLEBACK_API double rattleback_stepper_t(const rattleback_stepper* stepper);
/* Size of the steps. */
RATTLEBACK_API double rattleback_stepper_step_size(const rattleback_stepper* stepper);
/* Gives the steps another size, from the next one on. */
RATTLEBACK_API int rattleback_stepper_set_step(rattleback_stepper* stepper, double h);
/* Energy of the state; 0 for kinds without one. */
RATTLEBACK_API int rattleback_stepper_energy(const rattleback_stepper* stepper, double* energy);
/* How many positions (or states), velocities and multipliers there are; pointers may be null. */
RATTLEBACK_API void rattleback_stepper_size(const rattleback_stepper* stepper, size_t* q, size_t* v,
                                            size_t* multipliers);
/* Writes the positions, or the states of kinds without velocities. */
RATTLEBACK_API int rattleback_stepper_q(const rattleback_stepper* stepper, double* q);
/* Writes the velocities. */
RATTLEBACK_API int rattleback_stepper_v(const rattleback_stepper* stepper, double* v);
/* Writes the multipliers. */
RATTLEBACK_API int rattleback_stepper_multipliers(const rattleback_stepper* stepper, double* multipliers);
/* Where a name stands in them: "theta", "theta'", "lambda.rod". */
RATTLEBACK_API int rattleback_stepper_index(const rattleback_stepper* stepper, const char* name, size_t* index);
/* Gives a parameter another value, from the next step on. */
RATTLEBACK_API int rattleback_stepper_set_parameter(rattleback_stepper* stepper, const char* name, double value);
/* Sets the input of a port, which is held until it is set again. */
RATTLEBACK_API int rattleback_stepper_set_input(rattleback_stepper* stepper, const char* port, double u);
/* Puts the stepper into another state, which must be consistent unless the option "project" is on. */
RATTLEBACK_API int rattleback_stepper_set_state(rattleback_stepper* stepper, double t, const double* q,
                                                const double* v);
/* Makes a snapshot. */
RATTLEBACK_API int rattleback_stepper_save(const rattleback_stepper* stepper, rattleback_snapshot** snapshot);
/* Goes back to a snapshot, and takes steps of the same bits from there. */
RATTLEBACK_API int rattleback_stepper_restore(rattleback_stepper* stepper, const rattleback_snapshot* snapshot);
/* Ends a snapshot, or a null pointer. */
RATTLEBACK_API void rattleback_snapshot_free(rattleback_snapshot* snapshot);

/* The equations M a + K^T lambda = f as numbers, at the model's start (see dynamics.hpp). */
RATTLEBACK_API int rattleback_dynamics_new(const rattleback_model* model, rattleback_dynamics** dynamics);
/* Ends them, or a null pointer. */
RATTLEBACK_API void rattleback_dynamics_free(rattleback_dynamics* dynamics);
/* How many coordinates (n) and constraints (m) there are; pointers may be null. */
RATTLEBACK_API void rattleback_dynamics_size(const rattleback_dynamics* dynamics, size_t* n, size_t* m);
/* Goes to a state, consistent or not. */
RATTLEBACK_API int rattleback_dynamics_set(rattleback_dynamics* dynamics, double t, const double* q, const double* v);
/* Writes M, n x n, row by row. */
RATTLEBACK_API int rattleback_dynamics_mass(rattleback_dynamics* dynamics, double* M);
/* Writes f, n numbers. */
RATTLEBACK_API int rattleback_dynamics_force(rattleback_dynamics* dynamics, double* f);
/* Writes K, m x n, row by row. */
RATTLEBACK_API int rattleback_dynamics_constraint_jacobian(rattleback_dynamics* dynamics, double* K);
/* Writes the accelerations and the multipliers, n and m numbers. */
RATTLEBACK_API int rattleback_dynamics_acceleration(rattleback_dynamics* dynamics, double* a, double* lambda);

/* The version of the library that the program runs with, such as "0.1.0". */
RATTLEBACK_API const char* rattleback_version(void);

#ifdef __cplusplus
}
#endif

#endif

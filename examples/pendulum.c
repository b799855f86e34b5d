/* The same from C: a double pendulum, one step at a time. */
#include <stdio.h>
#include <stdlib.h>

#include <rattleback/rattleback.h>

static void need(int status) {
  if (status == RATTLEBACK_OK) return;
  fprintf(stderr, "%s\n", rattleback_error());
  exit(1);
}

int main(void) {
  rattleback_model* model;
  rattleback_options* options;
  rattleback_stepper* stepper;
  double q[4], energy, before;
  need(rattleback_model_load("double-pendulum", &model));
  need(rattleback_options_new(&options));
  need(rattleback_options_set(options, "method", "rattle"));
  need(rattleback_options_set(options, "step", "0.01"));
  need(rattleback_stepper_new(model, options, &stepper));
  need(rattleback_stepper_energy(stepper, &before));
  need(rattleback_stepper_advance(stepper, 1000));
  need(rattleback_stepper_q(stepper, q));
  need(rattleback_stepper_energy(stepper, &energy));
  printf("t = %g: (%.6f, %.6f), (%.6f, %.6f)\n", rattleback_stepper_t(stepper), q[0], q[1], q[2], q[3]);
  printf("energy moved by %.0e\n", energy - before);
  rattleback_stepper_free(stepper);
  rattleback_options_free(options);
  rattleback_model_free(model);
  return 0;
}

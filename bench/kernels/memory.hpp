// Starting values from the solutions of the steps before: the polynomial through the last Depth of them, kept as backward
// differences, whose sum is its value one step on.
#pragma once

namespace kernels {

template <int Size, int Depth>
struct Memory {
  alignas(32) double difference[Depth][Size] = {};
  int known = 0;
  double h = 0.0;

  // Solutions of steps of another size are no help.
  void begin(double step) {
    if (step == h) return;
    h = step;
    known = 0;
  }
  // The first `count` values; zero when nothing is known.
  void predict(double* x, int count = Size) const {
    for (int i = 0; i < count; ++i) {
      double sum = 0.0;
      for (int k = 0; k < Depth; ++k) sum += difference[k][i];
      x[i] = sum;
    }
  }
  void remember(const double* x, int count = Size) {
    if (known < Depth) return first(x, count);
    for (int i = 0; i < count; ++i) {
      double now = x[i];
      for (int k = 0; k < Depth; ++k) {
        const double before = difference[k][i];
        difference[k][i] = now;
        now -= before;
      }
    }
  }

 private:
  void first(const double* x, int count) {
    for (int i = 0; i < count; ++i) {
      double now = x[i];
      for (int k = 0; k < Depth; ++k) {
        const double before = difference[k][i];
        difference[k][i] = k <= known ? now : 0.0;
        now -= before;
      }
    }
    ++known;
  }
};

}  // namespace kernels

// The processes of a program that mpirun has started many times. Nothing of MPI is linked: what needs it is a module of its own
// (mpi/module.c), which is loaded when mpirun is found in the environment.
#pragma once

#include <memory>
#include <string>

namespace rattleback {

class Ranks {
 public:
  // Null when the program was not started by mpirun, or as one process only. Throws Error when it was and there is no
  // MPI to talk through. The first call begins MPI, and the end of the program ends it, unless the program has begun it
  // itself. Only for those who were asked to share their work (EnsembleRequest::mpi).
  static Ranks* get();
  // The number of this process by the environment alone; 0 without mpirun.
  static int number_in_environment();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  // How many threads a process takes when nobody says: the processes of one machine share it.
  [[nodiscard]] int threads() const;

  void send(const std::string& bytes);  // to rank 0
  std::string receive(int from);        // at rank 0
  // Ends all processes: this one cannot say what is wrong.
  [[noreturn]] void abort();

 private:
  Ranks() = default;
  int rank_ = 0, size_ = 1;
};

}  // namespace rattleback

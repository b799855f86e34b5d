// A program that has begun MPI itself: the library leaves it alone, or shares an ensemble out over it when it is asked to.
#include <mpi.h>

#include <cstdio>
#include <rattleback/rattleback.hpp>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, size = 0, failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto expect = [&](bool fact, const char* what) {
    if (fact) return;
    std::fprintf(stderr, "rank %d, not so: %s\n", rank, what);
    ++failures;
  };
  rattleback::set_native("off");
  rattleback::EnsembleRequest request;
  request.members = rattleback::members_on_grid({{"theta'", -1.0, 1.0, 50}});
  request.options.step = 0.1;
  request.options.until = 5.0;
  request.threads = 1;
  const rattleback::MemberSource skate{"skate"};
  const auto alone = rattleback::ensemble(skate, request);
  expect(alone.members.size() == 50, "each process has its own ensemble unless asked otherwise");

  // A message of the program on its way, with the number that the library uses: they do not meet.
  double mine = rank, other = -1.0;
  MPI_Request sent = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Isend(&mine, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &sent);
  request.mpi = true;
  for (int k = 0; k < 2; ++k) {
    const auto shared = rattleback::ensemble(skate, request);
    expect(shared.members.size() == (rank == 0 ? 50U : 0U), "the first process has all members");
    for (std::size_t i = 0; i < shared.members.size(); ++i)
      expect(shared.members[i].q == alone.members[i].q, "with the same bits");
  }
  if (rank == 0) MPI_Recv(&other, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  expect(rank != 0 || other == 1.0, "the program's message arrives");

  int over = 0;
  MPI_Finalized(&over);
  expect(over == 0, "MPI is still there");
  MPI_Finalize();
  return failures == 0 && size == 2 ? 0 : 1;
}

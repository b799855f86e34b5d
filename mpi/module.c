/* All that the program knows of MPI: a module that src/study/ranks.cpp loads under mpirun. In C, so that the headers of
   MPI meet no other compiler options than these. */
#include <mpi.h>

enum { kTag = 7 };
static const long long kPiece = 1LL << 30; /* counts of MPI are ints */

static MPI_Comm ours;   /* our messages meet none of the program's */
static int begun_here;  /* who begins MPI ends it */

int rattleback_mpi_begin(int* rank, int* size) {
  int given = 0, begun = 0, over = 0;
  MPI_Finalized(&over);
  if (over) return 2;
  MPI_Initialized(&begun);
  if (!begun) {
    if (MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return 1;
    begun_here = 1;
  }
  if (MPI_Comm_dup(MPI_COMM_WORLD, &ours) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(ours, rank);
  MPI_Comm_size(ours, size);
  return 0;
}

void rattleback_mpi_send(const char* bytes, long long count) {
  MPI_Send(&count, 1, MPI_LONG_LONG, 0, kTag, ours);
  for (long long at = 0; at < count; at += kPiece) {
    const long long rest = count - at;
    MPI_Send(bytes + at, (int)(rest < kPiece ? rest : kPiece), MPI_BYTE, 0, kTag, ours);
  }
}

long long rattleback_mpi_receive_size(int from) {
  long long count = 0;
  MPI_Recv(&count, 1, MPI_LONG_LONG, from, kTag, ours, MPI_STATUS_IGNORE);
  return count;
}

void rattleback_mpi_receive(int from, char* bytes, long long count) {
  for (long long at = 0; at < count; at += kPiece) {
    const long long rest = count - at;
    MPI_Recv(bytes + at, (int)(rest < kPiece ? rest : kPiece), MPI_BYTE, from, kTag, ours, MPI_STATUS_IGNORE);
  }
}

/* Every process that has begun comes here, also one that failed: MPI_Finalize waits for all of them. */
void rattleback_mpi_end(void) {
  int over = 0;
  MPI_Finalized(&over);
  if (begun_here && !over) MPI_Finalize();
}

void rattleback_mpi_abort(void) { MPI_Abort(MPI_COMM_WORLD, 70); }

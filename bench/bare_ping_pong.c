/* A bare MPI ping-pong, the peer of `weft mpi`: prints the median round trip in ns over batches of
 * 10 round trips timed together. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  enum { batches = 20000, trips = 10 };
  static double times[batches];
  char buffer[8] = "message";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (int trip = 0; trip < trips; ++trip) {
      if (rank == 0) MPI_Send(buffer, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    times[batch] = (MPI_Wtime() - start) / trips;
  }
  qsort(times, batches, sizeof(double), ascending);
  if (rank == 0) printf("%.3f\n", times[batches / 2] * 1e9);
  return MPI_Finalize();
}

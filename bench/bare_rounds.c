/* Rounds of all pairs by bare MPI, what those of `weft map` may take at best where ranks share
 * cores:
 *
 *     mpirun -n 64 ... bare_rounds TRIPS AGREEMENTS
 *
 * In each round a rank has one partner, as many messages of 8 bytes and answers of 32 go each way
 * as TRIPS says, and around them all ranks meet as those of a map do: a line to all, AGREEMENTS on
 * one number, some bytes of each to rank 0, and its answer; with 0 AGREEMENTS they never meet.
 * Prints the seconds of all rounds, those of the pairs (the mean of the ranks), and the one over
 * the other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { line_bytes = 2048, head_bytes = 256, message_bytes = 8, answer_bytes = 32 };

static void one_way(int trips, int partner, int sends) {
  char message[message_bytes] = "message", answer[answer_bytes] = "answer";
  for (int trip = 0; trip < trips; ++trip) {
    if (sends) {
      MPI_Send(message, message_bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
      MPI_Recv(answer, answer_bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(message, message_bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(answer, answer_bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD);
    }
  }
}

/* The circle method for an even number: the last rank stands, all others go round. */
static int partner_in(int round, int rank, int ranks) {
  const int turning = ranks - 1;
  if (rank == turning) return round % 2 == 0 ? round / 2 : (round + turning) / 2;
  const int other = (round - rank + turning) % turning;
  return other == rank ? turning : other;
}

static void meet_before(char* line, int rank, int agreements) {
  int least = 0;
  if (agreements > 0) MPI_Bcast(line, line_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int at = 0; at < agreements; ++at)
    MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

static void meet_behind(char* line, char* heads) {
  static char head[head_bytes];
  MPI_Gather(head, head_bytes, MPI_BYTE, heads, head_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(line, answer_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static char line[line_bytes];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int trips = atoi(argv[1]), agreements = atoi(argv[2]);
  char* heads = malloc((size_t)ranks * head_bytes);
  double own_s = 0, sum_s = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int round = 0; round < ranks - 1; ++round) {
    meet_before(line, rank, agreements);
    const int partner = partner_in(round, rank, ranks);
    const double start = MPI_Wtime();
    one_way(trips, partner, rank < partner);
    one_way(trips, partner, rank > partner);
    own_s += MPI_Wtime() - start;
    if (agreements > 0) meet_behind(line, heads);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double all_s = MPI_Wtime() - begin;
  MPI_Reduce(&own_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("rounds %.2f s, pairs %.2f s, over them %.2f\n", all_s, sum_s / ranks,
           all_s * ranks / sum_s);
  free(heads);
  return MPI_Finalize();
}

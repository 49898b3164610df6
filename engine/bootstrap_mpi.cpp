#include "bootstrap_mpi.hpp"

#include <mpi.h>
#include <ctime>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace weft {

namespace {

void sleep_ns(long nanoseconds) {
  const timespec pause{0, nanoseconds};
  nanosleep(&pause, nullptr);
}

// A rank that waits for rank 0's next case must not burn the core that rank 0's caller computes on.
void wait_asleep(MPI_Request request) {
  constexpr long first_ns = 20'000;
  constexpr long longest_ns = 500'000;
  int done = 0;
  for (long pause_ns = first_ns;; pause_ns = std::min(2 * pause_ns, longest_ns)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sleep_ns(pause_ns);
  }
}

}  // namespace

std::string_view mpi_name() {
  return WEFT_MPI;
}

MpiBootstrap::MpiBootstrap(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiBootstrap::~MpiBootstrap() {
  MPI_Finalize();
}

std::vector<std::string> MpiBootstrap::exchange(const std::string& mine) {
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> starts(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                 MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::string MpiBootstrap::broadcast(const std::string& mine) {
  std::uint64_t length = mine.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
  wait_asleep(request);
  std::string text = rank_ == 0 ? mine : std::string(length, '\0');
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

void MpiBootstrap::barrier() {
  MPI_Barrier(MPI_COMM_WORLD);
}

void MpiBootstrap::barrier_asleep(bool sleeps) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (sleeps) return wait_asleep(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

std::string MpiBootstrap::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find_first_of(",\n"));
}

void MpiBootstrap::abort(int status) {
  // MPICH's starter ends with the job and drops what it has not passed on yet, such as our reason.
  constexpr long grace_ns = 100'000'000;
  sleep_ns(grace_ns);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace weft

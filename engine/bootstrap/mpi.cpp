#include "bootstrap/mpi.hpp"

#include <mpi.h>
#include <unistd.h>
#include <ctime>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "bootstrap/calls.hpp"
#include "bootstrap/longer_sleeps.hpp"
#include "bootstrap/mpi_requests.hpp"
#include "bootstrap/output.hpp"

namespace weft {

namespace {

// A rank that waits for another one must not burn the core that that one, or its caller, works on.
void wait_asleep(long longest_ns, MPI_Request request) {
  constexpr long first_ns = 20'000;
  int done = 0;
  for (long pause_ns = first_ns;; pause_ns = std::min(2 * pause_ns, longest_ns)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
    sleep_ns(pause_ns < longest_ns ? pause_ns : until_all_poll_ns(longest_ns, now.count()));
  }
}

void wait(bool asleep, long longest_ns, MPI_Request request) {
  if (asleep) {
    wait_asleep(longest_ns, request);
  } else {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

std::vector<std::uint64_t> lengths_of(const std::string& mine, int ranks) {
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(ranks));
  MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return lengths;
}

std::vector<int> lengths_between(const std::vector<int>& starts) {
  std::vector<int> lengths;
  for (std::size_t at = 1; at < starts.size(); ++at) lengths.push_back(starts[at] - starts[at - 1]);
  return lengths;
}

std::vector<std::string> texts_of(const std::string& all, const std::vector<int>& starts) {
  std::vector<std::string> texts;
  for (std::size_t at = 1; at < starts.size(); ++at) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[at - 1]),
                               static_cast<std::size_t>(starts[at] - starts[at - 1])));
  }
  return texts;
}

/// A number that the starter reports to each rank, the first of its text; 0 where it does not.
long reported(const char* name) {
  const char* text = std::getenv(name);
  long value = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

/// Whether the starter says that all ranks of this launch are on one host.
bool is_on_one_host() {
  // An mpirun on several hosts may itself be typed in a step of Slurm that has one.
  const long ranks = reported("OMPI_COMM_WORLD_SIZE");
  if (ranks > 0) return reported("OMPI_COMM_WORLD_LOCAL_SIZE") == ranks;
  return reported("SLURM_STEP_NUM_NODES") == 1;
}

/// How many ranks of this launch the starter says are on this host; 0 where it does not.
long ranks_reported_of_host() {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"}) {
    if (const long ranks = reported(name); ranks > 0) return ranks;
  }
  return 0;
}

constexpr const char* yield_variable = "OMPI_MCA_mpi_yield_when_idle";

// Where ranks outnumber cores Open MPI's own starter has a rank that waits give its core away;
// Slurm's does not tell Open MPI, and a thousand ranks that spin on two cores never start. What a
// user has set stays.
void yield_where_crowded(long ranks_of_host, long cores) {
  constexpr int keep = 0;
  if (ranks_of_host > cores) setenv(yield_variable, "1", keep);
}

// Open MPI looks through UCX and libfabric for the best way to send, which takes longer than all
// else of a start, and opens the devices that the measured library is to have. To meet, its own
// shared memory and TCP do. Ranks that only meet give their core away while they wait: where there
// are more of them than cores, the one that is waited for gets it at once. (Open MPI 4.1.4 crashes
// in MPI_Init at times where ranks yield and it looks through all ways.) On one host the shared
// memory alone does: over TCP too, each rank asks the starter for the address of each other
// (docs/decisions/0016). What a user has set stays.
void choose_plain_messages() {
  constexpr int keep = 0;
  setenv("OMPI_MCA_pml", "ob1", keep);
  setenv(yield_variable, "1", keep);
  if (is_on_one_host()) setenv("OMPI_MCA_btl", "self,vader", keep);
}

struct NamedLevel {
  int of_mpi;
  ThreadLevel level;
  std::string_view name;
};
constexpr std::array levels{
    NamedLevel{MPI_THREAD_SINGLE, ThreadLevel::single, "single"},
    NamedLevel{MPI_THREAD_FUNNELED, ThreadLevel::funneled, "funneled"},
    NamedLevel{MPI_THREAD_SERIALIZED, ThreadLevel::serialized, "serialized"},
    NamedLevel{MPI_THREAD_MULTIPLE, ThreadLevel::multiple, "multiple"},
};

// The lowest level is that of MPI_Init, as most programs call it: in Open MPI 4.1 short messages
// take 30 % longer after MPI_Init_thread with any higher level.
void start_mpi(int* argc, char*** argv, ThreadLevel level) {
  int provided = MPI_THREAD_SINGLE;
  if (level == ThreadLevel::single) {
    MPI_Init(argc, argv);
  } else {
    MPI_Init_thread(argc, argv, levels.at(static_cast<std::size_t>(level)).of_mpi, &provided);
  }
}

}  // namespace

ThreadLevel thread_level_called(std::string_view name) {
  for (const NamedLevel& one : levels) {
    if (one.name == name) return one.level;
  }
  throw std::invalid_argument("there is no thread level " + std::string(name) + "; use one of " +
                              std::string(thread_level_names));
}

std::string_view name_of(ThreadLevel level) {
  return levels.at(static_cast<std::size_t>(level)).name;
}

ThreadLevel provided_thread_level() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  for (const NamedLevel& one : levels) {
    if (one.of_mpi == provided) return one.level;
  }
  return ThreadLevel::single;
}

std::string_view mpi_name() {
  return WEFT_MPI;
}

bool gives_core_away() {
  const char* set = std::getenv(yield_variable);
  return mpi_name() == "openmpi" && set != nullptr && std::strcmp(set, "1") == 0;
}

MpiBootstrap::MpiBootstrap(int* argc, char*** argv, MpiUse use, ThreadLevel level) {
  const long ranks = ranks_reported_of_host();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (use == MpiUse::meeting) choose_plain_messages();
  yield_where_crowded(ranks, cores);
  {
    const LongerSleeps here(pause_while_starting_ns(ranks, cores));
    start_mpi(argc, argv, level);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  const ThreadLevel provided = provided_thread_level();
  if (provided >= level) return;
  MPI_Finalize();
  const std::string given(name_of(provided));
  throw std::runtime_error(
      "this MPI provides thread level " + given + ", not " + std::string(name_of(level)) +
      (use == MpiUse::measured ? "; use --option mpi.thread_level=" + given + ", or another MPI"
                               : "; use an MPI that was built with threads"));
}

MpiBootstrap::~MpiBootstrap() {
  MPI_Finalize();
}

void MpiBootstrap::share_host(long ranks) {
  longest_pause_ns_ = longest_pause_ns(ranks, sysconf(_SC_NPROCESSORS_ONLN));
}

std::vector<std::string> MpiBootstrap::exchange(const std::string& mine) {
  barrier();  // where a rank that gave up is heard of
  const std::vector<int> starts = starts_of(lengths_of(mine, size_));
  const std::vector<int> lengths = lengths_between(starts);
  std::string all(static_cast<std::size_t>(starts.back()), '\0');
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(), lengths.data(),
                 starts.data(), MPI_CHAR, MPI_COMM_WORLD);
  return texts_of(all, starts);
}

// Ranks that have nothing to say send each other one number, in as many steps as log2 of the ranks.
std::string MpiBootstrap::first_of(const std::string& mine) {
  const int own = place_of(mine, rank_, size_);
  int first = own;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return text_at(first, mine);
}

std::string MpiBootstrap::first_of_asleep(const std::string& mine, bool sleeps, int caller) {
  hear_call(sleeps, caller);
  const int own = place_of(mine, rank_, size_);
  int first = own;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  wait(sleeps, std::min(longest_pause_ns_, most_pause_ns), request);
  return text_at(first, mine);
}

// The library's own exchange of all goes by way of ranks that sleep: from each to the next it waits
// until that one looks. Behind a call all are there, and look often again.
void MpiBootstrap::hear_call(bool sleeps, int caller) const {
  constexpr int call_tag = 3;
  constexpr long most_of_rank_0_ns = 4'000'000;
  std::vector<MPI_Request> calls;
  if (const std::optional<int> other = heard_by(rank_, caller)) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_BYTE, *other, call_tag, MPI_COMM_WORLD, &request);
    const long longest_ns =
        std::min(longest_pause_ns_, rank_ == 0 ? most_of_rank_0_ns : longest_pause_ns_);
    wait(sleeps, longest_ns, request);
  }
  for (const int other : called_by(rank_, size_, caller)) {
    MPI_Isend(nullptr, 0, MPI_BYTE, other, call_tag, MPI_COMM_WORLD, &calls.emplace_back());
  }
  MPI_Waitall(static_cast<int>(calls.size()), calls.data(), MPI_STATUSES_IGNORE);
}

std::string MpiBootstrap::text_at(int place, const std::string& mine) const {
  if (place == kinds_of_text * size_) return "";
  const int first = place % size_;
  std::uint64_t length = mine.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, first, MPI_COMM_WORLD);
  std::string text = first == rank_ ? mine : std::string(length, '\0');
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, first, MPI_COMM_WORLD);
  return unless_given_up(text);
}

std::vector<std::string> MpiBootstrap::swap(std::span<const int> ranks,
                                            const std::vector<std::string>& mine) {
  constexpr int lengths_tag = 1;
  constexpr int texts_tag = 2;
  std::vector<std::uint64_t> own(ranks.size());
  std::vector<std::uint64_t> theirs(ranks.size());
  std::vector<MPI_Request> requests(2 * ranks.size());
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    own[at] = mine[at].size();
    MPI_Irecv(&theirs[at], 1, MPI_UINT64_T, ranks[at], lengths_tag, MPI_COMM_WORLD,
              &requests[2 * at]);
    MPI_Isend(&own[at], 1, MPI_UINT64_T, ranks[at], lengths_tag, MPI_COMM_WORLD,
              &requests[2 * at + 1]);
  }
  await_all(requests, ranks, *this);
  std::vector<std::string> texts(ranks.size());
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    texts[at].resize(theirs[at]);
    MPI_Irecv(texts[at].data(), static_cast<int>(theirs[at]), MPI_CHAR, ranks[at], texts_tag,
              MPI_COMM_WORLD, &requests[2 * at]);
    MPI_Isend(mine[at].data(), static_cast<int>(own[at]), MPI_CHAR, ranks[at], texts_tag,
              MPI_COMM_WORLD, &requests[2 * at + 1]);
  }
  await_all(requests, ranks, *this);
  return texts;
}

std::vector<std::byte> MpiBootstrap::gather(std::span<const std::byte> mine) {
  const auto bytes = static_cast<int>(mine.size());
  std::vector<std::byte> all(rank_ == 0 ? mine.size() * static_cast<std::size_t>(size_) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD,
              &request);
  wait(rank_ > 0, longest_pause_ns_, request);
  return all;
}

std::vector<std::byte> MpiBootstrap::gather(std::span<const std::byte> mine,
                                            std::span<const std::uint64_t> bytes) {
  std::vector<int> starts{0};
  if (rank_ == 0) starts = starts_of({bytes.begin(), bytes.end()});
  const std::vector<int> lengths = lengths_between(starts);
  std::vector<std::byte> all(static_cast<std::size_t>(starts.back()));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), lengths.data(),
               starts.data(), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait_asleep(longest_pause_ns_, request);
  return all;
}

std::string MpiBootstrap::broadcast(const std::string& mine) {
  hear_call(rank_ > 0, 0);
  // Most texts go with their length: one exchange of all ranks, not two.
  constexpr std::size_t together_bytes = 2048;
  std::array<char, together_bytes> begin{};
  std::uint64_t length = mine.size();
  constexpr std::size_t most = begin.size() - sizeof length;
  std::memcpy(begin.data(), &length, sizeof length);
  std::memcpy(begin.data() + sizeof length, mine.data(), std::min(mine.size(), most));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(begin.data(), begin.size(), MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  wait_asleep(std::min(longest_pause_ns_, most_pause_ns), request);
  std::memcpy(&length, begin.data(), sizeof length);
  std::string text(begin.data() + sizeof length, std::min<std::size_t>(length, most));
  if (length <= most) return text;
  text.resize(length);
  if (rank_ == 0) text = mine;
  MPI_Bcast(text.data() + most, static_cast<int>(length - most), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

void MpiBootstrap::barrier() {
  (void)first_of("");
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
  constexpr std::int64_t most_ns = 10'000'000'000;
  constexpr long grace_ns = 100'000'000;
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) wait_until_read(file, most_ns);
  sleep_ns(grace_ns);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace weft

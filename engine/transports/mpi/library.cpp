#include "transports/mpi/library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "bootstrap/mpi.hpp"
#include "bootstrap/mpi_requests.hpp"
#include "host/network.hpp"
#include "transports/parts/connecting.hpp"
#include "transports/parts/traffic_class.hpp"

namespace weft {

namespace {

// Open MPI's own cache (ompi_info --all), and those of the libraries that an MPI may stand on.
constexpr std::array mpi_cache{
    CacheSwitch{"OMPI_MCA_mpi_leave_pinned", "0"}, CacheSwitch{"UCX_IB_REG_METHODS", "direct"},
    CacheSwitch{"UCX_RCACHE_ENABLE", "n"}, CacheSwitch{"FI_MR_CACHE_MAX_COUNT", "0"}};

// What chooses the interface of Open MPI's own TCP, of UCX and of libfabric's providers over
// sockets: each MPI stands on one of them.
constexpr std::array interface_variables{"OMPI_MCA_btl_tcp_if_include", "UCX_NET_DEVICES",
                                         "FI_TCP_IFACE", "FI_SOCKETS_IFACE"};

// All bytes of a message as one element: whole chunks, then the rest.
MPI_Datatype make_large(std::size_t bytes) {
  constexpr int chunk = 1 << 30;
  const auto chunks = static_cast<int>(bytes / chunk);
  const auto rest = static_cast<int>(bytes % chunk);
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(chunk, MPI_BYTE, &one);
  const std::array<int, 2> lengths{chunks, rest};
  const std::array<MPI_Aint, 2> offsets{0, static_cast<MPI_Aint>(chunks) * chunk};
  const std::array<MPI_Datatype, 2> types{one, MPI_BYTE};
  MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &whole);
  MPI_Type_commit(&whole);
  MPI_Type_free(&one);
  return whole;
}

// By what MPI keeps a communicator's link for it.
int link_of_communicator() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
    return made;
  }();
  return key;
}

}  // namespace

MpiLink::MpiLink(const LinkOptions& options, Bootstrap& boot)
    : boot_(&boot), requested_(thread_level_in(options)), known_(boot.size()), size_(boot.size()) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  connecting_ns_ = connecting_ns(boot, [&] { meet(first_neighbours(boot)); });
  interfaces_ = of_each_host(boot, interfaces_in_use());
  hear_errors();
}

void MpiLink::hear_errors() {
  MPI_Comm_set_attr(comm_, link_of_communicator(), this);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(hear_error, &handler);
  MPI_Comm_set_errhandler(comm_, handler);
  MPI_Errhandler_free(&handler);  // the communicator keeps it
}

// The type is MPI's.
// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions,readability-non-const-parameter)
void MpiLink::hear_error(MPI_Comm* comm, int* code, ...) {
  void* link = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(*comm, link_of_communicator(), static_cast<void*>(&link), &is_known);
  if (is_known != 0) static_cast<MpiLink*>(link)->heard_ = *code;
}

// A byte to each rank and one from each.
void MpiLink::meet(std::span<const int> ranks) {
  constexpr int meeting_tag = 0;
  ranks_of_case_.assign(ranks.begin(), ranks.end());
  const std::vector<int> unknown = known_.take_new(ranks);
  std::byte mine{};
  std::vector<std::byte> theirs(unknown.size());
  std::vector<MPI_Request> requests(2 * unknown.size());
  for (std::size_t at = 0; at < unknown.size(); ++at) {
    MPI_Irecv(&theirs[at], 1, MPI_BYTE, unknown[at], meeting_tag, comm_, &requests[2 * at]);
    MPI_Isend(&mine, 1, MPI_BYTE, unknown[at], meeting_tag, comm_, &requests[2 * at + 1]);
  }
  await_all(requests, unknown, *boot_);
}

MpiLink::~MpiLink() {
  if (large_ != MPI_DATATYPE_NULL) MPI_Type_free(&large_);
  MPI_Comm_free(&comm_);
}

void MpiLink::refuse() noexcept {
  if (fault_.code == 0) fault_ = too_much_posted(MPI_ERR_OTHER);
}

void MpiLink::keep(int code, const char* during) noexcept {
  if (fault_.code != 0) return;
  if (code == MPI_ERR_IN_STATUS && heard_ != MPI_SUCCESS) code = heard_;
  int length = 0;
  MPI_Error_string(code, said_.data(), &length);
  fault_ = {code, during, said_.data()};
}

void MpiLink::know_shape(std::size_t bytes) {
  if (bytes <= INT_MAX || bytes == large_bytes_) return;
  if (large_ != MPI_DATATYPE_NULL) MPI_Type_free(&large_);
  large_ = make_large(bytes);
  large_bytes_ = bytes;
}

MPI_Comm MpiLink::comm_of_case() const {
  constexpr int windows_tag = 1;
  int most = boot_->rank();
  for (const int rank : ranks_of_case_) most = std::max(most, rank);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(comm_, &all);
  std::vector<int> first(static_cast<std::size_t>(most) + 1);
  std::iota(first.begin(), first.end(), 0);
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Group_incl(all, most + 1, first.data(), &some);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_group(comm_, some, windows_tag, &comm);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return comm;
}

Opened MpiLink::expose(std::size_t bytes) {
  void* memory = nullptr;
  MPI_Comm comm = comm_of_case();
  const int made =
      MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, &memory, &window_);
  MPI_Comm_free(&comm);  // the window keeps it
  if (made != MPI_SUCCESS) {
    throw std::runtime_error("MPI_Win_allocate failed for " + std::to_string(bytes) +
                             " bytes; choose smaller sizes");
  }
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  int* model = nullptr;
  int given = 0;
  MPI_Win_get_attr(window_, MPI_WIN_MODEL, static_cast<void*>(&model), &given);
  if (given == 0 || *model != MPI_WIN_UNIFIED) {
    MPI_Win_free(&window_);
    throw std::runtime_error("this MPI keeps two copies of a window; one-sided tests need one");
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  return {{static_cast<std::byte*>(memory), bytes, 0}, {}};
}

void MpiLink::withdraw() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void MpiLink::before_start(const LinkOptions& options) {
  switch_registration_cache(options, mpi_cache);
  const std::string interface = options.text("interface");
  if (interface.empty()) return;
  (void)interface_called(interface);  // MPI itself would take another, or none
  for (const char* variable : interface_variables) setenv(variable, interface.c_str(), 1);
}

Details MpiLink::details() const {
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  Details notes{{"standard", std::to_string(version) + "." + std::to_string(subversion)},
                {"requested thread level", std::string(name_of(requested_))},
                {"provided thread level", std::string(name_of(provided_thread_level()))},
                registration_cache_note(mpi_cache),
                {traffic_class_note, unknown_class},
                connecting_note(connecting_ns_)};
  if (gives_core_away()) notes.emplace_back("waiting ranks", "give their core away");
  if (!interfaces_.empty()) notes.emplace_back("TCP interface", interfaces_);
  return notes;
}

}  // namespace weft

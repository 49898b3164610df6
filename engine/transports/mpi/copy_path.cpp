#include "transports/mpi/copy_path.hpp"

#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "host/hosts.hpp"
#include "host/network.hpp"

namespace weft {

namespace {

// Of a name in the tool interface.
constexpr int most_characters = 256;

/// The library's own variables, by the tool interface of MPI.
class ToolInterface {
 public:
  ToolInterface() {
    // Open MPI takes another level for that of the whole library from then on.
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    int provided = 0;
    is_open_ = MPI_T_init_thread(level, &provided) == MPI_SUCCESS;
  }
  ToolInterface(const ToolInterface&) = delete;
  ToolInterface& operator=(const ToolInterface&) = delete;
  ToolInterface(ToolInterface&&) = delete;
  ToolInterface& operator=(ToolInterface&&) = delete;
  ~ToolInterface() {
    if (is_open_) MPI_T_finalize();
  }

  /// Whether there is such a variable: those of a component that is not in use are gone.
  [[nodiscard]] bool has(const std::string& name) const { return find(name).has_value(); }

  struct Number {
    int value = 0;
    /// The library's name for the value, if it has one.
    std::string meaning;
  };
  /// Nothing if there is no such variable, or if it is not a number of this size.
  [[nodiscard]] std::optional<Number> number(const std::string& name) const {
    const std::optional<Variable> found = find(name);
    if (!found || found->type != MPI_INT) return {};
    MPI_T_cvar_handle handle = nullptr;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(found->index, nullptr, &handle, &count) != MPI_SUCCESS) return {};
    Number of;
    const bool is_read = count == 1 && MPI_T_cvar_read(handle, &of.value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (!is_read) return {};
    if (found->names != MPI_T_ENUM_NULL) of.meaning = meaning(found->names, of.value);
    return of;
  }

 private:
  struct Variable {
    int index = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names = MPI_T_ENUM_NULL;
  };
  /// Only one of the whole library, and not one of an object.
  [[nodiscard]] std::optional<Variable> find(const std::string& name) const {
    Variable found;
    if (!is_open_ || MPI_T_cvar_get_index(name.c_str(), &found.index) != MPI_SUCCESS) return {};
    std::array<char, most_characters> text{};
    int length = most_characters;
    std::array<char, 1> description{};
    int described = 1;
    int verbosity = 0;
    int bound = 0;
    int scope = 0;
    const int got =
        MPI_T_cvar_get_info(found.index, text.data(), &length, &verbosity, &found.type,
                            &found.names, description.data(), &described, &bound, &scope);
    if (got != MPI_SUCCESS || bound != MPI_T_BIND_NO_OBJECT) return {};
    return found;
  }
  static std::string meaning(MPI_T_enum names, int value) {
    std::array<char, most_characters> text{};
    int length = most_characters;
    int items = 0;
    MPI_T_enum_get_info(names, &items, text.data(), &length);
    for (int item = 0; item < items; ++item) {
      int of_item = 0;
      length = most_characters;
      MPI_T_enum_get_item(names, item, &of_item, text.data(), &length);
      if (of_item == value) return text.data();
    }
    return "";
  }

  bool is_open_ = false;
};

// A container that blocks the call blocks it for a process's own memory too.
bool may_read_memory() {
  int from = 1;
  int to = 0;
  const iovec local{&to, sizeof to};
  const iovec remote{&from, sizeof from};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == sizeof to && to == from;
}

// Open MPI 5: of the components that are in use the one with the highest priority copies.
std::string component_that_copies(const ToolInterface& library) {
  std::string best = "none";
  int highest = -1;
  for (const char* name : {"xpmem", "cma", "knem"}) {
    const auto priority = library.number("smsc_" + std::string(name) + "_priority");
    if (!priority || priority->value <= highest) continue;
    highest = priority->value;
    best = name;
  }
  return best;
}

std::string mechanism_here() {
  const ToolInterface library;
  // Otherwise UCX or libfabric carries the messages, and chooses by itself.
  if (!library.has("pml_ob1_priority")) return "";
  if (!library.has("btl_vader_eager_limit") && !library.has("btl_sm_eager_limit")) return "";
  std::string found;
  if (const auto of_4 = library.number("btl_vader_single_copy_mechanism")) {
    found = of_4->meaning;
  } else if (library.has("smsc_base_verbose")) {
    found = component_that_copies(library);
  }
  if (found == "cma" && !may_read_memory()) return "cma, but process_vm_readv is blocked";
  return found;
}

}  // namespace

std::string copy_path(Bootstrap& boot) {
  const std::vector<std::string>& hosts = hosts_of(boot);
  if (std::set<std::string>(hosts.begin(), hosts.end()).size() == hosts.size()) return "";
  return of_each_host(boot, mechanism_here());
}

}  // namespace weft

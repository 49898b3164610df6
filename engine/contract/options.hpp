// The command line of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// So many ranks can be asked about.
inline constexpr int most_ranks = 1 << 20;

/// Something that a transport can be set with --option, for its help and for refusing what it does
/// not know or take.
struct Setting {
  std::string_view name;
  std::string_view summary;
  /// A whole number from `least` to `most`, where `most` is not 0.
  int least = 0;
  int most = 0;
  /// The values that it takes too, with commas; any value where there are neither.
  std::string_view choices = {};
};
inline constexpr std::string_view yes_or_no = "yes,no";

/// The options of a transport. A setting that was not given has the value that the transport names.
class LinkOptions {
 public:
  void set(std::string name, std::string value);

  /// Throws std::invalid_argument for a setting that is not among the known ones.
  void refuse_unknown(std::string_view transport, std::span<const Setting> known) const;

  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const;

  /// Throws std::invalid_argument for what is no whole number from low to high.
  [[nodiscard]] int number(std::string_view name, int otherwise, int low, int high) const;

  /// As the setting's range has it. Throws std::invalid_argument for what is outside.
  [[nodiscard]] int number(const Setting& setting, int otherwise) const {
    return number(setting.name, otherwise, setting.least, setting.most);
  }

  /// How many items the longest of the lists (a,b,c) has: one where there is no list.
  [[nodiscard]] std::size_t longest_list() const;

  /// The options with that item of every list. Throws std::invalid_argument where a list is shorter
  /// but has more than one.
  [[nodiscard]] LinkOptions of_rail(std::size_t rail) const;

  /// "yes" or "no". Throws std::invalid_argument for anything else.
  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;

 private:
  std::vector<std::pair<std::string, std::string>> given_;
};

/// Which cores the ranks of a host take: any, those of one socket, those of the sockets in turn, or
/// those near the device that messages go by.
enum class Placement : std::uint8_t { any, same_socket, other_socket, near_device };

struct Options {
  bool describe = false;
  /// A file of an application to describe: TEST.OPTION=FILE.
  std::string inspect;
  /// Cases are not run: of each is said what speaks against it on so many ranks.
  int refuses_on = 0;
  std::string mode;
  Placement placement = Placement::any;
  std::vector<int> cpus;
  LinkOptions link;
};

/// Throws std::invalid_argument with what is wrong and what to type.
Options parse_options(int argc, const char* const* argv);

}  // namespace weft

#include "run/lines.hpp"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>

#include "run/batch_line.hpp"
#include "run/case.hpp"

namespace weft {

namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return;  // the reader is gone; the starter ends this rank
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void write_text(std::string_view text) {
  write_all(STDOUT_FILENO, text);
}

void write_line(const std::string& line) {
  write_text(line + '\n');
}

void write_error(std::string_view transport, std::string_view text) {
  write_all(STDERR_FILENO, "rank-" + std::string(transport) + ": " + std::string(text) + '\n');
}

std::optional<std::string> next_case_line() {
  std::string line;
  while (std::getline(std::cin, line)) {
    constexpr std::size_t most_characters = 65'536;
    if (line.size() > most_characters) line = "a case has at most 65536 characters";
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      (void)parse_case(line);
      return line;
    } catch (const std::exception& error) {
      Batch refused;
      refused.id = id_of(line);
      refused.outcome = {Status::failed, error.what(), 0};
      write_line(to_line(refused));
    }
  }
  return std::nullopt;
}

}  // namespace weft

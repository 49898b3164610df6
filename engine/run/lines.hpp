// The lines of a rank's program: cases on its standard input, answers and errors on its outputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

void write_text(std::string_view text);
void write_line(const std::string& line);
void write_error(std::string_view transport, std::string_view text);

/// Rank 0's next case that can be parsed, as text; nothing at the end of input. A line that cannot
/// be parsed is answered with a failed batch.
std::optional<std::string> next_case_line();

}  // namespace weft

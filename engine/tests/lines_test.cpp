// The lines of a program's input and output: what is read as a case, what is answered at once, and
// that all of a text is written.
#include "run/lines.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft {
namespace {

/// A pipe in place of one of the program's own files, for as long as it lives.
class InPlaceOf {
 public:
  explicit InPlaceOf(int file) : file_(file), before_(dup(file)) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    EXPECT_EQ(dup2(ends_[1], file_), file_);
  }
  InPlaceOf(const InPlaceOf&) = delete;
  InPlaceOf& operator=(const InPlaceOf&) = delete;
  InPlaceOf(InPlaceOf&&) = delete;
  InPlaceOf& operator=(InPlaceOf&&) = delete;
  ~InPlaceOf() {
    give_back();
    close(ends_[0]);
  }

  /// All that was written, once nobody writes any more.
  std::string all() {
    give_back();
    return read_all();
  }
  std::string read_all() {
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 1; got > 0;) {
      got = read(ends_[0], piece.data(), piece.size());
      if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  void give_back() {
    if (before_ < 0) return;
    dup2(before_, file_);
    close(std::exchange(before_, -1));
    close(ends_[1]);
  }

 private:
  int file_;
  int before_;
  std::array<int, 2> ends_{};
};

/// The cases that are read of such an input, and what is answered meanwhile.
std::pair<std::vector<std::string>, std::string> read_of(const std::string& input) {
  std::istringstream lines(input);
  std::streambuf* const before = std::cin.rdbuf(lines.rdbuf());
  std::cin.clear();
  InPlaceOf output(STDOUT_FILENO);
  std::vector<std::string> cases;
  while (const std::optional<std::string> line = next_case_line()) cases.push_back(*line);
  std::cin.rdbuf(before);
  std::cin.clear();
  return {cases, output.all()};
}

TEST(Lines, AreCasesButForEmptyOnes) {
  const auto [cases, said] = read_of("\n \t\r\n{\"id\":1}\r\n  {\"id\":2}\n\n{\"id\":3}");
  EXPECT_EQ(cases, (std::vector<std::string>{"{\"id\":1}\r", "  {\"id\":2}", "{\"id\":3}"}));
  EXPECT_EQ(said, "");
}

TEST(Lines, ThatAreNoCaseAreAnsweredAtOnceAndTheNextOneIsRead) {
  const auto [cases, said] = read_of("{\"id\":7,\"samples\":0}\nnothing\n{\"id\":8}\n");
  EXPECT_EQ(cases, std::vector<std::string>{"{\"id\":8}"});
  std::istringstream lines(said);
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(line);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers[0].find(R"("id":7,"kind":"batch")"), std::string::npos) << answers[0];
  EXPECT_NE(answers[0].find(R"("reason":"samples must be a whole number from 1 to 1000000, not 0",)"
                            R"("status":"failed")"),
            std::string::npos)
      << answers[0];
  EXPECT_NE(answers[1].find(R"("id":0,)"), std::string::npos) << answers[1];
  EXPECT_NE(answers[1].find(R"("reason":"a case must be one JSON object on a line")"),
            std::string::npos);
}

TEST(Lines, HaveABoundThatIsNamed) {
  constexpr std::size_t most = 65'536;
  const std::string begin = R"({"id":4,"test":")";
  const std::string longest = begin + std::string(most - begin.size() - 2, 'x') + "\"}";
  ASSERT_EQ(longest.size(), most);
  EXPECT_EQ(read_of(longest + "\n").first.size(), 1U);
  const std::string longer = begin + std::string(most - begin.size() - 1, 'x') + "\"}";
  const auto [cases, said] = read_of(longer + "\n");
  EXPECT_TRUE(cases.empty());
  EXPECT_NE(said.find(R"("id":0,)"), std::string::npos);
}

TEST(Lines, OfOutputAndOfErrorsEndWithTheirLine) {
  InPlaceOf output(STDOUT_FILENO);
  InPlaceOf errors(STDERR_FILENO);
  write_text("a");
  write_line("b");
  write_error("tcp", "no network");
  EXPECT_EQ(errors.all(), "rank-tcp: no network\n");
  EXPECT_EQ(output.all(), "ab\n");
}

void hear(int /*signal*/) {}

// A pipe that is full holds the writer up, and a signal interrupts it there.
TEST(Lines, AreWrittenToTheirEndWhateverInterruptsTheWriter) {
  struct sigaction heard {};
  heard.sa_handler = hear;
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &heard, &before), 0);
  const std::string text = std::string(300'000, 'x') + "y";
  InPlaceOf output(STDOUT_FILENO);
  std::atomic<bool> is_written{false};
  std::thread writer([&] {
    write_text(text);
    is_written = true;
    output.give_back();
  });
  for (int times = 0; times < 50 && !is_written; ++times) {
    pthread_kill(writer.native_handle(), SIGUSR1);
    usleep(1000);
  }
  EXPECT_FALSE(is_written) << "nobody reads yet";
  EXPECT_EQ(output.read_all(), text);
  writer.join();
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace weft

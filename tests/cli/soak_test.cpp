// A run of very many steps takes no more memory than one of few, and its clock is right. Forty thousand
// steps here; `make long` makes ten million (SINEW_SOAK_STEPS).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "cli/command.h"
#include "support/sanitized.h"

namespace sinew::testing {
namespace {

// Bytes that an allocator may hold or not. Sanitizers keep what was freed for a while.
constexpr double slack = test::isSanitized ? 3e8 : 2e6;

class Soak : public CommandTest {
protected:
    // The most memory that the command held, in bytes, while it made so many steps of a millisecond.
    double peakOf(const std::string& folderName, double steps) const
    {
        good({"run", "chain.json", "-o", folderName, "--step", "0.001", "--fps", "1", "--duration",
              std::to_string(steps / 1000), "--checkpoint", "10", "--no-page"});
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);  // the largest of all that ended so far
        return static_cast<double>(usage.ru_maxrss) * 1024;
    }
};

TEST_F(Soak, many_steps_take_no_more_memory_than_few)
{
    const char* asked = std::getenv("SINEW_SOAK_STEPS");
    const double steps = asked ? std::atof(asked) : 4e4;
    makeChain();
    const double little = peakOf("short", 1e4), much = peakOf("long", steps);
    std::printf("peak %.2f MB in 10,000 steps, %.2f MB in %.0f\n", little / 1e6, much / 1e6, steps);
    EXPECT_LT(much, little + slack);
    EXPECT_EQ(number(summary("long"), "steps"), steps);
    const std::vector<std::string> rows = lines(readText(at("long/trajectory.csv")));
    ASSERT_EQ(static_cast<double>(rows.size()), steps / 1000 + 2);
    for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_NEAR(std::stod(rows[i]), static_cast<double>(i - 1), 1e-15 * static_cast<double>(i));
}

}  // namespace
}  // namespace sinew::testing

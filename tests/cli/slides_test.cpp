// The page of pictures, and integrators as the command has them.
#include "command.h"
#include "sinew/ode/schemes.h"

namespace sinew::testing {
namespace {

class Slides : public CommandTest {};

int countOf(const std::string& text, const std::string& what)
{
    int count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST_F(Slides, are_one_page_that_needs_nothing_else)
{
    good({"slides", "-o", "pictures"});
    const std::string page = readText(at("pictures/slides.html"));
    // A field, three sines, a projectile, and a panel for each integrator.
    EXPECT_EQ(countOf(page, "role=\"img\""), 5 + static_cast<int>(ode::schemes().size()));
    for (const ode::Scheme& scheme : ode::schemes())
        EXPECT_GE(countOf(page, std::string(">") + scheme.name + "<"), 2) << scheme.name;
    for (const char* foreign : {"http", "src=", "<script", "@import", "nan", "inf"})
        EXPECT_EQ(countOf(page, foreign), 0) << foreign;
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    // Euler's height after 6 s: 16 Δt t too much.
    EXPECT_NE(page.find("explicit_euler</td><td>1</td><td>1</td><td>48.0 ft"), std::string::npos);
    EXPECT_NE(page.find("heun_slides</td><td>1</td><td>1</td><td>none"), std::string::npos);
    const std::string before = page;
    good({"slides", "-o", "pictures"});
    EXPECT_EQ(readText(at("pictures/slides.html")), before) << "the same bits";
    writeText(at("file"), "x");
    refused({"slides", "-o", "file/below"}, {"file/below", "cannot be made"});
    refused({"slides"}, {"sinew slides", "--output"});
}

TEST_F(Slides, solvers_lists_what_each_integrator_does)
{
    const json::Value list = parsed(run({"solvers", "--json"}).out);
    for (const json::Value& integrator : list.find("integrators")->items())
        for (const char* key : {"evaluations", "stability", "conserves"})
            EXPECT_FALSE(word(integrator, key).empty()) << word(integrator, "name");
    EXPECT_EQ(list.find("integrators")->items().size(), 17u);
}

TEST_F(Slides, a_run_by_dormand_prince_keeps_its_tolerance_and_goes_on_to_the_same_bits)
{
    makeChain();
    const std::vector<std::string> whole{"run",         "chain.json", "-o",           "whole",
                                         "--duration",  "0.5",        "--integrator", "dormand_prince",
                                         "--tolerance", "1e-5",       "--no-page"};
    good(whole);
    const json::Value s = summary("whole");
    EXPECT_EQ(number(s, "tolerance"), 1e-5);
    EXPECT_EQ(number(s, "step"), 1. / 60);
    EXPECT_GE(number(s, "evaluations_mean"), 7);
    std::vector<std::string> part = whole;
    part[3] = "out";
    part[5] = "0.25";
    part.insert(part.end(), {"--checkpoint", "0.1"});
    good(part);
    refused({"run", "--resume", "out", "--tolerance", "1e-4"}, {"--tolerance", "has 1e-05"});
    good({"run", "--resume", "out", "--duration", "0.5"});
    for (const char* key : {"tolerance", "evaluations_mean", "parts_rejected"})
        EXPECT_EQ(number(summary("out"), key), number(s, key)) << key;
    EXPECT_EQ(word(summary("out"), "state_hash"), word(s, "state_hash"));
    refused({"run", "chain.json", "-o", "new", "--tolerance", "1e-3"},
            {"--tolerance", "implicit", "dormand_prince"});
    refused({"run", "chain.json", "-o", "new", "--integrator", "dormand_prince", "--tolerance", "0"},
            {"--tolerance", "1e-12 to 0.1"});
    refused({"run", "chain.json", "-o", "new", "--integrator", "leapfrog"},
            {"--integrator", "'leapfrog' takes no forces that depend on velocity", "use velocity_verlet"});
}

}  // namespace
}  // namespace sinew::testing

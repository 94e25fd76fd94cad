// What there was before is there afterwards: closed and full outputs, limits, signals, two programs at
// once.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/command.h"

namespace sinew::testing {

namespace {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right)
{
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

// No file of the command may become larger.
std::function<void()> filesUpTo(rlim_t bytes)
{
    return [bytes] {
        const rlimit limit{bytes, bytes};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        // What it prints is not meant.
        const int terminal = ::open("/dev/null", O_WRONLY);
        ::dup2(terminal, STDOUT_FILENO);
    };
}

class Files : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        makeChain();
    }
    // A short run of the chain; one of another duration has other results.
    void makeRun(const std::string& name, const std::string& duration, const Words& options = {}) const
    {
        good(Words{"run", "chain.json", "-o", name, "--duration", duration} + options);
    }
    Words hiddenFiles(const std::string& name = ".") const
    {
        Words hidden;
        for (const auto& entry : fs::directory_iterator(at(name)))
            if (entry.path().filename().string().starts_with("."))
                hidden.push_back(entry.path().filename());
        return hidden;
    }
    // Waits for a file of the folder whose name begins so.
    bool appears(const std::string& start, const std::string& name = ".") const
    {
        for (int i = 0; i < 60000; ++i) {
            for (const std::string& file : hiddenFiles(name))
                if (file.starts_with(start)) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }
    static unsigned modeOf(const fs::path& path)
    {
        struct stat status = {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 0777;
    }
    std::string strip() const { return std::string(SINEW_TEST_DIR) + "/data/strip.glb"; }
};

TEST_F(Files, closed_standard_files_do_not_get_into_results)
{
    makeRun("whole", "0.1");
    for (const std::vector<int>& closed : std::vector<std::vector<int>>{{1}, {2}, {0}, {0, 1}, {0, 1, 2}}) {
        fs::remove_all(at("out"));
        const Outcome outcome = run({"run", "chain.json", "-o", "out", "--duration", "0.1"}, [&] {
            for (const int descriptor : closed) ::close(descriptor);
        });
        EXPECT_EQ(outcome.exitCode, 0);
        for (const char* name : {"trajectory.csv", "series.csv", "scene.json"})
            EXPECT_TRUE(readText(at("out") / name) == readText(at("whole") / name)) << name;
        EXPECT_EQ(word(summary("out"), "state_hash"), word(summary("whole"), "state_hash"));
    }
}

TEST_F(Files, output_that_cannot_be_printed_is_no_success)
{
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    makeRun("run", "0.2");
    ::setenv("BROWSER", "/bin/true", 1);
    const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
    for (const Words& command : std::vector<Words>{{"run", "chain.json", "-o", "out", "--duration", "0.1"},
                                                   {"run", "chain.json", "-o", "out", "--no-page"},
                                                   {"view", "run", "--no-open"},
                                                   {"view", "run"},
                                                   {"check", "chain.json"},
                                                   {"accel", "chain.json"},
                                                   {"accel", "chain.json", "--json"},
                                                   {"solvers"},
                                                   {"solvers", "--json"},
                                                   {"info", "chain.json"},
                                                   {"convert", "run", "run.glb"},
                                                   {"bake", strip(), "--dynamic", "upper", "-o", "b.glb"},
                                                   {"make", "chain", "--links", "3", "-o", "three.json"},
                                                   {"--help"},
                                                   {"run", "--help"},
                                                   {"--version"}}) {
        const Outcome outcome = run(command, full);
        EXPECT_EQ(outcome.exitCode, 2) << command[0];
        EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
        EXPECT_NE(outcome.err.find("output"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(number(summary("out"), "duration"), 10);  // files are no worse for it
    const Outcome live = run({"run", "chain.json", "-o", "live", "--live", "--duration", "0.1"}, full);
    EXPECT_EQ(live.exitCode, 2);
    EXPECT_TRUE(lines(live.err).back().ends_with("No space left on device")) << live.err;
}

TEST_F(Files, whatever_a_limit_stops_leaves_what_there_was)
{
    makeRun("from", "0.5", {"--checkpoint", "0.1"});
    makeRun("out", "0.3", {"--checkpoint", "0.1", "--velocities"});
    good({"convert", "from", "motion.glb"});
    good({"convert", "from", "motion.usda"});
    good({"bake", strip(), "--dynamic", "upper", "-o", "baked.glb", "--scene", "baked.json"});
    good({"make", "chain", "--links", "20", "-o", "made.json"});
    fs::create_directory(at("fox"));
    good({"view", strip(), "-o", "fox", "--no-open"});
    // A run that came to its first checkpoint can be resumed, out of sight.
    const auto content = [&] {
        auto all = contentOf(folder);
        std::erase_if(all, [](const auto& file) { return file.first.starts_with("out/.sinew-"); });
        return all;
    };
    auto before = content();
    int stopped = 0;
    // The smallest lets nothing be written, the others stop the largest file at its end or on its way.
    for (const rlim_t limit : {0u, 3'000u, 40'000u, 400'000u}) {
        for (const Words& command : std::vector<Words>{
                 {"run", "chain.json", "-o", "out", "--duration", "0.4"},
                 {"run", "chain.json", "-o", "out", "--duration", "0.4", "--no-page", "--fps", "1000"},
                 {"run", "--resume", "out", "--duration", "0.4"},
                 {"run", "--resume", "from", "-o", "out", "--duration", "0.6"},
                 {"pull", "chain.json", "--body", "link10", "--to", "0.3,0.3,0", "-o", "out"},
                 {"view", "out", "--no-open"},
                 {"view", strip(), "-o", "fox", "--no-open"},
                 {"convert", "out", "motion.glb", "--every-frame"},
                 {"convert", "out", "motion.usda"},
                 {"bake", strip(), "--dynamic", "upper", "-o", "baked.glb", "--scene", "baked.json",
                  "--fps", "1000"},
                 {"make", "chain", "--links", "200", "-o", "made.json"}}) {
            const Outcome outcome = run(command, filesUpTo(limit));
            if (outcome.exitCode == 0) {  // small enough
                before = content();
                continue;
            }
            ++stopped;
            EXPECT_EQ(outcome.exitCode, 2) << command[0] << outcome.err;
            EXPECT_TRUE(content() == before) << command[0] << " " << command[1] << " " << limit;
        }
        if (HasFailure()) return;
    }
    EXPECT_GE(stopped, 30);
    EXPECT_NE(
        run({"make", "chain", "--links", "200", "-o", "made.json"}, filesUpTo(100)).err.find("too large"),
        std::string::npos);
}

TEST_F(Files, a_resumed_run_with_a_short_table_loses_nothing)
{
    makeRun("out", "0.3", {"--checkpoint", "0.1"});
    for (const char* table : {"trajectory.csv", "series.csv"}) {
        const std::string text = readText(at("out") / table);
        writeText(at("out") / table, text.substr(0, text.size() / 2));
        const auto before = contentOf(at("out"));
        refused({"run", "--resume", "out", "--duration", "0.4"},
                {std::string("out/") + table + ": cannot go on"});
        EXPECT_TRUE(contentOf(at("out")) == before) << table;
        writeText(at("out") / table, text);
        // The same without an end: then the run goes on in place, but not before all is there.
        fs::rename(at("out/summary.json"), at("summary.json"));
        writeText(at("out") / table, text.substr(0, text.size() / 2));
        const auto unfinished = contentOf(at("out"));
        refused({"run", "--resume", "out", "--duration", "0.4"},
                {std::string("out/") + table + ": cannot go on"});
        EXPECT_TRUE(contentOf(at("out")) == unfinished) << table;
        writeText(at("out") / table, text);
        fs::rename(at("summary.json"), at("out/summary.json"));
    }
}

TEST_F(Files, an_earlier_run_stays_until_the_next_one_is_whole)
{
    makeRun("out", "0.3", {"--velocities"});
    const auto before = contentOf(at("out"));
    {
        Process process(folder, {"run", "chain.json", "-o", "out", "--duration", "1e5"});
        ASSERT_TRUE(grows("out/.sinew-unfinished-1/trajectory.csv", 10'000));
        auto meanwhile = contentOf(at("out"));
        std::erase_if(meanwhile, [](const auto& file) { return file.first.starts_with(".sinew-"); });
        EXPECT_TRUE(meanwhile == before);
        process.signal(SIGINT);
        EXPECT_EQ(process.wait().exitCode, 130);
    }
    EXPECT_NE(summary("out").find("interrupted"), nullptr);
    EXPECT_FALSE(fs::exists(at("out/velocities.csv")));
    EXPECT_TRUE(fs::exists(at("out/checkpoint.bin")));
    EXPECT_TRUE(hiddenFiles("out").empty());
}

TEST_F(Files, a_killed_run_over_an_earlier_one_can_be_resumed)
{
    makeRun("out", "0.3");
    const auto before = contentOf(at("out"));
    makeRun("whole", "4", {"--step", "2e-4"});
    const Words long4{"run", "chain.json", "-o",   "out",          "--duration",
                      "4",   "--step",     "2e-4", "--checkpoint", "0.2"};
    {
        Process process(folder, long4);
        ASSERT_TRUE(grows("out/.sinew-unfinished-1/trajectory.csv", 20'000));
        process.signal(SIGKILL);
        ASSERT_EQ(process.wait().exitCode, 128 + SIGKILL);
    }
    // Another one that is stopped at once does not take its place, and leaves nothing.
    EXPECT_EQ(run({"run", "chain.json", "-o", "out"}, filesUpTo(0)).exitCode, 2);
    EXPECT_EQ(hiddenFiles("out"), Words{".sinew-unfinished-1"});
    auto meanwhile = contentOf(at("out"));
    std::erase_if(meanwhile, [](const auto& file) { return file.first.starts_with(".sinew-"); });
    EXPECT_TRUE(meanwhile == before);

    good({"run", "--resume", "out"});
    for (const char* name : {"trajectory.csv", "series.csv"})
        EXPECT_TRUE(readText(at("out") / name) == readText(at("whole") / name)) << name;
    EXPECT_EQ(word(summary("out"), "state_hash"), word(summary("whole"), "state_hash"));
    EXPECT_TRUE(hiddenFiles("out").empty());
}

TEST_F(Files, a_move_that_was_cut_off_is_brought_to_its_end)
{
    makeRun("old", "0.3", {"--velocities"});
    makeRun("new", "0.2");
    const auto want = contentOf(at("new"));
    for (const Words& command : std::vector<Words>{{"info", "out"},
                                                   {"convert", "out", "motion.glb"},
                                                   {"fit-torques", "out", "-o", "fitted.json"},
                                                   {"view", "out", "--no-open"}}) {
        fs::remove_all(at("out"));
        fs::copy(at("old"), at("out"));
        fs::copy(at("new"), at("out/.sinew-finished"));
        fs::create_directory(at("out/.sinew-finished/velocities.csv"));  // goes
        fs::rename(at("out/.sinew-finished/series.csv"), at("out/series.csv"));
        run(command);
        EXPECT_TRUE(contentOf(at("out")) == want) << command[0];
    }
}

TEST_F(Files, two_runs_into_one_folder_do_not_mix)
{
    for (const bool hasOld : {false, true}) {
        fs::remove_all(at("out"));
        if (hasOld) makeRun("out", "0.3", {"--checkpoint", "0.1"});
        Process process(folder, {"run", "chain.json", "-o", "out", "--duration", "1e5"});
        ASSERT_TRUE(grows(hasOld ? "out/.sinew-unfinished-1/series.csv" : "out/series.csv", 1));
        const auto names = [&] {
            Words all;
            for (const auto& [name, text] : contentOf(at("out"))) all.push_back(name);
            return all;
        };
        const Words before = names();
        fs::create_directory(at("second"));  // where the other command prints
        for (const Words& command : std::vector<Words>{
                 {"run", "../chain.json", "-o", "../out", "--duration", "0.1"},
                 {"run", "../chain.json", "-o", "../second/../out", "--duration", "0.1"},
                 {"run", "--resume", "../out"},
                 {"run", "--resume", "../out", "-o", "../elsewhere"},
                 {"pull", "../chain.json", "--body", "link10", "--to", "0.3,0.3,0", "-o", "../out"},
                 {"view", "../out", "--no-open"},
                 {"view", "../chain.json", "-o", "../out", "--no-open"},
                 {"view", strip(), "-o", "../out", "--no-open"}}) {
            const Outcome outcome = Process(at("second"), command).wait();
            EXPECT_EQ(outcome.exitCode, 2) << command[0];
            EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
            EXPECT_NE(outcome.err.find("another sinew is at work in this folder"), std::string::npos)
                << outcome.err;
            EXPECT_EQ(names(), before) << command[0];
        }
        EXPECT_FALSE(fs::exists(at("elsewhere")));
        process.signal(SIGKILL);
        process.wait();
        good({"run", "chain.json", "-o", "out", "--duration", "0.1"});  // no lock outlives its program
        EXPECT_TRUE(hiddenFiles("out").empty());
    }
}

TEST_F(Files, files_with_likely_names_are_nobodys_business)
{
    writeText(at("victim.txt"), "precious");
    for (const char* output :
         {"c.json", "m.glb", "r/index.html", "r/summary.json", "r/scene.json", "r/checkpoint.bin"}) {
        fs::create_directories(at(output).parent_path());
        writeText(at(std::string(output) + ".part"), "mine");
    }
    fs::create_symlink("victim.txt", at("d.json.part"));
    good({"make", "chain", "--links", "3", "-o", "c.json"});
    good({"make", "chain", "--links", "3", "-o", "d.json"});
    makeRun("r", "0.1", {"--checkpoint", "0.05"});
    good({"convert", "r", "m.glb"});
    EXPECT_EQ(readText(at("victim.txt")), "precious");
    EXPECT_TRUE(fs::is_symlink(at("d.json.part")));
    for (const char* output :
         {"c.json", "m.glb", "r/index.html", "r/summary.json", "r/scene.json", "r/checkpoint.bin"})
        EXPECT_EQ(readText(at(std::string(output) + ".part")), "mine") << output;
    EXPECT_TRUE(hiddenFiles().empty());
    EXPECT_TRUE(hiddenFiles("r").empty());
}

TEST_F(Files, names_as_long_as_names_can_be_are_written)
{
    const std::string name = std::string(250, 'a') + ".json";
    good({"make", "chain", "--links", "3", "-o", name});
    EXPECT_TRUE(fs::exists(at(name)));
}

TEST_F(Files, a_file_that_is_replaced_keeps_its_mode)
{
    const mode_t before = ::umask(022);
    makeRun("out", "0.1");
    EXPECT_EQ(modeOf(at("chain.json")), 0644u);
    EXPECT_EQ(modeOf(at("out/trajectory.csv")), 0644u);
    ::chmod(at("chain.json").c_str(), 0600);
    for (const auto& entry : fs::directory_iterator(at("out"))) ::chmod(entry.path().c_str(), 0640);
    makeChain();
    makeRun("out", "0.2");
    ::umask(before);
    EXPECT_EQ(modeOf(at("chain.json")), 0600u);
    for (const char* name : {"trajectory.csv", "series.csv", "summary.json", "scene.json", "index.html"})
        EXPECT_EQ(modeOf(at("out") / name), 0640u) << name;
}

TEST_F(Files, a_signal_leaves_the_old_file_and_no_other)
{
    makeRun("run", "400", {"--no-page", "--step", "0.1", "--fps", "100"});
    writeText(at("motion.usda"), "the old one");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        Process process(folder, {"convert", "run", "motion.usda"});
        ASSERT_TRUE(appears(".sinew-"));
        process.signal(number);
        EXPECT_EQ(process.wait().exitCode, 128 + number);
        EXPECT_TRUE(hiddenFiles().empty()) << number;
        EXPECT_EQ(readText(at("motion.usda")), "the old one");
    }
}

TEST_F(Files, a_second_signal_ends_a_long_step_at_once)
{
    // Steps of a dense solver of many unknowns take seconds.
    good({"make", "chain", "--links", "500", "-o", "long.json"});
    makeRun("out", "0.1");
    const auto before = contentOf(at("out"));
    for (const auto& [first, second] : {std::pair(SIGINT, SIGTERM), std::pair(SIGTERM, SIGTERM)}) {
        Process process(folder, {"run", "long.json", "--solver", "kkt", "-o", "out"});
        ASSERT_TRUE(appears(".sinew-unfinished-1", "out"));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        process.signal(first);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const auto start = std::chrono::steady_clock::now();
        process.signal(second);
        EXPECT_EQ(process.wait().exitCode, 128 + second);
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
        EXPECT_TRUE(contentOf(at("out")) == before);
    }
}

TEST_F(Files, a_signal_that_comes_twice_at_once_is_one)
{
    // As timeout(1) sends it: to the program, and to the group that it is in.
    for (int i = 0; i < 10; ++i) {
        fs::remove_all(at("out"));
        Process process(folder, {"run", "chain.json", "-o", "out", "--duration", "1e5", "--no-page"});
        ASSERT_TRUE(grows("out/series.csv", 1));
        process.signal(SIGTERM);
        std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait().exitCode, 130);
    }
}

}  // namespace

}  // namespace sinew::testing

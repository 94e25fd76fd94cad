// sinew view: a scene or a run in the browser, and what it refuses.
#include <cstdlib>

#include "cli/page.h"

namespace sinew::testing {

namespace {

class View : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        makeChain();
        // A browser that tells what it was asked to open.
        writeText(at("browser"), "#!/bin/sh\nprintf '%s' \"$*\" >'" + at("opened").string() + "'\n");
        fs::permissions(at("browser"), fs::perms::owner_all);
        ::setenv("BROWSER", at("browser").c_str(), 1);
        ::setenv("TMPDIR", folder.c_str(), 1);
    }
    std::string opened() const
    {
        const std::string address = readText(at("opened"));
        fs::remove(at("opened"));
        return address;
    }
    void makeRun() const { good({"run", "chain.json", "-o", "out", "--duration", "0.1"}); }
    void refusesRun(const std::vector<std::string>& says) const
    {
        refused({"view", "out"}, says);
        EXPECT_FALSE(fs::exists(at("out/index.html")));
        for (const auto& entry : fs::directory_iterator(at("out")))
            EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
        EXPECT_FALSE(fs::exists(at("opened")));
    }
};

TEST_F(View, a_scene_is_simulated_and_its_page_opened)
{
    good({"view", "chain.json", "--duration", "0.1", "--fps", "20", "-o", "o u;t"});
    EXPECT_EQ(opened(), "file://" + folder.string() + "/o%20u%3Bt/index.html");
    EXPECT_EQ(number(*pageData(at("o u;t")).find("frames"), "count"), 3);
    good({"view", "chain.json", "--duration", "0.1"});
    EXPECT_EQ(opened(), "file://" + folder.string() + "/sinew-view/chain/index.html");
    EXPECT_EQ(fs::status(at("sinew-view")).permissions(), fs::perms::owner_all);
    good({"view", "chain.json", "--duration", "0.2"});  // again into the same folder
    EXPECT_NE(opened(), "");
}

TEST_F(View, a_browser_of_several_words_is_called_without_a_shell)
{
    ::setenv("BROWSER", (at("none").string() + ":" + at("browser").string() + " --to=%s $HOME").c_str(), 1);
    good({"view", "chain.json", "--duration", "0.1", "-o", "out"});
    EXPECT_EQ(opened(), "--to=file://" + folder.string() + "/out/index.html $HOME");
}

TEST_F(View, without_a_browser_it_says_where_the_page_lies)
{
    writeText(at("broken"), "#!/bin/sh\nexit 3\n");
    fs::permissions(at("broken"), fs::perms::owner_all);
    for (const char* browser : {"none", "broken"}) {
        ::setenv("BROWSER", at(browser).c_str(), 1);
        const Outcome outcome = run({"view", "chain.json", "--duration", "0.1", "-o", "out"});
        EXPECT_EQ(outcome.exitCode, 0);
        EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
        EXPECT_NE(outcome.err.find("out/index.html"), std::string::npos) << outcome.err;
    }
}

TEST_F(View, a_folder_gets_its_page_anew)
{
    makeRun();
    const std::string page = readText(at("out/index.html"));
    fs::remove(at("out/index.html"));
    fs::rename(at("out"), at("moved"));
    fs::remove(at("chain.json"));
    good({"view", "moved"});
    EXPECT_TRUE(readText(at("moved/index.html")) == page);
    EXPECT_EQ(opened(), "file://" + folder.string() + "/moved/index.html");
    good({"view", "moved", "--no-open"});
    EXPECT_FALSE(fs::exists(at("opened")));
    refused({"view", "moved", "--step", "0.1"}, {"--step", "moved"});
}

TEST_F(View, a_folder_that_is_no_run_is_refused)
{
    fs::create_directory(at("out"));
    refusesRun({"out: ", "no finished run", "summary.json"});
    makeRun();
    fs::remove(at("out/index.html"));
    fs::remove(at("out/scene.json"));
    refusesRun({"out: ", "scene.json"});
    refused({"view", "none"}, {"none: "});
}

TEST_F(View, a_table_that_is_cut_off_is_refused)
{
    for (const char* name : {"trajectory.csv", "series.csv"}) {
        makeRun();
        fs::remove(at("out/index.html"));
        const std::string text = readText(at("out") / name);
        const std::size_t lastRow = text.rfind('\n', text.size() - 2) + 1, firstRow = text.find('\n') + 1;
        for (const auto& [size, says] :
             std::vector<std::pair<std::size_t, std::string>>{{0, "cut off"},
                                                              {firstRow - 5, "cut off"},
                                                              {firstRow, "rows"},
                                                              {lastRow, "rows"},
                                                              {lastRow + 40, "row 7 is cut off"},
                                                              {text.size() - 1, "row 7 is cut off"}}) {
            writeText(at("out") / name, text.substr(0, size));
            refusesRun({std::string("out/") + name, says});
        }
    }
}

TEST_F(View, a_table_of_another_run_is_refused)
{
    makeRun();
    fs::remove(at("out/index.html"));
    good({"make", "chain", "--links", "3", "-o", "other.json"});
    good({"run", "other.json", "-o", "other", "--duration", "0.1"});
    const std::string text = readText(at("out/trajectory.csv"));
    const auto with = [&](std::size_t from, const std::string& before, const std::string& after) {
        std::string changed = text;
        return changed.replace(changed.find(before, from), before.size(), after);
    };
    const std::size_t rows = text.find('\n');
    for (const auto& [table, says] :
         std::vector<std::pair<std::string, std::string>>{{readText(at("other/trajectory.csv")), "columns"},
                                                          {with(0, "link3.qx", "link3.qy"), "columns"},
                                                          {std::string(100'000, 'x'), "columns"},
                                                          {with(rows, ",", ",,"), "row 1"},
                                                          {with(rows, ",", ",0,"), "row 1"},
                                                          {with(rows, ",", ",word,"), "row 1"},
                                                          {with(rows, "\n0,", "\n1,"), "row 2"}}) {
        writeText(at("out/trajectory.csv"), table);
        refusesRun({"out/trajectory.csv: ", says});
    }
    writeText(at("out/trajectory.csv"), text);
    for (const char* summary : {"", "[]", "{"}) {
        writeText(at("out/summary.json"), summary);
        refusesRun({"out/summary.json"});
    }
}

TEST_F(View, a_place_that_cannot_be_written_is_one_line)
{
    makeRun();
    fs::remove(at("out/index.html"));
    fs::create_directory(at("out/index.html"));  // holds root off too
    refused({"view", "out"}, {"out/index.html: cannot be written"});
    writeText(at("taken"), "a file");
    refused({"view", "chain.json", "-o", "taken"}, {"taken: "});
    fs::create_directory(at("elsewhere"));
    fs::create_directory_symlink(at("elsewhere"), at("sinew-view"));
    refused({"view", "chain.json"}, {"sinew-view: ", "-o DIR"});
    EXPECT_TRUE(fs::is_empty(at("elsewhere")));
}

TEST_F(View, pages_and_scenes_that_no_run_made_are_not_overwritten)
{
    fs::create_directory(at("site"));
    for (const char* name : {"index.html", "scene.json"}) {
        writeText(at("site") / name, "mine");
        refused({"run", "chain.json", "-o", "site"}, {std::string("site/") + name, "another folder"});
        EXPECT_EQ(readText(at("site") / name), "mine");
        fs::remove(at("site") / name);
    }
    EXPECT_TRUE(fs::is_empty(at("site")));
    // A scene beside its own results stays as it is, comments and all.
    const std::string scene = "// mine\n" + readText(at("chain.json"));
    writeText(at("site/scene.json"), scene);
    good({"run", "site/scene.json", "-o", "site", "--duration", "0.1"});
    EXPECT_EQ(readText(at("site/scene.json")), scene);
    good({"view", "site"});
}

}  // namespace

}  // namespace sinew::testing

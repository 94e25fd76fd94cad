// Characters in sinew view and sinew render: their pages, and what is refused.
#include <cstdlib>

#include "cli/page.h"
#include "cli/render.h"
#include "sinew/io/base64.h"
#include "sinew/io/gltf/gltf.h"

namespace sinew::testing {

namespace {

class Characters : public RenderTest {
protected:
    void SetUp() override
    {
        RenderTest::SetUp();
        ::setenv("BROWSER", "/bin/true", 1);
        for (const char* name : {"strip.glb", "strip.gltf", "strip mesh.bin"})
            fs::copy_file(fs::path(SINEW_TEST_DIR) / "data" / name, at(name));
    }
    // The character that DIR/index.html carries.
    std::string carried(const std::string& name) const
    {
        const std::string text = readText(at(name) / "index.html"), start = "id=\"sinew-character\">";
        const std::size_t begin = text.find(start) + start.size();
        return base64Bytes(text.substr(begin, text.find('<', begin) - begin)).value_or("");
    }
    void refusesBoth(const std::string& file, const std::vector<std::string>& says) const
    {
        refused({"view", file, "-o", "page"}, says);
        EXPECT_FALSE(fs::exists(at("page")));
        refused({"render", file, "-o", "p.png"}, says);
        EXPECT_FALSE(fs::exists(at("p.png")));
    }
};

TEST_F(Characters, a_page_carries_the_very_bytes_of_a_glb)
{
    good({"view", "strip.glb", "-o", "page"});
    EXPECT_TRUE(carried("page") == readText(at("strip.glb")));
    const json::Value data = pageData(at("page"));
    ASSERT_NE(data.find("character"), nullptr);
    EXPECT_EQ(word(*data.find("character"), "name"), "strip");
    EXPECT_EQ(data.find("character")->find("clip"), nullptr);
    EXPECT_EQ(data.find("scene"), nullptr);
    good({"view", "strip.glb", "-o", "page", "--clip", "Bend"});  // again into the same folder
    EXPECT_EQ(word(*pageData(at("page")).find("character"), "clip"), "Bend");
    good({"view", "strip.glb", "--clip", "clip_1"});  // that one has no name
    EXPECT_TRUE(fs::exists(temporary / "sinew-view/strip/index.html"));
    fs::remove_all(temporary / "sinew-view");
}

TEST_F(Characters, what_lies_beside_a_gltf_is_in_its_page)
{
    good({"view", "strip.gltf", "-o", "page"});
    const Result<GltfFile> file = parseGltf(carried("page"), "carried", {});
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_TRUE(file.value().isGlb);
    EXPECT_EQ(file.value().document.buffers.size(), 1u);
}

TEST_F(Characters, broken_files_end_in_one_line_and_leave_nothing)
{
    const std::string whole = readText(at("strip.glb"));
    writeText(at("cut.glb"), whole.substr(0, whole.size() - 40));
    refusesBoth("cut.glb", {"cut.glb"});
    writeText(at("text.glb"), "no character");
    refusesBoth("text.glb", {"text.glb"});
    writeText(at("empty.glb"), "");
    refusesBoth("empty.glb", {"empty.glb"});
    fs::remove(at("strip mesh.bin"));
    refusesBoth("strip.gltf", {"strip.gltf", "/buffers/0/uri", "strip mesh.bin"});
    refusesBoth("none.glb", {"none.glb", "no such file"});
}

TEST_F(Characters, options_that_do_not_fit_are_refused)
{
    refused({"view", "strip.glb", "-o", "page", "--clip", "bend"}, {"--clip", "\"bend\"", "Bend"});
    refused({"render", "strip.glb", "-o", "p.png", "--clip", "Jump"}, {"--clip", "\"Jump\"", "clip_1"});
    refused({"view", "strip.glb", "--duration", "2"}, {"--duration", "character"});
    refused({"render", "strip.glb", "-o", "p.png", "--solver", "kkt"}, {"--solver", "character"});
    makeChain();
    refused({"view", "chain.json", "--clip", "a"}, {"--clip", "character"});
    refused({"render", "chain.json", "-o", "p.png", "--clip", "a"}, {"--clip", "character"});
    EXPECT_FALSE(fs::exists(at("page")));
}

TEST_F(Characters, a_page_that_is_somebodys_own_stays)
{
    fs::create_directory(at("page"));
    writeText(at("page/index.html"), "<!doctype html><title>Mine</title>");
    refused({"view", "strip.glb", "-o", "page"}, {"page/index.html", "another folder"});
    EXPECT_EQ(readText(at("page/index.html")), "<!doctype html><title>Mine</title>");
}

}  // namespace

}  // namespace sinew::testing

// A spring mesh out of a glTF file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sinew/io/gltf/mesh.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/description.h"
#include "sinew/model/fields.h"
#include "sinew/model/model.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"

namespace sinew::gltf_mesh_test {
namespace {

const std::string data = std::string(SINEW_TEST_DIR) + "/data/";

TEST(GltfMesh, standsAsItsSceneShowsIt)
{
    for (const char* which : {"", "Strip", "0"}) {
        const Result<MeshFile> strip = readGltfMesh(data + "strip.glb", which);
        ASSERT_TRUE(strip) << strip.error().text();
        EXPECT_EQ(strip.value().mesh.vertices.size(), 10u);
        EXPECT_EQ(strip.value().mesh.faces.size(), 8u);
        // Its bones stand it up again that their stage lays down.
        Vec3 low = Vec3::Constant(1e9), high = -low;
        for (const Vec3& v : strip.value().mesh.vertices) {
            low = low.cwiseMin(v);
            high = high.cwiseMax(v);
        }
        EXPECT_LT((low - Vec3(-0.5, 0, 0)).norm(), 1e-6);
        EXPECT_LT((high - Vec3(0.5, 2, 0)).norm(), 1e-6);
    }
}

std::string problem(const std::string& which)
{
    const Result<MeshFile> read = readGltfMesh(data + "strip.glb", which);
    return read ? "" : read.error().pointer + ": " + read.error().message;
}

TEST(GltfMesh, mistakesAreOneLine)
{
    EXPECT_EQ(problem("Cape"), "/meshes: has no mesh \"Cape\"; there are 1, such as \"Strip\"");
    EXPECT_EQ(problem("1"), "/meshes: has no mesh \"1\"; there are 1, such as \"Strip\"");
    EXPECT_NE(readGltfMesh(data + "none.glb", "").error().text(), "");
}

TEST(GltfMesh, isASpringMeshOfAScene)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "sinew_gltf_mesh_test";
    fs::create_directories(folder);
    fs::copy_file(data + "strip.glb", folder / "strip.glb", fs::copy_options::overwrite_existing);
    const auto scene = [&](const std::string& keys) {
        std::ofstream(folder / "scene.json")
            << R"({"sinew":1,"meshes":[{"name":"s","file":"strip.glb",)" + keys + R"("mass":1}]})";
        return readScene((folder / "scene.json").string());
    };
    const Result<Description> plain = scene(""), named = scene(R"("mesh":"Strip","scale":0.01,)"),
                              numbered = scene(R"("mesh":0,)");
    for (const auto* made : {&plain, &named, &numbered}) {
        ASSERT_TRUE(*made) << made->error().text();
        const Result<Model> model = compile(made->value());
        ASSERT_TRUE(model) << model.error().text();
        EXPECT_EQ(model.value().meshes[0].size(), 10);
        EXPECT_EQ(model.value().meshes[0].springs.size(), 17u);
    }
    EXPECT_EQ(plain.value().meshes[0].vertices, numbered.value().meshes[0].vertices);
    EXPECT_NEAR(named.value().meshes[0].vertices[9].norm(),
                0.01 * plain.value().meshes[0].vertices[9].norm(), 1e-12);
    const auto wrong = [&](const std::string& keys) {
        const Result<Description> made = scene(keys);
        return made ? "" : made.error().pointer + ": " + made.error().message;
    };
    EXPECT_EQ(wrong(R"("mesh":"Cape",)"), "/meshes: has no mesh \"Cape\"; there are 1, such as \"Strip\"");
    EXPECT_EQ(wrong(R"("scale":0,)"), "/meshes/0/scale: must be a positive number");
    EXPECT_NE(wrong(R"("mesh":-1,)"), "");
    fs::remove_all(folder);
}

TEST(GltfMesh, keysOfFilesGoWithAFile)
{
    const Result<Description> scene = parseScene(
        R"({"sinew":1,"meshes":[{"name":"s","mesh":"x","vertices":[[0,0,0]],"mass":1}]})", "scene");
    ASSERT_TRUE(scene);
    EXPECT_EQ(compile(scene.value()).error().text().find("/meshes/0/mesh") != std::string::npos, true);
}

}  // namespace
}  // namespace sinew::gltf_mesh_test

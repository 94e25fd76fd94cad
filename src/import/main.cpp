// sinew-import IN.fbx OUT.glb: FBX by Assimp, written as glTF.
//
// A program of its own, started by `sinew convert` where it was built: a file that brings Assimp down, or
// keeps it busy for ever, ends this process and not the command. It may have so much memory and time, opens
// no file but the two that it is given, and its result is read as any other untrusted file.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <sys/resource.h>

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr rlim_t mostMemory = rlim_t{4} << 30, mostOutput = rlim_t{1} << 30, mostSeconds = 60;

void limit(int what, rlim_t most)
{
    const rlimit bounds{most, most};
    setrlimit(what, &bounds);
}

// All others are taken away, so that bytes of another format are not tried.
void keepFbxAlone(Assimp::Importer& importer)
{
    std::vector<Assimp::BaseImporter*> others;
    for (std::size_t i = 0; i < importer.GetImporterCount(); ++i)
        if (i != importer.GetImporterIndex("fbx")) others.push_back(importer.GetImporter(i));
    for (Assimp::BaseImporter* other : others) importer.UnregisterLoader(other);
}

// FBX says how many centimetres its unit is; glTF is in metres.
void toMetres(aiScene& scene)
{
    double unit = 1;
    if (scene.mMetaData && !scene.mMetaData->Get("UnitScaleFactor", unit)) {
        float single = 1;
        if (scene.mMetaData->Get("UnitScaleFactor", single)) unit = static_cast<double>(single);
    }
    if (!(unit > 1e-6 && unit < 1e6)) unit = 1;
    aiMatrix4x4 scale;
    aiMatrix4x4::Scaling(aiVector3D(static_cast<float>(unit / 100)), scale);
    scene.mRootNode->mTransformation = scale * scene.mRootNode->mTransformation;
}

int convert(const char* from, const char* to)
{
    std::ifstream file(from, std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    const std::string bytes = all.str();
    if (!file || bytes.empty()) {
        std::fputs("the file cannot be read\n", stderr);
        return 1;
    }
    Assimp::Importer importer;
    keepFbxAlone(importer);
    // Pivots as nodes of their own would make three bones of each.
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    const unsigned steps = aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_LimitBoneWeights;
    if (!importer.ReadFileFromMemory(bytes.data(), bytes.size(), steps, "fbx")) {
        std::fprintf(stderr, "%s\n", importer.GetErrorString());
        return 1;
    }
    aiScene* scene = importer.GetOrphanedScene();
    toMetres(*scene);
    Assimp::Exporter exporter;
    const bool isWritten = exporter.Export(scene, "glb2", to) == aiReturn_SUCCESS;
    if (!isWritten) std::fprintf(stderr, "%s\n", exporter.GetErrorString());
    delete scene;
    return isWritten ? 0 : 1;
}

}  // namespace

int main(int count, char** words)
{
    if (count != 3) {
        std::fputs("usage: sinew-import IN.fbx OUT.glb; `sinew convert IN.fbx OUT.glb` starts it\n",
                   stderr);
        return 2;
    }
    limit(RLIMIT_AS, mostMemory);
    limit(RLIMIT_CPU, mostSeconds);
    limit(RLIMIT_FSIZE, mostOutput);
    limit(RLIMIT_CORE, 0);
    try {
        return convert(words[1], words[2]);
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return 1;
    }
}

#include "sinew/io/file_error.h"
#include "sinew/io/file_name.h"
#include "sinew/io/json/json.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew {

Result<MeshFile> readMesh(const std::string& path)
{
    const std::string ending = fileEnding(path);
    if (ending != "obj" && ending != "stl")
        return fileError(path, "is not a mesh that can be read; .obj and .stl can");
    const Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    return ending == "obj" ? parseObj(text.value(), path) : parseStl(text.value(), path);
}

}  // namespace sinew

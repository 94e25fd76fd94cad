#include "sinew/io/file_error.h"
#include "sinew/io/file_name.h"
#include "sinew/io/json/json.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew {

bool isMeshEnding(std::string_view ending)
{
    return ending == "obj" || ending == "stl" || ending == "dae";
}

Result<MeshFile> parseMesh(std::string_view text, const std::string& fileName)
{
    const std::string ending = fileEnding(fileName);
    if (ending == "stl") return parseStl(text, fileName);
    return ending == "dae" ? parseDae(text, fileName) : parseObj(text, fileName);
}

Result<MeshFile> readMesh(const std::string& path)
{
    if (!isMeshEnding(fileEnding(path)))
        return fileError(path, "is not a mesh that can be read; .obj, .stl and .dae can");
    const Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    return parseMesh(text.value(), path);
}

}  // namespace sinew

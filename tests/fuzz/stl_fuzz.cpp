// Any bytes as an STL file: a mesh within the limits, or one line that says what is wrong.
#include <cstdint>

#include "sinew/io/mesh/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto file = sinew::parseStl({reinterpret_cast<const char*>(data), size}, "fuzz.stl");
    if (!file) return 0;
    const sinew::TriangleMesh& mesh = file.value().mesh;
    if (mesh.vertices.size() < 200) (void)sinew::hullShape(mesh);
    // Faces of a read mesh are in order; only its size can be too much for ground.
    if (!mesh.faces.empty()) (void)sinew::meshTerrain(mesh);
    return 0;
}

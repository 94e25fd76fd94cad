// Any bytes as a COLLADA file: a mesh within the limits whose faces are of its vertices, or one line that
// says what is wrong.
#include <cstdint>
#include <cstdlib>

#include "fuzz/expect.h"
#include "sinew/io/mesh/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto file = sinew::parseDae(sinew::textOf(data, size), "fuzz.dae");
    if (!file) {
        if (file.error().message.empty()) std::abort();
        return 0;
    }
    const sinew::TriangleMesh& mesh = file.value().mesh;
    for (const auto& face : mesh.faces)
        for (const int corner : face)
            if (corner < 0 || corner >= static_cast<int>(mesh.vertices.size())) std::abort();
    if (mesh.vertices.size() < 200) (void)sinew::hullShape(mesh);
    (void)sinew::meshTerrain(mesh);
    return 0;
}

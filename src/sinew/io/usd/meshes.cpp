#include "sinew/io/usd/meshes.h"

namespace sinew {

std::optional<Diagnostic> writeMeshPrims(UsdText& text, const std::vector<std::string>& names,
                                         MeshFileReader& meshes, const std::vector<double>& codes)
{
    std::vector<float> places;
    double time = 0;
    std::optional<Diagnostic> fault;
    std::size_t first = 0;
    for (std::size_t m = 0; m < names.size(); ++m) {
        const MeshFileHeader::Mesh& mesh = meshes.header().meshes[m];
        text.open("Mesh", names[m]);
        text.line("uniform bool doubleSided = 1");
        text.line("uniform token subdivisionScheme = \"none\"");
        text.line("int[] faceVertexCounts = " +
                  UsdText::list(mesh.faces.size(), [](std::size_t) { return std::string("3"); }));
        text.line("int[] faceVertexIndices = " + UsdText::list(3 * mesh.faces.size(), [&](std::size_t i) {
                      return std::to_string(mesh.faces[i / 3][i % 3]);
                  }));
        text.samples("point3f[] points", codes, [&](std::size_t k) {
            if (!fault) fault = meshes.frame(k, time, places);
            if (fault) return std::string("[]");
            return UsdText::list(mesh.vertices, [&](std::size_t i) {
                const float* p = &places[3 * (first + i)];
                return UsdText::singles(Vec3(p[0], p[1], p[2]));
            });
        });
        text.close();
        if (fault) return fault;
        first += mesh.vertices;
    }
    return {};
}

}  // namespace sinew

#include "sinew/io/csv/mesh_csv.h"

#include <charconv>

#include "sinew/io/csv/csv.h"
#include "sinew/io/whole_file.h"

namespace sinew {

Result<std::uint64_t> writeMeshesCsv(const std::string& path, MeshFileReader& meshes)
{
    WholeFile file(path);
    file.write("time,mesh,vertex,x,y,z\n");
    std::vector<float> places;
    std::string text;
    for (std::uint64_t k = 0; k < meshes.frames(); ++k) {
        double at = 0;
        if (const auto fault = meshes.frame(k, at, places)) return *fault;
        std::string time;
        appendNumber(time, at);
        std::size_t next = 0;
        for (const MeshFileHeader::Mesh& mesh : meshes.header().meshes) {
            const std::string name = csvField(mesh.name);
            text.clear();
            for (std::uint32_t vertex = 0; vertex < mesh.vertices; ++vertex) {
                text += time + ',' + name + ',' + std::to_string(vertex);
                for (int i = 0; i < 3; ++i) {
                    // The shortest text that reads back as the same float.
                    char buffer[32];
                    text += ',';
                    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, places[next++]).ptr);
                }
                text += '\n';
            }
            file.write(text);
        }
    }
    const std::string fault = file.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return file.size();
}

}  // namespace sinew

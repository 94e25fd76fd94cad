// Spring meshes over time as a binary file, .sinewm: faces once, then the places of all vertices frame by
// frame, each frame with a check sum. docs/mesh_format.md describes the bytes, which do not change within a
// version.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"
#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

// What does not change.
struct MeshFileHeader {
    struct Mesh {
        std::string name;
        std::uint32_t vertices = 0;
        std::vector<std::array<std::uint32_t, 3>> faces;
    };
    std::vector<Mesh> meshes;
    double fps = 0;  // zero where frames are not evenly spaced

    std::size_t vertices() const;  // of all
};

MeshFileHeader meshFileHeader(const Model& model, double fps);
// The bytes of a file, for those who let it grow: its header, and a frame of that number. `ago` seconds
// before the state, for frames within a step.
std::string meshHeaderBytes(const MeshFileHeader& header);
void appendMeshFrame(const State& state, double time, double ago, std::uint64_t number, std::string& bytes);

// Reads what anybody may have written: what does not hold together is refused, and it takes no more memory
// than the file has bytes.
class MeshFileReader {
public:
    static Result<MeshFileReader> open(const std::string& path);
    // The stream becomes the reader's. `name` is for messages.
    static Result<MeshFileReader> read(std::FILE* stream, const std::string& name);

    const MeshFileHeader& header() const { return header_; }
    std::uint64_t frames() const { return frames_; }
    // One frame, counted from zero: x, y, z of every vertex, mesh by mesh.
    std::optional<Diagnostic> frame(std::uint64_t number, double& time, std::vector<float>& places);

private:
    MeshFileReader(std::FILE* stream, const std::string& name) : file_(stream), name_(name) {}
    Diagnostic fault(const std::string& what) const;
    bool load(std::uint64_t offset, std::size_t size);  // into bytes_
    std::string readHeader(std::uint64_t fileSize);     // each: what is wrong, or nothing
    std::string readMeshes(std::size_t count, std::size_t end);

    FileStream file_;
    std::string name_;
    MeshFileHeader header_;
    std::uint64_t headerSize_ = 0, frames_ = 0, frameSize_ = 0;
    std::string bytes_;
};

}  // namespace sinew

// Particles over time as a binary file, .sinewp: what is to be seen of each in each frame, frame by frame,
// each with a check sum. docs/points_format.md describes the bytes, which do not change within a version.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/model.h"
#include "sinew/particle/look.h"
#include "sinew/state/state.h"

namespace sinew {

// What does not change.
struct PointsHeader {
    struct System {
        std::string name;
        ParticlesDescription::Shape shape = ParticlesDescription::Shape::sprite;
        bool shadow = false, emission = false;
    };
    std::vector<System> systems;
    double fps = 0;  // zero where frames are not evenly spaced
    bool velocities = false;
};
struct PointsFrame {
    double time = 0;
    std::vector<ParticleLook> systems;
};

// Those of a model's systems.
PointsHeader pointsHeader(const Model& model, double fps, bool velocities);
// `ago` seconds before the state, for frames within a step.
void recordPoints(const Model& model, const State& state, bool velocities, double ago, PointsFrame& frame);

// The bytes of a file, for those who let it grow: its header, and a frame of that number.
std::string pointsHeaderBytes(const PointsHeader& header);
void appendPointsFrame(const PointsFrame& frame, std::uint64_t number, std::string& bytes);

// Writes frame by frame, and holds none of them. Nothing is left of the file without finish().
class PointsWriter {
public:
    PointsWriter(const std::string& path, const PointsHeader& header);

    void add(const PointsFrame& frame);
    std::string finish();  // an empty string, or why the file could not be written
    std::uint64_t size() const { return file_.size(); }

private:
    WholeFile file_;
    std::uint64_t frames_ = 0;
    std::string bytes_;  // of one frame
};

// Reads what anybody may have written: what does not hold together is refused, and it takes no more memory
// than the file has bytes.
class PointsReader {
public:
    static Result<PointsReader> open(const std::string& path);
    // The stream becomes the reader's. `name` is for messages.
    static Result<PointsReader> read(std::FILE* stream, const std::string& name);

    const PointsHeader& header() const { return header_; }
    std::uint64_t frames() const { return starts_.size(); }
    // Of one frame, counted from zero, without its particles: its time, and how many of each system there
    // are.
    struct Outline {
        double time = 0;
        std::vector<std::uint32_t> counts;
    };
    Result<Outline> outline(std::uint64_t number);
    // In a time that does not depend on how many frames there are.
    std::optional<Diagnostic> frame(std::uint64_t number, PointsFrame& frame);

private:
    PointsReader(std::FILE* stream, const std::string& name) : file_(stream), name_(name) {}
    Diagnostic fault(const std::string& what) const;
    bool load(std::uint64_t offset, std::size_t size);  // into bytes_
    std::string readHeader(std::uint64_t fileSize);     // each: what is wrong, or nothing
    std::string readSystems(std::size_t end);
    std::string findFrames(std::uint64_t fileSize);
    std::size_t bytesEach() const { return header_.velocities ? 36 : 24; }

    FileStream file_;
    std::string name_;
    PointsHeader header_;
    std::uint64_t headerSize_ = 0;
    std::vector<std::uint64_t> starts_, sizes_;
    std::string bytes_;
};

}  // namespace sinew

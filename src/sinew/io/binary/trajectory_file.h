// A motion as a binary file, .sinewt: every bit of it, any frame without reading the others, and each frame
// with a check sum. docs/trajectory_format.md describes the bytes, which do not change within a version.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"
#include "sinew/io/whole_file.h"
#include "sinew/state/trajectory.h"

namespace sinew {

// Writes frame by frame, and holds none of them. Nothing is left of the file without finish().
class TrajectoryWriter {
public:
    // `fps` is what the times are multiples of; zero where they are not evenly spaced.
    TrajectoryWriter(const std::string& path, const std::vector<std::string>& bodies, double fps);

    void add(const Frame& frame);
    std::string finish();  // an empty string, or why the file could not be written
    std::uint64_t size() const { return file_.size(); }

private:
    WholeFile file_;
    std::size_t bodies_;
    std::uint64_t frames_ = 0;
    std::string bytes_;  // of one frame
};

// Reads what anybody may have written: what does not hold together is refused, and it takes no more memory
// than the file has bytes.
class TrajectoryReader {
public:
    static Result<TrajectoryReader> open(const std::string& path);
    // The stream becomes the reader's. `name` is for messages.
    static Result<TrajectoryReader> read(std::FILE* stream, const std::string& name);

    const std::vector<std::string>& bodies() const { return bodies_; }
    double fps() const { return fps_; }
    std::uint64_t frames() const { return frames_; }

    // One frame, counted from zero, in a time that does not depend on how many there are.
    Result<Frame> frame(std::uint64_t number);
    // The last frame that is not after the time (the first where all are), found by halving.
    Result<std::uint64_t> frameAt(double time);
    // All of them; times must rise.
    Result<Trajectory> all();

private:
    TrajectoryReader(std::FILE* stream, const std::string& name) : file_(stream), name_(name) {}
    Diagnostic fault(const std::string& what) const;
    bool load(std::uint64_t offset, std::size_t size);  // into bytes_
    std::string readHeader(std::uint64_t fileSize);     // each: what is wrong, or nothing
    std::string readNames(std::size_t end);
    std::string readEnd(std::uint64_t fileSize);

    FileStream file_;
    std::string name_;
    std::vector<std::string> bodies_;
    double fps_ = 0;
    std::uint64_t frames_ = 0, firstFrame_ = 0, frameSize_ = 0;
    std::string bytes_;
};

Result<std::uint64_t> writeTrajectoryFile(const std::string& path, const std::vector<std::string>& bodies,
                                          const Trajectory& motion);

}  // namespace sinew

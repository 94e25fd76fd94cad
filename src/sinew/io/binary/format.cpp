#include "sinew/io/format.h"
#include "sinew/io/binary/trajectory_file.h"
#include "sinew/io/file_error.h"

namespace sinew {
namespace {

constexpr std::string_view trajectoryEndings[] = {".sinewt"};
constexpr std::string_view pointsEndings[] = {".sinewp"};
constexpr std::string_view springMeshEndings[] = {".sinewm"};

FileFormat::Outcome writeBinaryMotion(const std::string& path, const Description& scene,
                                      const Trajectory& motion, const WriteOptions& options)
{
    std::vector<std::string> names;
    for (const BodyDescription& body : scene.bodies) names.push_back(body.name);
    TrajectoryWriter writer(path, names, options.rate);
    for (const Frame& frame : motion) writer.add(frame);
    return faultOf(writer.finish());
}

}  // namespace

const FileFormat trajectoryFormat = {
    .name = "a recorded motion",
    .endings = trajectoryEndings,
    .writeMotion = writeBinaryMotion,
};

const FileFormat pointsFormat = {
    .name = "particles of a run",
    .endings = pointsEndings,
};

const FileFormat springMeshFormat = {
    .name = "spring meshes of a run",
    .endings = springMeshEndings,
};

}  // namespace sinew

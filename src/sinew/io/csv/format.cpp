#include "sinew/io/format.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/model/model.h"

namespace sinew {
namespace {

constexpr std::string_view csvEndings[] = {".csv"};

FileFormat::Outcome writeCsvMotion(const std::string& path, const Description& scene,
                                   const Trajectory& motion, const WriteOptions&)
{
    Result<Model> model = compile(scene);
    if (!model) return model.error();
    return faultOf(writeTrajectory(path, model.value(), motion));
}

}  // namespace

const FileFormat csvFormat = {
    .name = "a table (CSV)", .endings = csvEndings, .writeMotion = writeCsvMotion};

}  // namespace sinew

#include "sinew/io/csv/trajectory_csv.h"

#include <cmath>

#include "sinew/io/csv/csv.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/csv/table_reader.h"
#include "sinew/io/file_error.h"
#include "sinew/io/whole_file.h"

namespace sinew {

Result<Trajectory> readTrajectory(const std::string& path, const Model& model)
{
    Result<TableReader> reader = TableReader::open(path, trajectoryHeader(model));
    if (!reader) return reader.error();
    const std::size_t bodies = model.bodyOrder.size();
    std::vector<double> row(1 + 7 * bodies);
    Trajectory motion;
    while (reader.value().readRow(row)) {
        const std::string where = "row " + std::to_string(motion.size() + 1);
        for (double number : row)
            if (!std::isfinite(number))
                return fileError(path, where + " holds a number that is not finite");
        if (!motion.empty() && !(row[0] > motion.back().time))
            return fileError(path, where + ": its time must be later than the one before");
        Frame frame;
        frame.time = row[0];
        frame.bodies.reserve(bodies);
        for (std::size_t b = 0; b < bodies; ++b) {
            const double* x = row.data() + 1 + 7 * b;
            const Quat turn(x[6], x[3], x[4], x[5]);
            if (!(std::abs(turn.norm() - 1) < 1e-3))
                return fileError(path, where + ": a quaternion must be of length one");
            frame.bodies.push_back({Vec3(x[0], x[1], x[2]), turn});
        }
        motion.push_back(std::move(frame));
    }
    if (!reader.value().fault().empty()) return Diagnostic{reader.value().fault()};
    if (motion.empty()) return fileError(path, "holds no frames");
    return motion;
}

Result<std::uint64_t> writeTrajectory(const std::string& path, const Model& model, const Trajectory& motion)
{
    constexpr std::size_t enough = 1 << 16;
    WholeFile file(path);
    std::string text = trajectoryHeader(model);
    const auto add = [&](double number) {
        text += ',';
        appendNumber(text, number);
    };
    for (const Frame& frame : motion) {
        appendNumber(text, frame.time);
        for (const Pose& pose : frame.bodies) {
            for (double x : pose.position) add(x);
            for (double x : pose.orientation.coeffs()) add(x);
        }
        text += '\n';
        if (text.size() < enough) continue;
        file.write(text);
        text.clear();
    }
    file.write(text);
    const std::string fault = file.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return file.size();
}

}  // namespace sinew

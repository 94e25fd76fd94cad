#include "sinew/soft/flow.h"

#include <cmath>

#include "sinew/field/air.h"

namespace sinew {

namespace {

void addPartFlow(MeshStep& step, const MeshPart& part, const VecX& x)
{
    const SpringMesh& mesh = *step.mesh;
    const MeshTraits& traits = *part.traits;
    if (traits.drag == 0 && traits.lift == 0) return;
    const MediumDescription& medium = step.around->model->medium;
    const auto velocity = [&](int i) {
        return Vec3((x[3 * i] - step.x0[3 * i]) / step.h, (x[3 * i + 1] - step.x0[3 * i + 1]) / step.h,
                    (x[3 * i + 2] - step.x0[3 * i + 2]) / step.h);
    };
    const auto place = [&](int i) { return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]); };
    for (int f = part.face; f < part.faceEnd; ++f) {
        const auto& face = mesh.faces[static_cast<std::size_t>(f)];
        const Vec3 a = place(face[0]), b = place(face[1]), c = place(face[2]);
        const Vec3 twice = (b - a).cross(c - a);
        const double area = 0.5 * twice.norm();
        if (!(area > 0)) continue;
        const Vec3 normal = 0.5 / area * twice;
        const Vec3 air = airVelocity(step.around->model->fields, step.around->time, 1.0 / 3 * (a + b + c));
        const Vec3 w = air - 1.0 / 3 * (velocity(face[0]) + velocity(face[1]) + velocity(face[2]));
        const double speed = w.norm(), through = w.dot(normal);
        if (!(speed > 0)) continue;
        const double pressure = 0.5 * medium.density * area * std::fabs(through);
        Vec3 force = pressure * traits.drag * w;
        if (traits.lift != 0) {
            const Vec3 across = speed * normal - through / speed * w;
            force += pressure * traits.lift * (through < 0 ? -1 : 1) * across;
        }
        // The drag's own derivative by the velocity, its positive part: each corner has a third of the
        // velocity and bears a third of the force.
        const Mat3 slope = pressure * traits.drag / 9 * Mat3::Identity() +
                           0.5 * medium.density * area * traits.drag * std::fabs(through) / 9 *
                               (normal * normal.transpose());
        for (int i : face) {
            for (int k = 0; k < 3; ++k) step.flow[3 * i + k] += force[k] / 3;
            // Each row sums over the three corners: with the diagonal alone, three times as much keeps it
            // safe.
            step.flowDamping[static_cast<std::size_t>(i)] += 3 * slope;
        }
    }
}

}  // namespace

void flowForces(MeshStep& step, const VecX& x)
{
    const SpringMesh& mesh = *step.mesh;
    const int n = mesh.size();
    step.flowAt = x;
    step.flow.resize(x.size());
    step.flow.setZero();
    step.flowDamping.assign(static_cast<std::size_t>(n), Mat3::Zero());
    for (int p = 0; p < mesh.partCount(); ++p) addPartFlow(step, mesh.part(p), x);
}

}  // namespace sinew

#include "sinew/soft/by_scheme.h"

#include <cmath>

namespace sinew {
namespace {

Vec3 threeAt(ode::In x, int i)
{
    const std::size_t k = 3 * static_cast<std::size_t>(i);
    return Vec3(x[k], x[k + 1], x[k + 2]);
}

void addThree(ode::Out a, int i, const Vec3& part)
{
    for (std::size_t k = 0; k < 3; ++k) a[3 * static_cast<std::size_t>(i) + k] += part[static_cast<int>(k)];
}

}  // namespace

void MeshAccelerations::accelerate(double t, ode::In x, ode::In v, ode::Out a)
{
    for (int i = 0; i < mesh_.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            a[3 * static_cast<std::size_t>(i) + k] =
                mesh_.masses[static_cast<std::size_t>(i)] * gravity_[static_cast<int>(k)];
    for (const MeshForce& force : mesh_.forces) {
        const double weight = force.signal ? force.signal->at(t).value : 1;
        for (int i : force.vertices) addThree(a, i, weight * force.force);
    }
    for (const MeshSpring& spring : mesh_.springs) {
        const Vec3 way = threeAt(x, spring.b) - threeAt(x, spring.a);
        const double length = way.norm();
        if (!(length > 0)) continue;
        const Vec3 along = 1 / length * way;
        const double rate = along.dot(threeAt(v, spring.b) - threeAt(v, spring.a));
        const Vec3 pull = (springTension(spring, length) + spring.damping * rate) * along;
        addThree(a, spring.a, pull);
        addThree(a, spring.b, -pull);
    }
    if (!mesh_.folds.empty()) {
        const VecX places = view(x.data(), static_cast<int>(x.size()));
        for (const MeshFold& fold : mesh_.folds) {
            std::array<Vec3, 4> gradient;
            const double turn = foldTurn(fold, places, gradient);
            double rate = 0;
            for (std::size_t k = 0; k < 4; ++k) rate += gradient[k].dot(threeAt(v, fold.corner[k]));
            const double torque = fold.stiffness * turn + fold.damping * rate;
            for (std::size_t k = 0; k < 4; ++k) addThree(a, fold.corner[k], -torque * gradient[k]);
        }
    }
    addPressures(x, a);
    for (const MeshPin& pin : mesh_.pins) {
        if (pin.isRigid) continue;
        addThree(a, pin.vertex,
                 -pinPullAt(pin, threeAt(x, pin.vertex) - pin.point, threeAt(v, pin.vertex)));
    }
    for (const MeshTie& tie : mesh_.ties) {
        const Vec3 pull =
            pinPullAt(tie, threeAt(x, tie.b) - threeAt(x, tie.a), threeAt(v, tie.b) - threeAt(v, tie.a));
        addThree(a, tie.a, pull);
        addThree(a, tie.b, -pull);
    }
    for (const MeshGlide& glide : mesh_.glides)
        addThree(a, glide.vertex, -glidePullAt(glide, threeAt(x, glide.vertex), threeAt(v, glide.vertex)));
    for (int i = 0; i < mesh_.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            a[3 * static_cast<std::size_t>(i) + k] /= mesh_.masses[static_cast<std::size_t>(i)];
    for (const MeshPin& pin : mesh_.pins)
        if (pin.isRigid)
            for (std::size_t k = 0; k < 3; ++k) a[3 * static_cast<std::size_t>(pin.vertex) + k] = 0;
}

void MeshAccelerations::addPressures(ode::In x, ode::Out a) const
{
    for (int p = 0; p < mesh_.partCount(); ++p) {
        const MeshPart part = mesh_.part(p);
        const MeshTraits& traits = *part.traits;
        if (traits.pressure == 0 && !(traits.bulk > 0)) continue;
        const VecX places = view(x.data(), static_cast<int>(x.size()));
        const double growth = enclosedVolume(mesh_, places, p) - traits.restVolume;
        const double pressure = traits.pressure - traits.bulk / traits.restVolume * growth;
        for (int f = part.face; f < part.faceEnd; ++f) {
            const auto& face = mesh_.faces[static_cast<std::size_t>(f)];
            const Vec3 corner = threeAt(x, face[0]);
            const Vec3 push =
                pressure / 6 * (threeAt(x, face[1]) - corner).cross(threeAt(x, face[2]) - corner);
            for (int i : face) addThree(a, i, push);
        }
    }
}

bool stepByScheme(const SpringMesh& mesh, const Vec3& gravity, double time, double h, MeshState& state,
                  ode::Work& work)
{
    for (const MeshPin& pin : mesh.pins)
        if (pin.isRigid)
            for (int k = 0; k < 3; ++k) {
                state.x[3 * pin.vertex + k] = pin.point[k];
                state.v[3 * pin.vertex + k] = 0;
            }
    // Each step by itself, so that a run that is resumed goes on with the same bits.
    work.restart();
    MeshAccelerations system(mesh, gravity);
    const std::size_t size = static_cast<std::size_t>(state.x.size());
    return ode::step(*ode::findScheme(mesh.scheme), system, time, h, {state.x.data(), size},
                     {state.v.data(), size}, work);
}

}  // namespace sinew

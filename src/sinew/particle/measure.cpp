#include "sinew/particle/measure.h"

#include "sinew/model/particles.h"

namespace sinew {

Energy particleEnergy(const Model& model, const ParticleSystem& system, const ParticleState& state)
{
    Energy sum;
    for (int i = 0; i < state.alive; ++i) {
        const double mass = system.massOf(state.size[i]);
        const Vec3 x(state.x[i], state.y[i], state.z[i]), v(state.vx[i], state.vy[i], state.vz[i]);
        sum.kinetic += 0.5 * mass * v.squaredNorm();
        sum.potential -= mass * system.gravity * model.gravity.dot(x);
    }
    return sum;
}

}  // namespace sinew

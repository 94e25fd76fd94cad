#include "sinew/particle/work.h"

namespace sinew {

void ParticleWork::prepare(const Model& model, double time)
{
    air.prepare(model.fields, time);
    attractors.clear();
    for (const FieldDescription& field : model.fields) {
        if (field.moves()) continue;
        const double factor = field.signal ? field.signal->at(time).value : 1;
        const auto single = [](double x) { return static_cast<float>(x); };
        attractors.push_back({single(field.position.x()), single(field.position.y()),
                              single(field.position.z()), single(factor * field.strength),
                              single(field.softening * field.softening), field.exponent, field.byMass});
    }
}

}  // namespace sinew

// Spring meshes by any of the integrators of ode/schemes.h, to compare and to teach: springs, folds,
// pressure, pins in the world and scripted forces as accelerations of the vertices that are free. No
// contact, no flow, no pins on bodies; compile() refuses these. Stable only for steps that the scheme
// allows: h √(k/m) below its bound.
#pragma once

#include "sinew/ode/schemes.h"
#include "sinew/soft/potential.h"

namespace sinew {

class MeshAccelerations : public ode::SecondOrder {
public:
    MeshAccelerations(const SpringMesh& mesh, const Vec3& gravity) : mesh_(mesh), gravity_(gravity) {}

    int size() const override { return 3 * mesh_.size(); }
    void accelerate(double t, ode::In x, ode::In v, ode::Out a) override;
    bool dependsOnVelocity() const override { return mesh_.isDamped(); }

private:
    void addPressures(ode::In x, ode::Out a) const;

    const SpringMesh& mesh_;
    Vec3 gravity_;
};

// One step; false: the scheme found none.
bool stepByScheme(const SpringMesh& mesh, const Vec3& gravity, double time, double h, MeshState& state,
                  ode::Work& work);

}  // namespace sinew

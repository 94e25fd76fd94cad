// Whether two scenes are the same, to the last bit: a file must read back to just what was written.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <variant>

#include "sinew/model/description.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"

namespace sinew {

template <class A, class B>
inline void expectSameVector(const std::optional<A>& a, const std::optional<B>& b)
{
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
        EXPECT_EQ(*a, *b);
    }
}

inline void expectSame(const Pose& a, const Pose& b)
{
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.orientation.coeffs(), b.orientation.coeffs());
}

struct SizesOf {
    std::vector<double> operator()(const Sphere& s) const { return {s.radius}; }
    std::vector<double> operator()(const Box& s) const { return {s.size.x(), s.size.y(), s.size.z()}; }
    std::vector<double> operator()(const Capsule& s) const { return {s.radius, s.length}; }
    std::vector<double> operator()(const Cylinder& s) const { return {s.radius, s.length}; }
    std::vector<double> operator()(const Ellipsoid& s) const
    {
        return {s.radii.x(), s.radii.y(), s.radii.z()};
    }
    std::vector<double> operator()(const ConvexMesh& s) const { return mesh(s.vertices, s.faces); }

    std::vector<double> operator()(const HalfSpace&) const { return {}; }
    std::vector<double> operator()(const HeightField& f) const
    {
        std::vector<double> all = f.heights;
        all.insert(all.end(), {f.spacing, static_cast<double>(f.columns), static_cast<double>(f.rows)});
        return all;
    }
    std::vector<double> operator()(const TriangleMesh& m) const { return mesh(m.vertices, m.faces); }

private:
    static std::vector<double> mesh(const std::vector<Vec3>& vertices,
                                    const std::vector<std::array<int, 3>>& faces)
    {
        std::vector<double> all;
        for (const Vec3& v : vertices) all.insert(all.end(), v.data(), v.data() + 3);
        for (const auto& face : faces)
            for (int i : face) all.push_back(i);
        return all;
    }
};

template <class Form>
inline void expectSameForm(const Form& a, const Form& b)
{
    ASSERT_EQ(a.index(), b.index());
    EXPECT_EQ(std::visit(SizesOf{}, a), std::visit(SizesOf{}, b));
}

inline void expectSame(const BodyDescription& a, const BodyDescription& b)
{
    EXPECT_EQ(a.name, b.name);
    expectSame(a.pose, b.pose);
    EXPECT_EQ(a.mass, b.mass);
    expectSameVector(a.inertia, b.inertia);
    expectSameVector(a.center, b.center);
    EXPECT_EQ(a.staticFriction, b.staticFriction);
    EXPECT_EQ(a.rollingFriction, b.rollingFriction);
    EXPECT_EQ(a.spinningFriction, b.spinningFriction);
    EXPECT_EQ(a.friction, b.friction);
    EXPECT_EQ(a.restitution, b.restitution);
    EXPECT_EQ(a.layer, b.layer);
    EXPECT_EQ(a.collides, b.collides);
    expectSameVector(a.color, b.color);
    expectSameVector(a.velocity, b.velocity);
    expectSameVector(a.angularVelocity, b.angularVelocity);
    ASSERT_EQ(a.shapes.size(), b.shapes.size());
    for (std::size_t i = 0; i < a.shapes.size(); ++i) {
        expectSameForm(a.shapes[i].shape, b.shapes[i].shape);
        expectSame(a.shapes[i].pose, b.shapes[i].pose);
        EXPECT_EQ(a.shapes[i].density, b.shapes[i].density);
        EXPECT_EQ(a.shapes[i].mass, b.shapes[i].mass);
    }
}

inline void expectSame(const JointDescription& a, const JointDescription& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
    EXPECT_EQ(a.position, b.position);
    expectSameVector(a.axis, b.axis);
    expectSameVector(a.axis2, b.axis2);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.motor, b.motor);
    EXPECT_EQ(a.coordinate, b.coordinate);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.rest, b.rest);
    EXPECT_EQ(a.lower, b.lower);
    EXPECT_EQ(a.upper, b.upper);
    EXPECT_EQ(a.limitStiffness, b.limitStiffness);
    EXPECT_EQ(a.armature, b.armature);
    EXPECT_EQ(a.twistStiffness, b.twistStiffness);
    EXPECT_EQ(a.swingLimit, b.swingLimit);
    ASSERT_EQ(a.swingCone.has_value(), b.swingCone.has_value());
    if (a.swingCone) {
        EXPECT_EQ(a.swingCone->center, b.swingCone->center);
        EXPECT_EQ(a.swingCone->toward, b.swingCone->toward);
        EXPECT_EQ(a.swingCone->reach, b.swingCone->reach);
    }
}

inline void expectSame(const ObstacleDescription& a, const ObstacleDescription& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.orientation.coeffs(), b.orientation.coeffs());
    EXPECT_EQ(a.normal, b.normal);
    EXPECT_EQ(a.radius, b.radius);
    expectSameForm(a.shape, b.shape);
    expectSameForm(a.terrain, b.terrain);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.staticFriction, b.staticFriction);
    EXPECT_EQ(a.rollingFriction, b.rollingFriction);
    EXPECT_EQ(a.spinningFriction, b.spinningFriction);
    EXPECT_EQ(a.friction, b.friction);
    EXPECT_EQ(a.restitution, b.restitution);
    EXPECT_EQ(a.layer, b.layer);
}

inline void expectSame(const ContactDescription& a, const ContactDescription& b)
{
    EXPECT_EQ(a.response, b.response);
    EXPECT_EQ(a.staticFriction, b.staticFriction);
    EXPECT_EQ(a.rollingFriction, b.rollingFriction);
    EXPECT_EQ(a.spinningFriction, b.spinningFriction);
    EXPECT_EQ(a.friction, b.friction);
    EXPECT_EQ(a.restitution, b.restitution);
    EXPECT_EQ(a.bounceSpeed, b.bounceSpeed);
    EXPECT_EQ(a.keep, b.keep);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.atFraction, b.atFraction);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.solver, b.solver);
    EXPECT_EQ(a.sweeps, b.sweeps);
    EXPECT_EQ(a.tolerance, b.tolerance);
    EXPECT_EQ(a.plainInertia, b.plainInertia);
    EXPECT_EQ(a.sleeping, b.sleeping);
    EXPECT_EQ(a.ignore, b.ignore);
}

inline void expectSame(const TargetDescription::Key& a, const TargetDescription::Key& b)
{
    EXPECT_EQ(a.time, b.time);
    expectSameVector(a.position, b.position);
    ASSERT_EQ(a.orientation.has_value(), b.orientation.has_value());
    if (a.orientation) {
        EXPECT_EQ(a.orientation->coeffs(), b.orientation->coeffs());
    }
}

inline void expectSame(const TargetDescription& a, const TargetDescription& b)
{
    EXPECT_EQ(a.body, b.body);
    expectSameVector(a.point, b.point);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.turnStiffness, b.turnStiffness);
    EXPECT_EQ(a.turnDamping, b.turnDamping);
    EXPECT_EQ(a.smooth, b.smooth);
    ASSERT_EQ(a.path.size(), b.path.size());
    for (std::size_t i = 0; i < a.path.size(); ++i) expectSame(a.path[i], b.path[i]);
}

inline void expectSame(const CouplingDescription& a, const CouplingDescription& b)
{
    EXPECT_EQ(a.follower, b.follower);
    EXPECT_EQ(a.leader, b.leader);
    EXPECT_EQ(a.ratio, b.ratio);
    EXPECT_EQ(a.offset, b.offset);
}

inline void expectSame(const SwitchDescription& a, const SwitchDescription& b)
{
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.joint, b.joint);
    EXPECT_EQ(a.active, b.active);
    const JointSettings &x = a.settings, &y = b.settings;
    EXPECT_EQ(x.stiffness, y.stiffness);
    EXPECT_EQ(x.damping, y.damping);
    EXPECT_EQ(x.swingLimit, y.swingLimit);
    EXPECT_EQ(x.limitStiffness, y.limitStiffness);
    EXPECT_EQ(x.rest, y.rest);
    EXPECT_EQ(x.lower, y.lower);
    EXPECT_EQ(x.upper, y.upper);
    EXPECT_EQ(x.motor, y.motor);
    EXPECT_EQ(x.limits, y.limits);
}

struct NumbersOf {
    std::vector<double> operator()(const ConstantSignal& s) const { return {s.value}; }
    std::vector<double> operator()(const SineSignal& s) const
    {
        return {s.amplitude, s.frequency, s.phase, s.offset};
    }
    std::vector<double> operator()(const PulseSignal& s) const
    {
        return {s.height, s.start, s.length, s.period, s.ramp};
    }
    std::vector<double> operator()(const StepSignal& s) const { return {s.from, s.to, s.time, s.ramp}; }
    std::vector<double> operator()(const NoiseSignal& s) const
    {
        return {s.amplitude, s.frequency, static_cast<double>(s.seed)};
    }
    std::vector<double> operator()(const KeySignal& s) const
    {
        std::vector<double> all{s.period, static_cast<double>(s.smooth)};
        for (const KeySignal::Key& key : s.keys) all.insert(all.end(), {key.time, key.value});
        return all;
    }
};

inline void expectSame(const Signal& a, const Signal& b)
{
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
        ASSERT_EQ(a.parts[i].index(), b.parts[i].index());
        EXPECT_EQ(std::visit(NumbersOf{}, a.parts[i]), std::visit(NumbersOf{}, b.parts[i]));
    }
}

inline void expectSame(const PrescribedDescription& a, const PrescribedDescription& b)
{
    EXPECT_EQ(a.joint, b.joint);
    EXPECT_EQ(a.body, b.body);
    EXPECT_EQ(a.smooth, b.smooth);
    expectSameVector(a.point, b.point);
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.until, b.until);
    EXPECT_EQ(a.blend, b.blend);
    ASSERT_EQ(a.motion.size(), b.motion.size());
    for (std::size_t i = 0; i < a.motion.size(); ++i) expectSame(a.motion[i], b.motion[i]);
    ASSERT_EQ(a.path.size(), b.path.size());
    for (std::size_t i = 0; i < a.path.size(); ++i) expectSame(a.path[i], b.path[i]);
}

inline void expectSame(const SpringDescription& a, const SpringDescription& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.first.body, b.first.body);
    EXPECT_EQ(a.second.body, b.second.body);
    EXPECT_EQ(a.first.form.index(), b.first.form.index());
    EXPECT_EQ(a.second.form.index(), b.second.form.index());
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.acts, b.acts);
    EXPECT_EQ(a.turnStiffness, b.turnStiffness);
    EXPECT_EQ(a.turnDamping, b.turnDamping);
}

inline void expectSame(const FieldDescription& a, const FieldDescription& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.speed, b.speed);
    EXPECT_EQ(a.strength, b.strength);
    EXPECT_EQ(a.seed, b.seed);
}

template <class T>
inline void expectSame(const std::vector<T>& a, const std::vector<T>& b)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) expectSame(a[i], b[i]);
}

inline void expectSame(const Description& a, const Description& b)
{
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.about, b.about);
    EXPECT_EQ(a.gravity, b.gravity);
    EXPECT_EQ(a.inertiaFloor, b.inertiaFloor);
    EXPECT_EQ(a.roots, b.roots);
    expectSame(a.bodies, b.bodies);
    expectSame(a.joints, b.joints);
    expectSame(a.obstacles, b.obstacles);
    ASSERT_EQ(a.contact.has_value(), b.contact.has_value());
    if (a.contact) expectSame(*a.contact, *b.contact);
    expectSame(a.targets, b.targets);
    expectSame(a.couplings, b.couplings);
    expectSame(a.switches, b.switches);
    expectSame(a.prescribed, b.prescribed);
    expectSame(a.springs, b.springs);
    expectSame(a.fields, b.fields);
    EXPECT_EQ(a.medium.viscosity, b.medium.viscosity);
    EXPECT_EQ(a.medium.density, b.medium.density);
    ASSERT_EQ(a.forces.size(), b.forces.size());
    for (std::size_t i = 0; i < a.forces.size(); ++i) {
        EXPECT_EQ(a.forces[i].body, b.forces[i].body);
        EXPECT_EQ(a.forces[i].force, b.forces[i].force);
        EXPECT_EQ(a.forces[i].torque, b.forces[i].torque);
        expectSameVector(a.forces[i].point, b.forces[i].point);
    }
    EXPECT_EQ(a.run.solver, b.run.solver);
    EXPECT_EQ(a.run.integrator, b.run.integrator);
    EXPECT_EQ(a.run.coordinates, b.run.coordinates);
    EXPECT_EQ(a.run.step, b.run.step);
    EXPECT_EQ(a.run.duration, b.run.duration);
    EXPECT_EQ(a.run.fps, b.run.fps);
    EXPECT_EQ(a.run.slowBand, b.run.slowBand);
    EXPECT_EQ(a.run.tolerance, b.run.tolerance);
    EXPECT_EQ(a.run.spread, b.run.spread);
}

}  // namespace sinew

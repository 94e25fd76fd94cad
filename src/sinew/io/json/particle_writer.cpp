// Particle systems.
#include "sinew/io/json/scene_writer.h"
#include "sinew/model/particles.h"

namespace sinew::writing {
namespace {

Value spreadValue(const Spread& spread)
{
    if (spread.kind == Spread::Kind::constant) return spread.value;
    const bool isUniform = spread.kind == Spread::Kind::uniform;
    Value out = Value::object();
    out.add(isUniform ? "from" : "mean", spread.value);
    out.add(isUniform ? "to" : "deviation", spread.other);
    return out;
}

void addSpread(Value& out, const char* key, const Spread& spread, double byDefault)
{
    if (spread.kind != Spread::Kind::constant || spread.value != byDefault)
        out.add(key, spreadValue(spread));
}

Value emitterValue(const EmitterDescription& emitter)
{
    using Type = EmitterDescription::Type;
    static constexpr const char* types[] = {"point", "disc", "sphere", "mesh", "body"};
    Value out = Value::object();
    out.add("type", types[static_cast<int>(emitter.type)]);
    addText(out, "body", emitter.body);
    addPosition(out, emitter.pose.position);
    addOrientation(out, emitter.pose.orientation);
    if (emitter.type == Type::disc || emitter.type == Type::sphere) {
        out.add("radius", emitter.radius);
        if (emitter.surface) out.add("surface", true);
    }
    if (emitter.type == Type::mesh) addTriangles(out, emitter.mesh.vertices, emitter.mesh.faces);
    addNumber(out, "inherit", emitter.inherit, 1);
    return out;
}

Value birthVelocityValue(const BirthVelocity& velocity)
{
    using Kind = BirthVelocity::Kind;
    if (velocity.kind == Kind::fixed) return list(velocity.value);
    Value out = Value::object();
    if (velocity.kind == Kind::cone) {
        if (velocity.direction != Vec3(0, 1, 0)) out.add("direction", list(velocity.direction));
        out.add("speed", spreadValue(velocity.speed));
        addNumber(out, "angle", velocity.angle);
        return out;
    }
    out.add(velocity.kind == Kind::box ? "from" : "mean", list(velocity.value));
    out.add(velocity.kind == Kind::box ? "to" : "deviation", list(velocity.other));
    return out;
}

Value overLifeValue(const ParticlesDescription& particles)
{
    Value out = Value::object();
    const auto add = [&](const char* key, const std::vector<LifeKey>& keys) {
        Value curve = Value::array();
        for (const LifeKey& each : keys) curve.add(Value::array({each.life, each.value}));
        if (!keys.empty()) out.add(key, std::move(curve));
    };
    add("size", particles.sizeOverLife);
    add("opacity", particles.opacityOverLife);
    add("drag", particles.dragOverLife);
    Value colors = Value::array();
    for (const LifeColor& each : particles.colorOverLife)
        colors.add(Value::array({Value(each.life), list(each.color)}));
    if (!particles.colorOverLife.empty()) out.add("color", std::move(colors));
    return out;
}

Value particleTargetValue(const ParticleTargetDescription& target)
{
    Value out = Value::object();
    addNumber(out, "stiffness", target.stiffness);
    addNumber(out, "damping", target.damping);
    if (!target.path.empty()) out.add("path", pathValue(target.path));
    if (target.smooth) out.add("smooth", true);
    addText(out, "body", target.body);
    addVector(out, "point", target.point);
    return out;
}

// true where all is as usual.
Value bounceValue(const BounceDescription& bounce)
{
    const BounceDescription usual;
    Value out = Value::object();
    if (bounce.response != usual.response) out.add("response", "penalty");
    addNumber(out, "keep", bounce.keep, usual.keep);
    addNumber(out, "friction", bounce.friction, usual.friction);
    if (!bounce.atFraction) out.add("time", "step");
    addNumber(out, "stiffness", bounce.stiffness);
    addNumber(out, "damping", bounce.damping);
    if (bounce.dies) out.add("dies", true);
    return out.members().empty() ? Value(true) : out;
}

void addBirths(Value& out, const ParticlesDescription& particles)
{
    using Births = ParticlesDescription::Births;
    if (!particles.rate.parts.empty()) out.add("rate", signalValue(particles.rate));
    if (particles.births == Births::uniform) out.add("spread", particles.rateSpread);
    if (particles.births == Births::even) out.add("spread", "even");
    addNumber(out, "from", particles.from);
    addNumber(out, "until", particles.until);
    Value bursts = Value::array();
    for (const Burst& burst : particles.bursts) {
        Value one = Value::object();
        addNumber(one, "time", burst.time);
        one.add("count", burst.count);
        addNumber(one, "every", burst.every);
        bursts.add(std::move(one));
    }
    if (!particles.bursts.empty()) out.add("bursts", std::move(bursts));
    out.add("most", particles.most);
    addNumber(out, "seed", static_cast<double>(particles.seed));
}

}  // namespace

Value particlesValue(const ParticlesDescription& particles)
{
    static constexpr const char* shapes[] = {"point", "streak", "sprite", "sphere"};
    const ParticlesDescription usual;
    Value out = Value::object();
    out.add("name", particles.name);
    out.add("emitter", emitterValue(particles.emitter));
    addBirths(out, particles);
    const BirthVelocity& velocity = particles.velocity;
    if (velocity.kind != BirthVelocity::Kind::fixed || !velocity.value.isZero(0))
        out.add("velocity", birthVelocityValue(velocity));
    addSpread(out, "outward", particles.outward, 0);
    addSpread(out, "life", particles.life, usual.life.value);
    addSpread(out, "size", particles.size, usual.size.value);
    addSpread(out, "opacity", particles.opacity, usual.opacity.value);
    if (particles.otherColor) {
        Value color = Value::object();
        color.add("from", list(particles.color));
        color.add("to", list(*particles.otherColor));
        out.add("color", std::move(color));
    } else if (particles.color != usual.color) {
        out.add("color", list(particles.color));
    }
    if (particles.shape != usual.shape) out.add("shape", shapes[static_cast<int>(particles.shape)]);
    if (particles.shadow) out.add("shadow", true);
    if (particles.emission) out.add("emission", true);
    Value curves = overLifeValue(particles);
    if (!curves.members().empty()) out.add("over_life", std::move(curves));
    addNumber(out, "mass", particles.mass);
    addNumber(out, "density", particles.density, usual.density);
    addNumber(out, "drag_coefficient", particles.dragCoefficient, usual.dragCoefficient);
    addNumber(out, "gravity", particles.gravity, usual.gravity);
    if (particles.target) out.add("target", particleTargetValue(*particles.target));
    if (particles.bounce) out.add("bounce", bounceValue(*particles.bounce));
    if (particles.trail > 0) {
        Value trail = Value::object();
        trail.add("places", particles.trail);
        addNumber(trail, "every", particles.trailEvery, usual.trailEvery);
        out.add("trail", std::move(trail));
    }
    return out;
}

}  // namespace sinew::writing

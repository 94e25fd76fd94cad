// Particle systems of a description → Model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "sinew/base/hash.h"
#include "sinew/geometry/support.h"
#include "sinew/geometry/surface.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/particles.h"

namespace sinew::compiling {
namespace {

// What single precision bears, squares and quotients included.
constexpr double largestLength = 1e9, leastSize = 1e-9, largestSpeed = 1e9;  // m, m/s
constexpr double largestRate = 1e8;                                          // births a second

void within(double x, double low, double high, const std::string& pointer, const char* unit, Checker& check)
{
    check.require(std::isfinite(x), pointer, "is not finite");
    check.require(x >= low && x <= high, pointer,
                  "is " + number(x) + "; it must be from " + number(low) + " to " + number(high) + unit);
}

// Every number that may be drawn.
void within(const Spread& spread, double low, double high, const std::string& pointer, const char* unit,
            Checker& check)
{
    using Kind = Spread::Kind;
    check.require(std::isfinite(spread.value) && std::isfinite(spread.other), pointer,
                  "has a number that is not finite");
    if (spread.kind == Kind::uniform)
        check.require(spread.value <= spread.other, pointer,
                      "is from " + number(spread.value) + " to " + number(spread.other) +
                          "; the first must not be more than the second");
    if (spread.kind == Kind::normal)
        check.require(spread.other >= 0, pointer,
                      "has the deviation " + number(spread.other) + "; it must be zero or more");
    if (check.failed()) return;
    if (spread.kind == Kind::constant) {
        within(spread.value, low, high, pointer, unit, check);
        return;
    }
    const double least = spread.least(), most = spread.most();
    check.require(least >= low && most <= high, pointer,
                  "is from " + number(least) + " to " + number(most) +
                      (spread.kind == Kind::normal ? ", four deviations about the mean" : "") +
                      "; it must be from " + number(low) + " to " + number(high) + unit);
}

void within(const Vec3& v, double most, const std::string& pointer, const char* unit, Checker& check)
{
    for (int i = 0; i < 3; ++i) within(v[i], -most, most, pointer + "/" + std::to_string(i), unit, check);
}

// ---- emitters -----------------------------------------------------------------------------------

void addTriangles(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& faces,
                  const Pose& pose, Emitter& emitter)
{
    for (const auto& face : faces) {
        const Vec3 a = pose * points[face[0]], b = pose * points[face[1]], c = pose * points[face[2]];
        const Vec3 twice = (b - a).cross(c - a);
        const double area = twice.norm();
        if (!(area > 0)) continue;  // edges of tessellated caps
        const double before = emitter.triangles.empty() ? 0 : emitter.triangles.back().upTo;
        emitter.triangles.push_back({a, b - a, c - a, Vec3(twice / area), before + area});
    }
}

void normalise(Emitter& emitter)
{
    if (emitter.triangles.empty()) return;
    const double whole = emitter.triangles.back().upTo;
    for (Emitter::Triangle& triangle : emitter.triangles) triangle.upTo /= whole;
}

Emitter compileEmitter(const EmitterDescription& source, const std::string& pointer,
                       const Description& description, const Names& names, const Model& model,
                       Checker& check)
{
    using Type = EmitterDescription::Type;
    Emitter emitter;
    emitter.type = source.type;
    emitter.surface = source.surface;
    emitter.inherit = source.inherit;
    within(source.inherit, -1e3, 1e3, pointer + "/inherit", "", check);
    within(source.pose.position, largestLength, pointer + "/position", " m", check);
    emitter.pose = {source.pose.position, check.unit(source.pose.orientation, pointer + "/orientation")};
    if (source.type == Type::disc || source.type == Type::sphere) {
        check.positive(source.radius, pointer + "/radius");
        within(source.radius, 0, largestLength, pointer + "/radius", " m", check);
        emitter.radius = source.radius;
    }
    int described = world;
    check.require(source.type != Type::body || !source.body.empty(), pointer,
                  "an emitter over the shapes of a body needs the key \"body\"");
    if (!source.body.empty()) {
        described = bodyIndex(names, source.body, pointer + "/body", check);
        check.require(check.failed() || described != world, pointer + "/body",
                      "the world does not move; leave the key out");
    }
    if (check.failed()) return emitter;
    if (described != world) {
        emitter.body = model.bodyOrder[described];
        emitter.pose = model.bodies[emitter.body].rest.inverse() * emitter.pose;
    }
    if (source.type == Type::mesh) {
        const Result<Terrain> mesh = checkedTerrain(source.mesh);
        if (!mesh)
            check.fail(pointer + mesh.error().pointer, mesh.error().message);
        else
            addTriangles(source.mesh.vertices, source.mesh.faces, {}, emitter);
    } else if (source.type == Type::body) {
        const BodyDescription& body = description.bodies[described];
        check.require(!body.shapes.empty(), pointer + "/body",
                      quoted(source.body) + " has no shapes to emit from; use the type point");
        emitter.pose = {};
        for (const ShapeDescription& part : body.shapes) {
            const Surface surface = surfaceOf(checkedShape(part.shape).value());
            addTriangles(surface.points, surface.faces,
                         {part.pose.position - model.bodies[emitter.body].center,
                          part.pose.orientation.normalized()},
                         emitter);
        }
    }
    normalise(emitter);
    return emitter;
}

BirthVelocity compileVelocity(const BirthVelocity& source, const std::string& pointer, Checker& check)
{
    using Kind = BirthVelocity::Kind;
    BirthVelocity velocity = source;
    if (source.kind == Kind::cone) {
        velocity.direction = check.direction(source.direction, pointer + "/direction");
        within(source.angle, 0, pi, pointer + "/angle", " rad", check);
        within(source.speed, -largestSpeed, largestSpeed, pointer + "/speed", " m/s", check);
        return velocity;
    }
    const bool isBox = source.kind == Kind::box, isNormal = source.kind == Kind::normal;
    within(source.value, largestSpeed,
           pointer + (isBox      ? "/from"
                      : isNormal ? "/mean"
                                 : ""),
           " m/s", check);
    const std::string other = pointer + (isBox ? "/to" : "/deviation");
    within(source.other, largestSpeed, other, " m/s", check);
    if (isNormal)
        for (double x : source.other) check.notNegative(x, other);
    return velocity;
}

// ---- curves over life ---------------------------------------------------------------------------

template <class Key, class ValueOf>
LifeTable tableOf(const std::vector<Key>& keys, ValueOf valueOf)
{
    LifeTable table;
    table.isOne = keys.empty();
    for (int i = 0; i <= LifeTable::places && !keys.empty(); ++i) {
        const double life = static_cast<double>(i) / LifeTable::places;
        std::size_t next = 0;
        while (next < keys.size() && keys[next].life <= life) ++next;
        double value = 0;
        if (next == 0) {
            value = valueOf(keys.front());
        } else if (next == keys.size()) {
            value = valueOf(keys.back());
        } else {
            const Key &a = keys[next - 1], &b = keys[next];
            value = valueOf(a) + (life - a.life) / (b.life - a.life) * (valueOf(b) - valueOf(a));
        }
        table.values[static_cast<std::size_t>(i)] = static_cast<float>(value);
    }
    return table;
}

template <class Key>
void checkLives(const std::vector<Key>& keys, const std::string& pointer, Checker& check)
{
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::string here = pointer + "/" + std::to_string(i) + "/0";
        within(keys[i].life, 0, 1, here, ", a part of life", check);
        check.require(i == 0 || keys[i].life > keys[i - 1].life, here, "must be later than the one before");
    }
}

LifeTable compileCurve(const std::vector<LifeKey>& keys, double most, const std::string& pointer,
                       Checker& check)
{
    checkLives(keys, pointer, check);
    for (std::size_t i = 0; i < keys.size(); ++i)
        within(keys[i].value, 0, most, pointer + "/" + std::to_string(i) + "/1", "", check);
    if (check.failed()) return {};
    return tableOf(keys, [](const LifeKey& key) { return key.value; });
}

void checkColor(const Vec3& color, const std::string& pointer, Checker& check)
{
    for (int i = 0; i < 3; ++i) within(color[i], 0, 1, pointer + "/" + std::to_string(i), "", check);
}

// ---- what acts on them --------------------------------------------------------------------------

ParticleTarget compileTarget(const ParticleTargetDescription& source, const std::string& pointer,
                             const Names& names, const Model& model, Checker& check)
{
    ParticleTarget target;
    check.notNegative(source.stiffness, pointer + "/stiffness");
    check.notNegative(source.damping, pointer + "/damping");
    check.require(source.stiffness > 0 || source.damping > 0, pointer,
                  "has no spring and no damper; give stiffness, damping or both");
    check.require(source.body.empty() == !source.path.empty(), pointer,
                  "follows a path or a body; give one of them");
    target.stiffness = source.stiffness;
    target.damping = source.damping;
    if (check.failed()) return target;
    if (source.body.empty()) {
        check.require(!source.point, pointer + "/point", "is a point of a body; a path has none");
        target.path = compilePath(source.path, source.smooth, pointer + "/path", {}, check);
        return target;
    }
    const int body = bodyIndex(names, source.body, pointer + "/body", check);
    check.require(check.failed() || body != world, pointer + "/body",
                  "the world does not move; give a path");
    if (check.failed()) return target;
    target.body = model.bodyOrder[body];
    if (source.point) {
        check.finite(*source.point, pointer + "/point");
        target.point = model.bodies[target.body].rest.inverse() * *source.point;
    }
    return target;
}

void checkBounce(const BounceDescription& bounce, const std::string& pointer, Checker& check)
{
    within(bounce.keep, 0, 1, pointer + "/keep", "", check);
    check.notNegative(bounce.friction, pointer + "/friction");
    if (bounce.stiffness) check.positive(*bounce.stiffness, pointer + "/stiffness");
    if (bounce.damping) check.notNegative(*bounce.damping, pointer + "/damping");
    const bool isPenalty = bounce.response == BounceDescription::Response::penalty;
    check.require(isPenalty || !bounce.stiffness, pointer + "/stiffness", "is for the response penalty");
    check.require(isPenalty || !bounce.damping, pointer + "/damping", "is for the response penalty");
}

// How far the farthest point of terrain is from its origin; 0: without end.
double reachOf(const Terrain& terrain)
{
    double reach = 0;
    if (const auto* field = std::get_if<HeightField>(&terrain)) {
        double most = 0;
        for (double height : field->heights) most = std::max(most, std::abs(height));
        reach = Vec3(field->spacing * field->columns, most, field->spacing * field->rows).norm();
        // Below it all is solid: what has fallen through by rounding is still near.
        reach *= 2;
    } else if (const auto* mesh = std::get_if<TriangleMesh>(&terrain)) {
        for (const Vec3& vertex : mesh->vertices) reach = std::max(reach, vertex.norm());
    }
    return reach;
}

double steepestOf(const HeightField& field)
{
    double most = 0;  // squared slope
    for (int k = 0; k + 1 < field.rows; ++k)
        for (int i = 0; i + 1 < field.columns; ++i) {
            const auto height = [&](int a, int b) {
                return field.heights[static_cast<std::size_t>((k + b) * field.columns + i + a)];
            };
            const double x0 = height(1, 0) - height(0, 0), x1 = height(1, 1) - height(0, 1),
                         z0 = height(0, 1) - height(0, 0), z1 = height(1, 1) - height(1, 0);
            most = std::max({most, x0 * x0 + z0 * z0, x1 * x1 + z1 * z1});
        }
    return 1 / std::sqrt(1 + most / (field.spacing * field.spacing));
}

void addSurface(int body, std::variant<Shape, Terrain> form, const Pose& pose,
                std::vector<ParticleSurface>& all)
{
    ParticleSurface surface;
    surface.body = body;
    surface.pose = pose;
    if (const auto* shape = std::get_if<Shape>(&form)) {
        surface.reach = sinew::reachOf(*shape);
    } else {
        surface.reach = reachOf(std::get<Terrain>(form));
        if (const auto* field = std::get_if<HeightField>(&std::get<Terrain>(form)))
            surface.steepest = steepestOf(*field);
    }
    surface.form = std::move(form);
    all.push_back(std::move(surface));
}

// The colliders of contact; without it the obstacles and the shapes of bodies all the same.
std::vector<ParticleSurface> surfacesOf(const Description& description, const Model& model)
{
    std::vector<ParticleSurface> all;
    if (model.contact) {
        for (const Collider& collider : model.colliders)
            addSurface(collider.body, collider.form, collider.pose, all);
        return all;
    }
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const BodyDescription& source = description.bodies[i];
        const int body = model.bodyOrder[i];
        for (const ShapeDescription& part : source.shapes)
            if (source.collides)
                addSurface(
                    body, checkedShape(part.shape).value(),
                    {part.pose.position - model.bodies[body].center, part.pose.orientation.normalized()},
                    all);
    }
    for (const Obstacle& obstacle : model.obstacles) {
        if (obstacle.type == ObstacleDescription::Type::plane)
            addSurface(-1, Terrain(HalfSpace{obstacle.normal, obstacle.normal.dot(obstacle.position)}), {},
                       all);
        else
            addSurface(-1, Shape(Sphere{obstacle.radius}), {obstacle.position, Quat::Identity()}, all);
    }
    return all;
}

// ---- systems ------------------------------------------------------------------------------------

void compileBirths(const ParticlesDescription& source, const std::string& pointer, ParticleSystem& system,
                   Checker& check)
{
    check.require(source.most >= 1 && source.most <= mostParticles, pointer + "/most",
                  "is " + std::to_string(source.most) + "; a system holds from 1 to " +
                      std::to_string(mostParticles) + " particles at a time");
    checkSignal(source.rate, pointer + "/rate", check);
    if (!check.failed() && source.rate.isConstant())
        within(source.rate.at(0).value, 0, largestRate, pointer + "/rate", " births a second", check);
    within(source.rateSpread, 0, largestRate, pointer + "/spread", " births a second", check);
    check.span(source.from, pointer + "/from");
    if (source.until) {
        check.span(*source.until, pointer + "/until");
        check.require(*source.until > source.from, pointer + "/until", "must be later than from");
    }
    for (std::size_t i = 0; i < source.bursts.size(); ++i) {
        const std::string here = pointer + at("bursts", i);
        const Burst& burst = source.bursts[i];
        check.span(burst.time, here + "/time");
        check.span(burst.every, here + "/every");
        check.require(burst.count >= 1 && burst.count <= mostParticles, here + "/count",
                      "is " + std::to_string(burst.count) + "; it must be from 1 to " +
                          std::to_string(mostParticles));
    }
    system.rate = source.rate;
    system.births = source.births;
    system.rateSpread = source.rateSpread;
    system.from = source.from;
    system.until = source.until.value_or(std::numeric_limits<double>::infinity());
    system.bursts = source.bursts;
    system.most = source.most;
    Hash name;
    name.add(source.name.data(), source.name.size());
    system.seed = name.value() ^ (static_cast<std::uint64_t>(source.seed) * 0x9e3779b97f4a7c15ull);
}

void compileAttributes(const ParticlesDescription& source, const std::string& pointer,
                       ParticleSystem& system, Checker& check)
{
    constexpr double longestLife = 1e9;  // s
    system.velocity = compileVelocity(source.velocity, pointer + "/velocity", check);
    within(source.outward, -largestSpeed, largestSpeed, pointer + "/outward", " m/s", check);
    within(source.life, Checker::shortest, longestLife, pointer + "/life", " s", check);
    within(source.size, leastSize, largestLength, pointer + "/size", " m", check);
    within(source.opacity, 0, 1, pointer + "/opacity", "", check);
    checkColor(source.color, pointer + "/color" + (source.otherColor ? "/from" : ""), check);
    if (source.otherColor) checkColor(*source.otherColor, pointer + "/color/to", check);
    system.outward = source.outward;
    system.life = source.life;
    system.size = source.size;
    system.opacity = source.opacity;
    system.color = source.color;
    system.otherColor = source.otherColor.value_or(source.color);
    system.shape = source.shape;
    system.shadow = source.shadow;
    system.emission = source.emission;
    const std::string curves = pointer + "/over_life";
    system.sizeOverLife = compileCurve(source.sizeOverLife, 1e6, curves + "/size", check);
    LifeTable tables[4];  // red, green, blue, opacity
    tables[3] = compileCurve(source.opacityOverLife, 1e3, curves + "/opacity", check);
    system.dragOverLife = compileCurve(source.dragOverLife, 1e6, curves + "/drag", check);
    checkLives(source.colorOverLife, curves + "/color", check);
    for (std::size_t i = 0; i < source.colorOverLife.size(); ++i)
        checkColor(source.colorOverLife[i].color, curves + "/color/" + std::to_string(i) + "/1", check);
    if (check.failed()) return;
    for (int i = 0; i < 3; ++i)
        tables[i] = tableOf(source.colorOverLife, [i](const LifeColor& key) { return key.color[i]; });
    system.changesColor = !tables[0].isOne || !tables[3].isOne;
    for (std::size_t place = 0; place < system.colorOverLife.size(); ++place)
        for (std::size_t i = 0; i < 4; ++i)
            system.colorOverLife[place][i] = tables[i].isOne ? 1 : tables[i].values[place];
}

void compileMotion(const ParticlesDescription& source, const std::string& pointer, ParticleSystem& system,
                   Checker& check)
{
    if (source.mass) within(*source.mass, 1e-25, 1e25, pointer + "/mass", " kg", check);
    within(source.density, 1e-6, 1e12, pointer + "/density", " kg/m³", check);
    within(source.dragCoefficient, 0, 1e6, pointer + "/drag_coefficient", "", check);
    within(source.gravity, -1e6, 1e6, pointer + "/gravity", "", check);
    check.require(source.trail >= 0 && source.trail <= 1000, pointer + "/trail/places",
                  "is " + std::to_string(source.trail) + "; it must be from 0 to 1000");
    check.require(check.failed() || static_cast<double>(source.trail) * source.most <= 1e8,
                  pointer + "/trail/places",
                  "times most is " + number(static_cast<double>(source.trail) * source.most) +
                      "; at most 1e8 places are held");
    check.positive(source.trailEvery, pointer + "/trail/every");
    check.require(source.trailEvery >= 1e-6, pointer + "/trail/every", "must be at least 1e-6 s");
    system.mass = source.mass;
    system.density = source.density;
    system.dragCoefficient = source.dragCoefficient;
    system.gravity = source.gravity;
    system.trail = source.trail;
    system.trailEvery = source.trailEvery;
    system.bounce = source.bounce;
    if (source.bounce) checkBounce(*source.bounce, pointer + "/bounce", check);
}

}  // namespace

void compileParticles(const Description& description, const Names& names, Model& model, Checker& check)
{
    if (description.particles.empty() || check.failed()) return;
    const auto surfaces =
        std::make_shared<const std::vector<ParticleSurface>>(surfacesOf(description, model));
    std::unordered_set<std::string> known;
    for (std::size_t i = 0; i < description.particles.size() && !check.failed(); ++i) {
        const ParticlesDescription& source = description.particles[i];
        const std::string pointer = at("particles", i);
        check.require(!source.name.empty(), pointer + "/name", "is empty; a particle system needs a name");
        check.require(known.insert(source.name).second, pointer + "/name",
                      "there are particles " + quoted(source.name) + " already; names must differ");
        ParticleSystem system;
        system.name = source.name;
        compileBirths(source, pointer, system, check);
        compileAttributes(source, pointer, system, check);
        compileMotion(source, pointer, system, check);
        if (check.failed()) return;
        system.emitter =
            compileEmitter(source.emitter, pointer + "/emitter", description, names, model, check);
        if (source.target)
            system.target = compileTarget(*source.target, pointer + "/target", names, model, check);
        if (system.bounce && !surfaces->empty())
            system.surfaces = surfaces;
        else
            system.bounce.reset();
        model.particles.push_back(std::move(system));
    }
}

}  // namespace sinew::compiling

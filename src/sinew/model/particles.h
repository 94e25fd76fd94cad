// Particle systems, as a scene says them and as compiled: dust, sparks, fountains.
//
// Numbers that differ from particle to particle are a Spread. Everything that an emitter says stands in its
// own frame, whose y axis is the usual direction; so a scene that is turned has the same particles, turned.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sinew/base/special_members.h"
#include "sinew/geometry/shape.h"
#include "sinew/geometry/terrain.h"
#include "sinew/model/description.h"
#include "sinew/model/path.h"
#include "sinew/model/signal.h"

namespace sinew {

// A number that each particle gets anew.
struct Spread {
    enum class Kind { constant, uniform, normal };
    static constexpr double cut = 4;  // standard deviations: no normal number is farther from its mean

    Kind kind = Kind::constant;
    double value = 0;  // constant: the number; uniform: the least; normal: the mean
    double other = 0;  // uniform: the largest; normal: the standard deviation

    double least() const { return kind == Kind::normal ? value - cut * other : value; }
    double most() const
    {
        return kind == Kind::normal ? value + cut * other : kind == Kind::uniform ? other : value;
    }
};

// Where particles begin. In the world in the rest pose, and fixed to a body where one is named.
struct EmitterDescription {
    SINEW_SPECIAL_MEMBERS(EmitterDescription);

    // A point; a disc across y; a ball; the triangles of a mesh; the shapes of a body.
    enum class Type { point, disc, sphere, mesh, body };
    Type type = Type::point;
    std::string body;
    Pose pose;
    double radius = 0;     // disc, sphere
    bool surface = false;  // sphere: only from its surface; disc: only from its edge
    TriangleMesh mesh;     // mesh
    double inherit = 1;    // how much of the body's velocity at the place the particle gets
};

// How fast they begin, in the emitter's frame.
struct BirthVelocity {
    // The same for all; in a cone about a direction; in a box; normal in each axis.
    enum class Kind { fixed, cone, box, normal };
    Kind kind = Kind::fixed;
    Vec3 value = Vec3::Zero();       // fixed: it; box: the least; normal: the mean
    Vec3 other = Vec3::Zero();       // box: the largest; normal: the deviations
    Vec3 direction = Vec3(0, 1, 0);  // cone
    double angle = 0;                // cone: half of it, rad; every direction in it is as likely
    Spread speed;                    // cone, m/s
};

// A factor over life: straight between keys, which are pairs of the part of life (0 to 1) and the value.
struct LifeKey {
    double life = 0, value = 0;
};
struct LifeColor {
    double life = 0;
    Vec3 color = Vec3::Ones();
};

// What draws particles to a point that moves: a spring, and a damper of the velocity relative to it.
struct ParticleTargetDescription {
    SINEW_SPECIAL_MEMBERS(ParticleTargetDescription);

    double stiffness = 0, damping = 0;         // N/m, N·s/m
    std::vector<TargetDescription::Key> path;  // of the point; or
    bool smooth = false;
    std::string body;           // a point of a body
    std::optional<Vec3> point;  // world, at rest; the centre of mass where not given
};

// What becomes of particles that meet obstacles and bodies.
struct BounceDescription {
    enum class Response { kinematic, penalty };
    Response response = Response::kinematic;
    double keep = 0.8;       // k: the part of the normal velocity that comes back
    double friction = 0;     // Coulomb's coefficient
    bool atFraction = true;  // kinematic: at the moment of the collision; otherwise at the end of the step
    std::optional<double> stiffness,
        damping;        // penalty: N/m, N·s/m; else 1e5/s² of the mass, and as keep has it
    bool dies = false;  // at the first touch
};

struct Burst {
    double time = 0;  // s
    int count = 0;
    double every = 0;  // s; again after each such time; 0: once
};

struct ParticlesDescription {
    SINEW_SPECIAL_MEMBERS(ParticlesDescription);

    enum class Shape { point, streak, sprite, sphere };
    // The number of births a step: as many as chance has it; evenly spread about the mean; as even as can
    // be.
    enum class Births { poisson, uniform, even };

    std::string name;
    EmitterDescription emitter;
    Signal rate;  // births a second
    Births births = Births::poisson;
    double rateSpread = 0;        // uniform: from rate − this to rate + this, a second
    double from = 0;              // s
    std::optional<double> until;  // s
    std::vector<Burst> bursts;
    int most = 10000;        // that live at a time: memory is taken for so many
    std::uint32_t seed = 0;  // beside the name

    BirthVelocity velocity;
    Spread outward;                             // m/s, beside it, along the normal of the emitter's surface
    Spread life{Spread::Kind::constant, 1, 0};  // s
    Spread size{Spread::Kind::constant, 0.01, 0};  // radius, m
    Spread opacity{Spread::Kind::constant, 1, 0};
    Vec3 color = Vec3::Ones();       // red, green, blue from 0 to 1
    std::optional<Vec3> otherColor;  // between the two
    Shape shape = Shape::sprite;
    bool shadow = false;    // casts one
    bool emission = false;  // shines by itself

    std::vector<LifeKey> sizeOverLife, opacityOverLife, dragOverLife;  // factors; none: 1
    std::vector<LifeColor> colorOverLife;                              // likewise

    std::optional<double> mass;     // kg, of each; otherwise by density and size
    double density = 1000;          // kg/m³
    double dragCoefficient = 0.47;  // c_d, in the scene's medium
    double gravity = 1;             // times the scene's
    std::optional<ParticleTargetDescription> target;
    std::optional<BounceDescription> bounce;
    int trail = 0;                // places that are remembered
    double trailEvery = 1. / 60;  // s between two of them
};

// ---- compiled ------------------------------------------------------------------------------------

// A curve over life, looked up: even places with straight lines between them.
struct LifeTable {
    static constexpr int places = 128;
    bool isOne = true;
    std::array<float, places + 1> values{};

    float at(float life) const
    {
        const Place place(life);
        return values[place.index] + place.part * (values[place.index + 1] - values[place.index]);
    }

    // Where a part of life is among the values.
    struct Place {
        int index;
        float part;
        explicit Place(float life)
        {
            float s = life * places;
            s = s < 0 ? 0 : s > places - 1e-3f ? places - 1e-3f : s;
            index = static_cast<int>(s);
            part = s - static_cast<float>(index);
        }
    };
};

// What particles bounce off: an obstacle, or a shape of a body.
struct ParticleSurface {
    SINEW_SPECIAL_MEMBERS(ParticleSurface);

    int body = -1;  // tree index; −1: the world
    std::variant<Shape, Terrain> form;
    Pose pose;            // in the body's frame (at its centre of mass), or in the world
    double reach = 0;     // of the form about its origin, m; 0: without end
    double steepest = 1;  // of a height field: the least cosine of its slopes
};

struct Emitter {
    SINEW_SPECIAL_MEMBERS(Emitter);

    EmitterDescription::Type type = EmitterDescription::Type::point;
    int body = -1;  // tree index
    Pose pose;      // in the body's frame (at its centre of mass), or in the world
    double radius = 0;
    bool surface = false;
    double inherit = 1;
    struct Triangle {
        Vec3 corner, edge1, edge2, normal;
        double upTo = 0;  // the part of the whole area up to and with this one
    };
    std::vector<Triangle> triangles;  // in the emitter's frame
};

struct ParticleTarget {
    double stiffness = 0, damping = 0;
    Path path;
    int body = -1;              // tree index; otherwise the path
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
};

struct ParticleSystem {
    SINEW_SPECIAL_MEMBERS(ParticleSystem);

    std::string name;
    Emitter emitter;
    Signal rate;
    ParticlesDescription::Births births = ParticlesDescription::Births::poisson;
    double rateSpread = 0, from = 0, until = 0;
    std::vector<Burst> bursts;
    int most = 0;
    std::uint64_t seed = 0;  // of name and seed together
    BirthVelocity velocity;
    Spread outward, life, size, opacity;
    Vec3 color = Vec3::Ones(), otherColor = Vec3::Ones();
    ParticlesDescription::Shape shape = ParticlesDescription::Shape::sprite;
    bool shadow = false, emission = false;
    LifeTable sizeOverLife, dragOverLife;
    // Of red, green, blue and opacity, side by side.
    bool changesColor = false;
    std::array<std::array<float, 4>, LifeTable::places + 1> colorOverLife{};
    std::optional<double> mass;
    double density = 1000, dragCoefficient = 0.47, gravity = 1;
    std::optional<ParticleTarget> target;
    std::optional<BounceDescription> bounce;
    std::shared_ptr<const std::vector<ParticleSurface>> surfaces;  // of all systems; null without bounces
    int trail = 0;
    double trailEvery = 0;

    double massOf(double size) const;
};

inline constexpr int mostParticles = 10'000'000;  // of one system

}  // namespace sinew

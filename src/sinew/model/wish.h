// What should be: a wish is a non-negative smooth energy of the pose,
//     E = ½ weight |r|²,
// r its residuals: metres, or radians and sines of angles where it speaks of directions. One-sided wishes
// have r = 0 wherever they hold, so that E has one continuous derivative. Wishes add up.
//
// Source: the course slides, "Energy minimization"; A. Witkin, K. Fleischer, A. Barr, "Energy constraints
// on parameterized models", SIGGRAPH 1987.
//
// As with joints, a type of wish is one row of a table and one file of model/wishes: it says which keys of
// a description it takes, and gives residuals and how they change as bodies move. Who minimises energies
// (optimize/), pulls with them in a simulation (force/laws/wishes.cpp), reads or draws them goes through
// the table. A program can add a type of its own (registerWishType).
//
// Slopes are told by body, not by joint coordinate: −(slope · residual) is the wrench that a wish puts on a
// body, and a gradient by all joint coordinates is one pass over the tree (optimize/wish_slopes.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/large_vector.h"
#include "sinew/base/special_members.h"
#include "sinew/math/types.h"
#include "sinew/model/joint.h"
#include "sinew/model/springs.h"

namespace sinew {

struct Model;
namespace compiling {
class Checker;
}

// ---- what a scene says ----------------------------------------------------------------------------

// A point that moves with a body, or of the world.
struct WishPlace {
    std::string body = "world";
    std::optional<Vec3> point;  // world, at rest; the centre of mass where not given
};

struct WishDescription {
    SINEW_SPECIAL_MEMBERS(WishDescription);

    struct JointPose {
        std::string joint;
        std::vector<double> coordinate;  // one number per freedom, as in JointDescription
    };
    // What is wished of a length: to be that long, or no shorter, or no longer.
    enum class Side { both, atLeast, atMost };

    std::string name;
    std::string type;
    WishPlace of;                     // the point it speaks of
    std::optional<WishPlace> to;      // and the other one
    SpringForm on;                    // surface, curve: in the world at rest, moves with the body of `to`
    std::vector<WishPlace> points;    // of types that speak of many
    std::vector<JointPose> joints;    // pose
    std::optional<Vec3> axis;         // of the body: world, at rest
    std::optional<Vec3> direction;    // of the world
    std::optional<Quat> orientation;  // of the body's frame in the world; as at rest where not given
    std::optional<Vec3> velocity;     // m/s
    std::optional<double> length;     // m
    Side side = Side::both;

    double weight = 1;                  // of lengths per m², of angles per rad²
    bool soft = false;                  // it chooses among what the others leave
    std::optional<double> from, until;  // s; of every moment where not given
    // In a simulation it pulls: `weight` is a stiffness then (N/m, N·m/rad), this the damping (N·s/m, …).
    bool acts = false;
    double damping = 0;
};

// ---- compiled -------------------------------------------------------------------------------------

struct WishTypeInfo;

struct WishPoint {
    int body = -1;              // tree index; −1: the world
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
};

struct Wish {
    SINEW_SPECIAL_MEMBERS(Wish);

    const WishTypeInfo* type = nullptr;
    std::string name;
    int source = 0;                   // in Description::wishes
    int rows = 0;                     // how many residuals it has, in every pose
    std::vector<WishPoint> points;    // `of`, then `to` where it is taken, then `points`
    SpringForm form;                  // in the axes of the body of `to`
    std::vector<int> links;           // pose: tree indices
    std::vector<double> coordinates;  // pose: as in q
    Vec3 axis = Vec3::Zero();         // unit, axes of the first body
    Vec3 direction = Vec3::Zero();    // unit, world
    Vec3 velocity = Vec3::Zero();
    Quat orientation = Quat::Identity();  // wanted of the body's frame at its centre of mass
    double length = 0;
    WishDescription::Side side = WishDescription::Side::both;
    MatX matrix;  // of what is the same in every pose

    double weight = 1;
    bool soft = false;
    double from = -std::numeric_limits<double>::infinity();
    double until = std::numeric_limits<double>::infinity();
    bool acts = false;
    double damping = 0;

    bool isOn(double time) const { return time >= from && time <= until; }
};

// ---- residuals and slopes -------------------------------------------------------------------------

// What wishes look at. Velocities count only for those that say so.
struct WishView {
    const Model& model;
    const LargeVector<BodyState>& bodies;
    const double* q;

    Vec3 center(int body) const { return body < 0 ? Vec3(Vec3::Zero()) : bodies[body].position; }
    Quat orientation(int body) const { return body < 0 ? Quat::Identity() : bodies[body].orientation; }
    // From the centre of mass to the point, world axes.
    Vec3 arm(const WishPoint& p) const { return orientation(p.body) * p.point; }
    Vec3 place(const WishPoint& p) const { return center(p.body) + arm(p); }
    Vec3 velocity(const WishPoint& p) const
    {
        if (p.body < 0) return Vec3::Zero();
        return bodies[p.body].velocity + bodies[p.body].angularVelocityWorld().cross(arm(p));
    }
};

// Residuals, each times √weight, and their derivatives where these are not zero.
struct WishRows {
    // By the place of a body: its move and turn, world axes, linear first (of the centre of mass).
    struct ByBody {
        int row, body;
        Vec6 slope;
        // A residual that looks at a point or a direction bends as the body turns by θ, by
        // ½ pull · θ × (θ × arm).
        Vec3 arm, pull;
    };
    // By the velocity of a body: linear and angular, world axes.
    struct ByVelocity {
        int row, body;
        Vec6 slope;
    };
    // By a joint's freedom (its number in u), along the tangent.
    struct ByFreedom {
        int row, freedom;
        double slope;
    };
    // Σ r ∂²r of what a residual is a function of: places of two points against each other.
    // δᵀ bend δ with δ = δp_first − δp_second; arms in world axes.
    struct Bend {
        int body[2];
        Vec3 arm[2];
        Mat3 bend;
    };
    // What is left of minus the derivative of a wrench, by turns of a body alone.
    struct TurnBend {
        int body;
        Mat3 bend;
    };

    std::vector<double> residual;
    std::vector<ByBody> bodies;
    std::vector<ByVelocity> velocities;
    std::vector<ByFreedom> freedoms;
    std::vector<Bend> bends;
    std::vector<TurnBend> turnBends;

    void clear();
    double energy() const;  // ½ |residual|²

    // For types: a new row, and how it changes as a point of a body moves, as a direction turns with a
    // body, as a body turns by a vector (world axes). What moves with the world adds nothing.
    int add(double value)
    {
        residual.push_back(value);
        return static_cast<int>(residual.size()) - 1;
    }
    void byPoint(int row, const WishView& view, const WishPoint& point, const Vec3& slope);
    void byDirection(int row, int body, const Vec3& direction, const Vec3& slope);
    void byTurn(int row, int body, const Vec3& slope);
    void byVelocity(int row, const WishView& view, const WishPoint& point, const Vec3& slope);
    void byFreedom(int row, int freedom, double slope) { freedoms.push_back({row, freedom, slope}); }
};

// ---- the table ------------------------------------------------------------------------------------

// The keys of a description that types may take, beside name, weight, times and what pulls.
namespace wish_keys {
enum : std::uint32_t {
    body = 1,    // of.body
    point = 2,   // of.point
    to = 4,      // a place, with a point
    toBody = 8,  // a body, without a point
    path = 16,
    surface = 32,  // a plane, a sphere or a cylinder
    points = 64,
    joints = 128,
    axis = 256,
    direction = 512,
    orientation = 1024,
    velocity = 2048,
    length = 4096,
    side = 8192,
};
}

struct WishTypeInfo {
    const char* name;
    const char* about;                    // for people: "a point of a body is at another point"
    std::uint32_t needed = 0, taken = 0;  // wish_keys; `taken` beside those that are needed

    // What is its own: counts rows, and checks. Points, form, axes and numbers are there already, so that
    // null serves a type whose rows never change in number and that wants no more than `rows` of them.
    void (*compile)(const WishDescription& source, const std::string& pointer, const Model& model,
                    compiling::Checker& check, Wish& wish) = nullptr;
    int rows = 0;
    // Appends `Wish::rows` rows, for a weight of 1.
    void (*evaluate)(const Wish& wish, const WishView& view, WishRows& out);
    bool isOfVelocities = false;  // a pose alone does not tell
    bool isOfAngles = false;      // residuals are radians or sines of them, and not lengths
};

constexpr int mostWishTypes = 64;
std::span<const WishTypeInfo* const> wishTypes();
// Null: there is none.
const WishTypeInfo* findWishType(std::string_view name);
// Adds a type of a program's own. `info` must stay as it is for ever. Not while other threads use the
// table.
void registerWishType(const WishTypeInfo& info);

// Appends the rows of a wish, with its weight.
void evaluateWish(const Wish& wish, const WishView& view, WishRows& rows);
// What a message calls it: its name, or its type and number.
std::string wishLabel(const Wish& wish);

}  // namespace sinew

// Joints and bodies of a model by their names in the scene: where they are and how fast, in the scene's
// terms.
//
// A name is looked for once and becomes a handle, which holds for every simulation of the model. Where both
// are taken (JointRef, BodyRef), a name is looked for at every call: handy in a script, slow in a loop.
//
// Numbers of a joint are as in the scene, one per freedom: angles of a hinge or universal joint, offsets of
// a slide, the rotation vector of a ball joint; how the second body has moved against the first.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/state/contacts.h"
#include "sinew/state/state.h"

namespace sinew {

struct JointHandle {
    int link = -1;  // tree index
};
struct BodyHandle {
    int link = -1;  // tree index; −1: the world, where that can be meant
};

// Of a joint or a body, by handle or by name.
template <class Handle>
struct Ref {
    Handle handle;
    std::string_view name;
    bool isNamed = false;

    Ref(Handle known) : handle(known) {}
    Ref(std::string_view wanted) : name(wanted), isNamed(true) {}
    Ref(const char* wanted) : name(wanted), isNamed(true) {}
    Ref(const std::string& wanted) : name(wanted), isNamed(true) {}
};
using JointRef = Ref<JointHandle>;
using BodyRef = Ref<BodyHandle>;

Result<JointHandle> findJoint(const Model& model, const JointRef& joint);
Result<BodyHandle> findBody(const Model& model, const BodyRef& body);

// Of a joint, one per freedom: read as numbers[0], given as 0.5 or {0.1, 0.2, 0}.
struct JointNumbers {
    static constexpr std::size_t most = 6;

    JointNumbers() = default;
    JointNumbers(double only) : count(1) { values[0] = only; }
    JointNumbers(std::span<const double> all) : count(all.size())
    {
        for (std::size_t i = 0; i < all.size() && i < most; ++i) values[i] = all[i];
    }
    JointNumbers(std::initializer_list<double> all) : JointNumbers(std::span(all.begin(), all.size())) {}
    JointNumbers(const Vec3& all) : JointNumbers(std::span(all.data(), 3)) {}

    std::size_t size() const { return count; }
    double operator[](std::size_t i) const { return values[i]; }
    Vec3 vector() const { return {values[0], values[1], values[2]}; }  // of a ball joint

    std::size_t count = 0;  // as given: more than `most` fit no joint
    double values[most] = {};
};

// A body as the scene has it: the frame that the scene gave it, not its centre of mass.
struct BodyMotion {
    Pose pose;
    Vec3 velocity = Vec3::Zero();         // of the frame's origin, world axes
    Vec3 angularVelocity = Vec3::Zero();  // world axes
};

// The handles have to be good ones.
JointNumbers jointPosition(const Model& model, const State& state, JointHandle joint);
JointNumbers jointVelocity(const Model& model, const State& state, JointHandle joint);
BodyMotion bodyMotion(const Model& model, const State& state, BodyHandle body);

// A place where a body bears on another one, with the force that it gets from there.
struct BodyContact {
    BodyHandle other;   // −1: the world
    int obstacle = -1;  // of the world: which of the scene's obstacles
    Vec3 place = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  // toward the body, of length one
    Vec3 force = Vec3::Zero();   // on the body, N, the mean over the last step
    double gap = 0;              // inside each other: < 0
};
// Those of the last step, of length h, that bear a force.
std::vector<BodyContact> contactsOf(const Model& model, const State& state, double h, BodyHandle body);

// New numbers for one joint, the other one of position and velocity as it is; all bodies follow. Not for
// free joints. Nothing, or what is wrong: then the state is as it was. A state that was set so starts
// afresh: there is nothing that steps could look back to, no contact, nobody asleep.
std::optional<Diagnostic> setJointPosition(const Model& model, JointHandle joint,
                                           const JointNumbers& position, State& state);
std::optional<Diagnostic> setJointVelocity(const Model& model, JointHandle joint,
                                           const JointNumbers& velocity, State& state);
// Of a body that no joint ties to another one.
std::optional<Diagnostic> setBodyMotion(const Model& model, BodyHandle body, const BodyMotion& motion,
                                        State& state);

// Finite, and no larger than scenes may have it, so that squares and products stay finite.
bool isSound(double x);
bool isSound(const Vec3& v);
// Nothing, or what is wrong with numbers for this joint: too many, too few, not sound.
std::optional<Diagnostic> unfitNumbers(const Joint& joint, const JointNumbers& numbers);

// What of a state cannot be one of this model, or an empty string. In joint coordinates joints and bodies
// have to be at the same place.
std::string unfitState(const Model& model, const State& state, bool inJointCoordinates);

}  // namespace sinew

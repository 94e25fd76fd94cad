// The same scene said differently: turned, mirrored, moved, scaled, in another order, joints the other way
// round. Physics does not change by that, and so must no step.
//
// Plain functions of a Description. What a transformation cannot express (a trigger on the height of a body
// in a scene that is turned aside) comes back as an error, never as a scene that is almost the same.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/model/description.h"

namespace sinew::invariance {

// x' = length · A x + shift, masses times `mass`, time as it is. A is orthogonal; with determinant −1 it
// mirrors, and then body frames become R' = A R D with D a mirror of the body's own x: rotations again, in
// which all shapes but meshes look as before.
//     world   polar (places, forces) A,   axial (spins, torques) det A · A
//     body    polar D,                    axial det A · D
struct Similarity {
    Mat3 A = Mat3::Identity();
    Vec3 shift = Vec3::Zero();
    double length = 1, mass = 1;

    double det() const { return A.determinant() < 0 ? -1 : 1; }
    bool mirrors() const { return det() < 0; }
    Mat3 D() const { return mirrors() ? Mat3(Vec3(-1, 1, 1).asDiagonal()) : Mat3(Mat3::Identity()); }
    Mat3 axial() const { return det() * A; }
    Mat3 bodyAxial() const { return det() * D(); }
    Vec3 place(const Vec3& x) const { return length * (A * x) + shift; }
    Vec3 vector(const Vec3& v) const { return length * (A * v); }
    // Of a frame that becomes A R D.
    Quat orientation(const Quat& R) const;

    double force() const { return mass * length; }
    double torque() const { return mass * length * length; }  // energies too
};

Similarity turned(std::uint64_t seed);
Similarity mirrored(std::uint64_t seed);  // in a plane through a point near the origin
Similarity moved(std::uint64_t seed, double distance);
Similarity scaled(double length, double mass);

Result<Description> transformed(const Description& scene, const Similarity& by);

// Bodies and joints in a random order. Floating skeletons keep their roots; which joint closes a loop may
// change.
Result<Description> reordered(const Description& scene, std::uint64_t seed);

// Another body as the root of each floating skeleton that is free to choose. How it starts is left out:
// velocities of a lone root mean the whole skeleton's.
Result<Description> rerooted(const Description& scene, std::uint64_t seed);

// `which` joints with first and second exchanged; the motion is the same. The axis stays, so coordinates,
// limits and motors change their signs.
Result<Description> swapped(const Description& scene, const std::vector<char>& which);

// The joints that cannot be exchanged, by name, each with the reason.
std::vector<std::pair<std::string, std::string>> oneWayJoints(const Description& scene);

// ---- what the files share -----------------------------------------------------------------------

// −1: there is none.
int findJoint(const Description& scene, const std::string& name);
Signal times(Signal signal, double factor);
// The signals of a vector, mapped.
std::vector<Signal> times(const Mat3& M, const std::vector<Signal>& signals);
std::vector<double> times(const Mat3& M, const std::vector<double>& numbers);
std::vector<double> times(std::vector<double> numbers, double factor);

}  // namespace sinew::invariance

// One table of the methods that turn forces into accelerations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/state/state.h"

namespace sinew {

struct Work;  // dynamics/work.h

// What a method steps: poses of bodies (joints hold by constraint forces and may drift) or joint
// coordinates (joints hold by construction).
enum class Coordinates { body, joint };

// Bytes that a method takes for matrices which grow faster than the model; null in the table: none such.
using BytesFunction = double (*)(const Model&);
using AccelerateFunction = void (*)(const Model&, const State&, const Forces&, Work&, Accelerations&);

// A whole semi-implicit step u' = u + h u̇, q' = q ⊕ h u' of q, u and bodies, in fewer ways through memory
// than accelerations and what follows from them. `forces` null: gravity alone. For models without loops and
// prescribed motion.
using AdvanceFunction = void (*)(const Model&, const Forces* forces, double h, State&, Work&);

struct Method {
    const char* name;
    const char* title;
    const char* source;
    bool (*knows)(const JointTypeInfo&);  // the joints of a type
    Coordinates coordinates;
    const char* cost;
    AccelerateFunction accelerate;
    bool hasArmature = false;           // knows joints with a rotor's inertia
    bool standsForCoordinates = false;  // the one to name beside a step that brings its own equations
    bool knowsPrescribed = false;       // joints whose motion is given
    bool knowsMassless = false;         // links without mass between joints
    bool holdsLoops = false;            // joints that close loops
    BytesFunction bytes = nullptr;
    AdvanceFunction advance = nullptr;  // null: by accelerations
};

std::span<const Method> methods();
// Null if there is none of that name.
const Method* findMethod(std::string_view name);
// joint or maximal.
const char* coordinatesName(const Method& method);
// Why the method cannot simulate this model, naming the joint or the memory it takes, or an empty string.
std::string unsupportedReason(const Method& method, const Model& model);
// The same for the types of joints alone, and for armature, prescribed motion and links without mass alone,
// which not only a method may not know.
std::string unsupportedJoint(const Method& method, const Model& model);
std::string unsupportedArmature(const std::string& name, const Model& model);
// Of steps that bring their own equations in body coordinates: they close joints by their rows.
std::string unsupportedInRows(const std::string& name, const Model& model);
std::string unsupportedPrescribed(const std::string& name, const Model& model);
std::string unsupportedMassless(const std::string& name, const Model& model);
// Of a method or a step that takes so many bytes: why there are not enough, or an empty string.
std::string unsupportedSize(const std::string& name, double bytes, const Model& model);

}  // namespace sinew

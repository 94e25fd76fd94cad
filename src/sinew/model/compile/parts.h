// The parts of compile(), one per file. Not a public header.
#pragma once

#include <string>
#include <unordered_map>

#include "sinew/model/check.h"
#include "sinew/model/model.h"
#include "sinew/model/spring_mesh.h"

namespace sinew::compiling {

constexpr int world = -1;

using Names = std::unordered_map<std::string, int>;  // name → place in the description

// The body of that name in the description, or the world.
int bodyIndex(const Names& names, const std::string& name, const std::string& pointer, Checker& check);

// As checkedShape, of a size that floating point bears; some shape after a fault.
Shape boundedShape(const Shape& shape, const std::string& pointer, Checker& check);

// A body in tree order and the joint that leads to it (−1: a free root).
struct Visit {
    int body, joint, parent;  // parent is a tree index or world
};

// The joint from a body of the model, or the world, to another one; tree indices.
Joint compileJoint(const JointDescription& source, const std::string& pointer, const Model& model,
                   int parent, int child, bool childIsFirst, Checker& check);
// Joints that close loops, once the tree stands. `closing`: their numbers in the description.
void compileLoops(const Description& description, const Names& names, const std::vector<int>& closing,
                  Model& model, Checker& check);
// Welds the part of a body that joint `j` of the description leads to back onto the body.
void compileSeam(const Description& description, int j, int part, Model& model, Checker& check);
// Joints that gears tie together, after that.
void compileCouplings(const Description& description, Model& model, Checker& check);
// What a joint gives at most to each side; none where the strength does not say it.
std::optional<TorqueBounds> compileBounds(const StrengthDescription& source, int freedoms,
                                          const std::string& pointer, Checker& check);
// Whether a joint has more to say than where its bodies meet.
bool hasOwnForces(const JointDescription& joint);
Joint freeRoot(const Body& body);
// Of a limit whose stiffness follows from the whole figure: until that stands.
constexpr double stiffnessByDefault = -1;
// Links without mass, once the tree stands: whether what lies beyond them says how they move.
void checkMassless(const Model& model, Checker& check);

// Loads, obstacles, targets and switches, once the tree stands.
void compileSurroundings(const Description& description, const Names& names, Model& model, Checker& check);
// Colliders and who passes through whom; nothing without `contact`.
void compileContact(const Description& description, const Names& names, Model& model, Checker& check);
// Spring meshes, likewise.
void compileMeshes(const Description& description, const Names& names, Model& model, Checker& check);
// Which of them springs tie together, and what those are as one mesh; after all meshes.
void compileMeshGroups(const Description& description, Model& model, Checker& check);
// A spring of the scene at a vertex, with the distance at rest where it gives no length; and as part of a
// mesh between two of its vertices.
MeshTieLaw tieLaw(const SpringDescription& spring, double distance);
void joinVertices(SpringMesh& mesh, int a, int b, int edge, const MeshTieLaw& law);
// The mean length of the scene's springs at a mesh that has none of its own; 1 where there are none either.
double meanTie(const SpringMesh& mesh);
// Of a mesh that is stepped by a scheme: whether that takes dampers.
void checkSchemeDampers(const SpringMesh& mesh, const std::string& pointer, Checker& check);
// A form of a spring's end in the axes of its body, from the centre of mass; places are checked.
SpringForm springFormInBody(const SpringForm& form, const Pose& rest, const std::string& pointer,
                            Checker& check);
// Fields, the medium and springs between bodies, once the skeletons are known.
void compileSprings(const Description& description, const Names& names, Model& model, Checker& check);
// What drives the figure, after that.
void compileControl(const Description& description, const Names& names, Model& model, Checker& check);

// Keys → Path; what a key leaves out is as in the rest pose.
Path compilePath(const std::vector<TargetDescription::Key>& keys, bool smooth, const std::string& pointer,
                 const Pose& rest, Checker& check);

// A body that has to be the root of its skeleton: named in `roots`, or to follow a path.
struct RootWish {
    int body = world;
    std::string pointer;
    bool isPrescribed = false;
};
std::vector<RootWish> rootWishes(const Description& description, const Names& names, Checker& check);
// Why two bodies of one skeleton cannot both be its root, and why one that is tied to the world cannot.
void refuseTwoRoots(const Description& description, const RootWish& a, const RootWish& b, Checker& check);
void refuseTiedRoot(const Description& description, const RootWish& wish, const std::string& joint,
                    Checker& check);
// Wishes, likewise.
void compileWishes(const Description& description, const Names& names, Model& model, Checker& check);
// Figures that balance themselves, likewise.
void compileBalances(const Description& description, const Names& names, Model& model, Checker& check);
// Particle systems, once all that they may hang on or bounce off stands.
void compileParticles(const Description& description, const Names& names, Model& model, Checker& check);
// Once the tree stands.
void compilePrescribed(const Description& description, const Names& names, Model& model, Checker& check);

}  // namespace sinew::compiling

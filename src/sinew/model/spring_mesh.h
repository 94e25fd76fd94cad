// Spring meshes, as a scene says them and as compiled: cloth, flesh, jelly.
//
// Vertices are point masses, edges are springs with dampers (R. Parent's chapter, "spring meshes"). Beside
// the edges there may be angular springs between faces, springs to every other vertex, struts through the
// inside, and pressure in closed meshes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/math/spatial.h"
#include "sinew/model/signal.h"
#include "sinew/model/springs.h"

namespace sinew {

// Vertices of a mesh: by number, or all that lie in a ball or in a box at rest. In the frame of the mesh.
struct VertexChoice {
    std::vector<int> vertices;
    std::optional<std::array<Vec3, 2>> box;  // two opposite corners
    std::optional<Vec3> near;                // the one vertex nearest to this point, or…
    std::optional<double> radius;            // …all within this of it
};

struct PinDescription {
    VertexChoice at;
    std::string body = "world";       // what holds them
    std::optional<double> stiffness;  // N/m of each; where not given, the vertices do not move against it
    double damping = 0;               // N·s/m
};

struct VertexForceDescription {
    VertexChoice at;
    Vec3 force = Vec3::Zero();  // N on each, world axes
    std::optional<Signal> signal;
};

struct SpringMeshDescription {
    enum class Form { given, cloth, ball, beam };
    enum class MassBy { area, vertex };
    // Newton to the end; or a matrix that is factorised once and a few corrections per step (Liu et al.
    // 2013, 2017); or one iteration of Newton's before these.
    // A scheme: any of ode/schemes.h, to compare.
    enum class Step { newton, fast, quick, scheme };

    std::string name;
    Form form = Form::given;
    std::string file;  // given: an OBJ, STL or glTF file beside the scene, that a reader has put into…
    std::string fileMesh;        // glTF: name or number of the mesh there; the only one where not given
    double fileScale = 1;        // m: the unit of the file
    std::vector<Vec3> vertices;  // …these. Given: in the frame of the mesh
    std::vector<std::array<int, 3>> faces;  // given: counter-clockwise from outside
    std::vector<std::array<int, 2>> edges;  // given: springs beside the sides of the faces
    // Cloth: width (x) and depth (z), lying flat; ball: its diameter; beam: x, y and z. About the origin.
    std::vector<double> size;
    // Cloth and beam: as many as `size` has; ball: how often the faces of an icosahedron are divided.
    std::vector<int> segments;
    Pose pose;
    Vec3 velocity = Vec3::Zero();  // at the start, of all vertices

    double mass = 1;  // kg, of all
    MassBy massBy = MassBy::area;
    double stiffness = 1000;      // N/m of an edge
    double damping = 0;           // N·s/m
    std::optional<double> shear;  // cloth: N/m of the diagonals; where not given, as the edges
    double bend = 0;              // N/m of springs to every other vertex
    double bendDamping = 0;
    double fold = 0;         // N·m/rad of angular springs between faces that share an edge
    double foldDamping = 0;  // N·m·s/rad
    // N/m of springs through the inside: of a beam the diagonals of its cells (where not given, as the
    // edges), of others from each vertex to the one opposite.
    std::optional<double> struts;
    double strutDamping = 0;
    double pressure = 0;                // Pa at the volume at rest; closed meshes alone
    double bulk = 0;                    // Pa: by how much it rises when the volume shrinks by its own size
    std::optional<double> strainLimit;  // beyond this strain springs are `limitFactor` times as stiff
    static constexpr double limitFactor = 100;
    double drag = 0,
           lift = 0;       // coefficients of a face across and along the flow; they need a medium's density
    double thickness = 0;  // m: vertices keep this far from what they touch
    std::optional<double> friction;  // with what they touch; the scene's contact where not given, else 0.5
    bool collides = true;
    std::vector<std::string> ignore;  // bodies that it passes through, as flesh does with its bones
    std::vector<PinDescription> pins;
    std::vector<VertexForceDescription> forces;
    Step step = Step::newton;
    std::string scheme;  // of Step::scheme
    int iterations = 8;  // of the fast step and the quick one
    double tolerance =
        1e-3;  // of newton: where no vertex moves by more than this part of a spring's length
};

// ---- compiled ------------------------------------------------------------------------------------------

struct MeshSpring {
    int a = 0, b = 0;
    double rest = 0;  // m
    double stiffness = 0, damping = 0;
    double limit = 0;  // the length beyond which it is stiffer; 0: none
    int edge = 0;      // of SpringMesh::edges
};

// The angle between two faces: that of the edge a-b, seen by the corners c (left of a → b) and d.
struct MeshFold {
    std::array<int, 4> corner = {};  // a, b, c, d
    double rest = 0;                 // rad
    double stiffness = 0, damping = 0;
    std::array<int, 6> edge = {};  // of pairs ab, ac, ad, bc, bd, cd
};

// What a spring of the scene does at a vertex. With length 0 it acts every way, as a pin does; otherwise
// along its line, beyond the length where it only pulls and below it where it only pushes.
struct MeshTieLaw {
    double stiffness = 0, damping = 0;
    double rest = 0;  // m
    bool pulls = true, pushes = true;
    bool isLine() const { return rest > 0; }
};

// A vertex held at a point of a body, or of the world; or tied to it by one of the scene's springs.
struct MeshPin : MeshTieLaw {
    int vertex = 0;
    int body = -1;              // tree index; −1: the world
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
    bool isRigid = false;       // moves with the body; otherwise by a spring
    bool isTie = false;
};

// Two vertices tied by a spring of the scene that is none of MeshSpring: one-sided, or of length 0.
struct MeshTie : MeshTieLaw {
    int a = 0, b = 0;
    int edge = 0;  // of SpringMesh::edges
};

// A vertex tied to a curve or a surface of a body or of the world: to the nearest place there.
struct MeshGlide : MeshTieLaw {
    int vertex = 0;
    int body = -1;    // tree index; −1: the world
    SpringForm form;  // body axes, from the centre of mass
    bool isLine() const { return rest != 0 || isSpringSurface(form); }
};

struct MeshForce {
    std::vector<int> vertices;
    Vec3 force = Vec3::Zero();
    std::optional<Signal> signal;
};

// What a mesh has as a whole.
struct MeshTraits {
    double restVolume = 0;  // m³; 0: not closed
    double pressure = 0, bulk = 0;
    double drag = 0, lift = 0;
    double thickness = 0, friction = 0.5;
    bool collides = true;
    std::vector<int> ignored;  // bodies, tree indices, rising
    double length = 1;         // m: the mean rest length of its springs, which small things are measured by
};

// A range of vertices and faces of a joined mesh, with the traits of the mesh that they are of.
struct MeshPart {
    const MeshTraits* traits = nullptr;
    int vertex = 0, vertexEnd = 0;
    int face = 0, faceEnd = 0;
};

struct SpringMesh : MeshTraits {
    std::string name;
    std::vector<Vec3> rest;  // world
    Vec3 velocity = Vec3::Zero();
    std::vector<double> masses;
    std::vector<std::array<int, 3>> faces;
    std::vector<std::array<int, 2>> edges;  // pairs of vertices that act on each other, each once
    std::vector<MeshSpring> springs;
    std::vector<MeshFold> folds;
    std::vector<MeshPin> pins;
    std::vector<MeshTie> ties;
    std::vector<MeshGlide> glides;
    std::vector<MeshForce> forces;
    SpringMeshDescription::Step step = SpringMeshDescription::Step::newton;
    std::string scheme;
    int iterations = 8;
    double tolerance = 1e-3;
    std::vector<double> ownStiffness;  // per vertex: the sum of its springs', N/m
    // Of a mesh that was joined out of several: where each begins, and its traits. Its own traits but for
    // the length mean nothing then.
    struct Joined {
        MeshTraits traits;
        int vertex = 0, face = 0;
    };
    std::vector<Joined> joined;

    int size() const { return static_cast<int>(rest.size()); }
    int partCount() const { return joined.empty() ? 1 : static_cast<int>(joined.size()); }
    MeshPart part(int number) const;  // the whole, of a mesh by itself
    bool isDamped() const;            // something in it depends on velocities
    bool hasFlow() const;             // the medium acts on it
    double mass() const
    {
        double sum = 0;
        for (double m : masses) sum += m;
        return sum;
    }
};

// Meshes that springs tie to each other are solved as one, so that such a spring may be as stiff as those
// within a mesh.
struct TiedMeshes {
    std::vector<int> members;        // of Model::meshes, rising
    std::vector<SpringMesh> joined;  // the one that they make together; none where there is one member
};

}  // namespace sinew

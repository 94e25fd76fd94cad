// The parts of the conversion MJCF → scene. Not a public header.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/geometry/terrain.h"
#include "sinew/io/mjcf/mjcf.h"

namespace sinew::mjcf {

using xml::Element;

// <compiler>: how the rest of the file is to be read.
struct Compiler {
    bool isRadian = false;
    std::string eulerSequence = "xyz";
    enum class FromGeoms { no, yes, automatic } inertiaFromGeoms = FromGeoms::automatic;
    double leastGroup = 0, largestGroup = 5;  // of geoms that count for inertias
    bool autolimits = true;                   // MuJoCo 3's default
    double leastMass = 0, leastInertia = 0, totalMass = -1;
    bool balancesInertia = false;
    bool exactMeshes = false;  // closed meshes weigh what they hold
    std::string meshFolder;    // with a slash at its end, or empty
    bool stripsPath = false;   // of file names only the last part counts

    double angle(double x) const;
};

// Notes, at most one of a kind: the first place, and how many there were.
class Notes {
public:
    void add(const Element& where, const std::string& what);
    void add(const Notes& others);
    void take(Imported& into) const;

private:
    struct Note {
        Diagnostic first;
        int count = 0;
    };
    std::map<std::string, std::size_t> numbers_;
    std::vector<Note> notes_;
};

// Default classes: attributes for geoms, joints and actuators that do not say otherwise.
class Defaults {
public:
    Defaults();
    void read(const Element& root, xml::Reader& reader, Notes& notes);
    // The element with what it leaves out from its class, else from that of the bodies around it.
    // `inherits`: from which element of the class, where that has another name.
    Element complete(const Element& element, const std::string& childClass, xml::Reader& reader,
                     const std::string& inherits = {}) const;

private:
    using Attributes = std::map<std::string, xml::Attribute>;
    struct Class {
        std::map<std::string, Attributes> kinds;  // "geom", "joint", "actuator", …
    };
    void readClass(const Element& element, const std::string& name, xml::Reader& reader, Notes& notes);

    std::map<std::string, Class> classes_;
};

// A <mesh> of <asset>, read when a geom first uses it.
struct MeshAsset {
    Element element;  // with what its class says
    bool isRead = false;
    std::optional<ConvexMesh> hull;       // none: it cannot be had, which was noted
    std::vector<ConvexMesh> pieces = {};  // of one that is known to be hollow, in place of the hull
    Inertia inertia;                      // of density 1
};

// The <plugin> of an element: what it is called, and the element that has its <config>s.
struct PluginUse {
    std::string name;
    Element config;
};

// How the elements of a model are to be read: those of the file itself, or of one that it attaches.
struct ModelSettings {
    Compiler compiler;
    Defaults defaults;
    std::string folder;  // relative to the main file's, with a slash at its end, or empty
    std::map<std::string, MeshAsset> meshes;
    std::map<std::string, Element> heightFields;
    std::map<std::string, PluginUse> plugins;  // instances, by name
};

// Everything that the parts share.
struct Context {
    std::vector<std::unique_ptr<ModelSettings>> models;  // the file's own first
    ModelSettings* model = nullptr;                      // that of what is being read
    const IncludeFunction* open = nullptr;               // files that the model names
    xml::Reader reader;
    Notes notes;
    Imported out;

    struct JointInfo {
        JointType type = JointType::hinge;
        double reference = 0;   // MuJoCo's coordinate in the rest pose
        std::size_t index = 0;  // in the scene; none of free joints
    };
    std::map<std::string, JointInfo> joints;  // by name
    struct Site {
        std::string body;
        Vec3 position;  // our world, at rest
    };
    std::map<std::string, Site> sites;
    std::map<std::string, Pose> poses;  // of bodies, in our world, at rest
    // qpos of MuJoCo, in its order: a free body or a joint of the scene.
    struct Coordinate {
        JointType type = JointType::hinge;
        std::string body;       // of a free one
        std::size_t joint = 0;  // of the others
        double reference = 0;
    };
    std::vector<Coordinate> coordinates;
    // ctrl of MuJoCo, in its order: what it sets is control · gain + constant.
    struct Control {
        enum class Sets { nothing, torque, target };
        Sets sets = Sets::nothing;
        std::size_t index = 0;  // of the scene's motors or controllers
        double gain = 1, constant = 0;
    };
    std::vector<Control> controls;
    struct SpringDamper {
        std::size_t joint;  // of the scene
        double time, ratio;
    };
    std::vector<SpringDamper> springDampers;
    std::set<std::string> bodyNames, jointNames, meshNames;
    std::map<std::string, std::size_t> flexes;  // name of a <flexcomp> → number of its spring mesh
    // Something with bodies could not be had; what refers to bodies that are not there may mean those.
    bool hasLeftOutBodies = false;
    std::map<std::pair<int, int>, std::string> layers;  // contype, conaffinity → name of a layer
    bool hasContact = false;
    bool isContactOff = false;
};

// While it lives, elements are read as the model asks that `marked` is of (modelMark), if it is marked.
class InModelOf {
public:
    InModelOf(Context& context, const Element& marked);
    ~InModelOf() { context_.model = before_; }
    InModelOf(const InModelOf&) = delete;
    InModelOf& operator=(const InModelOf&) = delete;

private:
    Context& context_;
    ModelSettings* before_;
};

// `name`, or with a number behind it where that is taken.
std::string uniqueName(std::set<std::string>& taken, const std::string& name);

// Notes attributes that are neither in `known` nor about looks.
void noteUnread(Context& context, const Element& element, std::initializer_list<std::string_view> known);

// pos with quat, axisangle, xyaxes, zaxis or euler.
Quat readOrientation(Context& context, const Element& element);
Pose readPose(Context& context, const Element& element);
bool isOrientation(std::string_view attribute);
// The least turn that takes z there.
Quat turnFromZ(const Vec3& direction);

// A geom: what it is made of, in the frame of its body, and what it adds to its body's inertia.
struct Geom {
    std::optional<Shape> shape;          // none: left out, and noted
    std::vector<Shape> pieces = {};      // that it is made of, where it is not convex
    std::optional<TriangleMesh> ground;  // of a height field
    bool isPlane = false;
    Pose pose;        // of the shape; of a plane, its z axis is the normal
    Inertia inertia;  // in the frame of the body; zero where it does not count
    double friction = 1;
    int contype = 1, conaffinity = 1;

    bool collides() const { return contype != 0 || conaffinity != 0; }
};
// `frame`: in that of its body, around the geom.
Geom readGeom(Context& context, const Element& element, const Pose& frame);

// What the files of <asset> are; a mesh that was never used is not read.
void listMeshes(Context& context, const Element& root);
// Null: there is none of that name. Its `hull` is missing where its file cannot be had.
const MeshAsset* findMesh(Context& context, const std::string& name);

// Where a file of <asset> is, as `open` wants it.
std::string assetPath(const ModelSettings& model, const std::string& file);
// The triangles of a file that an element names. None: it cannot be had, which was noted.
std::optional<TriangleMesh> readMeshFile(Context& context, const Element& element, const std::string& file);
// Of <mesh builtin="…"> and of one whose <plugin> is a signed distance. None: left out, which was noted.
struct MadeMesh {
    TriangleMesh mesh;
    std::vector<std::vector<Vec3>> pieces = {};  // whose hulls make it up; none: its own hull does
};
std::optional<MadeMesh> builtInMesh(Context& context, const Element& element);
std::optional<MadeMesh> pluginMesh(Context& context, const Element& element);

// Rows along y and columns along x, from the least to the largest of both.
struct HeightGrid {
    int rows = 0, columns = 0;
    std::vector<double> heights;
};
void listHeightFields(Context& context, const Element& root);
// In the frame of the geom. None: it cannot be had, which was noted.
std::optional<TriangleMesh> heightFieldMesh(Context& context, const std::string& name, const Element& user);

void listPlugins(Context& context, const Element& root);
PluginUse pluginOf(Context& context, const Element& element);
double pluginNumber(Context& context, const PluginUse& use, const char* key, double otherwise);

// A <flexcomp> in a body, whose pose is given in our world.
void readFlexcomp(Context& context, const Element& element, const std::string& body, const Pose& parent);
// Holds a point of a <flexcomp>, which others call by its name and its number; false: it is none.
bool pinFlexVertex(Context& context, const std::string& vertex, const std::string& body);

// Whether a name that is not there may be one of what was left out; that is noted then.
bool mayBeLeftOut(Context& context, const Element& element, const std::string& name);

// All <compiler>s of a model.
void readCompilers(Context& context, const Element& root);
void readBodies(Context& context, const Element& root);
void readActuators(Context& context, const Element& root);
// <equality> and <tendon>.
void readConstraints(Context& context, const Element& root);
// The start that a <keyframe> has, or that limits ask for.
void setStart(Context& context, const Element& root, const std::string& keyframe);
// Stiffness and damping of joints that give them by `springdamper`, once all bodies are there.
void setSpringDampers(Context& context);
// Of springs that tendons without one made.
void setSpringLengths(Context& context);

}  // namespace sinew::mjcf

// Each kind of object in a scene has one table of its keys: what is legal, what is required, and where the
// value goes.
#include "sinew/io/json/reader.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew {
namespace reading {
namespace {

// true is contact as it is without a word, false is none.
bool readContact(Reader& reader, const Value& value, Description& out)
{
    if (value.kind() != Kind::boolean) return reader.read(value, out.contact);
    out.contact = value.boolean() ? std::optional<ContactDescription>(std::in_place) : std::nullopt;
    return true;
}

}  // namespace

// ---- the tables -------------------------------------------------------------------------------

const Keys<Description>& Reader::sceneKeys()
{
    using D = Description;
    static const Keys<D> keys = {
        {"sinew", [](Reader& reader, const Value& value, D&) { return reader.version(value); }, true},
        {"$schema",
         [](Reader& reader, const Value& value, D&) {
             std::string ignored;  // for editors, not for us
             return reader.text(value, ignored);
         }},
        key<D, &D::name>("name"),
        {"about", [](Reader& reader, const Value& value, D& out) { return reader.text(value, out.about); }},
        key<D, &D::gravity>("gravity"),
        key<D, &D::inertiaFloor>("inertia_floor"),
        // Read after all others: its bones are to be the first bodies.
        {"figure", [](Reader&, const Value&, D&) { return true; }},
        key<D, &D::bodies>("bodies"),
        key<D, &D::joints>("joints"),
        key<D, &D::forces>("forces"),
        key<D, &D::obstacles>("obstacles"),
        {"contact", readContact},
        key<D, &D::targets>("targets"),
        key<D, &D::couplings>("couplings"),
        key<D, &D::switches>("switches"),
        key<D, &D::motors>("motors"),
        key<D, &D::torques>("torques"),
        key<D, &D::controllers>("controllers"),
        key<D, &D::supports>("supports"),
        key<D, &D::motions>("motions"),
        key<D, &D::tracks>("tracks"),
        key<D, &D::gravityCompensation>("gravity_compensation"),
        key<D, &D::prescribed>("prescribed"),
        key<D, &D::meshes>("meshes"),
        key<D, &D::springs>("springs"),
        key<D, &D::medium>("medium"),
        key<D, &D::fields>("fields"),
        key<D, &D::particles>("particles"),
        key<D, &D::wishes>("wishes"),
        key<D, &D::balances>("balance"),
        key<D, &D::actions>("actions"),
        key<D, &D::plan>("optimize"),
        key<D, &D::roots>("roots"),
        key<D, &D::run>("run"),
    };
    return keys;
}

const Keys<BodyDescription>& Reader::bodyKeys()
{
    using B = BodyDescription;
    static const Keys<B> keys = {
        key<B, &B::name>("name", true),
        positionKey<B>(),
        orientationKey<B>(),
        key<B, &B::mass>("mass"),
        key<B, &B::inertia>("inertia"),
        key<B, &B::center>("center"),
        key<B, &B::shapes>("shapes"),
        key<B, &B::friction>("friction"),
        key<B, &B::staticFriction>("static_friction"),
        key<B, &B::rollingFriction>("rolling_friction"),
        key<B, &B::spinningFriction>("spinning_friction"),
        key<B, &B::restitution>("restitution"),
        key<B, &B::layer>("layer"),
        key<B, &B::collides>("collides"),
        key<B, &B::color>("color"),
        key<B, &B::drag>("drag"),
        key<B, &B::velocity>("velocity"),
        key<B, &B::angularVelocity>("angular_velocity"),
    };
    return keys;
}

// A joint had viscous friction beside damping, and every law took their sum.
bool Reader::readOldFriction(const Value& value)
{
    if (!read(value, oldFriction_)) return false;
    if (!(oldFriction_ >= 0)) return fail("is negative; it must be zero or more");
    Diagnostic note = error_;
    note.pointer = pointer_;
    note.message =
        "is viscous damping, and is added to \"damping\"; write damping (dry friction is coulomb)";
    notes_.push_back(std::move(note));
    return true;
}

bool Reader::joint(const Value& value, const Keys<JointDescription>& keys, JointDescription& out,
                   const std::string& what)
{
    oldFriction_ = 0;
    if (!object(value, keys, out, what)) return false;
    out.damping += oldFriction_;
    return true;
}

const Keys<JointDescription>& Reader::jointKeys()
{
    using J = JointDescription;
    static const Keys<J> keys = {
        key<J, &J::name>("name", true),
        key<J, &J::type>("type", true),
        key<J, &J::first>("first", true),
        key<J, &J::second>("second", true),
        key<J, &J::position>("position"),
        key<J, &J::axis>("axis"),
        key<J, &J::axis2>("axis2"),
        key<J, &J::stiffness>("stiffness"),
        key<J, &J::twistStiffness>("twist_stiffness"),
        key<J, &J::damping>("damping"),
        key<J, &J::armature>("armature"),
        {"friction", [](Reader& reader, const Value& value, J&) { return reader.readOldFriction(value); }},
        key<J, &J::coulomb>("coulomb"),
        key<J, &J::motor>("motor"),
        key<J, &J::coordinate>("coordinate"),
        key<J, &J::velocity>("velocity"),
        key<J, &J::rest>("rest"),
        key<J, &J::lower>("lower"),
        key<J, &J::upper>("upper"),
        key<J, &J::swingLimit>("swing_limit"),
        key<J, &J::swingCone>("swing_cone"),
        key<J, &J::limitStiffness>("limit_stiffness"),
        key<J, &J::release>("release"),
    };
    return keys;
}

const Keys<SwingConeDescription>& Reader::coneKeys()
{
    using C = SwingConeDescription;
    static const Keys<C> keys = {
        key<C, &C::center>("center"),
        key<C, &C::toward>("toward", true),
        key<C, &C::reach>("reach", true),
    };
    return keys;
}

const Keys<ForceDescription>& Reader::forceKeys()
{
    using F = ForceDescription;
    static const Keys<F> keys = {
        key<F, &F::body>("body", true), key<F, &F::force>("force"),   key<F, &F::torque>("torque"),
        key<F, &F::point>("point"),     key<F, &F::signal>("signal"), key<F, &F::when>("when"),
        key<F, &F::during>("while"),
    };
    return keys;
}

const Keys<TargetDescription>& Reader::targetKeys()
{
    using T = TargetDescription;
    static const Keys<T> keys = {
        key<T, &T::body>("body", true),
        key<T, &T::point>("point"),
        key<T, &T::stiffness>("stiffness"),
        key<T, &T::damping>("damping"),
        key<T, &T::turnStiffness>("turn_stiffness"),
        key<T, &T::turnDamping>("turn_damping"),
        key<T, &T::path>("path", true),
        key<T, &T::smooth>("smooth"),
        key<T, &T::limit>("limit"),
        key<T, &T::weight>("weight"),
    };
    return keys;
}

const Keys<TargetDescription::Key>& Reader::pathKeys()
{
    using K = TargetDescription::Key;
    static const Keys<K> keys = {
        key<K, &K::time>("time", true),
        key<K, &K::position>("position"),
        key<K, &K::orientation>("orientation"),
    };
    return keys;
}

const Keys<CouplingDescription>& Reader::couplingKeys()
{
    using C = CouplingDescription;
    static const Keys<C> keys = {
        key<C, &C::follower>("follower", true),
        key<C, &C::leader>("leader", true),
        key<C, &C::ratio>("ratio"),
        key<C, &C::offset>("offset"),
    };
    return keys;
}

const Keys<SwitchDescription>& Reader::switchKeys()
{
    using S = SwitchDescription;
    static const Keys<S> keys = settingKeys<S>({
        key<S, &S::time>("time", true),
        key<S, &S::joint>("joint"),
        key<S, &S::active>("active"),
    });
    return keys;
}

const Keys<RunSettings>& Reader::runKeys()
{
    using R = RunSettings;
    static const Keys<R> keys = {
        key<R, &R::solver>("solver"),           key<R, &R::integrator>("integrator"),
        key<R, &R::coordinates>("coordinates"), key<R, &R::step>("step"),
        key<R, &R::duration>("duration"),       key<R, &R::fps>("fps"),
        key<R, &R::slowBand>("slow_band"),      key<R, &R::spread>("spread"),
        key<R, &R::tolerance>("tolerance"),
    };
    return keys;
}

const Keys<ShapeDescription>& Reader::shapeKeys(const Shape& shape)
{
    using S = ShapeDescription;
    static const std::vector<Keys<S>> all = [] {
        std::vector<Keys<S>> tables;
        for (const Keys<S>& sizes : sizeKeys<S>()) {
            Keys<S> table = {
                // Known before the others are read: it says which of them are legal.
                {"type", [](Reader&, const Value&, S&) { return true; }, true},
                positionKey<S>(),
                orientationKey<S>(),
                key<S, &S::density>("density"),
                key<S, &S::mass>("mass"),
            };
            table.insert(table.end(), sizes.begin(), sizes.end());
            tables.push_back(std::move(table));
        }
        return tables;
    }();
    return all[shape.index()];
}

// ---- kinds of things that have keys of their own --------------------------------------------------

bool Reader::read(const Value& value, Description& out)
{
    if (!object(value, sceneKeys(), out, "a scene")) return false;
    const Value* bones = value.find("figure");
    if (bones == nullptr && value.find("bodies") == nullptr && value.find("meshes") == nullptr &&
        value.find("particles") == nullptr)
        return fail("a scene needs the key \"bodies\" or the key \"figure\", \"meshes\" or \"particles\"");
    return bones == nullptr || within("figure", [&] { return figure(*bones, out); });
}

bool Reader::facesExist(const std::vector<std::array<int, 3>>& faces, std::size_t vertices)
{
    for (std::size_t face = 0; face < faces.size(); ++face)
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const int vertex = faces[face][corner];
            if (static_cast<std::size_t>(vertex) < vertices) continue;
            const auto report = [&] {
                return fail("there is no vertex " + std::to_string(vertex) + "; the mesh has " +
                            std::to_string(vertices) + ", counted from 0");
            };
            return within("faces", [&] { return within(face, [&] { return within(corner, report); }); });
        }
    return true;
}

bool Reader::read(const Value& value, ShapeDescription& out)
{
    static const Shape shapes[] = {Sphere{}, Box{}, Capsule{}, Cylinder{}, Ellipsoid{}, ConvexMesh{}};
    static_assert(std::size(shapes) == std::variant_size_v<Shape>);

    if (!value.isObject()) return failKind("an object", value);
    std::vector<std::string_view> legal;
    for (const Shape& shape : shapes) legal.push_back(shapeName(shape));
    const Value* type = value.find("type");
    if (type == nullptr) return fail("a shape needs the key \"type\": one of " + words::joined(legal));

    const Shape* known = nullptr;
    const bool typeIsRight = within("type", [&] {
        std::string word;
        if (!read(*type, word)) return false;
        for (const Shape& shape : shapes)
            if (word == shapeName(shape)) known = &shape;
        return known ||
               fail("unknown shape " + words::quoted(word) + "; the shapes are " + words::joined(legal));
    });
    if (!typeIsRight) return false;
    out.shape = *known;
    if (!object(value, shapeKeys(out.shape), out, std::string("the shape ") + shapeName(out.shape)))
        return false;
    const auto* mesh = std::get_if<ConvexMesh>(&out.shape);
    return mesh == nullptr || facesExist(mesh->faces, mesh->vertices.size());
}

}  // namespace reading

Result<Description> parseScene(std::string_view text, const std::string& fileName,
                               std::vector<Diagnostic>* notes)
{
    std::vector<MotionFile> files;
    Result<Description> scene = parseSceneBesideFiles(text, fileName, notes, files);
    if (!scene || files.empty()) return scene;
    Diagnostic fault = faultAt("/motions/" + std::to_string(files.front().motion) + "/file",
                               "stands beside the scene, which is no file here");
    fault.file = fileName;
    return fault;
}

Result<Description> parseSceneBesideFiles(std::string_view text, const std::string& fileName,
                                          std::vector<Diagnostic>* notes, std::vector<MotionFile>& files)
{
    const Result<json::Value> syntax = json::parse(text, fileName);
    if (!syntax) return syntax.error();
    reading::Reader reader(fileName);
    Description description;
    if (!reader.read(syntax.value(), description)) return reader.error();
    if (notes) *notes = reader.notes();
    files = reader.motionFiles();
    return description;
}

Diagnostic inFile(Diagnostic diagnostic, const std::string& fileName)
{
    diagnostic.file = fileName;
    return diagnostic;
}

}  // namespace sinew

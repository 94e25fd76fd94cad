// Spring meshes of a scene.
#include "sinew/io/json/reader.h"
#include "sinew/model/spring_mesh.h"

namespace sinew::reading {
namespace {

constexpr std::string_view forms[] = {"mesh", "cloth", "ball", "beam"};
constexpr std::string_view masses[] = {"area", "vertex"};

template <class T>
Keys<T> withChoice(Keys<T> own)
{
    Keys<T> keys = {
        {"vertices",
         [](Reader& reader, const Value& value, T& out) { return reader.read(value, out.at.vertices); }},
        {"box",
         [](Reader& reader, const Value& value, T& out) {
             if (!value.isArray() || value.items().size() != 2)
                 return reader.failKind("a list of two corners", value);
             auto& box = out.at.box.emplace();
             for (std::size_t i = 0; i < 2; ++i)
                 if (!reader.within(i, [&] { return reader.read(value.items()[i], box[i]); })) return false;
             return true;
         }},
        {"near",
         [](Reader& reader, const Value& value, T& out) { return reader.read(value, out.at.near); }},
        {"radius",
         [](Reader& reader, const Value& value, T& out) { return reader.read(value, out.at.radius); }},
    };
    keys.insert(keys.end(), own.begin(), own.end());
    return keys;
}

const Keys<PinDescription>& pinKeys()
{
    using P = PinDescription;
    static const Keys<P> keys = withChoice<P>({
        key<P, &P::body>("body"),
        key<P, &P::stiffness>("stiffness"),
        key<P, &P::damping>("damping"),
    });
    return keys;
}

const Keys<VertexForceDescription>& vertexForceKeys()
{
    using F = VertexForceDescription;
    static const Keys<F> keys = withChoice<F>({
        key<F, &F::force>("force", true),
        key<F, &F::signal>("signal"),
    });
    return keys;
}

// A number, or a list of them.
template <class Number>
bool oneOrMore(Reader& reader, const Value& value, std::vector<Number>& out)
{
    if (value.isArray()) return reader.read(value, out);
    return reader.read(value, out.emplace_back());
}

template <class T>
bool objects(Reader& reader, const Value& value, const Keys<T>& keys, std::vector<T>& out, const char* what)
{
    if (!value.isArray()) return reader.failKind("a list", value);
    out.resize(value.items().size());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!reader.within(i, [&] { return reader.object(value.items()[i], keys, out[i], what); }))
            return false;
    return true;
}

const Keys<SpringMeshDescription>& meshKeys()
{
    using M = SpringMeshDescription;
    static const Keys<M> keys = {
        key<M, &M::name>("name", true),
        {"type", [](Reader& reader, const Value& value,
                    M& out) { return reader.word(value, "mesh", forms, out.form); }},
        key<M, &M::file>("file"),
        {"mesh",
         [](Reader& reader, const Value& value, M& out) {
             if (value.isString()) return reader.read(value, out.fileMesh);
             int number = 0;
             if (!reader.read(value, number)) return false;
             if (number < 0) return reader.fail("is the name or the number of a mesh, counted from 0");
             out.fileMesh = std::to_string(number);
             return true;
         }},
        key<M, &M::fileScale>("scale"),
        key<M, &M::vertices>("vertices"),
        key<M, &M::faces>("faces"),
        {"edges",
         [](Reader& reader, const Value& value, M& out) {
             if (!value.isArray()) return reader.failKind("a list", value);
             for (std::size_t i = 0; i < value.items().size(); ++i) {
                 std::vector<int> pair;
                 const Value& item = value.items()[i];
                 if (!reader.within(i, [&] {
                         return reader.read(item, pair) &&
                                (pair.size() == 2 || reader.fail("is not a pair of vertex numbers"));
                     }))
                     return false;
                 out.edges.push_back({pair[0], pair[1]});
             }
             return true;
         }},
        {"size",
         [](Reader& reader, const Value& value, M& out) { return oneOrMore(reader, value, out.size); }},
        {"segments",
         [](Reader& reader, const Value& value, M& out) { return oneOrMore(reader, value, out.segments); }},
        positionKey<M>(),
        orientationKey<M>(),
        key<M, &M::velocity>("velocity"),
        key<M, &M::mass>("mass"),
        {"mass_by", [](Reader& reader, const Value& value,
                       M& out) { return reader.word(value, "mass", masses, out.massBy); }},
        key<M, &M::stiffness>("stiffness"),
        key<M, &M::damping>("damping"),
        key<M, &M::shear>("shear"),
        key<M, &M::bend>("bend"),
        key<M, &M::bendDamping>("bend_damping"),
        key<M, &M::fold>("fold"),
        key<M, &M::foldDamping>("fold_damping"),
        key<M, &M::struts>("struts"),
        key<M, &M::strutDamping>("strut_damping"),
        key<M, &M::pressure>("pressure"),
        key<M, &M::bulk>("bulk"),
        key<M, &M::strainLimit>("strain_limit"),
        key<M, &M::drag>("drag"),
        key<M, &M::lift>("lift"),
        key<M, &M::thickness>("thickness"),
        key<M, &M::friction>("friction"),
        key<M, &M::collides>("collides"),
        key<M, &M::ignore>("ignore"),
        {"pins", [](Reader& reader, const Value& value,
                    M& out) { return objects(reader, value, pinKeys(), out.pins, "a pin"); }},
        {"forces",
         [](Reader& reader, const Value& value, M& out) {
             return objects(reader, value, vertexForceKeys(), out.forces, "a force on vertices");
         }},
        {"step",
         [](Reader& reader, const Value& value, M& out) {
             std::string word;
             if (!reader.read(value, word)) return false;
             out.step = word == "newton"  ? M::Step::newton
                        : word == "fast"  ? M::Step::fast
                        : word == "quick" ? M::Step::quick
                                          : M::Step::scheme;
             if (out.step == M::Step::scheme) out.scheme = word;  // compile() knows which there are
             return true;
         }},
        key<M, &M::iterations>("iterations"),
        key<M, &M::tolerance>("tolerance"),
    };
    return keys;
}

}  // namespace

bool Reader::read(const Value& value, SpringMeshDescription& out)
{
    return object(value, meshKeys(), out, "a mesh");
}

}  // namespace sinew::reading

// Wishes.
#include "sinew/io/json/reader.h"
#include "sinew/model/wish.h"

namespace sinew::reading {
namespace {

using W = WishDescription;

// One of path, plane, sphere and cylinder.
template <class Form, const Keys<Form>& (*keysOf)()>
Key<W> wishFormKey(std::string_view name, const char* what)
{
    static const char* called = what;
    return {name, [](Reader& reader, const Value& value, W& out) {
                if (!std::holds_alternative<SpringPoint>(out.on))
                    return reader.fail("a wish has one of path, plane, sphere and cylinder");
                Form form;
                if (!reader.object(value, keysOf(), form, called)) return false;
                out.on = std::move(form);
                return true;
            }};
}

const Keys<WishPlace>& placeKeys()
{
    using P = WishPlace;
    static const Keys<P> keys = {key<P, &P::body>("body"), key<P, &P::point>("point")};
    return keys;
}

// One number, or one per freedom.
bool readCoordinate(Reader& reader, const Value& value, std::vector<double>& out)
{
    if (value.isNumber()) return reader.read(value, out.emplace_back());
    return reader.read(value, out);
}

bool readJoints(Reader& reader, const Value& value, W& out)
{
    return reader.named(value, out.joints,
                        [&](const Value& coordinate, const std::string& joint, W::JointPose& pose) {
                            pose.joint = joint;
                            return readCoordinate(reader, coordinate, pose.coordinate);
                        });
}

bool readSide(Reader& reader, const Value& value, W& out)
{
    static constexpr std::string_view words[] = {"both", "at_least", "at_most"};
    return reader.word(value, "side", words, out.side);
}

const Keys<W>& wishKeys()
{
    static const Keys<W> keys = {
        key<W, &W::name>("name"),
        key<W, &W::type>("type", true),
        {"body", [](Reader& r, const Value& v, W& out) { return r.read(v, out.of.body); }},
        {"point", [](Reader& r, const Value& v, W& out) { return r.read(v, out.of.point); }},
        key<W, &W::to>("to"),
        wishFormKey<SpringCurve, Reader::curveKeys>("path", "a path"),
        wishFormKey<SpringPlane, Reader::planeKeys>("plane", "a plane"),
        wishFormKey<SpringSphere, Reader::sphereKeys>("sphere", "a sphere"),
        wishFormKey<SpringCylinder, Reader::cylinderKeys>("cylinder", "a cylinder"),
        key<W, &W::points>("points"),
        {"joints", readJoints},
        key<W, &W::axis>("axis"),
        key<W, &W::direction>("direction"),
        key<W, &W::orientation>("orientation"),
        key<W, &W::velocity>("velocity"),
        key<W, &W::length>("length"),
        {"side", readSide},
        key<W, &W::weight>("weight"),
        key<W, &W::soft>("soft"),
        key<W, &W::from>("from"),
        key<W, &W::until>("until"),
        key<W, &W::acts>("acts"),
        key<W, &W::damping>("damping"),
    };
    return keys;
}

}  // namespace

// A body alone is its centre of mass, three numbers are a point of the world.
bool Reader::read(const Value& value, WishPlace& out)
{
    if (value.isString()) return read(value, out.body);
    if (value.isArray()) return read(value, out.point);
    if (!value.isObject()) return failKind("a point, the name of a body or an object", value);
    return object(value, placeKeys(), out, "a place");
}

bool Reader::read(const Value& value, WishDescription& out)
{
    return object(value, wishKeys(), out, "a wish");
}

}  // namespace sinew::reading

namespace sinew {

Result<WishDescription> parseWish(std::string_view text, const std::string& where)
{
    const Result<json::Value> syntax = json::parse(text, where);
    if (!syntax) return syntax.error();
    reading::Reader reader(where);
    WishDescription wish;
    if (!reader.read(syntax.value(), wish)) return reader.error();
    return wish;
}

}  // namespace sinew

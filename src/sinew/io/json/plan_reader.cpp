// A motion to be found.
#include "sinew/io/json/reader.h"

namespace sinew::reading {
namespace {

using P = PlanDescription;

const Keys<P::Drive>& driveKeys()
{
    using D = P::Drive;
    static const Keys<D> keys = {key<D, &D::joint>("joint"), key<D, &D::body>("body"),
                                 key<D, &D::limit>("limit"), key<D, &D::cost>("cost")};
    return keys;
}

const Keys<P::Contact>& planContactKeys()
{
    using C = P::Contact;
    static const Keys<C> keys = {
        key<C, &C::name>("name"),           key<C, &C::body>("body", true),
        key<C, &C::points>("points", true), key<C, &C::from>("from", true),
        key<C, &C::until>("until", true),   key<C, &C::normal>("normal"),
        key<C, &C::height>("height"),       key<C, &C::friction>("friction"),
    };
    return keys;
}

const Keys<P::Hold>& holdKeys()
{
    using H = P::Hold;
    static const Keys<H> keys = {key<H, &H::name>("name"), key<H, &H::body>("body", true),
                                 key<H, &H::by>("by", true), key<H, &H::from>("from", true),
                                 key<H, &H::until>("until", true)};
    return keys;
}

const Keys<P::Clearance>& clearanceKeys()
{
    using C = P::Clearance;
    static const Keys<C> keys = {key<C, &C::name>("name"), key<C, &C::body>("body", true),
                                 key<C, &C::point>("point"), key<C, &C::normal>("normal"),
                                 key<C, &C::height>("height")};
    return keys;
}

const Keys<P::Still>& stillKeys()
{
    using S = P::Still;
    static const Keys<S> keys = {key<S, &S::time>("time", true), key<S, &S::joints>("joints")};
    return keys;
}

// One number, or one per freedom.
bool readPose(Reader& reader, const Value& value, P::Guess& out)
{
    return reader.named(value, out.joints,
                        [&](const Value& coordinate, const std::string& joint, P::Guess::Pose& pose) {
                            pose.joint = joint;
                            if (coordinate.isNumber())
                                return reader.read(coordinate, pose.coordinate.emplace_back());
                            return reader.read(coordinate, pose.coordinate);
                        });
}

const Keys<P::Guess::Place>& bodyPlaceKeys()
{
    using B = P::Guess::Place;
    static const Keys<B> keys = {key<B, &B::position>("position"), key<B, &B::orientation>("orientation")};
    return keys;
}

bool readPlaces(Reader& reader, const Value& value, P::Guess& out)
{
    return reader.named(value, out.bodies,
                        [&](const Value& place, const std::string& body, P::Guess::Place& at) {
                            at.body = body;
                            return reader.object(place, bodyPlaceKeys(), at, "where a body is");
                        });
}

const Keys<P::Guess>& guessKeys()
{
    using G = P::Guess;
    static const Keys<G> keys = {
        key<G, &G::time>("time", true), {"joints", readPose}, {"bodies", readPlaces}};
    return keys;
}

const Keys<P>& costKeys()
{
    static const Keys<P> keys = {key<P, &P::force>("force"), key<P, &P::power>("power"),
                                 key<P, &P::acceleration>("acceleration")};
    return keys;
}

bool readStart(Reader& reader, const Value& value, P& out)
{
    static constexpr std::string_view words[] = {"state", "pose", "free"};
    return reader.word(value, "start", words, out.start);
}

bool readPoints(Reader& reader, const Value& value, P& out)
{
    double points = 0;
    if (!reader.read(value, points)) return false;
    if (!(points >= 1 && points <= 4) || points != static_cast<int>(points))
        return reader.fail("must be 1, 2, 3 or 4");
    out.points = static_cast<int>(points);
    return true;
}

const Keys<P>& planKeys()
{
    static const Keys<P> keys = {
        key<P, &P::duration>("duration", true),
        key<P, &P::piece>("piece"),
        {"points", readPoints},
        {"start", readStart},
        key<P, &P::drives>("drives"),
        {"minimize",
         [](Reader& r, const Value& v, P& out) {
             out.force = 0;
             return r.object(v, costKeys(), out, "what to minimize");
         }},
        key<P, &P::still>("still"),
        key<P, &P::contacts>("contacts"),
        key<P, &P::holds>("holds"),
        key<P, &P::clearances>("clear"),
        key<P, &P::guess>("guess"),
    };
    return keys;
}

}  // namespace

bool Reader::read(const Value& value, P::Drive& out)
{
    if (value.isString()) return read(value, out.joint);
    return object(value, driveKeys(), out, "a drive");
}
bool Reader::read(const Value& value, P::Contact& out)
{
    return object(value, planContactKeys(), out, "a contact");
}
bool Reader::read(const Value& value, P::Hold& out)
{
    return object(value, holdKeys(), out, "a hold");
}
bool Reader::read(const Value& value, P::Clearance& out)
{
    return object(value, clearanceKeys(), out, "a clearance");
}
// A number is a time at which all is still.
bool Reader::read(const Value& value, P::Still& out)
{
    if (value.isNumber()) return read(value, out.time);
    return object(value, stillKeys(), out, "a moment of rest");
}
bool Reader::read(const Value& value, P::Guess& out)
{
    return object(value, guessKeys(), out, "a guess");
}
bool Reader::read(const Value& value, PlanDescription& out)
{
    return object(value, planKeys(), out, "what to optimize");
}

}  // namespace sinew::reading

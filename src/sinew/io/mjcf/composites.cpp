#include "sinew/io/mjcf/composites.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/text.h"
#include "sinew/io/json/json.h"
#include "sinew/io/mjcf/composition.h"
#include "sinew/math/rotation.h"
#include "sinew/math/trigonometry.h"

namespace sinew::mjcf {
namespace {

constexpr int mostParts = 10'000;

// An element in the place of another in the file.
Element partOf(const Element& where, const std::string& name)
{
    Element made;
    made.name = name;
    made.line = where.line;
    made.column = where.column;
    made.file = where.file;
    return made;
}

void give(Element& element, std::string_view name, std::string value)
{
    for (xml::Attribute& known : element.attributes)
        if (known.name == name) {
            known.value = std::move(value);
            return;
        }
    element.attributes.push_back({std::string(name), std::move(value), element.line, element.column});
}

std::string asText(std::initializer_list<double> numbers)
{
    std::string text;
    for (double number : numbers) text += (text.empty() ? "" : " ") + json::numberText(number);
    return text;
}
std::string asText(const Vec3& v)
{
    return asText({v.x(), v.y(), v.z()});
}

// The child of that name, for parts of this kind, without the word that says so.
Element patternOf(const Element& order, const std::string& name, std::string_view kind = {})
{
    for (const Element& child : order.children) {
        const xml::Attribute* own = child.find("kind");
        if (child.name != name || (!kind.empty() && own && own->value != kind)) continue;
        Element pattern = child;
        std::erase_if(pattern.attributes, [](const xml::Attribute& a) { return a.name == "kind"; });
        return pattern;
    }
    return partOf(order, name);
}

class Expander {
public:
    Expander(Context& context, const Element& order, std::string body)
        : context_(context), order_(order), body_(std::move(body))
    {
    }

    std::optional<Composite> expand()
    {
        const std::string type = reader_.requiredName(order_, "type");
        prefix_ = reader_.name(order_, "prefix").value_or(std::string());
        offset_ = reader_.vector(order_, "offset").value_or(Vec3::Zero());
        readCount();
        if (reader_.failed()) return {};
        if (type == "cable")
            cable();
        else if (type == "rope" || type == "loop")
            rope(type == "loop");
        else if (type == "particle")
            particles();
        else if (type == "grid" || type == "cloth")
            cloth();
        else {
            context_.notes.add(order_, "of type " + quotedName(type) + " is left out");
            context_.hasLeftOutBodies = true;
            return {};
        }
        if (reader_.failed()) return {};
        return std::move(out_);
    }

private:
    void readCount()
    {
        const std::vector<double> counts = reader_.numbers(order_, "count", 1, 3);
        double all = 1;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (!(counts[i] >= 1 && counts[i] <= mostParts) || counts[i] != std::floor(counts[i]))
                return reader_.fail(order_, "count", "is not made of whole numbers from 1 to 10000");
            count_[i] = static_cast<int>(counts[i]);
            all *= counts[i];
        }
        if (all > mostParts) reader_.fail(order_, "count", "makes more than 10000 parts");
    }

    // ---- cables ---------------------------------------------------------------------------------------

    // What `curve` says along each axis, of the way s from 0 to 1.
    std::vector<Vec3> curve()
    {
        std::vector<Vec3> points;
        if (order_.find("vertex")) {
            const std::vector<double> all = reader_.numbers(order_, "vertex", 6, 3 * mostParts);
            if (all.size() % 3 != 0) reader_.fail(order_, "vertex", "has not three numbers for each");
            if (reader_.failed()) return {};
            for (std::size_t i = 0; i < all.size(); i += 3)
                points.push_back({all[i], all[i + 1], all[i + 2]});
            return points;
        }
        std::vector<double> size = reader_.numbers(order_, "size", 1, 3);
        size.resize(3, 0);
        const std::vector<std::string> ways = curveWords();
        if (reader_.failed()) return {};
        for (int i = 0; i < count_[0]; ++i) {
            const double s = count_[0] > 1 ? 1.0 * i / (count_[0] - 1) : 0;
            Vec3 point = Vec3::Zero();
            for (std::size_t k = 0; k < ways.size(); ++k)
                point[static_cast<int>(k)] = ways[k] == "s"        ? s * size[0]
                                             : ways[k] == "cos(s)" ? size[1] * cosine(pi * s * size[2])
                                             : ways[k] == "sin(s)" ? size[1] * sine(pi * s * size[2])
                                                                   : 0;
            points.push_back(point);
        }
        return points;
    }

    std::vector<std::string> curveWords()
    {
        const std::string all = reader_.requiredName(order_, "curve");
        std::vector<std::string> words;
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t end = std::min(all.find(' ', at), all.size());
            if (end > at) words.push_back(all.substr(at, end - at));
            at = end + 1;
        }
        if (words.empty() || words.size() > 3) reader_.fail(order_, "curve", "is not one to three words");
        for (const std::string& word : words)
            if (word != "s" && word != "cos(s)" && word != "sin(s)" && word != "0")
                reader_.fail(order_, "curve", "is made of other words than s, cos(s), sin(s) and 0");
        return words;
    }

    void cable()
    {
        noteUnread(context_, order_,
                   {"type", "prefix", "offset", "count", "size", "curve", "vertex", "initial", "quat",
                    "axisangle", "euler", "xyaxes", "zaxis"});
        const std::string initial = reader_.name(order_, "initial").value_or("ball");
        if (initial != "free" && initial != "ball" && initial != "none" && initial != "fixed")
            reader_.fail(order_, "initial", "is none of free, ball and none");
        std::vector<Vec3> points = curve();
        if (reader_.failed()) return;
        if (points.size() < 2) return reader_.fail(order_, "needs two places at least");
        const Quat turn = readOrientation(context_, order_);
        for (Vec3& point : points) point = offset_ + turn * point;
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
            if (points[i] == points[i + 1])
                return reader_.fail(order_, "has two places in a row that are the same");
        readElasticity();
        chain(points, initial == "free" ? "free" : initial == "ball" ? "ball" : "");
    }

    // Young's modulus and that of shear, of the plugin that MuJoCo has for it.
    void readElasticity()
    {
        const PluginUse use = pluginOf(context_, order_);
        if (use.name.empty()) return;
        if (use.name != "mujoco.elasticity.cable")
            return context_.notes.add(order_, "plugin " + quotedName(use.name) + " is not read");
        bend_ = pluginNumber(context_, use, "bend", 0);
        twist_ = pluginNumber(context_, use, "twist", 0);
        if (bend_ < 0 || twist_ < 0) reader_.fail(order_, "has a negative stiffness");
    }

    // The second moments of the cross-section: in bending (of both ways the mean) and in twisting.
    std::array<double, 2> sectionOf(const Element& geom)
    {
        const std::string type = reader_.name(geom, "type").value_or("capsule");
        std::vector<double> size = reader_.numbers(geom, "size", 1, 3);
        size.resize(3, 0);
        if (type != "box") {
            const double fourth = size[0] * size[0] * size[0] * size[0];
            return {pi / 4 * fourth, pi / 2 * fourth};
        }
        const double w = 2 * size[1], h = 2 * size[2];
        const double both = w * h * (w * w + h * h) / 12;
        return {both / 2, both};
    }

    std::string partName(const char* what, std::size_t i, std::size_t count) const
    {
        const std::string number = i == 0 ? "first" : i + 1 == count ? "last" : std::to_string(i);
        return prefix_ + what + number;
    }

    // Bodies from point to point, x along, each with the least turn from the one before.
    void chain(const std::vector<Vec3>& points, const std::string& first)
    {
        const Element joint = patternOf(order_, "joint", "main");
        const Element pattern = patternOf(order_, "geom");
        const Element site = patternOf(order_, "site");
        const auto [bending, twisting] = sectionOf(pattern);
        const std::size_t count = points.size() - 1;
        Quat frame = Quat::Identity();
        std::vector<Element> bodies;
        double before = 0;
        for (std::size_t i = 0; i < count && !reader_.failed(); ++i) {
            const Vec3 along = points[i + 1] - points[i];
            const double length = along.norm();
            const Quat turn =
                rotationBetween(Vec3::UnitX(), frame.conjugate() * Vec3(along / length)).normalized();
            frame = (frame * turn).normalized();
            Element body = partOf(order_, "body");
            give(body, "name", partName("B_", i, count));
            give(body, "pos", i == 0 ? asText(points[0]) : asText({before, 0, 0}));
            give(body, "quat", asText({turn.w(), turn.x(), turn.y(), turn.z()}));
            Element own = joint;
            own.name = "joint";
            give(own, "type", i == 0 && first == "free" ? "free" : "ball");
            give(own, "name", partName("J_", i, count));
            const double span = 0.5 * (before + length);
            if (i > 0 && bend_ > 0) give(own, "stiffness", asText({bend_ * bending / span}));
            if (i > 0 && twist_ > 0) {
                give(own, "axis", "1 0 0");
                give(own, twistMark, asText({twist_ * twisting / span}));
            }
            if (i > 0 || !first.empty()) body.children.push_back(std::move(own));
            body.children.push_back(segment(pattern, length, prefix_ + "G" + std::to_string(i)));
            if (i == 0) body.children.push_back(end(site, "S_first", 0));
            if (i + 1 == count) body.children.push_back(end(site, "S_last", length));
            bodies.push_back(std::move(body));
            if (i > 0) exclude(partName("B_", i - 1, count), partName("B_", i, count));
            before = length;
        }
        if (reader_.failed()) return;
        out_.inBody.push_back(nested(std::move(bodies)));
    }

    // Each in the one before.
    Element nested(std::vector<Element> bodies)
    {
        if (bodies.size() > static_cast<std::size_t>(mostNested))
            reader_.fail(order_, "makes more than " + std::to_string(mostNested) + " bodies in a row");
        while (bodies.size() > 1 && !reader_.failed()) {
            Element last = std::move(bodies.back());
            bodies.pop_back();
            bodies.back().children.push_back(std::move(last));
        }
        return std::move(bodies.front());
    }

    Element segment(const Element& pattern, double length, const std::string& name)
    {
        Element geom = pattern;
        geom.name = "geom";
        give(geom, "name", name);
        const std::string type = reader_.name(geom, "type").value_or("capsule");
        give(geom, "type", type);
        if (type == "box") {
            std::vector<double> size = reader_.numbers(geom, "size", 1, 3);
            size.resize(3, size.empty() ? 0.01 : size[0]);
            give(geom, "size", asText({0.5 * length, size[1], size[2]}));
            give(geom, "pos", asText({0.5 * length, 0, 0}));
        } else {
            give(geom, "fromto", asText({0, 0, 0, length, 0, 0}));
        }
        return geom;
    }

    Element end(const Element& pattern, const std::string& name, double at)
    {
        Element site = pattern;
        site.name = "site";
        give(site, "name", prefix_ + name);
        give(site, "pos", asText({at, 0, 0}));
        return site;
    }

    void exclude(const std::string& a, const std::string& b)
    {
        Element pair = partOf(order_, "exclude");
        give(pair, "body1", a);
        give(pair, "body2", b);
        out_.contact.push_back(std::move(pair));
    }

    // ---- MuJoCo 2 -------------------------------------------------------------------------------------

    // The body around it is one of the parts, called B and its number.
    void rope(bool isLoop)
    {
        const double gap = reader_.number(order_, "spacing").value_or(0);
        if (!(gap > 0)) reader_.fail(order_, "spacing", "must be positive");
        std::size_t own = 0;
        const std::string digits = body_.starts_with(prefix_ + "B") ? body_.substr(prefix_.size() + 1) : "";
        if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != digits.npos ||
            std::stoi(digits) >= count_[0])
            reader_.fail(order_, "is not in a body that is called B and the number of one of its parts");
        else
            own = static_cast<std::size_t>(std::stoi(digits));
        if (reader_.failed()) return;
        const auto count = static_cast<std::size_t>(count_[0]);
        std::vector<Pose> places;
        for (std::size_t i = 0; i < count; ++i)
            places.push_back(isLoop ? onCircle(i, count, gap) : onLine(i, own, gap));
        const Pose home = places[own].inverse();
        for (Pose& place : places) place = home * place;
        out_.ownGeom = bead(own);
        std::vector<Element> up, down;
        for (std::size_t i = own + 1; i < count; ++i)
            up.push_back(link(i, places[i - 1].inverse() * places[i], i - 1, -0.5 * gap));
        for (std::size_t i = own; i-- > 0;)
            down.push_back(link(i, places[i + 1].inverse() * places[i], i + 1, 0.5 * gap));
        for (std::vector<Element>* side : {&up, &down})
            if (!side->empty()) out_.inBody.push_back(nested(std::move(*side)));
        if (!isLoop || count < 3) return;
        Element closing = partOf(order_, "connect");
        give(closing, "body1", prefix_ + "B0");
        give(closing, "body2", prefix_ + "B" + std::to_string(count - 1));
        give(closing, "anchor", asText({-0.5 * gap, 0, 0}));
        out_.equality.push_back(std::move(closing));
        exclude(prefix_ + "B0", prefix_ + "B" + std::to_string(count - 1));
    }

    static Pose onLine(std::size_t i, std::size_t own, double gap)
    {
        return {Vec3(gap * (static_cast<double>(i) - static_cast<double>(own)), 0, 0), Quat::Identity()};
    }
    static Pose onCircle(std::size_t i, std::size_t count, double gap)
    {
        const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(count);
        // So that the ends of neighbours meet.
        const double radius =
            0.5 * gap * cosine(pi / static_cast<double>(count)) / sine(pi / static_cast<double>(count));
        const Quat turn = expRotation(Vec3(0, 0, angle + pi / 2));
        return {Vec3(radius * cosine(angle), radius * sine(angle), 0), turn};
    }

    Element bead(std::size_t i)
    {
        Element geom = patternOf(order_, "geom");
        give(geom, "name", prefix_ + "G" + std::to_string(i));
        // Capsules and cylinders lie along the rope.
        const std::string type = reader_.name(geom, "type").value_or("sphere");
        if (type == "capsule" || type == "cylinder") give(geom, "zaxis", "1 0 0");
        return geom;
    }

    Element link(std::size_t i, const Pose& place, std::size_t before, double jointAt)
    {
        Element body = partOf(order_, "body");
        const Quat& q = place.orientation;
        give(body, "name", prefix_ + "B" + std::to_string(i));
        give(body, "pos", asText(place.position));
        give(body, "quat", asText({q.w(), q.x(), q.y(), q.z()}));
        Element joint = patternOf(order_, "joint", "main");
        give(joint, "name", prefix_ + "J" + std::to_string(i));
        give(joint, "type", "ball");
        give(joint, "pos", asText({jointAt, 0, 0}));
        body.children.push_back(std::move(joint));
        body.children.push_back(bead(i));
        exclude(prefix_ + "B" + std::to_string(before), prefix_ + "B" + std::to_string(i));
        return body;
    }

    Vec3 spacing()
    {
        const std::vector<double> gaps = reader_.numbers(order_, "spacing", 1, 3);
        if (gaps.empty() || !(*std::min_element(gaps.begin(), gaps.end()) > 0)) {
            reader_.fail(order_, "spacing", "must be positive");
            return Vec3::Ones();
        }
        return {gaps[0], gaps.size() > 1 ? gaps[1] : gaps[0], gaps.size() > 2 ? gaps[2] : gaps[0]};
    }

    void particles()
    {
        const Vec3 gap = spacing();
        if (reader_.failed()) return;
        if (body_ != "world")
            return reader_.fail(order_, "of type particle belongs to <worldbody>; its bodies are free");
        const Element pattern = patternOf(order_, "geom");
        for (int x = 0; x < count_[0]; ++x)
            for (int y = 0; y < count_[1]; ++y)
                for (int z = 0; z < count_[2]; ++z) {
                    const Vec3 node(x - 0.5 * (count_[0] - 1), y - 0.5 * (count_[1] - 1),
                                    z - 0.5 * (count_[2] - 1));
                    Element body = partOf(order_, "body");
                    give(body, "name",
                         prefix_ + "B" + std::to_string(x) + "_" + std::to_string(y) + "_" +
                             std::to_string(z));
                    give(body, "pos", asText(offset_ + node.cwiseProduct(gap)));
                    body.children.push_back(partOf(order_, "freejoint"));
                    body.children.push_back(pattern);
                    out_.inBody.push_back(std::move(body));
                }
        context_.notes.add(order_, "of type particle: its bodies can turn here");
    }

    void cloth()
    {
        const Vec3 gap = spacing();
        int dimension = 0;
        for (int n : count_) dimension += n > 1;
        if (dimension < 1 || dimension > 2)
            reader_.fail(order_, "count", "is not more than one along one or two axes");
        if (reader_.failed()) return;
        Element flex = partOf(order_, "flexcomp");
        give(flex, "name", prefix_.empty() ? "composite" : prefix_);
        give(flex, "type", "grid");
        give(flex, "dim", std::to_string(dimension));
        give(flex, "count", asText({1.0 * count_[0], 1.0 * count_[1], 1.0 * count_[2]}));
        give(flex, "spacing", asText(gap));
        give(flex, "pos", asText(offset_));
        const Element geom = patternOf(order_, "geom");
        const std::vector<double> size = reader_.numbers(geom, "size", 1, 3);
        if (!size.empty()) give(flex, "radius", asText({size[0]}));
        const double density = reader_.number(geom, "density").value_or(1000);
        const double one =
            reader_.number(geom, "mass")
                .value_or(size.empty() ? 0.01 : density * 4 / 3 * pi * size[0] * size[0] * size[0]);
        give(flex, "mass", asText({one * count_[0] * count_[1] * count_[2]}));
        Element edge = partOf(order_, "edge");
        give(edge, "equality", "true");
        flex.children.push_back(std::move(edge));
        for (const Element& pin : order_.children) {
            if (pin.name != "pin") continue;
            Element held = partOf(pin, "pin");
            if (const xml::Attribute* coord = pin.find("coord")) {
                const std::vector<double> at = reader_.numbers(pin, "coord", 1, 3);
                const int y = at.size() > 1 ? static_cast<int>(std::clamp(at[1], 0.0, 1.0 * mostParts)) : 0;
                const int x = at.empty() ? 0 : static_cast<int>(std::clamp(at[0], 0.0, 1.0 * mostParts));
                give(held, "id", std::to_string(x * count_[1] + y));
                (void)coord;
            }
            flex.children.push_back(std::move(held));
        }
        context_.notes.add(order_, "of type grid or cloth is a spring mesh here");
        context_.hasLeftOutBodies = true;
        out_.inBody.push_back(std::move(flex));
    }

    static constexpr int mostNested = 500;  // each is a call inside another, here and where bodies are read

    Context& context_;
    const Element& order_;
    const std::string body_;
    xml::Reader& reader_ = context_.reader;
    std::string prefix_;
    Vec3 offset_ = Vec3::Zero();
    std::array<int, 3> count_ = {1, 1, 1};
    double bend_ = 0, twist_ = 0;
    Composite out_;
};

}  // namespace

std::optional<Composite> expandComposite(Context& context, const Element& order, const std::string& body)
{
    return Expander(context, order, body).expand();
}

}  // namespace sinew::mjcf

// Values with a form of their own: lists of numbers, rotations, matrices, words out of a list.
#include <cmath>
#include <limits>

#include "sinew/io/json/reader.h"

namespace sinew::reading {

bool Reader::numbers(const Value& value, const char* expected, std::span<double> out)
{
    if (!value.isArray()) return failKind(expected, value);
    const std::size_t size = value.items().size();
    if (size != out.size())
        return fail(std::string(expected) + " is expected, found " + std::to_string(size) +
                    (size == 1 ? " item" : " items"));
    for (std::size_t i = 0; i < size; ++i)
        if (!within(i, [&] { return read(value.items()[i], out[i]); })) return false;
    return true;
}

bool Reader::read(const Value& value, Quat& out)
{
    constexpr double typedTolerance = 1e-3;  // three digits by hand are enough to mean a rotation
    constexpr double roundingOfNorm =
        1e-14;  // left alone, so that what we wrote reads back to the same bits
    double q[4];
    if (!numbers(value, "a quaternion of 4 numbers (x, y, z, w)", q)) return false;
    out = Quat(q[3], q[0], q[1], q[2]);
    const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));  // without overflow
    if (!(std::abs(norm - 1) <= typedTolerance))
        return fail("a quaternion (x, y, z, w) must have length 1, this one has " + json::numberText(norm) +
                    "; no turn at all is [0, 0, 0, 1]");
    if (std::abs(norm - 1) > roundingOfNorm) out.normalize();
    return true;
}

bool Reader::read(const Value& value, Mat3& out)
{
    constexpr const char* expected = "a list of 3 numbers (the diagonal) or of 3 rows";
    if (!value.isArray()) return failKind(expected, value);
    const std::vector<Value>& rows = value.items();
    if (rows.size() == 3 && rows[0].isArray()) {
        for (int i = 0; i < 3; ++i) {
            Vec3 row = Vec3::Zero();
            if (!within(static_cast<std::size_t>(i), [&] { return read(rows[i], row); })) return false;
            out.row(i) = row.transpose();
        }
        return true;
    }
    Vec3 diagonal = Vec3::Zero();
    if (!numbers(value, expected, {diagonal.data(), 3})) return false;
    out = diagonal.asDiagonal();
    return true;
}

bool Reader::read(const Value& value, JointType& out)
{
    std::string word;
    if (!read(value, word)) return false;
    if (const std::optional<JointType> type = jointTypeFromName(word)) {
        out = *type;
        return true;
    }
    std::vector<std::string_view> legal;
    for (int i = 0; i < jointTypeCount(); ++i) legal.push_back(jointTypeName(static_cast<JointType>(i)));
    return fail("unknown joint type " + words::quoted(word) + "; the types are " + words::joined(legal));
}

// One number per freedom; a single one may stand without brackets.
bool Reader::read(const Value& value, std::vector<double>& out)
{
    if (value.isNumber()) {
        out = {value.number()};
        return true;
    }
    if (!value.isArray()) return failKind("a number or a list of numbers", value);
    out.resize(value.items().size());
    return numbers(value, "a list of numbers", out);
}

bool Reader::read(const Value& value, std::array<int, 3>& out)
{
    Vec3 corners = Vec3::Zero();
    if (!numbers(value, "a triangle of 3 vertex numbers", {corners.data(), 3})) return false;
    for (int i = 0; i < 3; ++i) {
        const double index = corners[i];
        if (index < 0 || index != std::floor(index) || index > std::numeric_limits<int>::max())
            return within(static_cast<std::size_t>(i), [&] {
                return fail("a vertex number counts from 0 in whole numbers, found " +
                            json::numberText(index));
            });
        out[static_cast<std::size_t>(i)] = static_cast<int>(index);
    }
    return true;
}

}  // namespace sinew::reading

// USD's text form (USDA), laid out as usdcat does it: a statement to a line, blocks indented by four. Some
// readers go by lines, so this is more than taste.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/whole_file.h"
#include "sinew/math/types.h"

namespace sinew {

class UsdText {
public:
    struct Stage {
        std::string defaultPrim;
        double fps = 60;  // time codes per second
        double metersPerUnit = 1;
        double lastCode = 0;  // time codes run from 0 to here
    };
    UsdText(const std::string& path, const Stage& stage);

    // def Xform "name" { … }. `metadata` are lines that go into parentheses before the block.
    void open(std::string_view type, std::string_view name, const std::vector<std::string>& metadata = {});
    void close();
    void line(std::string_view text);
    // name.timeSamples = { … }: `value(k)` is the text at codes[k].
    template <class Value>
    void samples(const std::string& name, const std::vector<double>& codes, Value value)
    {
        line(name + ".timeSamples = {");
        for (std::size_t k = 0; k < codes.size(); ++k)
            line("    " + number(codes[k]) + ": " + value(k) + ",");
        line("}");
    }

    // An empty string, or why the file could not be written.
    std::string finish();
    std::uint64_t size() const { return file_.size(); }

    static std::string number(double x);  // as many digits as it takes
    static std::string single(double x);  // in single precision
    static std::string tuple(const Vec3& v);
    static std::string singles(const Vec3& v);
    static std::string singles(const Quat& q);  // w first
    static std::string quoted(std::string_view text);
    // [a, b, c]: `item(i)` is the text of each.
    template <class Item>
    static std::string list(std::size_t count, Item item)
    {
        std::string text = "[";
        for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + item(i);
        return text + "]";
    }

private:
    WholeFile file_;
    std::string waiting_;
    int depth_ = 0;
    bool isFirst_ = true;  // in its block
};

// Names as USD takes them: letters, digits and underscores, no digit first; each its own.
std::vector<std::string> usdNames(const std::vector<std::string>& names);

}  // namespace sinew

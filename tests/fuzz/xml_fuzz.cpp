// Any bytes are an XML tree or a line that says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "sinew/io/xml/xml.h"

namespace {

void readAll(const sinew::xml::Element& element)
{
    for (const sinew::xml::Attribute& attribute : element.attributes) {
        sinew::xml::Reader reader;
        reader.numbers(element, attribute.name, 1, 3);
        reader.integer(element, attribute.name);
        reader.boolean(element, attribute.name);
        reader.name(element, attribute.name);
        if (reader.failed() && reader.error().text().empty()) __builtin_trap();
    }
    for (const sinew::xml::Element& child : element.children) readAll(child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text = sinew::textOf(data, size);
    const sinew::Result<sinew::xml::Element> tree = sinew::xml::parse(text, "fuzz.xml");
    if (tree)
        readAll(tree.value());
    else if (tree.error().message.empty() || tree.error().line < 1)
        __builtin_trap();
    return 0;
}

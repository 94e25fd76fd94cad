#include "sinew/io/mjcf/names.h"

namespace sinew::mjcf {
namespace {

using xml::Attribute;
using xml::Element;

bool isNamed(const Element& element, Kind& kind)
{
    if (element.name == "body")
        kind = Kind::body;
    else if (element.name == "joint" || element.name == "freejoint")
        kind = Kind::joint;
    else if (element.name == "geom")
        kind = Kind::geom;
    else if (element.name == "site")
        kind = Kind::site;
    else
        return false;
    return true;
}

const Reference* asReference(const Attribute& attribute)
{
    for (const Reference& known : references)
        if (known.attribute == attribute.name) return &known;
    return nullptr;
}

}  // namespace

void collectNames(const Element& element, Names& names)
{
    Kind kind;
    const Attribute* name = element.find("name");
    if (name && isNamed(element, kind)) names.insert({kind, name->value});
    for (const Element& child : element.children) collectNames(child, names);
}

void renameTree(Element& element, const Renaming& renaming)
{
    for (Attribute& attribute : element.attributes)
        if (attribute.name == "name") attribute.value = renaming.of(attribute.value);
    for (Element& child : element.children) renameTree(child, renaming);
}

Referring referring(const Element& element, const Names& names)
{
    Referring all;
    for (const Attribute& attribute : element.attributes) {
        const Reference* reference = asReference(attribute);
        if (!reference) continue;
        const bool isWorld = reference->kind == Kind::body && attribute.value == "world";
        if (isWorld) continue;
        ++(names.contains({reference->kind, attribute.value}) ? all.inside : all.outside);
    }
    for (const Element& child : element.children) {
        const Referring inner = referring(child, names);
        all.inside += inner.inside;
        all.outside += inner.outside;
    }
    return all;
}

void renameReferences(Element& element, const Renaming& renaming, const Names& names)
{
    for (Attribute& attribute : element.attributes) {
        const Reference* reference = asReference(attribute);
        if (attribute.name == "name" || (reference && names.contains({reference->kind, attribute.value})))
            attribute.value = renaming.of(attribute.value);
    }
    for (Element& child : element.children) renameReferences(child, renaming, names);
}

}  // namespace sinew::mjcf

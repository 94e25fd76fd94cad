// XML: what is read, and what is refused with its place.
#include "sinew/io/xml/xml.h"

#include <gtest/gtest.h>

namespace sinew::xml_test {
namespace {

using xml::Element;

Element read(const std::string& text)
{
    const Result<Element> tree = xml::parse(text, "a.xml");
    EXPECT_TRUE(tree) << tree.error().text();
    return tree ? tree.value() : Element();
}

std::string refusal(const std::string& text)
{
    const Result<Element> tree = xml::parse(text, "a.xml");
    return tree ? "was read" : tree.error().text();
}

TEST(Xml, gives_names_attributes_text_and_places)
{
    const Element root =
        read("<?xml version='1.0'?>\n<!-- <no> -->\n<a one=\"1\"\n   two='x\ty'>t<b/>u<c>v</c></a>\n");
    EXPECT_EQ(root.name, "a");
    EXPECT_EQ(root.line, 3);
    ASSERT_EQ(root.attributes.size(), 2u);
    EXPECT_EQ(root.attributes[1].value, "x y");
    EXPECT_EQ(root.attributes[1].line, 4);
    EXPECT_EQ(root.attributes[1].column, 4);
    EXPECT_EQ(root.text, "tu");
    ASSERT_EQ(root.children.size(), 2u);
    EXPECT_EQ(root.child("c")->text, "v");
    EXPECT_EQ(root.child("d"), nullptr);
}

TEST(Xml, replaces_entities_and_takes_cdata_as_it_stands)
{
    const Element root = read("<a b='&lt;&gt;&amp;&quot;&apos;'>&#65;&#x20AC;<![CDATA[<&amp;>]]></a>");
    EXPECT_EQ(root.attributes[0].value, "<>&\"'");
    EXPECT_EQ(root.text, "A\u20AC<&amp;>");
}

TEST(Xml, counts_columns_in_characters)
{
    EXPECT_EQ(refusal("\xEF\xBB\xBF<a>\u00e4\u00f6\u00fc</b>"),
              "a.xml:1:7: \"b\" is closed, but the open element is \"a\" of line 1");
}

TEST(Xml, refuses_what_is_malformed_with_its_place)
{
    EXPECT_EQ(refusal(""), "a.xml:1:1: the file is empty; an XML element is expected");
    EXPECT_EQ(refusal("x<a/>"), "a.xml:1:1: there is text before the first element");
    EXPECT_EQ(refusal("<a/>x"), "a.xml:1:5: there is text after the root element has ended");
    EXPECT_EQ(refusal("<a/><b/>"), "a.xml:1:5: a second root element; a file has one");
    EXPECT_EQ(refusal("<a>\n <b>\n</a>"),
              "a.xml:3:1: \"a\" is closed, but the open element is \"b\" of line 2");
    EXPECT_EQ(refusal("<a>\n <b>"), "a.xml:2:2: the element \"b\" that begins here is never closed");
    EXPECT_EQ(refusal("<a b=1/>"), "a.xml:1:6: a value in quotes is expected, found \"1\"");
    EXPECT_EQ(refusal("<a b='1' b='2'/>"), "a.xml:1:10: attribute \"b\" stands twice in this element");
    EXPECT_EQ(refusal("<a b='1"), "a.xml:1:6: the quotes that begin here are never closed");
    EXPECT_EQ(refusal("<a b='1'c='2'/>"), "a.xml:1:9: a blank, '>' or '/>' is expected, found \"c\"");
    EXPECT_EQ(refusal("<a><!-- x</a>"), "a.xml:1:4: a comment that begins here is never closed by \"-->\"");
    EXPECT_EQ(refusal("<a>&nbsp;</a>"),
              "a.xml:1:4: unknown entity \"nbsp\"; only lt, gt, amp, quot, apos and numbers are read");
    EXPECT_EQ(refusal("<a>&#0;</a>"), "a.xml:1:4: \"#0\" is not the number of a character");
    EXPECT_EQ(refusal("<a>\x01</a>"),
              "a.xml:1:4: a byte that is not text in UTF-8, or a control character");
    EXPECT_EQ(refusal("<a>\xff</a>"),
              "a.xml:1:4: a byte that is not text in UTF-8, or a control character");
}

TEST(Xml, refuses_document_types_so_that_nothing_grows_or_is_fetched)
{
    const std::string line =
        "a.xml:1:1: document types and entities of one's own are not read; leave them out";
    EXPECT_EQ(refusal("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"), line);
    EXPECT_EQ(refusal("<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;'>]><a>&m;</a>"), line);
}

TEST(Xml, bounds_depth_and_counts)
{
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    EXPECT_EQ(refusal(deep), "a.xml:1:601: more than 200 elements inside each other; the limit is reached");
    std::string many = "<a>";
    for (int i = 0; i < xml::maxElements; ++i) many += "<a/>";
    EXPECT_NE(refusal(many).find("more than 1000000 elements"), std::string::npos);
    std::string wide = "<a";
    for (int i = 0; i < 2000; ++i) wide += " a" + std::to_string(i) + "=''";
    EXPECT_NE(refusal(wide + "/>").find("more than 1000 attributes in one element"), std::string::npos);
}

TEST(Xml, reads_numbers_as_people_write_them)
{
    const Element a = read("<a v=' 1  -.5 +2e-1\n' w='1e-400' i='-3' b='true'/>");
    xml::Reader reader;
    EXPECT_EQ(*reader.vector(a, "v"), Vec3(1, -0.5, 0.2));
    EXPECT_EQ(*reader.number(a, "w"), 0);
    EXPECT_EQ(*reader.integer(a, "i"), -3);
    EXPECT_EQ(*reader.boolean(a, "b"), true);
    EXPECT_FALSE(reader.number(a, "not_there"));
    EXPECT_FALSE(reader.failed());
}

TEST(Xml, tells_element_attribute_and_place_of_a_bad_value)
{
    const auto fault = [](const std::string& value, auto ask) {
        const Element a = read("<a\n b='" + value + "'/>");
        xml::Reader reader;
        ask(reader, a);
        return reader.failed() ? reader.error().text() : "was read";
    };
    const auto number = [](xml::Reader& reader, const Element& a) { reader.number(a, "b"); };
    const auto vector = [](xml::Reader& reader, const Element& a) { reader.vector(a, "b"); };
    const std::string notNumber = ", which is not a number, or one beyond 1e30";
    for (const char* word : {"nan", "inf", "1e400", "1e31", "0x", "1,2", "--1", "+-1", "one"})
        EXPECT_EQ(fault(word, number),
                  "a.xml:2:2: <a>: b=\"" + std::string(word) + "\" has \"" + word + '"' + notNumber);
    EXPECT_EQ(fault("", number), "a.xml:2:2: <a>: b=\"\" has 0 numbers; 1 is expected");
    EXPECT_EQ(fault("1 2", vector), "a.xml:2:2: <a>: b=\"1 2\" has 2 numbers; 3 are expected");
    EXPECT_EQ(fault("0.5", [](xml::Reader& reader, const Element& a) { reader.integer(a, "b"); }),
              "a.xml:2:2: <a>: b=\"0.5\" is not a whole number of at most 2147483647");
    EXPECT_EQ(fault("yes", [](xml::Reader& reader, const Element& a) { reader.boolean(a, "b"); }),
              "a.xml:2:2: <a>: b=\"yes\" is neither true nor false");
    EXPECT_EQ(fault("", [](xml::Reader& reader, const Element& a) { reader.requiredName(a, "c"); }),
              "a.xml:1:1: <a>: c is missing or empty; it is required");
}

}  // namespace
}  // namespace sinew::xml_test

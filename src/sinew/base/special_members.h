// Special members that are compiled once. The compiler writes constructors, assignments and the destructor
// of a struct into every file that uses them, and those of a struct with dozens of vectors and strings take
// it seconds. A struct that declares them here has them in one source file:
//
//     struct Model {
//         SINEW_SPECIAL_MEMBERS(Model);            in the header
//         …
//     };
//     SINEW_DEFINE_SPECIAL_MEMBERS(Model)          in one source file
//
// They do what the compiler's own do. The struct is no aggregate any more: it cannot be written as Model{a,
// b}.
#pragma once

#define SINEW_SPECIAL_MEMBERS(Type)   \
    Type();                           \
    Type(const Type&);                \
    Type(Type&&) noexcept;            \
    Type& operator=(const Type&);     \
    Type& operator=(Type&&) noexcept; \
    ~Type()

#define SINEW_DEFINE_SPECIAL_MEMBERS(Type)            \
    Type::Type() = default;                           \
    Type::Type(const Type&) = default;                \
    Type::Type(Type&&) noexcept = default;            \
    Type& Type::operator=(const Type&) = default;     \
    Type& Type::operator=(Type&&) noexcept = default; \
    Type::~Type() = default;

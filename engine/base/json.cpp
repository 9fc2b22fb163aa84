#include "engine/base/json.h"

#include <algorithm>

namespace speclens {
namespace {

template <KeyOrder Order>
using Members = std::vector<JsonMember<Order>>;

// Where `key` is, or by its order would be; behind the last where keys have none.
template <class M>
auto place_of(M& members, std::string_view key) {
    if constexpr (std::same_as<std::remove_const_t<M>, Members<KeyOrder::by_key>>)
        return std::ranges::lower_bound(members, key, {}, [](const auto& member) { return std::string_view(member.key()); });
    else
        return std::ranges::find_if(members, [&](const auto& member) { return member.key() == key; });
}

} // namespace

template <KeyOrder Order>
BasicJson<Order>::BasicJson(std::initializer_list<Element> elements) {
    const bool pairs = std::ranges::all_of(elements, [](const Element& element) {
        const BasicJson& value = element.value_;
        return value.is_array() && value.size() == 2 && value[0].is_string();
    });
    if (!pairs) {
        *this = array(elements);
        return;
    }
    *this = object();
    for (const Element& element : elements) {
        Array& pair = *element.value_.held_.array;
        if (!contains(pair[0].text())) make(pair[0].text()) = std::move(pair[1]); // of equal keys the first counts here
    }
}

template <KeyOrder Order>
BasicJson<Order>::BasicJson(const BasicJson& other) : type_(other.type_), held_(other.held_) {
    if (is_object())
        held_.object = new Object(*other.held_.object);
    else if (is_array())
        held_.array = new Array(*other.held_.array);
    else if (is_string())
        held_.string = new std::string(*other.held_.string);
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::array(std::initializer_list<Element> elements) {
    BasicJson json;
    json.held_.array = new Array;
    json.type_ = Type::array;
    json.held_.array->reserve(elements.size());
    for (const Element& element : elements) json.held_.array->push_back(std::move(element.value_));
    return json;
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::object() {
    BasicJson json;
    json.held_.object = new Object;
    json.type_ = Type::object;
    return json;
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::discarded() {
    BasicJson json;
    json.type_ = Type::discarded;
    return json;
}

// What nests deeply is taken apart level by level: a text from elsewhere must not end the stack.
template <KeyOrder Order>
void BasicJson<Order>::take_containers(std::vector<BasicJson>& to) noexcept {
    for (BasicJson& value : *this)
        if (value.is_structured() && !value.empty()) to.push_back(std::move(value));
}

template <KeyOrder Order>
void BasicJson<Order>::forget() noexcept {
    if (is_structured()) {
        std::vector<BasicJson> inner;
        take_containers(inner);
        while (!inner.empty()) {
            BasicJson last = std::move(inner.back());
            inner.pop_back();
            last.take_containers(inner);
        }
    }
    if (is_object())
        delete held_.object;
    else if (is_array())
        delete held_.array;
    else if (is_string())
        delete held_.string;
    type_ = Type::null;
}

template <KeyOrder Order>
const char* BasicJson<Order>::type_name() const {
    switch (type_) {
    case Type::null: return "null";
    case Type::object: return "object";
    case Type::array: return "array";
    case Type::string: return "string";
    case Type::boolean: return "boolean";
    case Type::discarded: return "discarded";
    case Type::integer:
    case Type::unsigned_integer:
    case Type::real: break;
    }
    return "number";
}

// The words are those of the library, which people have seen in our messages so far.
template <KeyOrder Order>
void BasicJson<Order>::fail_type(const char* expected) const {
    throw JsonError("[json.exception.type_error.302] type must be " + std::string(expected) + ", but is " + type_name());
}

template <KeyOrder Order>
void BasicJson<Order>::fail_range() const {
    throw JsonError("number " + dump() + " is beyond any integer expected here");
}

template <KeyOrder Order>
void BasicJson<Order>::fail_use(const char* number, const std::string& use) const {
    throw JsonError("[json.exception.type_error." + std::string(number) + "] cannot use " + use + " with " + type_name());
}

template <KeyOrder Order>
const std::string& BasicJson<Order>::text() const {
    if (!is_string()) fail_type("string");
    return *held_.string;
}

template <KeyOrder Order>
std::size_t BasicJson<Order>::size() const {
    if (is_object()) return held_.object->size();
    return is_array() ? held_.array->size() : !is_null();
}

template <KeyOrder Order>
const BasicJson<Order>* BasicJson<Order>::member(std::string_view key) const {
    if (!is_object()) return nullptr;
    const auto found = place_of(*held_.object, key);
    return found != held_.object->end() && found->key() == key ? &found->value() : nullptr;
}

template <KeyOrder Order>
typename BasicJson<Order>::iterator BasicJson<Order>::find(std::string_view key) {
    if (!contains(key)) return end();
    return iterator(&*place_of(*held_.object, key));
}

template <KeyOrder Order>
typename BasicJson<Order>::const_iterator BasicJson<Order>::find(std::string_view key) const {
    return const_cast<BasicJson&>(*this).find(key);
}

template <KeyOrder Order>
const BasicJson<Order>& BasicJson<Order>::at(std::string_view key) const {
    if (!is_object()) fail_use("304", "at()");
    if (const BasicJson* found = member(key)) return *found;
    throw JsonError("[json.exception.out_of_range.403] key '" + std::string(key) + "' not found");
}

template <KeyOrder Order>
const BasicJson<Order>& BasicJson<Order>::at(std::size_t index) const {
    if (!is_array()) fail_use("304", "at()");
    if (index < size()) return (*held_.array)[index];
    throw JsonError("[json.exception.out_of_range.401] array index " + std::to_string(index) + " is out of range");
}

template <KeyOrder Order>
BasicJson<Order>& BasicJson<Order>::make(std::string_view key) {
    if (is_null()) *this = object();
    if (!is_object()) fail_use("305", "operator[] with a string argument");
    auto found = place_of(*held_.object, key);
    if (found == held_.object->end() || found->key() != key) found = held_.object->emplace(found, std::string(key), BasicJson());
    return found->value();
}

template <KeyOrder Order>
BasicJson<Order>& BasicJson<Order>::make(std::size_t index) {
    if (is_null()) *this = array();
    if (!is_array()) fail_use("305", "operator[] with a numeric argument");
    if (index >= size()) held_.array->resize(index + 1);
    return (*held_.array)[index];
}

template <KeyOrder Order>
void BasicJson<Order>::push_back(BasicJson value) {
    if (is_null()) *this = array();
    if (!is_array()) fail_use("308", "push_back()");
    held_.array->push_back(std::move(value));
}

template <KeyOrder Order>
void BasicJson<Order>::update(const BasicJson& other) {
    if (is_null()) *this = object();
    if (!is_object()) fail_use("312", "update()");
    if (!other.is_object()) other.fail_use("312", "update()");
    for (const auto& [key, value] : other.items()) make(key) = value;
}

template <KeyOrder Order>
std::size_t BasicJson<Order>::erase(std::string_view key) {
    if (!is_object()) fail_use("307", "erase()");
    return std::erase_if(*held_.object, [&](const Member& member) { return member.key() == key; });
}

template <KeyOrder Order>
bool BasicJson<Order>::equals(const BasicJson& other) const {
    if (is_number() && other.is_number()) {
        if (is_number_float() || other.is_number_float()) return number<double>() == other.number<double>();
        return held_.natural == other.held_.natural;
    }
    if (type_ != other.type_) return false;
    switch (type_) {
    case Type::null: return true;
    case Type::boolean: return held_.boolean == other.held_.boolean;
    case Type::string: return *held_.string == *other.held_.string;
    case Type::array: return *held_.array == *other.held_.array;
    case Type::object:
        return size() == other.size() && std::ranges::all_of(*held_.object, [&](const Member& member) {
                   const BasicJson* same = other.member(member.key());
                   return same && member.value().equals(*same);
               });
    default: return false; // discarded
    }
}

template <KeyOrder Order>
std::partial_ordering BasicJson<Order>::compare(const BasicJson& other) const {
    if (!is_number()) fail_type("number");
    if (is_number_float() || other.is_number_float()) return number<double>() <=> other.number<double>();
    if (is_number_unsigned() && other.is_number_unsigned()) return held_.natural <=> other.held_.natural;
    return held_.integer <=> other.held_.integer;
}

template class BasicJson<KeyOrder::by_key>;
template class BasicJson<KeyOrder::as_added>;

} // namespace speclens

// A JSON value: what files, servers and our own answers are read into and written from. The library that reads and writes the
// text is behind json.cpp and json_text.cpp, so that nobody else waits for its headers.
//
// Values behave as nlohmann's, whose names these are: a null becomes an object or an array by being written to, braces make an
// array, or an object where each element is a pair that begins with a string; integers and real numbers stay what they were.
// What does not fit throws JsonError.
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/progress.h"

namespace speclens {

// Of an object's members: by key, or as they were added.
enum class KeyOrder : bool { by_key, as_added };
template <KeyOrder Order>
class BasicJson;
template <KeyOrder Order>
class JsonMember;
using Json = BasicJson<KeyOrder::by_key>;
using OrderedJson = BasicJson<KeyOrder::as_added>;

// Text that is no JSON, a value of another kind, a member that is missing.
class JsonError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// What becomes of bytes that are no UTF-8 when a text is written.
enum class BadUtf8 : bool { refused, replaced };

namespace json_detail {
template <class T>
inline constexpr bool is_json = false;
template <KeyOrder Order>
inline constexpr bool is_json<BasicJson<Order>> = true;
template <class T>
concept Text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept Map = requires {
    typename T::key_type;
    typename T::mapped_type;
};
template <class T>
concept Tuple = requires {
    std::tuple_size<T>::value;
}
&&!requires(const T& t) { t.begin(); };
template <class T>
concept Range = requires(const T& t) {
    t.begin();
    t.end();
}
&&!Text<T> && !Map<T> && !is_json<T>;
} // namespace json_detail

template <KeyOrder Order>
class BasicJson {
  public:
    enum class Type : std::uint8_t { null, object, array, string, boolean, integer, unsigned_integer, real, discarded };
    using exception = JsonError;
    using Member = JsonMember<Order>;
    template <bool Const>
    class Cursor;
    using iterator = Cursor<false>;
    using const_iterator = Cursor<true>;
    using value_type = BasicJson;

    // An element between braces: what a value can be made of.
    class Element {
      public:
        template <class T>
        requires(!std::same_as<std::remove_cvref_t<T>, Element> && std::constructible_from<BasicJson, T>) Element(T&& value)
            : value_(std::forward<T>(value)) {}
        Element(std::initializer_list<Element> elements) : value_(elements) {}

      private:
        friend class BasicJson;
        mutable BasicJson value_; // moved on: it is made for one list
    };

    BasicJson(std::nullptr_t = nullptr) noexcept {}
    template <std::same_as<bool> T>
    BasicJson(T value) noexcept : type_(Type::boolean) {
        held_.boolean = value;
    }
    template <std::integral T>
    requires(!std::same_as<T, bool>) BasicJson(T value)
    noexcept {
        if constexpr (std::signed_integral<T>)
            type_ = Type::integer, held_.integer = value;
        else
            type_ = Type::unsigned_integer, held_.natural = value;
    }
    template <std::floating_point T>
    BasicJson(T value) noexcept : type_(Type::real) {
        held_.real = static_cast<double>(value);
    }
    BasicJson(std::string&& value) : type_(Type::string) { held_.string = new std::string(std::move(value)); }
    template <json_detail::Text T>
    BasicJson(const T& value) : BasicJson(std::string(std::string_view(value))) {}
    template <json_detail::Range T>
    BasicJson(const T& values) : BasicJson(array()) {
        for (auto&& value : values) held_.array->push_back(BasicJson(static_cast<const typename T::value_type&>(value)));
    }
    template <json_detail::Map T>
    BasicJson(const T& values) : BasicJson(object()) {
        for (const auto& [key, value] : values) (*this)[key] = value;
    }
    template <json_detail::Tuple T>
    BasicJson(const T& values) : BasicJson(array()) {
        std::apply([&](const auto&... value) { (push_back(BasicJson(value)), ...); }, values);
    }
    template <KeyOrder Other>
    requires(Other != Order) BasicJson(const BasicJson<Other>& other);
    BasicJson(std::initializer_list<Element> elements);
    BasicJson(const BasicJson& other);
    BasicJson(BasicJson&& other) noexcept : type_(other.type_), held_(other.held_) { other.type_ = Type::null; }
    BasicJson& operator=(BasicJson other) noexcept {
        std::swap(type_, other.type_);
        std::swap(held_, other.held_);
        return *this;
    }
    ~BasicJson() { forget(); }

    [[nodiscard]] static BasicJson array(std::initializer_list<Element> elements = {});
    [[nodiscard]] static BasicJson object();
    [[nodiscard]] static BasicJson discarded(); // what parse() answers for text that is no JSON, where it does not throw

    // The text as a whole. Of two equal keys of one object the last counts; `repeated` is told of it with the depth of the object,
    // 1 for the outermost. Throws JsonError, whose text ends with the place and what was expected there, or Cancelled.
    [[nodiscard]] static BasicJson parse(std::string_view text, const std::function<void(int depth, const std::string& key)>& repeated = {},
                                         const Progress& progress = {});
    [[nodiscard]] static BasicJson parse(std::istream& in);
    [[nodiscard]] static BasicJson parse_or_discard(std::string_view text);
    [[nodiscard]] static BasicJson parse_or_discard(std::istream& in);

    // `indent`: blanks a level, each member in a line of its own; -1: all in one line. `ascii`: what is not is escaped.
    [[nodiscard]] std::string dump(int indent = -1, BadUtf8 bad = BadUtf8::refused, bool ascii = false) const;

    [[nodiscard]] const char* type_name() const;
    [[nodiscard]] bool is_null() const { return type_ == Type::null; }
    [[nodiscard]] bool is_object() const { return type_ == Type::object; }
    [[nodiscard]] bool is_array() const { return type_ == Type::array; }
    [[nodiscard]] bool is_string() const { return type_ == Type::string; }
    [[nodiscard]] bool is_boolean() const { return type_ == Type::boolean; }
    [[nodiscard]] bool is_number_unsigned() const { return type_ == Type::unsigned_integer; }
    [[nodiscard]] bool is_number_integer() const { return type_ == Type::integer || is_number_unsigned(); }
    [[nodiscard]] bool is_number_float() const { return type_ == Type::real; }
    [[nodiscard]] bool is_number() const { return is_number_integer() || is_number_float(); }
    [[nodiscard]] bool is_discarded() const { return type_ == Type::discarded; }
    [[nodiscard]] bool is_structured() const { return is_object() || is_array(); }

    template <class T>
    [[nodiscard]] T get() const;
    [[nodiscard]] const std::string& text() const; // of a string

    [[nodiscard]] std::size_t size() const; // of null 0, of what holds no others 1
    [[nodiscard]] bool empty() const { return size() == 0; }
    // Of an object its values; anything else but null holds itself.
    [[nodiscard]] iterator begin() { return first<iterator>(*this); }
    [[nodiscard]] iterator end() { return last<iterator>(*this); }
    [[nodiscard]] const_iterator begin() const { return first<const_iterator>(*this); }
    [[nodiscard]] const_iterator end() const { return last<const_iterator>(*this); }
    // Of an object: pairs of key and value. Of anything else: none.
    [[nodiscard]] std::span<Member> items();
    [[nodiscard]] std::span<const Member> items() const;

    [[nodiscard]] bool contains(std::string_view key) const { return member(key) != nullptr; }
    [[nodiscard]] iterator find(std::string_view key);
    [[nodiscard]] const_iterator find(std::string_view key) const;
    [[nodiscard]] BasicJson& at(std::string_view key) { return const_cast<BasicJson&>(std::as_const(*this).at(key)); }
    [[nodiscard]] const BasicJson& at(std::string_view key) const;
    [[nodiscard]] BasicJson& at(std::size_t index) { return const_cast<BasicJson&>(std::as_const(*this).at(index)); }
    [[nodiscard]] const BasicJson& at(std::size_t index) const;
    template <json_detail::Text K>
    BasicJson& operator[](const K& key) {
        return make(std::string_view(key));
    }
    template <json_detail::Text K>
    [[nodiscard]] const BasicJson& operator[](const K& key) const {
        return at(std::string_view(key));
    }
    template <std::integral I>
    BasicJson& operator[](I index) {
        return make(static_cast<std::size_t>(index));
    }
    template <std::integral I>
    [[nodiscard]] const BasicJson& operator[](I index) const {
        return at(static_cast<std::size_t>(index));
    }
    [[nodiscard]] BasicJson& front() { return *begin(); }
    [[nodiscard]] const BasicJson& front() const { return *begin(); }
    [[nodiscard]] BasicJson& back() { return *--end(); }
    [[nodiscard]] const BasicJson& back() const { return *--end(); }
    template <class T>
    [[nodiscard]] auto value(std::string_view key, const T& otherwise) const {
        using Value = std::conditional_t<json_detail::Text<T>, std::string, T>;
        const BasicJson* found = member(key);
        if (!found && !is_object()) fail_use("306", "value()");
        return found ? found->template get<Value>() : Value(otherwise);
    }

    void push_back(BasicJson value);
    void push_back(std::initializer_list<Element> elements) { push_back(BasicJson(elements)); }
    template <class... T>
    BasicJson& emplace_back(T&&... parts) {
        push_back(BasicJson(std::forward<T>(parts)...));
        return back();
    }
    void update(const BasicJson& other); // members of another object, instead of those that were there
    std::size_t erase(std::string_view key);
    // Numbers are equal where their values are, objects whatever the order of their members.
    [[nodiscard]] bool equals(const BasicJson& other) const;
    [[nodiscard]] std::partial_ordering compare(const BasicJson& other) const; // of two numbers
    friend bool operator==(const BasicJson& a, const BasicJson& b) { return a.equals(b); }
    template <class T>
    requires(!std::same_as<T, BasicJson> && std::constructible_from<BasicJson, const T&>) friend bool operator==(const BasicJson& a,
                                                                                                                 const T& b) {
        return a.equals(BasicJson(b));
    }
    // Of a number with another one.
    template <class T>
    requires std::is_arithmetic_v<T>
    friend std::partial_ordering operator<=>(const BasicJson& a, T b) { return a.compare(BasicJson(b)); }

  private:
    template <KeyOrder>
    friend class BasicJson;
    friend struct JsonText; // json_text.cpp
    using Array = std::vector<BasicJson>;
    using Object = std::vector<Member>;
    union Held {
        Object* object;
        Array* array;
        std::string* string;
        bool boolean;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
    };

    template <class I, class J>
    [[nodiscard]] static I first(J& json) {
        if (json.is_object()) return I(json.items().data());
        return I(json.is_array() ? json.held_.array->data() : &json);
    }
    template <class I, class J>
    [[nodiscard]] static I last(J& json) {
        return first<I>(json) + static_cast<std::ptrdiff_t>(json.size());
    }
    [[nodiscard]] const BasicJson* member(std::string_view key) const; // null: there is none
    [[nodiscard]] BasicJson& make(std::string_view key);
    [[nodiscard]] BasicJson& make(std::size_t index);
    void forget() noexcept;
    void take_containers(std::vector<BasicJson>& to) noexcept;
    [[noreturn]] void fail_type(const char* expected) const;
    [[noreturn]] void fail_range() const;
    [[noreturn]] void fail_use(const char* number, const std::string& use) const;
    template <class T>
    [[nodiscard]] T number() const;

    Type type_ = Type::null;
    Held held_{};
};

// Key and value of an object, also as [key, value].
template <KeyOrder Order>
class JsonMember {
  public:
    JsonMember(std::string key, BasicJson<Order> value) : key_(std::move(key)), value_(std::move(value)) {}
    [[nodiscard]] const std::string& key() const { return key_; }
    [[nodiscard]] BasicJson<Order>& value() { return value_; }
    [[nodiscard]] const BasicJson<Order>& value() const { return value_; }
    template <std::size_t I>
    [[nodiscard]] auto& get() {
        if constexpr (I == 0)
            return std::as_const(key_);
        else
            return value_;
    }
    template <std::size_t I>
    [[nodiscard]] const auto& get() const {
        if constexpr (I == 0)
            return key_;
        else
            return value_;
    }

  private:
    std::string key_;
    BasicJson<Order> value_;
};

template <KeyOrder Order>
template <bool Const>
class BasicJson<Order>::Cursor {
    template <class T>
    using As = std::conditional_t<Const, const T, T>;

  public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = BasicJson;
    using difference_type = std::ptrdiff_t;
    using pointer = As<BasicJson>*;
    using reference = As<BasicJson>&;

    Cursor() = default;
    explicit Cursor(As<BasicJson>* element) : element_(element) {}
    explicit Cursor(As<Member>* member) : member_(member) {}
    operator Cursor<true>() const requires(!Const) {
        return member_ ? Cursor<true>(static_cast<const Member*>(member_)) : Cursor<true>(static_cast<const BasicJson*>(element_));
    }
    reference operator*() const { return member_ ? member_->value() : *element_; }
    pointer operator->() const { return &**this; }
    [[nodiscard]] const std::string& key() const { return member_->key(); }
    [[nodiscard]] reference value() const { return **this; }
    Cursor& operator++() { return *this = *this + 1; }
    Cursor operator++(int) { return std::exchange(*this, *this + 1); }
    Cursor& operator--() { return *this = *this - 1; }
    Cursor operator--(int) { return std::exchange(*this, *this - 1); }
    Cursor operator+(difference_type by) const {
        Cursor moved = *this;
        member_ ? void(moved.member_ += by) : void(moved.element_ += by);
        return moved;
    }
    Cursor operator-(difference_type by) const { return *this + -by; }
    bool operator==(const Cursor&) const = default;

  private:
    As<BasicJson>* element_ = nullptr;
    As<Member>* member_ = nullptr;
};

template <KeyOrder Order>
std::span<JsonMember<Order>> BasicJson<Order>::items() {
    return is_object() ? std::span<Member>(*held_.object) : std::span<Member>();
}
template <KeyOrder Order>
std::span<const JsonMember<Order>> BasicJson<Order>::items() const {
    return is_object() ? std::span<const Member>(*held_.object) : std::span<const Member>();
}

template <KeyOrder Order>
template <KeyOrder Other>
requires(Other != Order) BasicJson<Order>::BasicJson(const BasicJson<Other>& other) {
    if (other.is_object()) {
        *this = object();
        for (const auto& [key, value] : other.items()) make(key) = BasicJson(value);
    } else if (other.is_array()) {
        *this = array();
        for (const BasicJson<Other>& value : other) push_back(BasicJson(value));
    } else if (other.is_string()) {
        *this = other.text();
    } else {
        type_ = static_cast<Type>(other.type_);
        held_.natural = other.held_.natural;
    }
}

template <KeyOrder Order>
template <class T>
T BasicJson<Order>::number() const {
    switch (type_) {
    case Type::integer: return static_cast<T>(held_.integer);
    case Type::unsigned_integer: return static_cast<T>(held_.natural);
    case Type::real:
        if constexpr (std::is_integral_v<T>) // others are undefined
            if (!(held_.real > static_cast<double>(std::numeric_limits<T>::lowest()) - 1 &&
                  held_.real < std::ldexp(1.0, std::numeric_limits<T>::digits)))
                fail_range();
        return static_cast<T>(held_.real);
    case Type::boolean:
        if constexpr (!std::same_as<T, std::int64_t> && !std::same_as<T, std::uint64_t> && !std::same_as<T, double>)
            return static_cast<T>(held_.boolean);
        [[fallthrough]];
    default: fail_type("number");
    }
}

template <KeyOrder Order>
template <class T>
T BasicJson<Order>::get() const {
    if constexpr (json_detail::is_json<T>) {
        return T(*this);
    } else if constexpr (std::same_as<T, bool>) {
        if (!is_boolean()) fail_type("boolean");
        return held_.boolean;
    } else if constexpr (std::is_arithmetic_v<T>) {
        return number<T>();
    } else if constexpr (std::same_as<T, std::string>) {
        return text();
    } else if constexpr (json_detail::Map<T>) {
        if (!is_object()) fail_type("object");
        T all;
        for (const auto& [key, value] : items()) all.emplace(key, value.template get<typename T::mapped_type>());
        return all;
    } else {
        if (!is_array()) fail_type("array");
        T all;
        for (const BasicJson& value : *this) all.insert(all.end(), value.template get<typename T::value_type>());
        return all;
    }
}

extern template class BasicJson<KeyOrder::by_key>;
extern template class BasicJson<KeyOrder::as_added>;

// As dump(); the stream's width is the indent.
std::ostream& operator<<(std::ostream& out, const Json& json);
std::ostream& operator<<(std::ostream& out, const OrderedJson& json);

} // namespace speclens

template <speclens::KeyOrder Order>
struct std::tuple_size<speclens::JsonMember<Order>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I, speclens::KeyOrder Order>
struct std::tuple_element<I, speclens::JsonMember<Order>> {
    using type = std::conditional_t<I == 0, const std::string, speclens::BasicJson<Order>>;
};

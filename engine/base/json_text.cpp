// Reading and writing the text of a JSON value.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/base/json.h"

namespace speclens {

using Library = nlohmann::json;

struct JsonText {
    template <KeyOrder Order>
    class Reader;
    template <KeyOrder Order>
    class Writer;

    template <KeyOrder Order>
    static void settle(std::vector<JsonMember<Order>>& members);
    template <KeyOrder Order>
    static BasicJson<Order> read(std::string_view text, bool throws, const std::function<void(int, const std::string&)>& repeated,
                                 const Progress& progress);
};

// Of equal keys the last value counts, in the place of the first.
template <KeyOrder Order>
void JsonText::settle(std::vector<JsonMember<Order>>& members) {
    using Member = JsonMember<Order>;
    const auto less = [](const Member& a, const Member& b) { return a.key() < b.key(); };
    if constexpr (Order == KeyOrder::by_key) {
        if (std::ranges::adjacent_find(members, std::not_fn(less)) == members.end()) return; // ascending: none twice
        std::ranges::stable_sort(members, less);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i + 1 < members.size() && members[i].key() == members[i + 1].key()) continue;
            if (kept != i) members[kept] = std::move(members[i]);
            ++kept;
        }
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(kept), members.end());
    } else {
        std::vector<std::size_t> order(members.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::string_view(members[i].key()); });
        std::vector<std::size_t> dropped;
        for (std::size_t i = 0, next = 0; i < order.size(); i = next) {
            for (next = i + 1; next < order.size() && members[order[next]].key() == members[order[i]].key(); ++next)
                dropped.push_back(order[next]);
            if (next > i + 1) members[order[i]].value() = std::move(members[order[next - 1]].value());
        }
        std::ranges::sort(dropped, std::greater());
        for (const std::size_t i : dropped) members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// What the library's parser tells of a text, one thing after the other.
template <KeyOrder Order>
class JsonText::Reader {
  public:
    using Value = BasicJson<Order>;
    Reader(bool throws, const std::function<void(int, const std::string&)>& repeated, const Progress& progress)
        : throws_(throws), repeated_(repeated), progress_(progress) {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(const std::string& value) { return add(std::string(value)); }
    bool binary(const Library::binary_t&) { return false; } // no text has it
    bool start_object(std::size_t) {
        if (repeated_) keys_.emplace_back();
        return open(Value::object());
    }
    bool key(const std::string& key) {
        if (repeated_ && !keys_.back().insert(key).second) repeated_(static_cast<int>(open_.size()), key);
        open_.back()->held_.object->emplace_back(key, nullptr);
        return true;
    }
    bool end_object() {
        if (repeated_) keys_.pop_back();
        settle(*open_.back()->held_.object);
        open_.pop_back();
        return true;
    }
    bool start_array(std::size_t) { return open(Value::array()); }
    bool end_array() {
        open_.pop_back();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Library::exception& failure) {
        if (throws_) throw JsonError(failure.what());
        return false;
    }
    Value json;

  private:
    Value& place(Value value) {
        if (open_.empty()) return json = std::move(value);
        Value& in = *open_.back();
        if (in.is_array()) return in.held_.array->emplace_back(std::move(value)), in.held_.array->back();
        return in.held_.object->back().value() = std::move(value);
    }
    template <class T>
    bool add(T&& value) {
        check_cancelled(progress_);
        place(Value(std::forward<T>(value)));
        return true;
    }
    bool open(Value value) {
        open_.push_back(&place(std::move(value)));
        return true;
    }

    bool throws_;
    const std::function<void(int, const std::string&)>& repeated_;
    const Progress& progress_;
    std::vector<Value*> open_; // around the next value; only the last of them grows
    std::vector<std::set<std::string>> keys_;
};

template <KeyOrder Order>
BasicJson<Order> JsonText::read(std::string_view text, bool throws, const std::function<void(int, const std::string&)>& repeated,
                                const Progress& progress) {
    Reader<Order> reader(throws, repeated, progress);
    if (!Library::sax_parse(text.begin(), text.end(), &reader)) return BasicJson<Order>::discarded();
    return std::move(reader.json);
}

template <KeyOrder Order>
class JsonText::Writer {
  public:
    Writer(std::string& out, int indent, BadUtf8 bad, bool ascii) : out_(out), indent_(indent), bad_(bad), ascii_(ascii) {}

    void write(const BasicJson<Order>& json, int depth) {
        using Type = typename BasicJson<Order>::Type;
        switch (json.type_) {
        case Type::null: out_ += "null"; break;
        case Type::boolean: out_ += json.held_.boolean ? "true" : "false"; break;
        case Type::integer: number(json.held_.integer); break;
        case Type::unsigned_integer: number(json.held_.natural); break;
        case Type::real: real(json.held_.real); break;
        case Type::string: text(*json.held_.string); break;
        case Type::discarded: out_ += "<discarded>"; break;
        case Type::array: list(*json.held_.array, '[', ']', depth, [&](const BasicJson<Order>& value) { write(value, depth + 1); }); break;
        case Type::object:
            list(*json.held_.object, '{', '}', depth, [&](const JsonMember<Order>& member) {
                text(member.key());
                out_ += indent_ < 0 ? ":" : ": ";
                write(member.value(), depth + 1);
            });
            break;
        }
    }

  private:
    template <class Values, class Write>
    void list(const Values& values, char begin, char end, int depth, const Write& write_one) {
        out_ += begin;
        bool first = true;
        for (const auto& value : values) {
            if (!first) out_ += ',';
            first = false;
            line(depth + 1);
            write_one(value);
        }
        if (!values.empty()) line(depth);
        out_ += end;
    }
    void line(int depth) {
        if (indent_ < 0) return;
        out_ += '\n';
        out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth), ' ');
    }
    template <std::integral T>
    void number(T value) {
        std::array<char, 24> digits;
        out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    }
    // The shortest digits that read back as the same number, in the library's way of writing them.
    void real(double value) {
        if (!std::isfinite(value)) {
            out_ += "null";
            return;
        }
        std::array<char, 64> digits;
        out_.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
    }
    void text(const std::string& value) {
        if (std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; })) {
            out_ += '"';
            out_ += value;
            out_ += '"';
            return;
        }
        if (!library_) {
            const auto handler = bad_ == BadUtf8::replaced ? Library::error_handler_t::replace : Library::error_handler_t::strict;
            library_.emplace(nlohmann::detail::output_adapter<char>(out_), ' ', handler);
        }
        scratch_ = value;
        try {
            library_->dump(scratch_, false, ascii_, 0);
        } catch (const Library::exception& failure) {
            throw JsonError(failure.what());
        }
    }

    std::string& out_;
    int indent_;
    BadUtf8 bad_;
    bool ascii_;
    Library scratch_;
    std::optional<nlohmann::detail::serializer<Library>> library_; // for texts with something to escape
};

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::parse(std::string_view text, const std::function<void(int depth, const std::string& key)>& repeated,
                                         const Progress& progress) {
    return JsonText::read<Order>(text, true, repeated, progress);
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::parse(std::istream& in) {
    return parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::parse_or_discard(std::string_view text) {
    return JsonText::read<Order>(text, false, {}, {});
}

template <KeyOrder Order>
BasicJson<Order> BasicJson<Order>::parse_or_discard(std::istream& in) {
    return parse_or_discard(std::string(std::istreambuf_iterator<char>(in), {}));
}

template <KeyOrder Order>
std::string BasicJson<Order>::dump(int indent, BadUtf8 bad, bool ascii) const {
    std::string out;
    JsonText::Writer<Order>(out, indent, bad, ascii).write(*this, 0);
    return out;
}

template class BasicJson<KeyOrder::by_key>;
template class BasicJson<KeyOrder::as_added>;

template <KeyOrder Order>
static std::ostream& write_to(std::ostream& out, const BasicJson<Order>& json) {
    const int indent = out.width() > 0 ? static_cast<int>(out.width()) : -1;
    out.width(0);
    return out << json.dump(indent);
}
std::ostream& operator<<(std::ostream& out, const Json& json) { return write_to(out, json); }
std::ostream& operator<<(std::ostream& out, const OrderedJson& json) { return write_to(out, json); }

} // namespace speclens

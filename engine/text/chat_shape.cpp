#include "engine/text/chat_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace speclens {
namespace {

using Expression = TemplateExpression;
using Node = TemplateNode;
using Text = std::vector<Written>;

constexpr const char* kDate = "26 Jul 2024";
// A template of a real model stays far below these.
constexpr int kMostSteps = 20'000;
constexpr std::size_t kMostBytes = 1 << 17; // of one text, and of all that is written
constexpr std::size_t kMostItems = 1000;    // of a list
constexpr int kMostStrips = 16;             // one within the other

struct Unknown {
    std::string what;
};
struct Raised {};
[[noreturn]] void not_followed(const std::string& what) { throw Unknown{what}; }

// ---- texts of literals and words ----

Text literal(std::string text) {
    if (text.empty()) return {};
    return {Written{.text = std::move(text)}};
}
bool is_literal(const Written& part) { return part.words < 0 && part.inside.empty(); }
bool is_literal(const Text& text) {
    return std::ranges::all_of(text, [](const Written& part) { return is_literal(part); });
}
std::string spelled(const Text& text) { // of literals only
    std::string out;
    for (const Written& part : text) out += part.text;
    return out;
}
std::size_t size_of(const Text& text) {
    std::size_t size = 0;
    for (const Written& part : text) size += 1 + part.text.size() + size_of(part.inside);
    return size;
}

Text joined(Text a, const Text& b) {
    for (const Written& part : b) {
        if (!a.empty() && is_literal(a.back()) && is_literal(part))
            a.back().text += part.text;
        else
            a.push_back(part);
    }
    if (size_of(a) > kMostBytes) not_followed("it writes very much");
    return a;
}

// Marks that the words of a turn are known to hold or not: an answer may be asked for its thought, and a
// user's turn whether a tool speaks.
bool is_known_mark(std::string_view mark) {
    static constexpr std::array<std::string_view, 4> kMarks = {"<think>", "</think>", "<tool_response>", "</tool_response>"};
    return std::ranges::find(kMarks, mark) != kMarks.end();
}
void need_known_mark(const Text& text, const std::string& mark) {
    if (!is_literal(text) && !is_known_mark(mark)) not_followed("it looks for \"" + mark + "\" in what is said");
}
bool holds(const Text& text, const std::string& mark) {
    return std::ranges::any_of(text,
                               [&](const Written& part) { return part.text.find(mark) != std::string::npos || holds(part.inside, mark); });
}

std::string_view without_blanks(std::string_view text, bool left, bool right, const std::string& blanks) {
    if (blanks.empty()) {
        const std::string_view both = stripped(text);
        if (both.empty()) return {};
        const auto begin = static_cast<std::size_t>(both.data() - text.data());
        const std::size_t end = right ? begin + both.size() : text.size();
        return text.substr(left ? begin : 0, end - (left ? begin : 0));
    }
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    const std::size_t begin = left ? first : 0, end = right ? text.find_last_not_of(blanks) + 1 : text.size();
    return text.substr(begin, end - begin);
}

Text strip(Text text, bool left, bool right, const std::string& blanks) {
    if (is_literal(text)) return literal(std::string(without_blanks(spelled(text), left, right, blanks)));
    const auto end = [&](bool is_left) { // whether the blanks there are gone for sure
        Written& part = is_left ? text.front() : text.back();
        if (!is_literal(part)) return false;
        part.text = without_blanks(part.text, is_left, !is_left, blanks);
        return !part.text.empty();
    };
    if (left && end(true)) left = false;
    if (right && end(false)) right = false;
    std::erase_if(text, [](const Written& part) { return is_literal(part) && part.text.empty(); });
    if (!left && !right) return text;
    int depth = 0;
    for (const Text* inside = &text; !inside->empty(); inside = &inside->front().inside) ++depth;
    if (depth > kMostStrips) not_followed("it takes blanks away again and again");
    return {Written{.inside = std::move(text), .left = left, .right = right, .blanks = blanks}};
}

// At every `mark`, which blanks do not reach over.
std::vector<Text> split(const Text& text, const std::string& mark) {
    std::vector<Text> pieces(1);
    for (const Written& part : text) {
        if (is_literal(part)) {
            std::size_t from = 0;
            for (std::size_t at; (at = part.text.find(mark, from)) != std::string::npos; from = at + mark.size()) {
                pieces.back() = joined(std::move(pieces.back()), literal(part.text.substr(from, at - from)));
                pieces.emplace_back();
            }
            pieces.back() = joined(std::move(pieces.back()), literal(part.text.substr(from)));
        } else if (holds(part.inside, mark)) {
            if (without_blanks(mark, true, true, part.blanks).size() != mark.size())
                not_followed("it takes away parts of \"" + mark + "\"");
            std::vector<Text> inner = split(part.inside, mark);
            if (part.left) inner.front() = strip(std::move(inner.front()), true, false, part.blanks);
            if (part.right) inner.back() = strip(std::move(inner.back()), false, true, part.blanks);
            pieces.back() = joined(std::move(pieces.back()), inner.front());
            for (std::size_t i = 1; i < inner.size(); ++i) pieces.push_back(inner[i]);
        } else {
            pieces.back().push_back(part);
        }
    }
    return pieces;
}

// Whether a text is not empty, where that can be told.
std::optional<bool> is_filled(const Text& text, bool stripped_away = false) {
    if (text.empty()) return false;
    for (const Written& part : text) {
        if (is_literal(part) && !stripped_away) return true;
        if (is_literal(part) && !stripped(part.text).empty()) return true;
        if (part.words >= 0 && part.some) return true;
        if (!part.inside.empty() && is_filled(part.inside, true) == true) return true;
    }
    return is_literal(text) ? std::optional(false) : std::nullopt;
}

// ---- values ----

struct Value {
    enum class Kind { undefined, none, truth, number, text, list, turn, space, function } kind = Kind::undefined;
    long long number = 0; // truth, number; turn: its index
    Text text = {};       // text; function: its name
    std::vector<Value> list = {};
    std::shared_ptr<std::map<std::string, Value>> space = {}; // namespace(), loop
};
using Kind = Value::Kind;

Value truth(bool value) { return {.kind = Kind::truth, .number = value}; }
Value number(long long value) { return {.kind = Kind::number, .number = value}; }
Value text_value(Text text) { return {.kind = Kind::text, .text = std::move(text)}; }
bool is_integer(const Value& value) { return value.kind == Kind::number; }

bool is_true(const Value& value) {
    switch (value.kind) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::truth:
    case Kind::number: return value.number != 0;
    case Kind::list: return !value.list.empty();
    case Kind::text:
        if (const auto filled = is_filled(value.text)) return *filled;
        not_followed("it asks whether something was said");
    default: return true;
    }
}

bool equal(const Value& a, const Value& b) {
    const bool numbers = (a.kind == Kind::truth || a.kind == Kind::number) && (b.kind == Kind::truth || b.kind == Kind::number);
    if (numbers) return a.number == b.number;
    if (a.kind != b.kind) return false;
    if (a.kind == Kind::undefined || a.kind == Kind::none) return true;
    if (a.kind == Kind::text && is_literal(a.text) && is_literal(b.text)) return spelled(a.text) == spelled(b.text);
    if (a.kind == Kind::turn && a.number == b.number) return true;
    not_followed("it compares what is said");
}

class Walker {
  public:
    Walker(const ChatTemplate& chat_template, const ChatQuestion& question)
        : nodes_(&chat_template.nodes), question_(&question), scopes_(1) {
        Value messages{.kind = Kind::list};
        for (std::size_t i = 0; i < question.turns.size(); ++i)
            messages.list.push_back({.kind = Kind::turn, .number = static_cast<long long>(i)});
        const auto spelling = [](const std::optional<std::string>& token) { return token ? text_value(literal(*token)) : Value{}; };
        scopes_[0] = {{"messages", messages},
                      {"add_generation_prompt", truth(true)},
                      {"enable_thinking", truth(question.thinking)},
                      {"tools", {.kind = Kind::none}},
                      {"documents", {.kind = Kind::none}},
                      {"date_string", text_value(literal(kDate))},
                      {"bos_token", spelling(question.bos)},
                      {"eos_token", spelling(question.eos)}};
        for (const char* function : {"raise_exception", "namespace", "strftime_now"})
            scopes_[0][function] = {.kind = Kind::function, .text = literal(function)};
    }

    ChatWalk walk() {
        ChatWalk result;
        try {
            run(*nodes_);
        } catch (const Unknown& given_up) {
            result.unknown = given_up.what;
            result.unknown_during = during_;
        } catch (const Raised&) {
            result.raised = true;
        }
        result.written = std::move(written_);
        return result;
    }

  private:
    using Scope = std::map<std::string, Value>;

    void step() {
        if (++steps_ > kMostSteps) not_followed("it never ends");
    }

    void run(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            step();
            switch (node.kind) {
            case Node::Kind::text: write(literal(node.text)); break;
            case Node::Kind::output: write(printed(value_of(node.expression))); break;
            case Node::Kind::branch: run(is_true(value_of(node.expression)) ? node.body : node.otherwise); break;
            case Node::Kind::loop: run_loop(node); break;
            case Node::Kind::assign: assign(node.text, value_of(node.expression)); break;
            }
        }
    }

    void write(Text text) {
        bytes_ += size_of(text);
        if (bytes_ > kMostBytes) not_followed("it writes very much");
        for (Written& part : text) {
            part.during = during_;
            written_.push_back(std::move(part));
        }
        wrote_ = wrote_ || !text.empty();
    }

    // What is set within a loop ends with its round; what is set in a branch does not.
    void run_loop(const Node& node) {
        Value over = value_of(node.expression);
        if (over.kind != Kind::list) not_followed("it has a loop over something other than turns");
        if (node.filter.kind != Expression::Kind::missing) {
            std::vector<Value> kept;
            for (const Value& item : over.list) {
                scopes_.push_back({{node.text, item}});
                if (is_true(value_of(node.filter))) kept.push_back(item);
                scopes_.pop_back();
            }
            over.list = std::move(kept);
        }
        const bool outermost = during_ < 0;
        const auto before = std::exchange(wrote_, false);
        const auto count = static_cast<long long>(over.list.size());
        for (long long i = 0; i < count; ++i) {
            const Value& item = over.list[static_cast<std::size_t>(i)];
            if (outermost && item.kind == Kind::turn) during_ = static_cast<int>(item.number);
            Value place{.kind = Kind::space, .space = std::make_shared<Scope>()};
            *place.space = {{"index0", number(i)},           {"index", number(i + 1)},
                            {"revindex", number(count - i)}, {"revindex0", number(count - i - 1)},
                            {"first", truth(i == 0)},        {"last", truth(i + 1 == count)},
                            {"length", number(count)}};
            scopes_.push_back({{node.text, item}, {"loop", std::move(place)}});
            run(node.body);
            scopes_.pop_back();
        }
        if (outermost && during_ >= 0) during_ = wrote_ ? Written::kAfter : Written::kBefore;
        wrote_ = wrote_ || before;
    }

    void assign(const std::string& name, Value value) {
        const std::size_t dot = name.find('.');
        if (dot == std::string::npos) {
            scopes_.back()[name] = std::move(value);
            return;
        }
        const Value* space = find(name.substr(0, dot));
        if (space == nullptr || space->kind != Kind::space) not_followed("it sets " + name);
        (*space->space)[name.substr(dot + 1)] = std::move(value);
    }

    [[nodiscard]] const Value* find(const std::string& name) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
            if (const auto found = scope->find(name); found != scope->end()) return &found->second;
        return nullptr;
    }

    static Text printed(const Value& value) {
        switch (value.kind) {
        case Kind::undefined: return {};
        case Kind::text: return value.text;
        case Kind::number: return literal(std::to_string(value.number));
        case Kind::none: return literal("None");
        case Kind::truth: return literal(value.number ? "True" : "False");
        default: not_followed("it writes a list");
        }
    }

    Value value_of(const Expression& e) {
        step();
        switch (e.kind) {
        case Expression::Kind::literal: return text_value(literal(e.text));
        case Expression::Kind::number: return number(e.number);
        case Expression::Kind::name: return named(e.text);
        case Expression::Kind::attribute: return field(value_of(e.args[0]), e.text);
        case Expression::Kind::item: return item(value_of(e.args[0]), value_of(e.args[1]));
        case Expression::Kind::slice: return slice(e);
        case Expression::Kind::call: return call(e);
        case Expression::Kind::filter: return filter(e);
        case Expression::Kind::test: return truth(test(e));
        case Expression::Kind::unary:
            if (e.text == "not") return truth(!is_true(value_of(e.args[0])));
            return number(-whole(value_of(e.args[0])));
        case Expression::Kind::binary: return binary(e);
        case Expression::Kind::choice:
            if (is_true(value_of(e.args[0]))) return value_of(e.args[1]);
            return e.args[2].kind == Expression::Kind::missing ? Value{} : value_of(e.args[2]);
        default: not_followed("it uses " + e.text);
        }
    }

    [[nodiscard]] Value named(const std::string& name) const {
        if (const Value* value = find(name)) return *value;
        if (name == "true" || name == "True") return truth(true);
        if (name == "false" || name == "False") return truth(false);
        if (name == "none" || name == "None") return {.kind = Kind::none};
        // What transformers gives to no template unless it is asked to.
        for (const char* absent : {"custom_tools", "builtin_tools", "tools_in_user_message", "controls"})
            if (name == absent) return {};
        not_followed("it asks for " + name);
    }

    [[nodiscard]] Value field(const Value& value, const std::string& name) const {
        if (value.kind == Kind::turn) {
            const AskedTurn& turn = question_->turns[static_cast<std::size_t>(value.number)];
            if (name == "role") return text_value(literal(turn.role));
            if (name == "content") return text_value(turn.content);
            return {};
        }
        if (value.kind == Kind::space) {
            const auto found = value.space->find(name);
            if (found != value.space->end()) return found->second;
            not_followed("it asks for a field " + name);
        }
        not_followed("it asks for a field " + name);
    }

    [[nodiscard]] Value item(const Value& value, const Value& key) const {
        if (value.kind == Kind::turn && key.kind == Kind::text && is_literal(key.text)) return field(value, spelled(key.text));
        if (value.kind != Kind::list || !is_integer(key)) not_followed("it picks from something other than turns");
        const auto count = static_cast<long long>(value.list.size());
        const long long at = key.number < 0 ? key.number + count : key.number;
        return at < 0 || at >= count ? Value{} : value.list[static_cast<std::size_t>(at)];
    }

    Value slice(const Expression& e) { // a[from:], a[:to], a[from:to], a[::-1]
        Value value = value_of(e.args[0]);
        if (value.kind != Kind::list) not_followed("it cuts something other than turns");
        const auto bound = [&](const Expression& given, long long otherwise) {
            if (given.kind == Expression::Kind::missing) return otherwise;
            const Value read = value_of(given);
            if (!is_integer(read)) not_followed("it cuts turns");
            return read.number;
        };
        const bool whole = e.args[1].kind == Expression::Kind::missing && e.args[2].kind == Expression::Kind::missing;
        const long long by = bound(e.args[3], 1);
        if (by == -1 && whole) {
            std::ranges::reverse(value.list);
            return value;
        }
        if (by != 1) not_followed("it cuts turns");
        const auto count = static_cast<long long>(value.list.size());
        const auto clamped = [&](long long at) { return std::clamp(at < 0 ? at + count : at, 0LL, count); };
        const long long from = clamped(bound(e.args[1], 0)), to = clamped(bound(e.args[2], count));
        return {.kind = Kind::list,
                .list = from < to ? std::vector<Value>(value.list.begin() + from, value.list.begin() + to) : std::vector<Value>()};
    }

    [[nodiscard]] std::string literal_argument(const Expression& e) {
        const Value value = value_of(e);
        if (value.kind != Kind::text || !is_literal(value.text)) not_followed("it looks for something unknown");
        return spelled(value.text);
    }

    Value call(const Expression& e) {
        const Expression& what = e.args[0];
        if (what.kind == Expression::Kind::attribute) return method(e, value_of(what.args[0]), what.text);
        const Value function = what.kind == Expression::Kind::name ? value_of(what) : Value{};
        if (function.kind != Kind::function) not_followed("it calls " + (what.text.empty() ? std::string("something") : what.text));
        const std::string name = spelled(function.text);
        if (name == "raise_exception") throw Raised{};
        if (name == "strftime_now") not_followed("it writes the date of the day (strftime_now)");
        Value space{.kind = Kind::space, .space = std::make_shared<Scope>()};
        for (std::size_t i = 1; i < e.args.size(); ++i) {
            if (e.args[i].kind != Expression::Kind::keyword) not_followed("it calls " + name);
            (*space.space)[e.args[i].text] = value_of(e.args[i].args[0]);
        }
        return space;
    }

    Value method(const Expression& e, const Value& value, const std::string& name) {
        const std::size_t given = e.args.size() - 1;
        if (value.kind == Kind::turn && name == "get" && given == 1) {
            const Value got = field(value, literal_argument(e.args[1]));
            return got.kind == Kind::undefined ? Value{.kind = Kind::none} : got;
        }
        if (value.kind != Kind::text || given > 1) not_followed("it calls " + name);
        if (name == "strip" || name == "lstrip" || name == "rstrip") {
            const std::string blanks = given == 1 ? literal_argument(e.args[1]) : "";
            if (given == 1 && blanks.empty()) return value;
            return text_value(strip(value.text, name != "rstrip", name != "lstrip", blanks));
        }
        if (given != 1) not_followed("it calls " + name);
        const std::string mark = literal_argument(e.args[1]);
        need_known_mark(value.text, mark);
        if (name == "startswith" || name == "endswith") {
            const bool start = name == "startswith";
            if (value.text.empty()) return truth(mark.empty());
            const Written& part = start ? value.text.front() : value.text.back();
            if (!part.inside.empty()) not_followed("it calls " + name);
            return truth(start ? part.text.starts_with(mark) : part.text.ends_with(mark));
        }
        if (name != "split" || mark.empty()) not_followed("it calls " + name);
        Value pieces{.kind = Kind::list};
        for (Text& piece : split(value.text, mark)) pieces.list.push_back(text_value(std::move(piece)));
        return pieces;
    }

    Value filter(const Expression& e) {
        Value value = value_of(e.args[0]);
        const std::size_t given = e.args.size() - 1;
        if (e.text == "trim" && given == 0 && value.kind == Kind::text) return text_value(strip(value.text, true, true, ""));
        if ((e.text == "selectattr" || e.text == "rejectattr") && given == 3 && value.kind == Kind::list) {
            const std::string name = literal_argument(e.args[1]), how = literal_argument(e.args[2]);
            const Value wanted = value_of(e.args[3]);
            if (how != "equalto" && how != "==" && how != "eq") not_followed("it uses the filter " + e.text);
            std::erase_if(value.list, [&](const Value& item) { return equal(field(item, name), wanted) != (e.text == "selectattr"); });
            return value;
        }
        if (given != 0) not_followed("it uses the filter " + e.text);
        if (e.text == "list" && value.kind == Kind::list) return value;
        if (e.text == "string" && value.kind == Kind::text) return value;
        if ((e.text == "length" || e.text == "count") && value.kind == Kind::list) return number(static_cast<long long>(value.list.size()));
        if ((e.text == "first" || e.text == "last") && value.kind == Kind::list) return item(value, number(e.text == "first" ? 0 : -1));
        not_followed("it uses the filter " + e.text);
    }

    bool test(const Expression& e) {
        // Whatever is asked for by name may be missing.
        if (e.args[0].kind == Expression::Kind::name && (e.text == "defined" || e.text == "undefined")) {
            const Value* found = find(e.args[0].text);
            const bool defined = found != nullptr && found->kind != Kind::undefined;
            return defined == (e.text == "defined");
        }
        const Value value = value_of(e.args[0]);
        const auto is = [&](Kind kind) { return value.kind == kind; };
        if (e.text == "defined") return !is(Kind::undefined);
        if (e.text == "undefined") return is(Kind::undefined);
        if (e.text == "none" || e.text == "None") return is(Kind::none);
        if (e.text == "string") return is(Kind::text);
        if (e.text == "mapping") return is(Kind::turn);
        if (e.text == "boolean") return is(Kind::truth);
        if (e.text == "true" || e.text == "True") return is(Kind::truth) && value.number != 0;
        if (e.text == "false" || e.text == "False") return is(Kind::truth) && value.number == 0;
        const bool sequence = is(Kind::text) || is(Kind::list) || is(Kind::turn);
        if (e.text == "iterable" || e.text == "sequence") {
            if (is(Kind::undefined)) not_followed("it asks whether something is " + e.text);
            return sequence;
        }
        not_followed("it asks whether something is " + e.text);
    }

    static long long whole(const Value& value) {
        if (!is_integer(value)) not_followed("it reckons with something other than numbers");
        return value.number;
    }

    Value binary(const Expression& e) {
        const Value a = value_of(e.args[0]);
        if (e.text == "and") return is_true(a) ? value_of(e.args[1]) : a;
        if (e.text == "or") return is_true(a) ? a : value_of(e.args[1]);
        const Value b = value_of(e.args[1]);
        if (e.text == "==") return truth(equal(a, b));
        if (e.text == "!=") return truth(!equal(a, b));
        if (e.text == "in" || e.text == "not in") return truth(contains(b, a) == (e.text == "in"));
        if (e.text == "~") return text_value(joined(printed(a), printed(b)));
        if (e.text == "+" && a.kind == Kind::text && b.kind == Kind::text) return text_value(joined(a.text, b.text));
        if (e.text == "+" && a.kind == Kind::list && b.kind == Kind::list) {
            Value all = a;
            all.list.insert(all.list.end(), b.list.begin(), b.list.end());
            if (all.list.size() > kMostItems) not_followed("it writes very much");
            return all;
        }
        const long long x = whole(a), y = whole(b);
        const auto small = [](long long value) {
            if (value > 1'000'000'000 || value < -1'000'000'000) not_followed("it reckons with very large numbers");
            return number(value);
        };
        if (e.text == "+") return small(x + y);
        if (e.text == "-") return small(x - y);
        if (e.text == "*") return small(x * y);
        if (e.text == "<") return truth(x < y);
        if (e.text == ">") return truth(x > y);
        if (e.text == "<=") return truth(x <= y);
        if (e.text == ">=") return truth(x >= y);
        if (y <= 0 || e.text == "/") not_followed("it divides"); // below 0 C++ and Python differ
        const long long rest = ((x % y) + y) % y;
        return number(e.text == "%" ? rest : (x - rest) / y);
    }

    [[nodiscard]] static bool contains(const Value& where, const Value& what) {
        if (where.kind == Kind::list) return std::ranges::any_of(where.list, [&](const Value& item) { return equal(item, what); });
        if (what.kind != Kind::text || !is_literal(what.text)) not_followed("it looks for what is said");
        const std::string mark = spelled(what.text);
        if (where.kind == Kind::turn) return mark == "role" || mark == "content";
        if (where.kind != Kind::text) not_followed("it looks for \"" + mark + "\" in something unknown");
        need_known_mark(where.text, mark);
        return holds(where.text, mark);
    }

    const std::vector<Node>* nodes_;
    const ChatQuestion* question_;
    std::vector<Scope> scopes_;
    Text written_;
    int during_ = Written::kBefore;
    bool wrote_ = false;
    int steps_ = 0;
    std::size_t bytes_ = 0;
};

// Length of the blank at the front of `text` (UTF-8), as Python's str.isspace() tells; 0: none is there.
std::size_t blank_at(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    const unsigned char c = static_cast<unsigned char>(byte(0));
    if ((c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20)) return 1;
    if (c == 0xC2 && (byte(1) == 0x85 || byte(1) == 0xA0)) return 2;
    const unsigned wide = static_cast<unsigned>(byte(0)) << 16 | static_cast<unsigned>(byte(1)) << 8 | static_cast<unsigned>(byte(2));
    const bool space = wide == 0xE19A80 || (wide >= 0xE28080 && wide <= 0xE2808A) || wide == 0xE280A8 || wide == 0xE280A9 ||
                       wide == 0xE280AF || wide == 0xE2819F || wide == 0xE38080;
    return space ? 3 : 0;
}

} // namespace

std::string_view stripped(std::string_view text) {
    while (const std::size_t length = text.empty() ? 0 : blank_at(text)) text.remove_prefix(length);
    for (std::size_t length = 1; length <= 3 && length <= text.size();) {
        if (blank_at(text.substr(text.size() - length)) == length) {
            text.remove_suffix(length);
            length = 1;
        } else {
            ++length;
        }
    }
    return text;
}

ChatWalk walk_chat(const ChatTemplate& chat_template, const ChatQuestion& question) { return Walker(chat_template, question).walk(); }

} // namespace speclens

#include "engine/published/experiment_reader.h"

#include <cmath>

namespace speclens {

void ExperimentReader::fail(const std::string& where, const std::string& what) const { throw Error(where + ": " + what, remedy); }

double ExperimentReader::number_of(const OrderedJson& value, const std::string& where) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(where, "expected a number");
    return value.get<double>();
}

const OrderedJson& ExperimentReader::member(const OrderedJson& object, const char* name, const std::string& where) const {
    if (!object.is_object() || !object.contains(name)) fail(where, std::string("has no \"") + name + "\"");
    return object[name];
}

double ExperimentReader::number(const OrderedJson& object, const char* name, double low, double high, const std::string& where) const {
    const double value = number_of(member(object, name, where), where + ": " + name);
    if (value < low || value > high) fail(where, std::string(name) + " is out of range");
    return value;
}

int ExperimentReader::whole_of(const OrderedJson& object, const char* name, const std::string& where) const {
    const OrderedJson& value = member(object, name, where);
    if (!value.is_number_integer() || value < 0 || value > 1'000'000'000) fail(where, std::string(name) + " is not a count");
    return value.get<int>();
}

const OrderedJson& ExperimentReader::list_of(const OrderedJson& object, const char* name, const std::string& where) const {
    const OrderedJson& value = member(object, name, where);
    if (!value.is_array() || value.empty()) fail(where, std::string(name) + " is not a list with something in it");
    return value;
}

std::string ExperimentReader::text_or(const OrderedJson& object, const char* name) const {
    return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : std::string();
}

} // namespace speclens

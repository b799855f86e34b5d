"""A small validator of JSON schemas: the keywords that `rattleback schema` uses, and no others."""

import re

SILENT = {"$schema", "$defs", "title", "description"}
TYPES = {
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and v == int(v),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Validator:
    def __init__(self, schema):
        self.root = schema

    def accepts(self, value, schema=None):
        schema = self.root if schema is None else schema
        if isinstance(schema, bool):
            return schema
        return all(self.keyword(word, rule, value, schema) for word, rule in schema.items() if word not in SILENT)

    def keyword(self, word, rule, value, schema):
        check = getattr(self, "check_" + word.strip("$").lower(), None)
        assert check is not None, f"the schema uses '{word}', which this validator does not know"
        return check(rule, value, schema)

    def check_type(self, rule, value, _):
        return any(TYPES[name](value) for name in ([rule] if isinstance(rule, str) else rule))

    def check_enum(self, rule, value, _):
        return any(same(value, each) for each in rule)

    def check_const(self, rule, value, _):
        return same(value, rule)

    def check_anyof(self, rule, value, _):
        return any(self.accepts(value, each) for each in rule)

    def check_allof(self, rule, value, _):
        return all(self.accepts(value, each) for each in rule)

    def check_if(self, rule, value, schema):
        return not self.accepts(value, rule) or self.accepts(value, schema["then"])

    def check_then(self, *_):
        return True  # belongs to if

    def check_ref(self, rule, value, _):
        assert rule.startswith("#/$defs/")
        return self.accepts(value, self.root["$defs"][rule[8:]])

    def check_properties(self, rule, value, _):
        return not isinstance(value, dict) or all(self.accepts(value[key], each) for key, each in rule.items() if key in value)

    def check_additionalproperties(self, rule, value, schema):
        if not isinstance(value, dict):
            return True
        return all(self.accepts(each, rule) for key, each in value.items() if key not in schema.get("properties", {}))

    def check_propertynames(self, rule, value, _):
        return not isinstance(value, dict) or all(self.accepts(key, rule) for key in value)

    def check_required(self, rule, value, _):
        return not isinstance(value, dict) or all(key in value for key in rule)

    def check_items(self, rule, value, _):
        return not isinstance(value, list) or all(self.accepts(each, rule) for each in value)

    def check_minitems(self, rule, value, _):
        return not isinstance(value, list) or len(value) >= rule

    def check_maxitems(self, rule, value, _):
        return not isinstance(value, list) or len(value) <= rule

    def check_minproperties(self, rule, value, _):
        return not isinstance(value, dict) or len(value) >= rule

    def check_pattern(self, rule, value, _):
        return not isinstance(value, str) or re.search(rule, value) is not None

    def check_minimum(self, rule, value, _):
        return not TYPES["number"](value) or value >= rule

    def check_exclusiveminimum(self, rule, value, _):
        return not TYPES["number"](value) or value > rule

    def check_exclusivemaximum(self, rule, value, _):
        return not TYPES["number"](value) or value < rule

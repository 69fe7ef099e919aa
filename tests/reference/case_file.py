"""Reference files: JSON with a line for the numbers and words of a case, and one for each of its lists."""

import json


def text_of(about, cases):
    def lines(case):
        pairs = {key: f"{json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()}
        lists = [key for key, value in case.items() if isinstance(value, (list, dict))]
        plain = ", ".join(pairs[key] for key in case if key not in lists)
        return "  {" + ",\n   ".join([plain, *(pairs[key] for key in lists)]) + "}"
    return '{\n "about": ' + json.dumps(about) + ',\n "cases": [\n' + ",\n".join(map(lines, cases)) + "\n ]\n}"

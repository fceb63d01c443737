"""What a request stands for, as a digest: with it in the memo of its run, any caller sees what a key was used for."""

import hashlib
import json
from decimal import Decimal


def request_digest(request: dict) -> str:
    """The same for two requests that are the same purchase: policies, tags and budgets may differ."""
    fields = ("model", "input", "templateId", "steps", "params")
    purchase = {"workspace": "default", **{name: request[name] for name in (*fields, "workspace") if name in request}}
    if "steps" in purchase:
        steps = purchase["steps"].items()
        purchase["steps"] = {id: {name: step[name] for name in step if name != "policy"} for id, step in steps}
    return hashlib.sha256(canonical(purchase).encode()).hexdigest()


def canonical(value) -> str:
    """JSON as RFC 8785 writes it: names in order, no blanks, numbers as JavaScript writes them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value) or 0.0  # not -0.0
        is_plain = number == 0 or 1e-6 <= abs(number) < 1e21
        return format(Decimal(repr(number)).normalize(), "f") if is_plain else repr(number).replace("e-0", "e-")
    return json.dumps(value, ensure_ascii=False)

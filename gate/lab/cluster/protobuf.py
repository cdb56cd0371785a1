"""The one message that is read as protobuf, because kubectl sends it in no other form: a SelfSubjectAccessReview."""

from gate.lab.cluster.store import Object

_MAGIC = b"k8s\0"
_VARINT, _BYTES = 0, 2
_RAW, _SPEC = 2, 2
_RESOURCE = {1: "namespace", 2: "verb", 3: "group", 4: "version", 5: "resource", 6: "subresource", 7: "name"}
_PATH = {1: "path", 2: "verb"}


def parse_review(body: bytes) -> Object:
    """The review as its JSON says it; raises ValueError for anything else."""
    if not body.startswith(_MAGIC):
        raise ValueError("this is no protobuf of the API")
    raw = _fields(body[len(_MAGIC) :]).get(_RAW, b"")
    spec = _fields(_fields(raw).get(_SPEC, b""))
    found = {}
    for number, name, fields in ((1, "resourceAttributes", _RESOURCE), (2, "nonResourceAttributes", _PATH)):
        if number in spec:
            values = _fields(spec[number])
            found[name] = {word: values[at].decode() for at, word in fields.items() if values.get(at)}
    return {"spec": found}


def _fields(data: bytes) -> dict[int, bytes]:
    """The fields of a message that are bytes, by their number; the last where one is there twice."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value, at = _varint(data, at)
        if key & 7 == _BYTES:
            found[key >> 3] = data[at : at + value]
            at += value
            if at > len(data):
                raise ValueError("the message ends too early")
        elif key & 7 != _VARINT:
            raise ValueError("a field of a form that no review has")
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends; raises ValueError where it does not."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("the message ends too early")

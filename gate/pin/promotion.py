"""What a change would promote: the next environment's pins before and after it. Pure.

The change is judged and never obeyed: which files hold pins, and of which Applications, is told by the
configuration of the branch that it goes into.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.config.model import ApplicationTarget, Environment
from gate.errors import ConfigurationError
from gate.facts.upstream import is_full_id
from gate.observed import Frozen
from gate.pin.declared import Declared, Pinned, read_declared
from gate.reasons import Reason


@dataclass(frozen=True)
class Versions:
    """One manifest: with the change (``head``), where the change began, and in the target branch as it is now.

    None: there is no such file. ``fault`` says why the first cannot be taken as a manifest; empty if it can.
    """

    head: str | None
    began: str | None
    target: str | None
    fault: str = ""


class Side(Frozen):
    """An environment by its name. ``known_files`` are the files that hold pins of any environment."""

    name: str
    settings: Environment
    known_files: frozenset[str] = frozenset()


class Promotion(Frozen):
    """``revision`` is the one commit that would be promoted, a full id; None: none, and ``reason`` says why.

    ``reason`` is ``NothingToGate``, or why the change is none that a verdict could be given on. ``message``
    is a sentence, ``following`` the name of the next environment.
    """

    following: str
    message: str
    revision: str | None = None
    reason: Reason | None = None


@dataclass(frozen=True)
class _Seen:
    """One Application: whether the change touches it, and its pins once the change is there."""

    what: str
    changed: bool
    pins: frozenset[str]


class _Refused(Exception):
    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def pinned_in(settings: Environment) -> tuple[ApplicationTarget, ...]:
    """The Applications of an environment whose pins stand in files."""
    return tuple(one for one in settings.applications if one.pin is not None and one.name is not None)


def pin_files(*sides: Side) -> tuple[str, ...]:
    """The files that hold pins of these environments, each once."""
    targets = (one for side in sides for one in pinned_in(side.settings))
    return tuple(dict.fromkeys(one.pin.file for one in targets if one.pin is not None))


def nothing(following: str, why: str) -> Promotion:
    """A change that promotes nothing to this environment."""
    return Promotion(following=following, message=why, reason=Reason.NOTHING_TO_GATE)


def decide_promotion(here: Side, following: Side, files: Mapping[str, Versions], *, apart: bool = False) -> Promotion:
    """What a change promotes from one environment to the next; ``files`` are all of ``pin_files``.

    ``apart``: it goes from branch to branch, so that what it says of the first environment does not replace anything.
    """
    try:
        seen = list(_seen(following, here, files))
        changed = [one for one in seen if one.changed]
        if not changed:
            named = ", ".join(f"{one.what} at {_shown(one.pins)}" for one in seen) or "none of its pins"
            return nothing(following.name, f"the change leaves {following.name} pinned as it is: {named}")
        if not apart:
            _check_proof(here, following, files)
        revision = _one_commit(seen, changed, following.name)
    except _Refused as refused:
        return Promotion(following=following.name, message=refused.message, reason=refused.reason)
    names = ", ".join(one.what for one in changed)
    return Promotion(
        following=following.name,
        message=f"the change would promote {revision} to {following.name} ({names})",
        revision=revision,
    )


def _shown(pins: frozenset[str]) -> str:
    return " and ".join(sorted(pins)) or "no pin"


def _check_proof(here: Side, following: Side, files: Mapping[str, Versions]) -> None:
    """Refuse a change that replaces what would have to prove it."""
    try:
        moved = [one.what for one in _seen(here, following, files) if one.changed]
    except _Refused as refused:
        raise _Refused(
            Reason.BOTH_PINS_CHANGED,
            f"the change promotes to {following.name}, and that {here.name} stays as it is cannot be told:"
            f" {refused.message}",
        ) from refused
    if moved:
        raise _Refused(
            Reason.BOTH_PINS_CHANGED,
            f"the change promotes to {following.name} and replaces what {here.name} runs: {', '.join(moved)}",
        )


def _one_commit(seen: list[_Seen], changed: list[_Seen], name: str) -> str:
    for one in changed:
        loose = sorted(pin for pin in one.pins if not is_full_id(pin))
        if loose:
            raise _Refused(
                Reason.PIN_NOT_A_COMMIT,
                f"the change pins {one.what} of {name} to {loose[0]!r}; expected a full commit id of 40 or 64"
                " lower-case hex digits",
            )
    pins = {pin for one in seen for pin in one.pins}
    if len(pins) > 1:
        shown = ", ".join(f"{one.what} at {_shown(one.pins)}" for one in seen)
        raise _Refused(Reason.PROMOTED_PINS_DIFFER, f"the change would leave {name} at several commits: {shown}")
    return pins.pop()


def _seen(side: Side, other: Side, files: Mapping[str, Versions]) -> Iterator[_Seen]:
    for target in pinned_in(side.settings):
        assert target.pin is not None and target.name is not None  # noqa: S101, PT018  # pinned_in
        path = target.pin.file
        each = (*pinned_in(side.settings), *pinned_in(other.settings))
        pinned = [(one.name, one.source) for one in each if one.name and one.pin and one.pin.file == path]
        yield _compare(files[path], path, (target.name, target.source), pinned, side.name)


def _compare(file: Versions, path: str, one: Pinned, pinned: list[Pinned], environment: str) -> _Seen:
    what = f"Application {one[0]} in {path}"
    target, _ = _read(file.target, one, pinned, path)
    began, _ = _read(file.began, one, pinned, path)
    after, why = _read(file.head, one, pinned, path)
    before = began if began is not None else target
    if file.fault == "" and after == before and (after is not None or _is_untouched(file)):
        return _Seen(what, changed=False, pins=frozenset() if target is None else target.pins)
    if file.fault or after is None:
        raise _Refused(Reason.PROMOTED_PIN_ABSENT, f"{what} of {environment} has no pin to judge: {file.fault or why}")
    if before is not None and after.rest != before.rest:
        raise _Refused(
            Reason.PROMOTES_MORE_THAN_THE_PIN,
            f"the change alters more of {what} of {environment} than its pin: repository, path, parameters or"
            " destination",
        )
    return _Seen(what, changed=True, pins=after.pins)


def _is_untouched(file: Versions) -> bool:
    """Whether a manifest that cannot be read is there, and as it was. One that is nowhere proves nothing."""
    return file.head is not None and file.head == (file.began if file.began is not None else file.target)


def _read(text: str | None, one: Pinned, pinned: list[Pinned], path: str) -> tuple[Declared | None, str]:
    """What the text declares; None where it does not, with the reason."""
    if text is None:
        return None, "the file is not there"
    try:
        return read_declared(text, one, pinned, path), ""
    except ConfigurationError as error:
        return None, error.happened.rstrip(".")

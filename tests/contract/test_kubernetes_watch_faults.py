"""Whatever happens to a watch costs time and nothing else: no tight loop, no false alarm, no exception."""

import pytest

from gate.adapters.kubernetes.watch import Pace, WatchTarget
from tests.support.kubernetes import page, status
from tests.support.loopback import Asked, Reply, asynchronous
from tests.support.watches import PODS, Pauses, event, heard, lists_then, open_watch, watches, watching


@pytest.mark.parametrize(
    "expired",
    [
        status(410, "Expired", "too old resource version"),
        Reply(pieces=(event("ERROR", kind="Status", code=410, reason="Expired"),)),
    ],
)
@asynchronous
async def test_an_expired_version_is_listed_again_at_once(expired: Reply) -> None:
    async with watching(lists_then(expired, open_watch()), pace=Pauses().pace()) as (changed, server, _):
        await server.until(4)
        assert ["watch" in asked.query for asked in server.asked] == [False, True, False, True]
        await heard(changed)


@asynchronous
async def test_a_version_that_always_expires_is_not_asked_for_in_a_tight_loop() -> None:
    pauses = Pauses()
    async with watching(lists_then(status(410, "Expired")), pace=pauses.pace()) as (changed, server, _):
        await pauses.began.wait()
        assert len(server.asked) == 4
        assert pauses.seconds[0] == 0.0
        assert 200.0 <= pauses.seconds[1] <= 240.0
        assert not changed.is_set()


@asynchronous
async def test_a_forbidden_watch_wakes_nobody_and_gives_way() -> None:
    pauses = Pauses()
    async with watching(lists_then(status(403, "Forbidden")), pace=pauses.pace()) as (changed, server, api):
        await pauses.began.wait()
        assert len(server.asked) == 2
        assert 100.0 <= pauses.seconds[0] <= 120.0
        assert not changed.is_set()
        assert await api.list_objects("Pod", "orders") == ()


@asynchronous
async def test_a_watch_that_the_server_ends_at_once_is_not_repeated_in_a_tight_loop() -> None:
    pauses = Pauses()
    async with watching(lists_then(Reply(pieces=(b"\n",))), pace=pauses.pace()) as (changed, server, _):
        await heard(changed)
        await pauses.began.wait()
        assert len(watches(server)) == 1


@asynchronous
async def test_a_server_that_says_when_to_come_back_is_obeyed() -> None:
    pauses = Pauses()
    busy = Reply(429, {"kind": "Status", "reason": "TooManyRequests"}, {"retry-after": "1000"})
    async with watching(lists_then(busy), pace=pauses.pace()):
        await pauses.began.wait()
        assert pauses.seconds[0] >= 1000.0


@asynchronous
async def test_a_silent_connection_is_given_up_and_goes_on_where_it_was() -> None:
    silent = Pace(server=60, silence=0.1, first_wait=0.01, longest_wait=0.01)
    async with watching(lists_then(open_watch(event("BOOKMARK", "11"))), pace=silent) as (changed, server, _):
        await heard(changed)
        await server.until(3)
        assert [query["resourceVersion"] for query in watches(server)[:2]] == ["9", "11"]
        assert not changed.is_set()


@pytest.mark.parametrize(
    "broken",
    [
        Reply(body="x", cut=True),
        Reply(raw=b""),
        Reply(raw=b"nonsense\r\n\r\n"),
        Reply(pieces=(b"not json\n",)),
        Reply(pieces=(b"[]\n",)),
        Reply(pieces=(b'{"type": "MODIFIED"}\n',)),
        Reply(pieces=(b'{"type": "MODIFIED", "object": {"metadata": {"resourceVersion": ""}}}\n',)),
        Reply(pieces=(event("ERROR", code="x"),)),
        Reply(pieces=(b'{"type": "ERROR", "object": null}\n',)),
        status(500, "InternalError"),
        status(429, "TooManyRequests"),
        status(401, "Unauthorized"),
        Reply(404, "404 page not found"),
        Reply(302, headers={"location": "/x"}),
    ],
)
@asynchronous
async def test_a_broken_watch_is_begun_again_and_never_raises(broken: Reply) -> None:
    async with watching(lists_then(broken, open_watch(event("MODIFIED", "20")), open_watch())) as (changed, server, _):
        while len(watches(server)) < 2:
            await server.until(len(server.asked) + 1)
        await heard(changed)


@pytest.mark.parametrize(
    "broken", [Reply(body={}), Reply(500), page("Pod", None, resourceVersion=None), Reply(raw=b"")]
)
@asynchronous
async def test_a_list_that_fails_is_tried_again(broken: Reply) -> None:
    answers = [broken]

    def handler(asked: Asked) -> Reply:
        if answers and "watch" not in asked.query:
            return answers.pop()
        return lists_then(open_watch())(asked)

    async with watching(handler) as (changed, _, _api):
        await heard(changed)


@asynchronous
async def test_one_target_that_fails_does_not_silence_the_other() -> None:
    def handler(asked: Asked) -> Reply:
        return status(403, "Forbidden") if "services" in asked.path else lists_then(open_watch(event("ADDED")))(asked)

    targets = (WatchTarget("Service", "orders"), WatchTarget("Secret", "orders"), WatchTarget("Pod", ""), PODS)
    async with watching(handler, *targets, pace=Pauses().pace()) as (changed, _, _api):
        await heard(changed)

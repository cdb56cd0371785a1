"""The loop that carries out operations, and writes status.operationState and status.history."""

import copy
from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.lab.argocd.annotations import CASCADE_FINALIZERS, ResourceKey, resource_key, sync_options
from gate.lab.argocd.applications import Applications
from gate.lab.argocd.autosync import COMPLETED, is_automated
from gate.lab.argocd.comparison import Comparison
from gate.lab.argocd.kubectl import Kubectl
from gate.lab.argocd.planning import Request
from gate.lab.argocd.retries import kitchen, next_try
from gate.lab.argocd.states import StateManager, sources_of
from gate.lab.argocd.syncing import Syncing
from gate.lab.argocd.windows import can_sync
from gate.lab.cluster.store import Object
from gate.lab.pace import Pace, now, whole_seconds

_HISTORY = 10


@dataclass(frozen=True)
class Next:
    """What is to be done when a pass is over: compare at once, forced or not; or in so many seconds of the model."""

    compare: bool = False
    forced: bool = False
    after: float = 0.0


@dataclass
class Operating:
    """Carries out operations, pass by pass."""

    applications: Applications
    states: StateManager
    kubectl: Kubectl
    pace: Pace

    def __post_init__(self) -> None:
        """Ends of tries as written and to the microsecond: a fast laboratory loses much with the rest of a second."""
        self._ended: dict[str, tuple[str, datetime]] = {}

    async def work(self, name: str) -> Next:
        """One pass of the Application's operation, or of its deletion."""
        app = self.applications.find(name)
        if app is None:
            return Next()
        if "operation" in app:
            return await self._process(app)
        if "deletionTimestamp" in app["metadata"]:
            self._finalize(app)
        return Next()

    def _finalize(self, app: Object) -> None:
        """Delete what an Application that is deleted has made, where its finalizer asks for that."""
        name = app["metadata"]["name"]
        if CASCADE_FINALIZERS & set(app["metadata"].get("finalizers", ())):
            for body in self.applications.live.managed(name).values():
                if "Delete=false" not in sync_options(body) and "deletionTimestamp" not in body["metadata"]:
                    self.kubectl.delete(body)
            left = self.applications.live.managed(name).values()
            if all("Delete=false" in sync_options(body) for body in left):
                self.applications.remove_finalizers(name, CASCADE_FINALIZERS)

    async def _process(self, app: Object) -> Next:
        state = copy.deepcopy(app.get("status", {}).get("operationState"))
        if state is None or state["phase"] in COMPLETED:
            state = {"phase": "Running", "operation": app["operation"], "startedAt": whole_seconds(now())}
            self._write(app, state)
        elif state["phase"] == "Running" and "finishedAt" in state:
            left = self._until_retry(app["metadata"]["name"], state)
            if left > 0:
                return Next(compare=True, after=left)
            _begin_again(state)
            self._write(app, state)
        terminating = state["phase"] == "Terminating"
        await self._sync(app, state)
        self._conclude(app, state, terminating=terminating)
        self._write(app, state)
        if state["phase"] not in COMPLETED:
            return Next()
        automated = state["operation"].get("initiatedBy", {}).get("automated") is True
        return Next(compare=True, forced=not automated)

    def _until_retry(self, name: str, state: Object) -> float:
        """How many seconds of the model are left until the next try."""
        wait = next_try(state["operation"].get("retry", {}), state.get("retryCount", 0))
        written, ended = self._ended.get(name, ("", now()))
        if written != state["finishedAt"]:
            ended = datetime.fromisoformat(state["finishedAt"])
        return wait - self.pace.model((now() - ended) / timedelta(seconds=1))

    def _conclude(self, app: Object, state: Object, *, terminating: bool) -> None:
        """Terminating where that was asked for meanwhile; another try where one is left."""
        if state["phase"] == "Running":
            fresh = self.applications.find(app["metadata"]["name"]) or {}
            if fresh.get("status", {}).get("operationState", {}).get("phase") == "Terminating":
                state.update(phase="Terminating", message="operation is terminating")
        elif state["phase"] in ("Failed", "Error"):
            retry, count = state["operation"].get("retry", {}), state.get("retryCount", 0)
            limit = retry.get("limit", 0)
            if not terminating and (count < limit or limit < 0):
                ended = now()
                at = kitchen(ended + timedelta(seconds=self.pace.real(next_try(retry, count))))
                what = f"{state['message']}. Retrying attempt #{count + 1} at {at}."
                self._ended[app["metadata"]["name"]] = (whole_seconds(ended), ended)
                state.update(phase="Running", finishedAt=whole_seconds(ended), retryCount=count + 1, message=what)
            elif count > 0:
                state["message"] = f"{state['message']} (retried {count} times)."

    def _write(self, app: Object, state: Object) -> None:
        patch: Object = {"status": {"operationState": state}}
        if state["phase"] in COMPLETED:
            state["finishedAt"] = whole_seconds(now())
            patch["operation"] = None
        elif "finishedAt" not in state:
            patch["status"]["operationState"] = {**state, "finishedAt": None}
        self.applications.patch(app["metadata"]["name"], patch)

    async def _sync(self, app: Object, state: Object) -> None:
        """Start or go on with the sync; ``state`` is changed to what it came to."""
        project = self.applications.project(app)
        if project is None:
            name = app["spec"].get("project", "default")
            what = f'appproject.argoproj.io "{name}" not found'
            state.update(phase="Error", message=f"Failed to load application project: {what}")
            return
        operation = state["operation"]["sync"]
        result = state.setdefault("syncResult", _empty_result(app, operation))
        if not can_sync(project, app, now(), manual=_is_manual(app)):
            if state["phase"] == "Running":
                state["message"] = "Sync operation blocked by sync window"
            return
        several = bool(result.get("sources"))
        sources = result["sources"] if several else [result["source"]]
        revisions = result.get("revisions") if several else [result["revision"]]
        if not revisions or not all(revisions):
            revisions = [str(source.get("targetRevision") or "HEAD") for source in sources]
        comparison = await self.states.compare(app, sources, revisions, several=several, tell=True)
        result.update({field: value for field, value in comparison.sync.items() if field.startswith("revision")})
        if comparison.error:
            state.update(phase="Error", message=comparison.error)
            return
        syncing = self._syncing(app, state, comparison)
        if state["phase"] == "Terminating":
            syncing.terminate()
        else:
            await syncing.sync()
        state.update(phase=syncing.phase, message=syncing.message)
        result["resources"] = list(syncing.results.values())
        self._after(app, state, comparison, syncing)

    def _syncing(self, app: Object, state: Object, comparison: Comparison) -> Syncing:
        started = datetime.fromisoformat(state["startedAt"])
        namespace = str(app["spec"]["destination"].get("namespace") or "")
        request = Request(comparison, state["operation"]["sync"], namespace, started)
        entries = state["syncResult"].get("resources") or ()
        return Syncing(
            request,
            self.kubectl,
            self.pace,
            phase=state["phase"],
            message=state.get("message", ""),
            results={(_key(entry), entry["syncPhase"]): entry for entry in entries},
        )

    def _after(self, app: Object, state: Object, comparison: Comparison, syncing: Syncing) -> None:
        """The history of a full sync that succeeded; and what the next comparison has not heard of yet."""
        operation = state["operation"]["sync"]
        if state["phase"] != "Succeeded" or operation.get("resources") or operation.get("dryRun"):
            return
        history = list(app.get("status", {}).get("history") or ())
        # The race that the real controller sometimes loses: here always, from the third deployment on.
        if _heals(app) and len(history) > 1:
            changed = {key for (key, _), one in syncing.results.items() if one["message"].endswith(" configured")}
            before = (pair.live for pair in comparison.pairs if pair.live is not None and pair.key in changed)
            self.applications.live.miss(app["metadata"]["name"], (body for body in before if _rolls(body)))
        compared = comparison.sync["comparedTo"]
        sources = {field: compared[field] for field in ("source", "sources") if field in compared}
        revisions = {field: value for field, value in comparison.sync.items() if field.startswith("revision")}
        entry = {
            "id": history[-1]["id"] + 1 if history else 0,
            "deployStartedAt": state["startedAt"],
            "deployedAt": whole_seconds(now()),
            "initiatedBy": state["operation"].get("initiatedBy", {}),
            **revisions,
            **sources,
        }
        limit = app["spec"].get("revisionHistoryLimit", _HISTORY)
        self.applications.patch(app["metadata"]["name"], {"status": {"history": [*history, entry][-limit:]}})


def _begin_again(state: Object) -> None:
    """Another try: at the newest commit where the retry strategy says so."""
    newest = ""
    if state["operation"].get("retry", {}).get("refresh"):
        newest = " with latest revisions"
        for field in ("revision", "revisions"):
            state["operation"]["sync"].pop(field, None)
    state["message"] = f"Retrying operation{newest}. Attempt #{state.get('retryCount', 0)}"
    state.pop("finishedAt")
    state.pop("syncResult", None)


def _is_manual(app: Object) -> bool:
    last = app.get("status", {}).get("operationState")
    return last is not None and last["operation"].get("initiatedBy", {}).get("automated") is not True


def _heals(app: Object) -> bool:
    return is_automated(app) and app["spec"]["syncPolicy"]["automated"].get("selfHeal") is True


def _empty_result(app: Object, operation: Object) -> Object:
    """The result before anything is done: with the sources asked for, else those of the spec."""
    given = operation if operation.get("source") or operation.get("sources") else app["spec"]
    _, several = sources_of(given)
    result: Object = {"revision": operation.get("revision", ""), "source": {"repoURL": ""}}
    if several:
        result.update(sources=given["sources"], revisions=operation.get("revisions") or [])
    else:
        result["source"] = given["source"]
    return result


def _key(entry: Object) -> ResourceKey:
    return ResourceKey(entry["group"], entry["kind"], entry["namespace"], entry["name"])


def _rolls(body: Object) -> bool:
    """Whether it is a Deployment whose Pods are replaced one after the other."""
    strategy = body.get("spec", {}).get("strategy") or {}
    return resource_key(body).kind == "Deployment" and strategy.get("type", "RollingUpdate") == "RollingUpdate"

"""Buys a still and a clip of it as one pipeline, with nothing but Temporal's own SDK.

    python film.py <key> <prompt>

The key names the purchase: run it again with the same key, while it runs or after, and it attaches to what is there.
TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and DARKROOM_TASK_QUEUE say where Darkroom's workers are.
"""

import asyncio
import os
import sys
from datetime import timedelta

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, TerminatedError, WorkflowAlreadyStartedError
from temporalio.service import RPCError

from darkroom_models import ImageLInput, VideoFInput
from darkroom_request import request_digest


def pipeline(prompt: str) -> dict:
    still: ImageLInput = {"prompt": prompt}
    clip: VideoFInput = {"prompt": "slow zoom", "first_frame_url": {"$from": "still"}}
    return {"steps": {"still": {"model": "image-l", "input": still}, "clip": {"model": "video-f", "input": clip}}}


async def start_or_attach(client: Client, key: str, prompt: str) -> WorkflowHandle:
    workflow_id = f"pipeline/{key}"
    try:
        return await client.start_workflow(
            "pipeline",
            pipeline(prompt),
            id=workflow_id,
            task_queue=os.environ.get("DARKROOM_TASK_QUEUE", "darkroom"),
            # The default policy would start a closed id again, and buy again.
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            memo={"request": request_digest(pipeline(prompt))},
        )
    except WorkflowAlreadyStartedError:
        handle = client.get_workflow_handle(workflow_id)
        await refuse_another(client, handle, pipeline(prompt))
        print("attached", file=sys.stderr)
        return handle


class KeyInUse(Exception):
    pass


async def refuse_another(client: Client, handle: WorkflowHandle, request: dict) -> None:
    """Temporal does not compare requests: the key may stand for another purchase, whose result would be handed out."""
    digest = await (await handle.describe()).memo_value("request", None)
    if digest is None:  # its caller gave none
        started = await anext(handle.fetch_history_events(page_size=1))
        payloads = started.workflow_execution_started_event_attributes.input.payloads
        earlier, *_ = await client.data_converter.decode(payloads)
        digest = request_digest(earlier)
    if digest != request_digest(request):
        raise KeyInUse(f"KEY_IN_USE: {handle.id} stands for another request")


async def result_of(client: Client, handle: WorkflowHandle) -> dict:
    """The result of the run, or of the one that an operator's Reset has put in its place."""
    while True:
        run_id = (await handle.describe()).run_id
        try:
            return await client.get_workflow_handle(handle.id, run_id=run_id).result()
        except WorkflowFailureError as error:
            was_reset = isinstance(error.cause, TerminatedError) and (await handle.describe()).run_id != run_id
            if not was_reset:
                raise


async def hear(handle: WorkflowHandle, news: asyncio.Event) -> None:
    """Tells when the run has done something, by long polls of its history: they are not billed."""
    while True:
        try:
            async for event in handle.fetch_history_events(wait_new_event=True):
                if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
                    news.set()
        except RPCError:
            pass  # Temporal is away
        await asyncio.sleep(1)  # another run may go on in its place


async def follow(handle: WorkflowHandle, ended: asyncio.Future) -> None:
    """Prints how each step stands, each time that it has changed. Queries are billed: the run is asked when there is
    news, at most once a second."""
    shown: dict = {}
    news = asyncio.Event()
    hearing = asyncio.create_task(hear(handle, news))
    ended.add_done_callback(lambda _: news.set())
    is_last = False
    while not is_last:
        await news.wait()
        news.clear()
        is_last = ended.done()
        try:
            progress = await handle.query("progress", rpc_timeout=timedelta(seconds=5))
        except RPCError:  # no worker answers just now
            progress = {"steps": {}}
        for name, step in progress["steps"].items():
            if shown.get(name) != step["status"]:
                shown[name] = step["status"]
                print(f"{name}: {step['status']}", file=sys.stderr)
        await asyncio.sleep(0 if is_last else 1)
    hearing.cancel()


async def main(key: str, prompt: str) -> int:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    try:
        handle = await start_or_attach(client, key, prompt)
    except KeyInUse as error:
        print(error, file=sys.stderr)
        return 1
    ended = asyncio.create_task(result_of(client, handle))
    following = asyncio.create_task(follow(handle, ended))
    try:
        result = await ended
    except WorkflowFailureError as error:
        cause = error.cause
        if not isinstance(cause, ApplicationError):
            raise  # cancelled or terminated
        print(f"{cause.type}: {cause.message}", file=sys.stderr)
        if cause.type == "PIPELINE_FAILED":
            for name, step in cause.details[0]["steps"].items():
                if step["status"] == "FAILED":
                    print(f"{name}: {step['failure']['type']}")
        return 1
    finally:
        await asyncio.wait([following], timeout=5)
    for name in pipeline(prompt)["steps"]:
        for output in result["steps"][name]["result"]["outputs"]:
            print(f"{name}: {output['stored']['uri']}")
    return 0


if __name__ == "__main__":
    status = asyncio.run(main(*sys.argv[1:3]))
    sys.stdout.flush()
    sys.stderr.flush()
    # Ends without the interpreter's teardown: threads of Temporal's SDK may still call into it, and short programs
    # then crash at their very end (temporalio/sdk-python#300).
    os._exit(status)

"""Buys a still and a clip of it as one pipeline, with nothing but Temporal's own SDK.

    python film.py <key> <prompt>

The key names the purchase: run it again with the same key, while it runs or after, and it attaches to what is there.
TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and DARKROOM_TASK_QUEUE say where Darkroom's workers are.
"""

import asyncio
import os
import sys
import time
from datetime import timedelta

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError


def pipeline(prompt: str) -> dict:
    return {
        "steps": {
            "still": {"model": "image-l", "input": {"prompt": prompt}},
            "clip": {
                "model": "video-f",
                "input": {"prompt": "slow zoom", "first_frame_url": {"$from": "still"}},
            },
        }
    }


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
        )
    except WorkflowAlreadyStartedError:
        print("attached", file=sys.stderr)
        return client.get_workflow_handle(workflow_id)


async def follow(handle: WorkflowHandle) -> None:
    """Prints how each step stands, each time that it has changed. The run is asked only when its history has grown."""
    shown: dict = {}
    asked_at = 0.0
    async for event in handle.fetch_history_events(wait_new_event=True):
        if event.event_type != EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            continue
        await asyncio.sleep(max(0.0, asked_at + 1 - time.monotonic()))
        asked_at = time.monotonic()
        try:
            progress = await handle.query("progress", rpc_timeout=timedelta(seconds=5))
        except RPCError:  # no worker answers just now
            continue
        for name, step in progress["steps"].items():
            if shown.get(name) != step["status"]:
                shown[name] = step["status"]
                print(f"{name}: {step['status']}", file=sys.stderr)


async def main(key: str, prompt: str) -> int:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    handle = await start_or_attach(client, key, prompt)
    following = asyncio.create_task(follow(handle))
    try:
        result = await handle.result()
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
        await asyncio.wait([following], timeout=5)  # it ends with the history
        following.cancel()
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

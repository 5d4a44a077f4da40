"""The official Python client as a program: a line of JSON for each call or cancellation, and for each progress and outcome."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.types import ElicitResult


def write(message):
    print(json.dumps(message), flush=True)


async def accept(_context, _params):
    return ElicitResult(action="accept", content={"name": "Ann"})


async def call(client, message):
    async def on_progress(progress, _total, _message):
        write({"id": message["id"], "progress": progress})

    try:
        result = await client.call_tool(message["name"], message["args"], progress_callback=on_progress)
        write({"id": message["id"], "result": result.model_dump(by_alias=True, mode="json", exclude_none=True)})
    except asyncio.CancelledError:
        write({"id": message["id"], "error": "cancelled"})
        raise
    except Exception as error:
        write({"id": message["id"], "error": str(error)})


async def main(url, authorization, mode):
    http_client = create_mcp_http_client(headers={"Authorization": authorization})
    transport = streamable_http_client(url, http_client=http_client)
    async with Client(transport, mode=mode, elicitation_callback=accept) as client:
        calls = {}
        write({"ready": client.protocol_version})
        while line := await asyncio.to_thread(sys.stdin.readline):
            message = json.loads(line)
            if "cancel" in message:
                calls[message["cancel"]].cancel()
            else:
                calls[message["id"]] = asyncio.create_task(call(client, message))


asyncio.run(main(*sys.argv[1:4]))

/** A hub whose tool `good__echo` needs an approval, with clients that call it as a task. */
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Test } from 'tap';
import type { ApprovalRule } from '../../../src/contract/hubs/policy-api.ts';
import { eventually } from '../../eventually.ts';
import { origin } from '../../server/test-server.ts';
import { startApprovalHub } from '../approvals/approval-hub.ts';
import { createMcpHeaders, jsonHeaders, requestMeta } from '../fixtures/mcp-requests.ts';

export type JsonObject = Record<string, unknown>;
export type RpcMessage = {
  readonly result?: JsonObject & { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
};

export const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const echo = { name: 'good__echo', arguments: { text: 'hello' } };

/** Throws what the hub said instead, such as a refusal. */
function requireTaskId({ result, error }: RpcMessage, findTask: (result: JsonObject) => unknown): string {
  const { taskId } = Object(result && findTask(result));
  if (typeof taskId !== 'string') throw new Error(`no task was started: ${JSON.stringify(error ?? result)}`);
  return taskId;
}

type ApprovalHub = Awaited<ReturnType<typeof startApprovalHub>>;

/** Requests of one person with one token, in both revisions that have tasks. */
export function createTaskCaller({ api }: Pick<ApprovalHub, 'api'>, token: string) {
  const post = async (body: JsonObject, headers: Record<string, string>): Promise<RpcMessage> => {
    const init = {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    };
    const text = await (await api.fetch(new Request(`${origin}/agent/mcp`, init))).text();
    return JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? ''));
  };
  const newest = (method: string, params: JsonObject, capabilities: JsonObject = knowsTasks): Promise<RpcMessage> => {
    const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const { text } = Object(params.arguments);
    const headers = {
      ...jsonHeaders,
      ...createMcpHeaders(method, String(params.taskId ?? params.name ?? '')),
      ...(typeof text === 'string' ? { 'Mcp-Param-Text': text } : {}),
    };
    return post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers);
  };
  const older = (method: string, params: JsonObject): Promise<RpcMessage> =>
    post({ jsonrpc: '2.0', id: 1, method, params }, { ...jsonHeaders, 'MCP-Protocol-Version': '2025-11-25' });
  return {
    newest,
    older,
    /** Starts a task of 2025-11-25; returns its id. */
    async startOlder(call: JsonObject = echo, task: JsonObject = { ttl: 60_000 }): Promise<string> {
      return requireTaskId(await older('tools/call', { ...call, task }), ({ task }) => task);
    },
    async startNewest(call: JsonObject = echo): Promise<string> {
      return requireTaskId(await newest('tools/call', call), (result) => result);
    },
    /** Watches a task; returns what was received. */
    async listen(t: Pick<Test, 'teardown'>, taskId: string): Promise<() => string> {
      const _meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': knowsTasks };
      const params = { notifications: { taskIds: [taskId] }, _meta };
      const stop = new AbortController();
      t.teardown(() => stop.abort());
      const response = await api.fetch(
        new Request(`${origin}/agent/mcp`, {
          method: 'POST',
          headers: {
            ...jsonHeaders,
            ...createMcpHeaders('subscriptions/listen', ''),
            Authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params }),
          signal: stop.signal,
        }),
      );
      let received = '';
      const read = async (): Promise<void> => {
        for await (const chunk of response.body ?? []) received += Buffer.from(chunk).toString();
      };
      void read().catch(() => {});
      return () => received;
    },
    /** The status once the task has ended. One request waits for that: many would use up what a token may call in a minute. */
    async waitForEnd(taskId: string): Promise<string> {
      await older('tasks/result', { taskId });
      const { result, error } = await older('tasks/get', { taskId });
      if (!result) throw new Error(`the task cannot be read: ${error?.message}`);
      return String(result.status);
    },
  };
}

export async function startHeldTaskHub(t: Test, rule: Partial<ApprovalRule> = {}) {
  const hub = await startApprovalHub(t, rule);
  const caller = createTaskCaller(hub, hub.maxToken.token);
  // On a busy machine the first list may not arrive in time, and a call that needs it is refused.
  await eventually(async () => JSON.stringify(await caller.older('tools/list', {})).includes('"good__echo"'));
  return {
    ...hub,
    caller,
    /** The official client of 2025-11-25. */
    async connectOlder(token = hub.maxToken.token): Promise<OlderClient> {
      const client = new OlderClient({ name: 'test', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}/agent/mcp`), {
        fetch: (url, init) => hub.api.fetch(new Request(url, init)),
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
      // Its types predate exact optional members.
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      t.teardown(() => client.close());
      await client.listTools();
      return client;
    },
  };
}

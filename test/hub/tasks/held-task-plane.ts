/** On an approval plane: Max calls `good__echo` as a task, Ana approves. */
import { eventually } from '../../eventually.ts';
import type { HttpBrowser } from '../../server/oauth/oauth-control-plane.ts';

export async function send({ url }: { url: string }, bearer: string | undefined, method: string, params: object) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${bearer}`,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const text = await (await fetch(`${url}/hub/acme/mcp`, { method: 'POST', headers, body })).text();
  return Object(JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')));
}

export async function startTask(plane: { url: string }, bearer: string | undefined, text: string): Promise<string> {
  const call = { name: 'good__echo', arguments: { text }, task: {} };
  // On a busy machine the first list of tools may not arrive in time, and a call that needs it is refused.
  const { result } = await eventually(() => send(plane, bearer, 'tools/call', call), {
    until: ({ result }) => typeof Object(result?.task).taskId === 'string',
    description: 'a task is started',
  });
  return result.task.taskId;
}

export async function approveAll(browser: HttpBrowser): Promise<number> {
  const { items } = await (await browser.api('GET', '/hubs/acme/approvals')).json();
  for (const { approval } of items) {
    const { digest } = await (await browser.api('GET', `/hubs/acme/approvals/${approval}`)).json();
    await browser.api('POST', `/hubs/acme/approvals/${approval}`, { decision: 'approve', digest });
  }
  return items.length;
}

export async function waitForEnd(plane: { url: string }, bearer: string | undefined, taskId: string): Promise<string> {
  const { result } = await eventually(() => send(plane, bearer, 'tasks/get', { taskId }), {
    until: ({ result }) => result !== undefined && result.status !== 'working',
    description: 'the task ends',
  });
  return result.status;
}

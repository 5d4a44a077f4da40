/** Attacks on a hub of the product as it is shipped: whatever races with an approval, nothing is sent that nobody approved. */
import { eventually } from '../eventually.ts';
import { checkTasksOverKills, decide, listApprovals, path, startAttackedHub } from './hub-attacks.ts';
import { sandboxTest } from './sandbox.ts';
import { shareBetweenTests } from './shared-environment.ts';

const hubTest = shareBetweenTests((t, sandbox) => startAttackedHub(t, sandbox));

const approvals = [{ tools: 'c0__echo', hold_s: 30 }];
const echo = (text: string) => ({ name: 'c0__echo', arguments: { text } });

hubTest(
  'approvers who decide at once, in opposite ways: what is sent is what was used, once',
  async (t, { ana, kim, sent, setPolicy, createToken, send }) => {
    t.equal((await setPolicy({ limits: [], approvals })).status, 200);
    const { token } = await createToken();
    const taskIds = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const { result } = await send(token, 'tools/call', { ...echo(`text ${index}`), task: {} });
        return String(Object(result?.task).taskId);
      }),
    );
    const open = await listApprovals(ana);
    t.equal(open.length, 16);
    const decisions = open.flatMap(({ approval }, index) => [
      decide(ana, approval, index % 2 === 0 ? 'approve' : 'deny'),
      decide(kim, approval, index % 2 === 0 ? 'deny' : 'approve'),
      decide(kim, approval, 'approve'),
    ]);
    t.ok((await Promise.all(decisions)).every((status) => status === 200 || status === 409));
    const readAll = () =>
      Promise.all(taskIds.map(async (taskId) => (await send(token, 'tasks/get', { taskId })).result));
    await eventually(async () => (await readAll()).every((task) => task && task.status !== 'working'));
    const all = await listApprovals(ana, '?state=all');
    const used = all.filter(({ state }) => state === 'used').length;
    t.equal(all.filter(({ state }) => state === 'approved' || state === 'pending').length, 0);
    t.equal(sent.length, used, 'what was sent is what was used');
    t.equal(new Set(sent).size, sent.length, 'and each only once');
    t.equal((await readAll()).filter((task) => task?.status === 'completed').length, used);
  },
);

sandboxTest('a task that waits survives kills; one whose call was being made is not made again', async (t, sandbox) =>
  checkTasksOverKills(t, await startAttackedHub(t, sandbox)),
);

hubTest('what changes while a call is held: nothing is sent', async (t, hub) => {
  const { ana, max, sent, setPolicy, createToken, send } = hub;
  const sentBefore = sent.length;
  const changes: Record<string, (token: { readonly id: string }) => Promise<Response>> = {
    'the token is revoked': ({ id }) => max.ask('DELETE', `/api/v1/hub-tokens/${id}`),
    'the policy denies the tool': () => setPolicy({ approvals, roles: { member: { deny: ['c0__echo'] } } }),
    'the policy is saved again': () => setPolicy({ approvals }),
    'the server moves': () => ana.ask('PUT', `${path}/connections/c0`, { url: `${hub.serverUrl}?elsewhere` }),
  };
  for (const [name, change] of Object.entries(changes)) {
    t.equal((await setPolicy({ approvals })).status, 200);
    const token = await createToken();
    const stream = await openStream(hub.address, token.token);
    const held = send(token.token, 'tools/call', echo(name)).catch(() => ({ result: undefined, error: 'closed' }));
    const id = await eventually(
      async () => (await listApprovals(ana)).find(({ state }) => state === 'pending')?.approval,
    );
    t.ok((await change(token)).ok, name);
    await decide(ana, id ?? '', 'approve');
    const { result, error } = await held;
    t.ok(error !== undefined || result?.isError === true, name);
    if (name === 'the token is revoked') t.ok(await stream.ended, 'its stream ends');
    stream.close();
  }
  t.same(sent.slice(sentBefore), []);
});

hubTest('a file of a hub that is applied while somebody edits it: one of them wins, whole', async (t, { ana, kim }) => {
  for (let round = 0; round < 12; round += 1) {
    const { revision } = await (await ana.ask('GET', `${path}/policy`)).json();
    const policy = (denied: string) => ({
      document: { roles: { viewer: { deny: [`c0__${denied}`] } } },
      ...{ if_revision: revision, accept_unknown_tools: true, accept_unknown_callers: true },
    });
    const toolList = round % 2 === 0 ? 'search' : 'all';
    const changes = [
      { kind: 'change_settings', settings: { tool_list: toolList } },
      { kind: 'set_policy', policy: policy(`file_${round}`) },
    ];
    const before = await (await ana.ask('GET', path)).json();
    const [applied, edited] = await Promise.all([
      ana.ask('POST', `${path}/changes`, { changes }),
      kim.ask('PUT', `${path}/policy`, policy(`edit_${round}`)),
    ]);
    t.equal([applied, edited].filter(({ ok }) => ok).length, 1, 'one of them is refused');
    const winner = applied.ok ? 'file' : 'edit';
    const { document } = await (await ana.ask('GET', `${path}/policy`)).json();
    t.same(document.roles.viewer.deny, [`c0__${winner}_${round}`]);
    const after = await (await ana.ask('GET', path)).json();
    t.equal(after.tool_list, applied.ok ? toolList : before.tool_list, 'nothing of a refused file is left');
  }
});

/** A stream of notifications of the newest revision. */
async function openStream(url: string, token: string): Promise<{ readonly ended: Promise<boolean>; close(): void }> {
  const controller = new AbortController();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const method = 'subscriptions/listen';
  const params = { notifications: { toolsListChanged: true }, _meta };
  const response = await fetch(`${url}/agent/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: controller.signal,
  });
  const read = async (): Promise<boolean> => {
    for await (const _chunk of response.body ?? []) if (controller.signal.aborted) return false;
    return true;
  };
  const ended = read().catch(() => !controller.signal.aborted);
  return { ended, close: () => controller.abort() };
}

/** A hub on the product as it is shipped: Max calls a tool that needs an approval, Ana and Kim own the hub. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Test } from 'tap';
import { isObject, tryParseJson } from '../../src/json/json-object.ts';
import { browserAt, demanded, hubWith, ownerAt } from '../bench/hub.ts';
import { eventually } from '../eventually.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { password, readLinkSecret, type TestBrowser } from '../server/test-browser.ts';
import { listeningUrl, type Sandbox } from './sandbox.ts';

/** A list is waited for 3 s. */
const maxAttempts = 10;

export type RpcResponse = {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
};

export const path = '/api/v1/hubs/acme';

/** With `databaseUrl`, of PostgreSQL, each restart is a replica that takes over. */
export async function startAttackedHub(t: Test, sandbox: Sandbox, databaseUrl?: string, flags: readonly string[] = []) {
  /** The texts that the server got, in calls of `echo`. */
  const sent: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let onSent: () => unknown = () => {};
  const upstream = await startTestServer(
    t,
    createRawServer({
      tools: () => [createTool('echo')],
      async call({ arguments: args }) {
        sent.push(String(Object(args).text));
        await onSent();
        await gate;
        return createTextResult(String(Object(args).text));
      },
    }),
  );
  const settings = { variables: { VP_MASTER_KEY: randomBytes(32).toString('base64') }, lifetimeMs: 240_000 };
  let started = 0;
  const serve = () => {
    if (databaseUrl !== undefined) started += 1;
    const data = ['--data', join(sandbox.folder, `plane-${started}`)];
    const database = databaseUrl === undefined ? [] : ['--database', databaseUrl, '--drain-seconds', '1'];
    const line = ['serve', '--json', '--port', '0', ...data, ...database, '--allow-private-upstreams', ...flags];
    return sandbox.vp(line, settings);
  };
  let plane = serve();
  let url = await listeningUrl(plane);
  if (databaseUrl !== undefined) await plane.waitForOutput(/"event":"active"/);
  const line = plane.stdout.split('\n').find((text) => text.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const service = { readyMs: 0, memoryMb: () => undefined, stop: async () => {} };
  const ana = await ownerAt({ ...service, startInfo: { ...startInfo, url } });
  await hubWith(ana, 'acme', [upstream.url]);
  const joinHub = async (name: string, role: string): Promise<TestBrowser> => {
    const invitation = await demanded<{ url: string }>(
      await ana.ask('POST', '/api/v1/invitations', { role: 'member' }),
    );
    const browser = browserAt(url);
    const account = { name, email: `${name.toLowerCase()}@example.com`, password };
    const secret = readLinkSecret(invitation.url);
    await demanded(await browser.signIn('/api/v1/invitations/accept', { secret, ...account }));
    const { items } = await demanded<{ items: { name: string; person_id: string }[] }>(
      await ana.ask('GET', '/api/v1/people'),
    );
    const { person_id: id = '' } = items.find((person) => person.name === name) ?? {};
    await demanded(await ana.ask('PUT', `${path}/members/${id}`, { role }));
    return browser;
  };
  const [max, kim] = [await joinHub('Max', 'member'), await joinHub('Kim', 'owner')];
  const setPolicy = async (document: object, browser = ana): Promise<Response> => {
    const { revision } = await demanded<{ revision: number }>(await browser.ask('GET', `${path}/policy`));
    const names = { accept_unknown_tools: true, accept_unknown_callers: true };
    return browser.ask('PUT', `${path}/policy`, { document, if_revision: revision, ...names });
  };
  const createToken = async (): Promise<{ readonly token: string; readonly id: string }> => {
    const input = { name: 'ci', expiry: '30 days' };
    const created = await demanded<{ token: string; hub_token: { token_id: string } }>(
      await max.ask('POST', `${path}/tokens`, input),
    );
    return { token: created.token, id: created.hub_token.token_id };
  };
  const restart = async (): Promise<void> => {
    if (databaseUrl === undefined) await plane.kill();
    const next = serve();
    url = await listeningUrl(next);
    if (databaseUrl !== undefined) {
      await plane.kill();
      await next.waitForOutput(/"event":"active"/);
    }
    plane = next;
  };
  return {
    serverUrl: upstream.url,
    ...{ ana, max, kim, sent, setPolicy, createToken },
    /** Kills `vp serve` with SIGKILL and starts another one. Sessions of browsers are for the first address: sign in again. */
    restart,
    async signInAgain(name: string): Promise<TestBrowser> {
      const browser = browserAt(url);
      await demanded(await browser.signIn('/api/v1/session', { email: `${name}@example.com`, password }));
      return browser;
    },
    /** `listener` runs with each call that the server gets, which is answered once its result has settled. */
    onSent(listener: () => unknown): void {
      onSent = listener;
    },
    /** Where the data are, unless they are in PostgreSQL. */
    data: join(sandbox.folder, 'plane-0'),
    variables: settings.variables,
    /** The server answers no call until the returned function is called. */
    holdServer(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      t.teardown(resolve);
      return resolve;
    },
    /** Calls again while the hub says that the server's list is late: then nothing was requested or sent. */
    async send(token: string, method: string, params: object): Promise<RpcResponse> {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        authorization: `Bearer ${token}`,
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      for (let attempt = 1; ; attempt += 1) {
        const response = await fetch(`${url}/agent/mcp`, { method: 'POST', headers, body });
        const answer = parseAnswer(response.status, await response.text());
        const isLate = /its list did not arrive/.test(answer.error?.message ?? '');
        if (!isLate || attempt === maxAttempts) return answer;
      }
    },
    get address(): string {
      return url;
    },
  };
}

/** Of a JSON document, or of the last event of a stream. */
function parseAnswer(status: number, text: string): RpcResponse {
  const answer: unknown = tryParseJson(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? ''));
  if (!isObject(answer) || !('result' in answer || 'error' in answer))
    throw new Error(`${status} without an answer: ${JSON.stringify(text)}`);
  return answer;
}

type Approval = { readonly approval: string; readonly state: string };

export async function listApprovals(browser: TestBrowser, query = ''): Promise<readonly Approval[]> {
  const { items } = await demanded<{ items: Approval[] }>(await browser.ask('GET', `${path}/approvals${query}`));
  return items;
}

/** The status of the response. */
export async function decide(browser: TestBrowser, id: string, decision: string): Promise<number> {
  const { digest } = await demanded<{ digest: string }>(await browser.ask('GET', `${path}/approvals/${id}`));
  return (await browser.ask('POST', `${path}/approvals/${id}`, { decision, digest })).status;
}

type AttackedHub = Awaited<ReturnType<typeof startAttackedHub>>;

/** A task waits over two kills; the third kill is in the middle of its call. */
export async function checkTasksOverKills(t: Test, hub: AttackedHub): Promise<void> {
  const { sent, setPolicy, createToken, send, restart, signInAgain, holdServer } = hub;
  t.equal((await setPolicy({ approvals: [{ tools: 'c0__echo' }] })).status, 200);
  const { token } = await createToken();
  const start = async (text: string): Promise<string> => {
    const { result } = await send(token, 'tools/call', { name: 'c0__echo', arguments: { text }, task: {} });
    return String(Object(result?.task).taskId);
  };
  const status = async (taskId: string) => (await send(token, 'tasks/get', { taskId })).result?.status;
  const waiting = await start('waiting');
  await restart();
  await restart();
  const owner = await signInAgain('ana');
  t.equal(await status(waiting), 'working');
  const [first] = await listApprovals(owner);
  const release = holdServer();
  t.equal(await decide(owner, first?.approval ?? '', 'approve'), 200);
  await eventually(() => sent.length === 1);
  await restart();
  release();
  await eventually(async () => (await status(waiting)) === 'failed');
  t.match((await send(token, 'tasks/result', { taskId: waiting })).result, {
    isError: true,
    content: [{ text: /does not send it again/ }],
  });
  const again = await signInAgain('ana');
  const second = await start('waiting');
  const [request] = await listApprovals(again);
  t.not(request?.approval, first?.approval, 'the same call needs another approval');
  await decide(again, request?.approval ?? '', 'approve');
  await eventually(async () => (await status(second)) === 'completed');
  t.same(sent, ['waiting', 'waiting']);
}

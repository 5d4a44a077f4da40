/** A hub on a real control plane whose tool `good__echo` needs an approval: Max calls, Ana owns the hub and approves. */
import type { Test } from 'tap';
import type { HubApproval, HubApprovalDetails } from '../../../src/contract/hubs/approvals-api.ts';
import type { ApprovalRule, HubPolicy, HubPolicyDocument } from '../../../src/contract/hubs/policy-api.ts';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { eventually } from '../../eventually.ts';
import type { TestBrowser } from '../../server/test-browser.ts';
import { origin } from '../../server/test-server.ts';
import { createToken, readJson } from '../fixtures/hub-people.ts';
import { createMcpHeaders, jsonHeaders, requestMeta } from '../fixtures/mcp-requests.ts';
import { createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

export type CallResult = {
  readonly content?: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly _meta?: { readonly 'vp/denied'?: Readonly<Record<string, string>> };
};

export const api = '/api/v1/hubs/acme';
export const echoArguments = '{"text":"hello"}';

/** The system's clock, which a test moves forward. */
export function createMovableClock(): Clock & { move(ms: number): void } {
  let offsetMs = 0;
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + offsetMs,
    move: (ms) => {
      offsetMs += ms;
    },
  };
}

export async function startApprovalHub(t: Test, rule: Partial<ApprovalRule> = {}, era: Era = 'newest') {
  const clock = createMovableClock();
  const hub = await startTestHub(t, {}, [], clock);
  const { ana, max } = hub;
  const posted: string[] = [];
  const referenceServer = createReferenceServer(era);
  const upstream = await startTestServer(t, referenceServer.handle, 0, (_headers, body) =>
    posted.push(JSON.stringify(body)),
  );
  await ana.ask('POST', `${api}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const getPolicy = (): Promise<HubPolicy> => readJson(ana.ask('GET', `${api}/policy`));
  const setPolicy = async (document: HubPolicyDocument): Promise<void> => {
    const { revision } = await getPolicy();
    const names = { accept_unknown_tools: true, accept_unknown_callers: true };
    const response = await ana.ask('PUT', `${api}/policy`, { document, if_revision: revision, ...names });
    t.equal(response.status, 200, 'the policy is accepted');
  };
  const approvals = [{ tools: 'good__echo', hold_s: 0, ...rule }];
  await setPolicy({ approvals });
  const [maxToken, anaToken] = [await createToken(max, 'acme'), await createToken(ana, 'acme')];
  const post = (token: string, text: string, signal?: AbortSignal, path = '/agent/mcp'): Promise<Response> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const init = { method: 'POST', headers, body: text, ...(signal ? { signal } : {}) };
    return hub.api.fetch(new Request(`${origin}${path}`, init));
  };
  /** Calls a tool of the newest era with a client that shows forms; returns the text of the response. */
  const postCall = async (token: string, name: string, args: object, more: object = {}): Promise<string> => {
    const meta = { ...requestMeta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const params = { name, arguments: args, ...more, _meta: meta };
    const headers = { ...jsonHeaders, Authorization: `Bearer ${token}`, ...createMcpHeaders('tools/call', name) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return (await hub.api.fetch(new Request(`${origin}/agent/mcp`, { method: 'POST', headers, body }))).text();
  };
  const call = async (args = echoArguments, token = maxToken.token, params = ''): Promise<CallResult> => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":${args}${params}}}`;
    const answer = await (await post(token, text)).text();
    const data = answer.startsWith('{') ? answer : (answer.split('data: ').at(-1) ?? '');
    return JSON.parse(data).result;
  };
  const list = async (browser: TestBrowser = ana, query = ''): Promise<HubApproval[]> =>
    (await readJson<{ items: HubApproval[] }>(browser.ask('GET', `${api}/approvals${query}`))).items;
  const get = (id: string, browser: TestBrowser = ana): Promise<HubApprovalDetails> =>
    readJson(browser.ask('GET', `${api}/approvals/${id}`));
  const decide = async (
    id: string,
    decision: string,
    browser: TestBrowser = ana,
    more: object = {},
  ): Promise<Response> => {
    const { digest } = await get(id);
    return browser.ask('POST', `${api}/approvals/${id}`, { decision, digest, ...more });
  };
  return {
    ...hub,
    ...{
      clock,
      upstream,
      referenceServer,
      approvals,
      setPolicy,
      maxToken,
      anaToken,
      post,
      postCall,
      call,
      list,
      get,
      decide,
    },
    /** Calls that the server got. */
    sent: () => posted.filter((body) => body.includes('tools/call')),
    waitForPending: async (): Promise<string> => {
      const pending = await eventually(async () => (await list()).find(({ state }) => state === 'pending'));
      return pending?.approval ?? '';
    },
    /** Makes a call that is held, and approves it; returns the id. */
    async approveCall(args = echoArguments): Promise<string> {
      const id = getDenial(await call(args)).approval ?? '';
      const response = await decide(id, 'approve');
      t.equal(response.status, 200, 'it is approved');
      return id;
    },
    recorded: async () => (await hub.gateway.audit.search(hub.hub.hub_id, { limit: 100 })).items.reverse(),
  };
}

export function getDenial({ _meta: meta }: CallResult): Readonly<Record<string, string>> {
  return meta?.['vp/denied'] ?? {};
}

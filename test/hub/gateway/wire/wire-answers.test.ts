/**
 * The answers of hubs, byte by byte as far as clients can tell: what was recorded in `answers.jsonl` must stay. To record
 * deliberate changes, run the test with `VP_RECORD=1` and review the difference of the file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { systemClock } from '../../../../src/environment/clock.ts';
import { toWebResponse } from '../../../../src/hub/downstream/mcp-http.ts';
import { createHublessServer } from '../../../../src/hub/gateway/hubless-server.ts';
import { parseEvents } from '../../../../src/streams/event-reader.ts';
import { initialize, jsonHeaders } from '../../fixtures/mcp-requests.ts';
import { createRawServer, createTextResult, createTool } from '../../fixtures/raw-server.ts';
import { createReferenceServer } from '../../fixtures/reference-server.ts';
import { createConnection, startTestGateway } from '../../fixtures/test-gateway.ts';
import { startTestServer } from '../../fixtures/test-server.ts';
import {
  hublessRequests,
  initializeRequests,
  newestRequests,
  olderRequests,
  sessionRequests,
  unknownSessionRequests,
  type WireRequest,
  type WireRequests,
} from './wire-requests.ts';

type WireAnswer = { readonly status: number; readonly type: string | null; readonly messages: unknown };

const answersFile = new URL('answers.jsonl', import.meta.url);
const isRecording = process.env.VP_RECORD === '1';
/** A line for each answer. */
const recorded = new Map<string, WireAnswer>(
  readFileSync(answersFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line)),
);

const rawResults: Record<string, Record<string, unknown>> = {
  number: { content: [], structuredContent: 7 },
  kindless: { ...createTextResult('x'), resultType: 'new_kind' },
  asksOdd: { resultType: 'input_required', inputRequests: { a: { method: 'odd/kind', params: {} } } },
  asksNothing: { resultType: 'input_required' },
};

async function startHub(t: Test): Promise<string> {
  const reference = await startTestServer(t, createReferenceServer('newest').handle);
  const raw = await startTestServer(
    t,
    createRawServer({
      tools: () => Object.keys(rawResults).map((name) => createTool(name)),
      call: ({ name }) => rawResults[String(name)] ?? {},
    }),
  );
  const connections = [createConnection('good', reference.url), createConnection('raw', raw.url)];
  const gateway = await startTestGateway(t, connections);
  return gateway.server.url;
}

async function send(
  url: string,
  { method = 'POST', body, headers = {} }: WireRequest,
  sessionHeaders: Record<string, string> = {},
): Promise<{ readonly answer: WireAnswer; readonly sessionId: string | null }> {
  const allHeaders = new Headers({ ...(method === 'POST' ? jsonHeaders : {}), Authorization: 'Bearer ann' });
  for (const [name, value] of Object.entries({ ...sessionHeaders, ...headers })) {
    if (value === undefined) allHeaders.delete(name);
    else allHeaders.set(name, value);
  }
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: allHeaders, ...text });
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  const answer = { status: response.status, type, messages: parseMessages(type, await response.text()) };
  return { answer, sessionId: response.headers.get('mcp-session-id') };
}

function parseMessages(type: string | null, text: string): unknown {
  if (type === 'text/event-stream') return parseEvents(text).map(({ data }) => (data === '' ? '' : JSON.parse(data)));
  return text === '' ? '' : JSON.parse(text);
}

/** Members in the order of their names: it has no meaning in JSON. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

async function compare(
  t: Test,
  url: string,
  group: string,
  requests: WireRequests,
  sessionHeaders?: Record<string, string>,
): Promise<void> {
  for (const [name, request] of Object.entries(requests)) {
    const { answer } = await send(url, request, sessionHeaders);
    const key = `${group}: ${name}`;
    if (isRecording) recorded.set(key, answer);
    t.same(JSON.parse(JSON.stringify(sortMembers(answer))), sortMembers(recorded.get(key)), key);
  }
}

async function startSession(url: string, protocolVersion: string): Promise<Record<string, string>> {
  const params = { ...initialize.params, protocolVersion };
  const { sessionId } = await send(url, { body: { ...initialize, params } });
  return { 'Mcp-Session-Id': sessionId ?? '', 'MCP-Protocol-Version': protocolVersion };
}

t.test('starts of sessions are answered as recorded', async (t) => {
  await compare(t, await startHub(t), 'initialize', initializeRequests);
});

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
  t.test(`requests in a session of ${revision} are answered as recorded`, async (t) => {
    const url = await startHub(t);
    const session = await startSession(url, revision);
    const { 'tasks/get': taskRequest = {}, ...requests } = olderRequests;
    await compare(t, url, 'session', requests, session);
    // The only older revision with tasks.
    const taskGroup = revision === '2025-11-25' ? 'session of 2025-11-25' : 'session';
    await compare(t, url, taskGroup, { 'tasks/get': taskRequest }, session);
    await compare(t, url, 'end of a session', sessionRequests, session);
    await compare(t, url, 'unknown session', unknownSessionRequests, session);
  });

t.test('requests of older revisions without a session are answered as recorded', async (t) => {
  await compare(t, await startHub(t), 'without a session', olderRequests);
});

t.test('requests of the newest revision are answered as recorded', async (t) => {
  await compare(t, await startHub(t), 'newest', newestRequests);
});

t.test('the server without a hub answers as recorded', async (t) => {
  const server = createHublessServer(systemClock, '0.0.0', () => 'http://hub.example');
  t.teardown(() => server.close());
  const { url } = await startTestServer(t, async (request) => {
    const text = request.method === 'POST' ? await request.text() : '';
    return toWebResponse(await server.handle(request, text === '' ? undefined : JSON.parse(text), { hubs: undefined }));
  });
  await compare(t, url, 'hubless', hublessRequests);
});

t.teardown(() => {
  if (!isRecording) return;
  const lines = [...recorded].map((entry) => `${JSON.stringify(sortMembers(entry))}\n`);
  writeFileSync(answersFile, lines.join(''));
});

/** Arguments and results arrive as the text that was sent: numbers, the order of members, white space, escapes. */
import fc from 'fast-check';
import t from 'tap';
import { createToolCall, jsonHeaders } from '../fixtures/mcp-requests.ts';
import { createRawServer, createTool } from '../fixtures/raw-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const numbers = ['12345678901234567890', '1.0', '1e3', '-0', '0.30000000000000004', '7', '1E-7', '100.50'];
/** JSON texts that change when they are parsed and written again. */
const sentTexts = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...numbers),
    fc.string().map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', '"\\u0061\\/"', '[ ]', '{ }'),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }).map((members) => `[${members.join(' , ')}]`),
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.oneof(fc.nat(20).map(String), fc.string()), tie('value')), {
      selector: ([name]) => name,
      maxLength: 4,
    })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} :${value}`).join(',')}}`),
}));

async function startExactHub(t: Parameters<typeof startTestServer>[0]) {
  const requests: string[] = [];
  const state = { result: '' };
  const base = createRawServer({ tools: () => [createTool('echo')] });
  const upstream = await startTestServer(t, async (request) => {
    const text = await request.clone().text();
    if (!text.includes('"tools/call"')) return base(request);
    requests.push(text);
    const { id } = JSON.parse(text);
    return new Response(`{"jsonrpc":"2.0","id":${id},"result":${state.result}}`, {
      headers: { 'Content-Type': 'application/json' },
    });
  });
  const hub = await startTestGateway(t, [createConnection('raw', upstream.url)]);
  const send = async (args: string, isModern: boolean, moreMeta: object = {}): Promise<string> => {
    const [{ params, ...body }, headers] = createToolCall('raw__echo', 'mark');
    const { _meta: meta, ...rest } = Object(params);
    const message = JSON.stringify({ ...body, params: isModern ? { ...rest, _meta: { ...meta, ...moreMeta } } : rest });
    const response = await fetch(hub.server.url, {
      method: 'POST',
      headers: { ...jsonHeaders, Authorization: 'Bearer ann', ...(isModern ? headers : {}) },
      body: message.replace('"mark"', () => args),
    });
    return response.text();
  };
  return { hub, requests, state, send };
}

t.test('what a client sends and what a server answers arrive as they were written', async (t) => {
  const { requests, state, send } = await startExactHub(t);
  const run = async ({ object, value, isModern }: { object: string; value: string; isModern: boolean }) => {
    state.result = `{"structuredContent":${value},"resultType":"complete","content":[]}`;
    const answer = await send(object, isModern);
    const change = (text: string): string => JSON.stringify(JSON.parse(text));
    // A text that a serializer writes as it is may be written again.
    const arrives = (place: string | undefined, text: string): boolean =>
      place?.includes(`:${text}`) === true || place?.includes(`:${change(text)}`) === true;
    const isExact = (text: string): boolean =>
      change(text) === text.replaceAll(/ /g, '') || /[.eE-]|\d{16}|"\d/.test(text);
    if (isExact(object) && !arrives(requests.at(-1), object)) throw new Error(`sent ${object}: ${requests.at(-1)}`);
    const isWrapped = !isModern && !value.startsWith('{');
    if (!isWrapped && !arrives(answer, value)) throw new Error(`answered ${value}: ${answer}`);
  };
  await fc.assert(
    fc.asyncProperty(sentTexts.object, sentTexts.value, fc.boolean(), (object, value, isModern) =>
      run({ object, value, isModern }),
    ),
    { numRuns: 60 },
  );
  state.result = '{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":1,"10":2,"2":3.0}}';
  t.match(await send('{"b":1,"10":2,"2":3}', false), '{"b":1,"10":2,"2":3.0}');
  t.match(requests.at(-1), '"arguments":{"b":1,"10":2,"2":3}');
  const large = `{"text":"${'x'.repeat(1_100_000)}","n":12345678901234567890,"m":1.0}`;
  state.result = `{"content":[],"structuredContent":${large}}`;
  t.ok((await send(large, true)).includes(large), 'a result of more than a million characters');
  t.ok(requests.at(-1)?.includes(large), 'arguments of more than a million characters');
  state.result = '{"content":[]}';
  await send('{\n  "n": 1.0,\r\n  "1": 2\n}', true);
  t.match(requests.at(-1), '"arguments":{"n": 1.0,"1": 2}', 'without line ends');
});

t.test('where readers could disagree, the server gets what the policy has seen', async (t) => {
  const { hub, requests, state, send } = await startExactHub(t);
  const seen: unknown[] = [];
  hub.decide = ({ arguments: args }) => {
    seen.push(args);
    return { allowed: true, redact: { keep: true, hide: [] } };
  };
  state.result = '{"content":[]}';
  await send('{"path":"/public","path":"/secret","n":1.0}', true);
  t.match(seen.at(-1), { path: '/secret' });
  t.notMatch(requests.at(-1), '/public');
  await send('{"n":1.0,"a":{"\\u0070ath":"/public","path":"/secret"}}', false);
  t.notMatch(requests.at(-1), '/public');
});

t.test('a credential is hidden in a text that would be sent as it came, however it is written', async (t) => {
  const { hub, state, send } = await startExactHub(t);
  const [connection] = hub.connections;
  if (!connection) throw new TypeError('no connection');
  hub.connections[0] = { ...connection, credential: { kind: 'header', header: 'Authorization' }, revision: 2 };
  hub.emitChange();
  const escaped = [...'upstream-secret'].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  for (const secret of ['upstream-secret', escaped.join('')]) {
    state.result = `{"content":[],"structuredContent":{"10":1.0,"2":"${secret}"}}`;
    const answer = await send('{}', true);
    t.match(answer, '[hidden]');
    t.notMatch(JSON.stringify(JSON.parse(answer)), 'upstream-secret');
    t.match(answer, '1.0', 'numbers stay as they were sent');
  }
});

t.test('a client cannot have numbers rounded after the policy has seen them', async (t) => {
  const { requests, state, send } = await startExactHub(t);
  state.result = '{"content":[]}';
  await send('{"id": 9007199254740993}', true, { 'com.example/note': '[a value of vp]' });
  t.match(requests.at(-1), '"id":9007199254740993');
  t.match(requests.at(-1), '[a value of vp]');
});

/** Numbers beside arguments arrive as they were sent: in `_meta`, questions, answers, messages of the log and errors. */
import t, { type Test } from 'tap';
import { findContentRefusal } from '../../../src/hub/policy/call-rules.ts';
import { compilePolicy } from '../../../src/hub/policy/compiled-policy.ts';
import { parseExactJson } from '../../../src/json/exact-json.ts';
import { setExactValue } from '../../../src/json/exact-values.ts';
import { eventually } from '../../eventually.ts';
import { parseExact } from '../differential/wire/exact-text.ts';
import type { Revision } from '../differential/wire/script.ts';
import { startScriptedServer } from '../differential/wire/scripted-http.ts';
import { WireClient } from '../differential/wire/wire-client.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

const payload = '{"big":9007199254740993,"one":1.0,"exponent":1E5}';
const unsorted = '{"2":1E5,"big":9007199254740993,"1":true}';
const newest = '2026-07-28';

async function connect(t: Test, ofClient: Revision, ofServer: Revision): Promise<WireClient> {
  const { url } = await startScriptedServer(t, ofServer, ofServer === newest ? 'stateless' : 'sessions');
  const protocol = ofServer === newest ? 'newest' : 'older';
  const gateway = await startTestGateway(t, [createConnection('good', url, { protocol })]);
  const kind = { revision: ofClient, hasSession: ofClient !== newest, answersQuestions: true };
  const client = new WireClient(gateway.server.url, kind);
  await client.start('hub.good+note://one');
  t.teardown(() => client.close());
  // On a busy machine a first connection may take longer than the hub waits for it.
  const first = { name: 'good__alpha', arguments: { steps: [], end: 'text' } };
  const call = async (): Promise<string> => JSON.stringify(await client.request('tools/call', first));
  await eventually(async () => !(await call()).includes('cannot be reached'), { timeoutMs: 120_000 });
  return client;
}

const steps = [{ do: 'echo' }, { do: 'ask', kind: 'form' }, { do: 'ask', kind: 'sample' }];

for (const ofClient of ['2025-11-25', newest] as const)
  for (const ofServer of ['2025-11-25', newest] as const)
    t.test(`a client of ${ofClient}, a server of ${ofServer}`, async (t) => {
      const client = await connect(t, ofClient, ofServer);
      const call = async (end: unknown, sent = payload): Promise<string> => {
        const meta = {
          'example.com/exact': parseExact(payload),
          ...(ofClient === newest ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}),
        };
        const params = { name: 'good__alpha', arguments: { steps, payload: '⟦payload⟧', end }, _meta: meta };
        return JSON.stringify(await client.request('tools/call', params, { payload: sent }));
      };
      const trace = await call('text');
      const escaped = JSON.stringify(payload).slice(1, -1);
      t.match(trace, `"data":${payload}`, 'in the log');
      t.match(trace, `\\"meta\\":{\\"example.com/exact\\":${escaped}}`, 'in _meta');
      t.match(trace, '\\"amount\\":9007199254740993,\\"rate\\":1.0', 'in the answer to a form');
      t.equal(trace.split(`\\"_meta\\":{\\"example.com/answer\\":${escaped}}`).length, 3, 'in the metadata of answers');
      t.match(await call('structured', unsorted), JSON.stringify({ sent: unsorted }), 'members in their order');
      t.match(await call('refused'), `"data":{"sent":${payload}}`, 'in an error');
    });

t.test('a rule refuses a number that it would see rounded', async (t) => {
  const policy = compilePolicy({
    arguments: [
      { tools: '*', part: 'meta', schema: { properties: { limit: { maximum: 5 } } }, message: 'small limits' },
      { tools: '*', part: 'answers', schema: { properties: { amount: { maximum: 5 } } }, message: 'small amounts' },
    ],
  });
  const facts = { role: 'member', connection: 'c', tool: 't', isReadOnly: true } as const;
  const read = (text: string): Record<string, unknown> => {
    const value = JSON.parse(text);
    setExactValue(value, parseExactJson(text));
    return value;
  };
  const rounded = /which no rule can check/;
  t.match(findContentRefusal(policy, { ...facts, meta: read('{"limit":5.00000000000000001}') }), { reason: rounded });
  const answers = { q1: read('{"amount":1e-400}') };
  t.match(findContentRefusal(policy, { ...facts, answers }), { reason: rounded });
  t.equal(findContentRefusal(policy, { ...facts, meta: read('{"limit":5.0}') }), undefined);
});

/** What a client has to declare before a server may ask it. */
import t from 'tap';
import { assertAnswerable } from '../../../src/hub/downstream/required-input.ts';

function check(request: unknown, declared: Record<string, unknown>): void {
  assertAnswerable('tools/call', { inputRequests: { q: request } }, declared);
}

t.test('a form needs elicitation, and a form at a URL needs it by name', async (t) => {
  const form = { method: 'elicitation/create', params: { message: 'x' } };
  const url = { method: 'elicitation/create', params: { mode: 'url', url: 'https://x.example' } };
  for (const declared of [{ elicitation: {} }, { elicitation: { form: {} } }])
    t.doesNotThrow(() => check(form, declared));
  t.doesNotThrow(() => check(url, { elicitation: { url: {} } }));
  for (const [request, declared, missing] of [
    [form, {}, { elicitation: { form: {} } }],
    [form, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [url, { elicitation: {} }, { elicitation: { url: {} } }],
  ] as const)
    t.throws(() => check(request, declared), { code: -32021, data: { requiredCapabilities: missing } });
});

t.test('sampling with tools needs that capability', async (t) => {
  const sampling = { method: 'sampling/createMessage', params: { messages: [] } };
  t.doesNotThrow(() => check(sampling, { sampling: {} }));
  const withTools = { ...sampling, params: { messages: [], tools: [] } };
  t.throws(() => check(withTools, { sampling: {} }), {
    code: -32021,
    data: { requiredCapabilities: { sampling: { tools: {} } } },
  });
});

t.test('a kind that the protocol does not have, and nothing at all, are errors of the server', async (t) => {
  t.throws(() => check({ method: 'odd/kind' }, {}), { code: -32603 });
  t.throws(() => check(7, {}), { code: -32603 });
  t.throws(() => assertAnswerable('tools/call', {}, {}), { code: -32603 });
  t.doesNotThrow(() => assertAnswerable('tools/call', { requestState: 's' }, {}));
});

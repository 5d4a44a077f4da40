import t from 'tap';
import { filterLines, startTestExample, type TestExample } from './test-example.ts';

async function newEnvelope({ sendRequest: ask }: TestExample, recipient: string): Promise<string> {
  const sent = { subject: 'Please sign', recipient, documentId: 'document-0001' };
  const { headers } = await ask('POST', '/api/v2/envelope', { body: sent, headers: { 'X-Request-Id': 'making' } });
  return (headers.get('location') ?? '').slice('/api/v2/envelope/'.length);
}

const listSteps = (started: TestExample, requestId: string) =>
  filterLines(started.lines, requestId)
    .filter((line) => line.event === 'saga')
    .map((line) => line.sagaStep);

const send = ({ sendRequest: ask }: TestExample, id: string, requestId: string) =>
  ask('POST', `/api/v2/envelope/${id}/send`, { headers: { 'X-Request-Id': requestId } });

t.test('an envelope is created, sent and delivered, and each step is a saga event of its request', async (t) => {
  const example = await startTestExample(t);
  const id = await newEnvelope(example, 'barbara@customer.example');
  t.same(listSteps(example, 'making'), ['created']);
  const { status, body } = await send(example, id, 'sending');
  t.equal(status, 200);
  t.match(body, { id, status: 'delivered', sentAt: /Z$/, deliveredAt: /Z$/ });
  t.same((await example.sendRequest('GET', `/api/v2/envelope/${id}`)).body, body);
  t.match(filterLines(example.lines, 'sending'), [
    { level: 30, msg: 'envelope sent', event: 'saga', sagaStep: 'sent', envelopeId: id },
    { level: 30, msg: 'envelope delivered', event: 'saga', sagaStep: 'delivered', envelopeId: id },
    { level: 30, msg: 'request', status: 200 },
  ]);
});

t.test('a saga interrupted after sending is resumed', async (t) => {
  const example = await startTestExample(t);
  const { body } = await send(example, 'envelope-0002', 'again');
  t.match(body, { status: 'delivered', sentAt: '2026-01-07T11:06:00.000Z' });
  t.same(listSteps(example, 'again'), ['delivered']);
});

t.test('a refused delivery undoes the send', async (t) => {
  const example = await startTestExample(t);
  const id = await newEnvelope(example, 'nobody@BOUNCE.example');
  const { status, body } = await send(example, id, 'bounced');
  t.equal(status, 422);
  t.match(body, { error: 'recipient_refused' });
  t.match((await example.sendRequest('GET', `/api/v2/envelope/${id}`)).body, { status: 'created', sentAt: null });
  t.same(listSteps(example, 'bounced'), ['sent', 'send_undone']);
  t.match(filterLines(example.lines, 'bounced')[1], { level: 40, msg: 'envelope send undone' });
});

t.test('a delivered envelope is not sent again, and an unknown one is not found', async (t) => {
  const example = await startTestExample(t);
  t.match(await send(example, 'envelope-0001', 'twice'), {
    status: 409,
    body: { error: 'conflict', message: 'the envelope is delivered and cannot be sent' },
  });
  t.equal((await send(example, 'envelope-9', 'nothing')).status, 404);
  t.equal((await send(example, '%00', 'nul')).status, 404);
  t.same([...listSteps(example, 'twice'), ...listSteps(example, 'nothing')], []);
});

t.test('with concurrent send requests each step happens once', async (t) => {
  const example = await startTestExample(t);
  const responses = await Promise.all(Array.from({ length: 12 }, () => send(example, 'envelope-0003', 'crowd')));
  const statuses = responses.map((response) => response.status);
  t.ok(
    statuses.every((status) => status === 200 || status === 409),
    statuses.join(' '),
  );
  t.same(listSteps(example, 'crowd').toSorted(), ['delivered', 'sent']);
  t.match((await example.sendRequest('GET', '/api/v2/envelope/envelope-0003')).body, { status: 'delivered' });
});

import t from 'tap';
import { findSignatureProblem, signWebhook } from '../../src/secrets/webhook-signature.ts';

const secret = Buffer.from('a secret of the tests');
const nowMs = Date.UTC(2026, 10, 27, 8);

function read(headers: Record<string, string>, body: string) {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  return { id, timestamp, signature, body };
}

t.test('a signed message is accepted, and no other', async (t) => {
  const headers = signWebhook('msg_1', '{"a":1}', secret, nowMs);
  t.equal(findSignatureProblem(read(headers, '{"a":1}'), secret, nowMs), undefined);
  const wrong = 'the signature is wrong';
  t.equal(findSignatureProblem(read(headers, '{"a":2}'), secret, nowMs), wrong);
  t.equal(findSignatureProblem(read({ ...headers, 'webhook-id': 'msg_2' }, '{"a":1}'), secret, nowMs), wrong);
  t.equal(findSignatureProblem(read(headers, '{"a":1}'), Buffer.from('another'), nowMs), wrong);
  t.match(findSignatureProblem(read(headers, '{"a":1}'), secret, nowMs + 301_000), /within 5 minutes/);
});

t.test('a signature is the one of the Standard Webhooks specification', async (t) => {
  // The example of the specification's libraries.
  const example = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const headers = signWebhook('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', example, 1_614_265_330_000);
  t.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

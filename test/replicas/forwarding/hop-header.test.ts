import t from 'tap';
import { formatHop, type Hop, parseHop } from '../../../src/replicas/forwarding/hop-header.ts';

const key = new Uint8Array(32).fill(1);
const target = { method: 'POST', url: '/api/v1/runs?x=1' };
const hop: Hop = { from: 'a', to: 'b', sentMs: 50_000, hops: 1, remoteAddress: '192.0.2.7', localPort: 7700 };
const expected = { to: 'b', nowMs: 51_000, maxAgeMs: 8_000 };

t.test('a signed hop is read as it was written', async (t) => {
  t.same(parseHop(key, formatHop(key, hop, target), target, expected), hop);
});

t.test('a hop of another key, request or replica is ignored', async (t) => {
  const header = formatHop(key, hop, target);
  t.equal(parseHop(new Uint8Array(32).fill(2), header, target, expected), undefined);
  t.equal(parseHop(key, header, { ...target, method: 'GET' }, expected), undefined);
  t.equal(parseHop(key, header, { ...target, url: '/api/v1/people' }, expected), undefined);
  t.equal(parseHop(key, header, target, { ...expected, to: 'c' }), undefined);
});

t.test('an old hop, and one from the future, are expired', async (t) => {
  const header = formatHop(key, hop, target);
  t.equal(parseHop(key, header, target, { ...expected, nowMs: 58_001 }), 'expired');
  t.equal(parseHop(key, header, target, { ...expected, nowMs: 41_000 }), 'expired');
});

t.test('malformed headers are ignored', async (t) => {
  const header = formatHop(key, hop, target);
  const [version, content, signature] = header.split('.');
  const changed = Buffer.from(JSON.stringify({ ...hop, remoteAddress: '127.0.0.1' })).toString('base64url');
  for (const text of [
    ...['', 'v1', 'v1..', `${version}.${content}`, `v2.${content}.${signature}`, `${version}.${changed}.${signature}`],
    ...[`${version}.${content}.AAAA`, `${header}x`, ` ${header}`],
  ])
    t.equal(parseHop(key, text, target, expected), undefined, text);
  t.equal(parseHop(key, undefined, target, expected), undefined);
  t.equal(parseHop(key, [header, header], target, expected), undefined);
});

t.test('signed content of another shape is ignored', async (t) => {
  for (const value of [{ ...hop, hops: 0 }, { ...hop, extra: 1 }, { to: 'b' }])
    t.equal(parseHop(key, formatHop(key, value as Hop, target), target, expected), undefined);
});

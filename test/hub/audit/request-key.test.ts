/** Where a row stands in the index of requests. */
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { requestIds } from '../../../src/http/request-id.ts';
import { requestKey } from '../../../src/hub/audit/attested.ts';
import { aCall, openedAudit } from './opened.ts';

t.test('ids that we give stand beside each other, others anywhere, and all are whole numbers', async (t) => {
  const idOf = requestIds(systemRandom);
  const keys = Array.from({ length: 100 }, () => requestKey(idOf(undefined)));
  for (const [at, key] of keys.entries()) t.equal(key, (keys[0] ?? 0) + at);
  const [one, other] = [requestKey(idOf(undefined)), requestKey(requestIds(systemRandom)(undefined))];
  t.ok(Math.abs(one - other) > 1000, 'another process counts elsewhere');
  for (const id of ['0f8fad5b-d9cb-469f-a165-70867728950e', 'AAAAAAAA-zzzzzz', 'AAAAAAAA-0', '1', '________-zzzzzzz'])
    t.ok(Number.isSafeInteger(requestKey(id)) && requestKey(id) > 0, id);
  t.equal(requestKey(null), 0);
});

t.test('calls are found by either kind of id, and by no other of the same key', async (t) => {
  const { audit } = await openedAudit(t);
  const ids = ['AAAAAAAA-1', 'AAAAAAAA-01', 'AAAAAAAA-2', 'of-a-caller'];
  for (const requestId of ids) await audit.record(aCall({ requestId }));
  for (const [at, requestId] of ids.entries()) {
    const { items } = await audit.search('id-of-acme', { requestId, limit: 10 });
    t.match(items, [{ seq: at + 1, request_id: requestId }]);
    t.equal(items.length, 1);
  }
});

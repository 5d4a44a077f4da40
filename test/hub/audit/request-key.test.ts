/** Search keys of request ids. */
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { createRequestIds } from '../../../src/http/listener/request-head.ts';
import { toRequestKey } from '../../../src/hub/audit/attested-call.ts';
import { createEntry, openTestAudit } from './test-audit.ts';

t.test('our request ids have consecutive keys, others any key, and all are safe integers', async (t) => {
  const createRequestId = createRequestIds(systemRandom);
  const keys = Array.from({ length: 100 }, () => toRequestKey(createRequestId(undefined)));
  for (const [index, key] of keys.entries()) t.equal(key, (keys[0] ?? 0) + index);
  const [ownKey, otherKey] = [
    toRequestKey(createRequestId(undefined)),
    toRequestKey(createRequestIds(systemRandom)(undefined)),
  ];
  t.ok(Math.abs(ownKey - otherKey) > 1000, 'another process has another prefix');
  for (const id of ['0f8fad5b-d9cb-469f-a165-70867728950e', 'AAAAAAAA-zzzzzz', 'AAAAAAAA-0', '1', '________-zzzzzzz'])
    t.ok(Number.isSafeInteger(toRequestKey(id)) && toRequestKey(id) > 0, id);
  t.equal(toRequestKey(null), 0);
});

t.test('calls are found by either kind of id, and not by another id with the same key', async (t) => {
  const { audit } = await openTestAudit(t);
  const ids = ['AAAAAAAA-1', 'AAAAAAAA-01', 'AAAAAAAA-2', 'of-a-caller'];
  for (const requestId of ids) await audit.record(createEntry({ requestId }));
  for (const [index, requestId] of ids.entries()) {
    const { items } = await audit.search('id-of-acme', { requestId, limit: 10 });
    t.match(items, [{ seq: index + 1, request_id: requestId }]);
    t.equal(items.length, 1);
  }
});

/** Calls that wait for their callers are limited, so that nobody uses up the capacity. */
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { type McpResult, PendingCalls } from '../../../src/hub/gateway/pending-calls.ts';

const exchange = { signal: new AbortController().signal, onProgress: undefined, onLog: undefined };

function createPendingCalls() {
  const pendingCalls = new PendingCalls({ after: () => () => {} }, systemRandom);
  let abortedCount = 0;
  const startCall = async (personId: string, key: string): Promise<McpResult | string> => {
    const result = pendingCalls.start(
      { personId, key, argumentsDigest: '' },
      exchange,
      () => {},
      async (call) => {
        call.controller.signal.addEventListener('abort', () => {
          abortedCount += 1;
        });
        return call.askCaller({ method: 'elicitation/create', params: {} });
      },
    );
    return result.catch((error: unknown) => Object(error).message);
  };
  return { pendingCalls: pendingCalls, startCall: startCall, aborted: () => abortedCount };
}

t.test('a caller that leaves calls behind loses the oldest, and is not locked out', async (t) => {
  const { pendingCalls, startCall, aborted: abortedCount } = createPendingCalls();
  t.teardown(() => pendingCalls.close());
  for (let count = 0; count < 16; count += 1) t.match(await startCall('ann', 'tool'), { resultType: 'input_required' });
  t.equal(abortedCount(), 0);
  t.match(await startCall('ann', 'tool'), { resultType: 'input_required' });
  t.equal(abortedCount(), 1, 'the server of the oldest stops waiting');
  for (let count = 0; count < 48; count += 1)
    t.match(await startCall('ann', `tool ${count}`), { requestState: /^vph\./ });
  t.equal(abortedCount(), 1);
  t.match(await startCall('ann', 'another tool'), { requestState: /^vph\./ });
  t.match(await startCall('bob', 'tool'), { resultType: 'input_required' });
  t.equal(abortedCount(), 2, 'those of one person are limited, and others are not affected');
  pendingCalls.close();
  t.equal(abortedCount(), 67, 'all of them when it closes');
});

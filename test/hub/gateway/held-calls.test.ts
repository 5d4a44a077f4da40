/** Calls that wait for their callers take room, of which nobody gets all. */
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { HeldCalls, type HeldResult } from '../../../src/hub/gateway/held-calls.ts';

const leg = { signal: new AbortController().signal, onProgress: undefined, onLog: undefined };

function heldCalls() {
  const held = new HeldCalls({ after: () => () => {} }, systemRandom);
  let aborted = 0;
  const hold = async (personId: string, key: string): Promise<HeldResult | string> => {
    const asked = held.begin({ personId, key, argumentsDigest: '' }, leg, async (call) => {
      call.abort.signal.addEventListener('abort', () => {
        aborted += 1;
      });
      return call.ask({ method: 'elicitation/create', params: {} });
    });
    return asked.catch((error: unknown) => Object(error).message);
  };
  return { held, hold, aborted: () => aborted };
}

t.test('a person holds so many calls of a tool and so many in all, and the others still can', async (t) => {
  const { held, hold, aborted } = heldCalls();
  t.teardown(() => held.close());
  for (let count = 0; count < 16; count += 1) t.match(await hold('ann', 'tool'), { resultType: 'input_required' });
  t.match(await hold('ann', 'tool'), /too many calls wait for input/);
  t.equal(aborted(), 1, 'its server does not wait either');
  for (let count = 0; count < 48; count += 1) t.match(await hold('ann', `tool ${count}`), { requestState: /^vph\./ });
  t.match(await hold('ann', 'another tool'), /too many calls wait for input/);
  t.match(await hold('bob', 'tool'), { resultType: 'input_required' });
  held.close();
  t.equal(aborted(), 67, 'all of them, when it closes');
});

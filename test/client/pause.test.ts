import { getEventListeners } from 'node:events';
import t from 'tap';
import { pause } from '../../src/client/pause.ts';

t.test('a pause ends after its time, or at once when it is given up', async (t) => {
  const leaving = new AbortController();
  await pause(5, leaving.signal);
  t.equal(getEventListeners(leaving.signal, 'abort').length, 0, 'and leaves nothing behind');
  const long = pause(60_000, leaving.signal);
  leaving.abort();
  await long;
  await pause(60_000, leaving.signal);
});

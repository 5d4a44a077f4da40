import { getEventListeners } from 'node:events';
import t from 'tap';
import { pause } from '../../../src/client/transport/pause.ts';

t.test('a pause ends after its time, or at once when it is aborted', async (t) => {
  const controller = new AbortController();
  await pause(5, controller.signal);
  t.equal(getEventListeners(controller.signal, 'abort').length, 0, 'and leaves nothing behind');
  const longPause = pause(60_000, controller.signal);
  controller.abort();
  await longPause;
  await pause(60_000, controller.signal);
});

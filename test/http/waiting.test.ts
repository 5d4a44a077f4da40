import { getEventListeners } from 'node:events';
import t from 'tap';
import { untilGone } from '../../src/http/waiting.ts';

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

t.test('the work is given back as it is', async (t) => {
  const signal = new AbortController().signal;
  t.equal(await untilGone(signal, undefined, async () => 7), 7);
  await t.rejects(
    untilGone(signal, undefined, () => Promise.reject(new Error('of the work'))),
    /of the work/,
  );
});

t.test('the caller leaving ends the work with its own reason', async (t) => {
  const caller = new AbortController();
  const waiting = untilGone(caller.signal, new AbortController().signal, aborted);
  caller.abort(new Error('left'));
  await t.rejects(waiting, /left/);
  await t.rejects(untilGone(caller.signal, undefined, aborted), /left/, 'before the work began too');
});

t.test('the listener closing ends the work as SHUTTING_DOWN', async (t) => {
  const closing = new AbortController();
  const waiting = untilGone(new AbortController().signal, closing.signal, aborted);
  closing.abort();
  await t.rejects(waiting, { code: 'SHUTTING_DOWN' });
  await t.rejects(untilGone(new AbortController().signal, closing.signal, aborted), { code: 'SHUTTING_DOWN' });
});

t.test('nothing is left on the signals after a thousand waits', async (t) => {
  const [caller, closing] = [new AbortController().signal, new AbortController().signal];
  for (let index = 0; index < 1000; index += 1) await untilGone(caller, closing, async () => index);
  t.equal(getEventListeners(closing, 'abort').length, 0);
  t.equal(getEventListeners(caller, 'abort').length, 0);
});

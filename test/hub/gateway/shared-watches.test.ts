import t from 'tap';
import { SharedWatches } from '../../../src/hub/gateway/shared-watches.ts';

t.test('a resource is watched again once its server was told that the last watch has ended', async (t) => {
  const events: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const start = async () => {
    events.push('start');
    return async () => {
      events.push('stop');
      await stopped.promise;
      events.push('stopped');
    };
  };
  const watches = new SharedWatches();
  const stopFirst = await watches.watch('key', start);
  stopFirst();
  const second = watches.watch('key', start);
  await watches.watch('another', start);
  t.strictSame([...events].sort(), ['start', 'start', 'stop'], 'other keys do not wait');
  stopped.resolve();
  await second;
  t.strictSame(events.slice(-2), ['stopped', 'start']);
});

t.test('a watch starts although the last one could not be stopped', async (t) => {
  const watches = new SharedWatches();
  const stop = await watches.watch('key', async () => async () => {
    throw new Error('the server is away');
  });
  stop();
  await watches.watch('key', async () => async () => {});
  t.pass('it started');
});

import t from 'tap';
import { LineWatches, type TargetLogLine } from '../../../src/logs/lines/line-watches.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

/** Lines are taken as they are; `readTime` reads when one was written. */
function createWatches(readTime: (line: string) => number | undefined = () => undefined) {
  const clock = fakeClock();
  const read = (text: string): TargetLogLine => ({ text, writtenAtMs: readTime(text) });
  const lineFormat = { maxBytes: 1000, toNeedle: (text: string) => text, read };
  const watches = new LineWatches({ clock, lineFormat, getIncompleteLines: () => [Buffer.from('tr-1 unfinished')] });
  return { clock, watches, take: (text: string) => watches.take(Buffer.from(`${text}\n`)) };
}

t.test('a line has the time at which it came, also for a watch that starts later', async (t) => {
  const { clock, watches, take } = createWatches();
  const startMs = clock.monotonicMs();
  take('tr-1 first');
  clock.advance(250);
  const watch = watches.start('tr-1');
  clock.advance(50);
  take('noise\ntr-1 second');
  clock.advance(10);
  watch.stop();
  t.strictSame(watch.lines, ['tr-1 first', 'tr-1 second', 'tr-1 unfinished']);
  t.strictSame(
    watch.timesMs?.map((timeMs) => timeMs - startMs),
    [0, 300, 310],
  );
});

t.test('where a source knows when a line was written, that is its time, but never one after it came', async (t) => {
  const { clock, watches, take } = createWatches((line) => Number(/at (\d+)/.exec(line)?.[1]));
  const watch = watches.start('tr-1');
  const [startMs, startWallMs] = [clock.monotonicMs(), clock.nowMs()];
  clock.advance(100);
  take(`tr-1 at ${startWallMs + 40}`);
  take(`tr-1 at ${startWallMs + 9000}`);
  t.strictSame(
    watch.timesMs?.map((timeMs) => timeMs - startMs),
    [40, 100],
  );
});

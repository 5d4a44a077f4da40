import t from 'tap';
import { createProgress } from '../../src/terminal/progress.ts';
import { fakeClock } from '../environment/fake-clock.ts';

function createTestProgress(isTTY: boolean) {
  const clock = fakeClock();
  const written: string[] = [];
  const progress = createProgress({ write: (text) => written.push(text), isTTY, columns: 40 }, clock);
  return { clock, written, progress };
}

t.test('a wait of less than a second shows nothing', async (t) => {
  const { clock, written, progress } = createTestProgress(true);
  progress.update('queued');
  clock.advance(900);
  progress.stop();
  clock.advance(5000);
  t.same(written, []);
});

t.test('on a terminal one line is replaced, and removed at the end', async (t) => {
  const { clock, written, progress } = createTestProgress(true);
  progress.update('queued');
  clock.advance(1000);
  t.same(written, ['\r\u001b[2Kqueued (1 s)']);
  progress.update('running RT-GET-document of the signing application');
  clock.advance(200);
  t.equal(written.at(-1), '\r\u001b[2Krunning RT-GET-document of the signing…');
  clock.advance(400);
  t.equal(written.length, 2, 'the same line is not written again');
  progress.suspend(() => written.push('report\n'));
  t.same(written.slice(2), ['\r\u001b[2K', 'report\n']);
  clock.advance(200);
  progress.stop();
  t.equal(written.at(-1), '\r\u001b[2K');
});

t.test('elsewhere lines are few, plain and escaped', async (t) => {
  const { clock, written, progress } = createTestProgress(false);
  progress.update('1 of 9');
  clock.advance(29_000);
  progress.update('2 of 9');
  t.same(written, []);
  clock.advance(2000);
  progress.update('3 of \u001b[2J9');
  progress.update('4 of 9');
  progress.stop();
  t.same(written, ['3 of \\u001b[2J9\n']);
  progress.suspend(() => written.push('report'));
  t.equal(written.at(-1), 'report');
});

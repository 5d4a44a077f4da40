import t from 'tap';
import { progressOn } from '../../src/terminal/progress.ts';
import { fakeClock } from '../environment/fake-clock.ts';

function watched(isTTY: boolean) {
  const clock = fakeClock();
  const written: string[] = [];
  const progress = progressOn({ write: (text) => written.push(text), isTTY, columns: 40 }, clock);
  return { clock, written, progress };
}

t.test('a wait of less than a second tells nothing', async (t) => {
  const { clock, written, progress } = watched(true);
  progress.tell('queued');
  clock.advance(900);
  progress.end();
  clock.advance(5000);
  t.same(written, []);
});

t.test('on a terminal one line is replaced, and taken away at the end', async (t) => {
  const { clock, written, progress } = watched(true);
  progress.tell('queued');
  clock.advance(1000);
  t.same(written, ['\r\u001b[2Kqueued (1 s)']);
  progress.tell('running RT-GET-document of the signing application');
  clock.advance(200);
  t.equal(written.at(-1), '\r\u001b[2Krunning RT-GET-document of the signing…');
  clock.advance(400);
  t.equal(written.length, 2, 'the same line is not written again');
  progress.aside(() => written.push('report\n'));
  t.same(written.slice(2), ['\r\u001b[2K', 'report\n']);
  clock.advance(200);
  progress.end();
  t.equal(written.at(-1), '\r\u001b[2K');
});

t.test('elsewhere lines are few, plain and harmless', async (t) => {
  const { clock, written, progress } = watched(false);
  progress.tell('1 of 9');
  clock.advance(29_000);
  progress.tell('2 of 9');
  t.same(written, []);
  clock.advance(2000);
  progress.tell('3 of \u001b[2J9');
  progress.tell('4 of 9');
  progress.end();
  t.same(written, ['3 of \\u001b[2J9\n']);
  progress.aside(() => written.push('report'));
  t.equal(written.at(-1), 'report');
});

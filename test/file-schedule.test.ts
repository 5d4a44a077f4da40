import t from 'tap';
import { type FileCosts, FileSchedule, type ScheduleLimits } from './file-schedule.ts';

const limits: ScheduleLimits = { cores: 2, minRunning: 2, maxRunning: 6 };
const computing = { wallMs: 4000, processorMs: 4000 };
const waiting = { wallMs: 3000, processorMs: 30 };

function takeAll(schedule: FileSchedule): readonly string[] {
  const files: string[] = [];
  for (let file = schedule.take(); file !== undefined; file = schedule.take()) files.push(file);
  return files;
}

t.test('the longest file starts first, one that was never measured among those of half a second', async (t) => {
  const costs: FileCosts = { short: { wallMs: 10, processorMs: 10 }, long: computing };
  const schedule = new FileSchedule(['short', 'unknown', 'long'], costs, { ...limits, minRunning: 3 });
  t.same(takeAll(schedule), ['long', 'unknown', 'short']);
});

t.test('files that compute fill the cores, and the next starts when one of them ends', async (t) => {
  const files = ['a', 'b', 'c'];
  const schedule = new FileSchedule(files, Object.fromEntries(files.map((file) => [file, computing])), limits);
  t.same(takeAll(schedule), ['a', 'b']);
  schedule.finish('a');
  t.same(takeAll(schedule), ['c']);
});

t.test('files that wait run beside those that compute, and beside each other up to the limit', async (t) => {
  const waitingFiles = ['w1', 'w2', 'w3', 'w4', 'w5'];
  const costs: FileCosts = {
    a: computing,
    b: computing,
    c: computing,
    ...Object.fromEntries(waitingFiles.map((file) => [file, waiting])),
  };
  const schedule = new FileSchedule(['a', 'b', 'c', ...waitingFiles], costs, limits);
  t.same(takeAll(schedule), ['a', 'b', 'w1', 'w2', 'w3', 'w4']);
  schedule.finish('w1');
  t.same(takeAll(schedule), ['w5'], 'c would be a third that computes');
});

t.test('as many as the least run at once, whatever they take, and none twice', async (t) => {
  const busy = { wallMs: 1000, processorMs: 2000 };
  const schedule = new FileSchedule(['a', 'b', 'c'], { a: busy, b: busy, c: busy }, limits);
  t.same(takeAll(schedule), ['a', 'b']);
  schedule.finish('b');
  t.same(takeAll(schedule), ['c']);
  schedule.finish('a');
  schedule.finish('c');
  t.same(takeAll(schedule), []);
});

t.test('another file starts where cores are idle although the files that run should fill them', async (t) => {
  const files = ['a', 'b', 'c', 'd'];
  const schedule = new FileSchedule(files, Object.fromEntries(files.map((file) => [file, computing])), {
    ...limits,
    maxRunning: 3,
  });
  t.same(takeAll(schedule), ['a', 'b']);
  t.equal(schedule.takeForIdle(0.1), undefined, 'too little is idle');
  t.equal(schedule.takeForIdle(0.9), 'c');
  t.equal(schedule.takeForIdle(0.9), undefined, 'as many run as may');
  schedule.finish('a');
  t.equal(schedule.take(), undefined, 'b and c fill the cores');
});

t.test('nothing starts for idle cores when no file is left', async (t) => {
  const schedule = new FileSchedule(['a'], { a: waiting }, limits);
  t.same(takeAll(schedule), ['a']);
  t.equal(schedule.takeForIdle(2), undefined);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { LogSource } from '../../../src/logs/log-source.ts';
import { openFileSource } from '../../../src/logs/sources/file-source.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../log-folder.ts';

const id = 'tr-20261120T143012345-x7';

/** A followed file with one earlier line. */
async function followTestFile(t: Parameters<typeof createLogFolder>[0]): Promise<{ path: string; source: LogSource }> {
  const path = join(createLogFolder(t), 'app.log');
  writeFileSync(path, `${id} before\n`);
  const source = closeAfterTest(t, openFileSource({ path, clock: systemClock }));
  await source.ready(5000);
  return { path, source };
}

t.test('lines that contain the text are seen in order, and no earlier ones', async (t) => {
  const { path, source } = await followTestFile(t);
  t.equal(source.getProblem(), undefined);
  const watch = source.watch(id);
  appendFileSync(path, `noise\n{"reqId":"${id}","n":1}\r\nnoise\n`);
  appendFileSync(path, `{"reqId":"${id}","n":2}\n`);
  t.strictSame(await waitForLines(watch, 2), [`{"reqId":"${id}","n":1}`, `{"reqId":"${id}","n":2}`]);
  watch.stop();
  appendFileSync(path, `${id} after\n`);
  t.equal(await watch.changed(100), false);
  t.equal(watch.lines.length, 2);
});

t.test('a watch that starts late sees lines since the source was opened', async (t) => {
  const { path, source } = await followTestFile(t);
  const observer = source.watch('witness');
  appendFileSync(path, `${id} early\nwitness\n`);
  await waitForLines(observer, 1);
  t.strictSame(source.watch(id).lines, [`${id} early`]);
});

t.test('waiting ends after the timeout and when its signal aborts', async (t) => {
  const { source } = await followTestFile(t);
  const watch = source.watch(id);
  t.equal(await watch.changed(1), false);
  const closing = new AbortController();
  const waiting = watch.changed(60_000, closing.signal);
  closing.abort();
  t.equal(await waiting, false);
  t.equal(await watch.changed(60_000, closing.signal), false);
});

t.test('an incomplete last line waits for its line break, or for the end of the watch', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const observer = source.watch('witness');
  appendFileSync(path, `witness\n{"reqId":"${id}",`);
  await waitForLines(observer, 1);
  t.equal(await watch.changed(60), false, 'not yet');
  appendFileSync(path, '"n":1}\n');
  t.strictSame(await waitForLines(watch, 1), [`{"reqId":"${id}","n":1}`]);
  appendFileSync(path, `witness\n${id} last words`);
  await waitForLines(observer, 2);
  watch.stop();
  t.equal(watch.lines[1], `${id} last words`);
  watch.stop();
  t.equal(watch.lines.length, 2);
});

t.test('a JSON line of 1 MB is complete, a longer one is cut and says so', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const fullLine = JSON.stringify({ reqId: id, padding: 'ü'.repeat(500_000) });
  appendFileSync(path, `${fullLine}\n`);
  t.equal((await waitForLines(watch, 1))[0], fullLine);
  appendFileSync(path, `${id}${'x'.repeat(3_000_000)}\n${id} next\n`);
  const [, long = '', next] = await waitForLines(watch, 3);
  t.match(long.slice(-40), /x… \[cut after 1048576 bytes\]$/);
  t.equal(next, `${id} next`);
});

t.test('the file is renamed and recreated during a run: both files are read to their end', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const old = openSync(path, 'a');
  writeSync(old, `${id} one\n`);
  renameSync(path, `${path}.1`);
  writeSync(old, `${id} two\n${id} torn`);
  writeFileSync(path, `${id} three\n`);
  t.strictSame([...(await waitForLines(watch, 3))].sort(), [`${id} one`, `${id} three`, `${id} two`]);
  writeSync(old, ' and mended\n');
  closeSync(old);
  appendFileSync(path, `${id} four\n`);
  const lines = [...(await waitForLines(watch, 5))];
  t.ok(lines.includes(`${id} torn and mended`));
  t.ok(lines.includes(`${id} four`));
  t.equal(source.getProblem(), undefined);
});

t.test('the file is copied and truncated during a run', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  appendFileSync(path, `${id} one, which is rather long, so that the file shrinks\n`);
  await waitForLines(watch, 1);
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
  appendFileSync(path, `${id} two\n`);
  t.equal((await waitForLines(watch, 2))[1], `${id} two`);
});

t.test('the file is truncated and grows past its former size between two reads', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const size = statSync(path).size;
  writeFileSync(path, `${'noise\n'.repeat(size)}${id} one\n`);
  t.strictSame(await waitForLines(watch, 1), [`${id} one`]);
});

t.test('the file is truncated under a writer that continues at its old offset', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const writer = openSync(path, 'r+');
  writeSync(writer, `${'noise\n'.repeat(1000)}${id} one\n`);
  await waitForLines(watch, 1);
  truncateSync(path);
  writeSync(writer, `${id} two\n`);
  closeSync(writer);
  t.equal((await waitForLines(watch, 2))[1], `${id} two`);
});

t.test('a missing file is reported with a fix, and read from its beginning when it appears', async (t) => {
  const folder = join(createLogFolder(t), 'later');
  const path = join(folder, 'app.log');
  const source = closeAfterTest(t, openFileSource({ path, clock: systemClock }));
  t.match(source.getProblem(), { cure: /./ });
  await source.ready(300);
  t.match(source.getProblem(), { problem: `there is no log file ${path}`, cure: /--log/ }, 'LOG_FILE_MISSING');
  const watch = source.watch(id);
  mkdirSync(folder);
  writeFileSync(path, `${id} first\n`);
  t.strictSame(await waitForLines(watch, 1), [`${id} first`]);
  t.ok(await eventually(() => source.getProblem() === undefined));
});

t.test('`ready` does not wait for a file that will be read from its start', async (t) => {
  const source = closeAfterTest(t, openFileSource({ path: join(createLogFolder(t), 'later.log'), clock: fakeClock() }));
  // The clock stands still, so a wait would not end.
  await source.ready(20_000);
  t.ok(source.getProblem());
});

t.test('a file that disappeared is reported when it stays missing', async (t) => {
  const path = join(createLogFolder(t), 'app.log');
  writeFileSync(path, '');
  const clock = fakeClock();
  const source = closeAfterTest(t, openFileSource({ path, clock }));
  const step = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((done) => setTimeout(done, 50));
  };
  await step(0);
  t.equal(source.getProblem(), undefined);
  rmSync(path);
  for (let seconds = 0; seconds < 4; seconds += 1) await step(1000);
  t.equal(source.getProblem(), undefined, 'a moment of rotation');
  const problem = await eventually(async () => {
    await step(1000);
    return source.getProblem()?.problem;
  });
  t.match(problem, 'there is no log file');
});

t.test('a file that cannot be read is reported with the reason', async (t) => {
  const folder = createLogFolder(t);
  const source = closeAfterTest(t, openFileSource({ path: folder, clock: systemClock }));
  await source.ready(200);
  t.match(source.getProblem()?.problem, /cannot be read: it is a folder/, 'LOG_FILE_UNREADABLE');
  const path = join(folder, 'secret.log');
  writeFileSync(path, 'x\n');
  chmodSync(path, 0);
  const rejection = closeAfterTest(t, openFileSource({ path, clock: systemClock }));
  await rejection.ready(200);
  if (process.getuid?.() !== 0) t.match(rejection.getProblem()?.problem, /this user may not/);
});

t.test('with two concurrent writers every line is complete', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const program = `
    const { appendFileSync } = require('node:fs');
    for (let n = 0; n < 2000; n += 1) appendFileSync(${JSON.stringify(path)},
      JSON.stringify({ who: process.argv[1], reqId: n % 100 === 0 ? ${JSON.stringify(id)} : 'other', n, pad: 'x'.repeat(n) }) + '\\n');`;
  const writers = ['one', 'two'].map((writerName) => spawn(process.execPath, ['-e', program, writerName]));
  await Promise.all(writers.map((writer) => once(writer, 'close')));
  const lines = await waitForLines(watch, 40);
  t.equal(lines.length, 40);
  for (const writerName of ['one', 'two']) {
    const ownLines = lines.map((line) => JSON.parse(line)).filter((line) => line.who === writerName);
    t.strictSame(
      ownLines.map(({ n }) => n),
      Array.from({ length: 20 }, (_, index) => index * 100),
    );
  }
});

t.test('the matching line is found among 200,000 others', async (t) => {
  const { path, source } = await followTestFile(t);
  const watch = source.watch(id);
  const noise = Array.from({ length: 20_000 }, (_, n) =>
    JSON.stringify({ level: 30, reqId: `tr-20261120T1430${n}-aa`, n }),
  );
  const block = `${noise.join('\n')}\n`;
  for (let round = 0; round < 10; round += 1) {
    appendFileSync(path, block);
    if (round === 6) appendFileSync(path, `{"level":30,"reqId":"${id}"}\n`);
  }
  appendFileSync(path, `{"level":50,"reqId":"${id}"}\n`);
  t.strictSame(await waitForLines(watch, 2), [`{"level":30,"reqId":"${id}"}`, `{"level":50,"reqId":"${id}"}`]);
});

t.test('polling alone is sufficient', async (t) => {
  const folder = createLogFolder(t);
  const path = join(folder, 'app.log');
  const source = closeAfterTest(t, openFileSource({ path: join(folder, 'link.log'), clock: systemClock }));
  writeFileSync(path, '');
  const { symlinkSync } = await import('node:fs');
  mkdirSync(join(folder, 'elsewhere'));
  const real = join(folder, 'elsewhere', 'real.log');
  writeFileSync(real, '');
  symlinkSync(real, join(folder, 'link.log'));
  await source.ready(5000);
  const watch = source.watch(id);
  appendFileSync(real, `${id}\n`);
  t.strictSame(await waitForLines(watch, 1), [id]);
  t.ok(await eventually(() => source.getProblem() === undefined));
});

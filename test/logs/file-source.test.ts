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
import { systemClock } from '../../src/environment/clock.ts';
import { fileSource } from '../../src/logs/file-source.ts';
import type { LogSource } from '../../src/logs/log-source.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { closedWith, folderFor, linesOf, until } from './folder.ts';

const id = 'tr-20261120T143012345-x7';

/** A followed file with one line that was there before. */
async function followed(t: Parameters<typeof folderFor>[0]): Promise<{ path: string; source: LogSource }> {
  const path = join(folderFor(t), 'app.log');
  writeFileSync(path, `${id} before\n`);
  const source = closedWith(t, fileSource({ path, clock: systemClock }));
  await source.ready(5000);
  return { path, source };
}

t.test('lines that contain the text are seen in their order, and nothing from before', async (t) => {
  const { path, source } = await followed(t);
  t.equal(source.trouble(), undefined);
  const watch = source.watch(id);
  appendFileSync(path, `noise\n{"reqId":"${id}","n":1}\r\nnoise\n`);
  appendFileSync(path, `{"reqId":"${id}","n":2}\n`);
  t.strictSame(await linesOf(watch, 2), [`{"reqId":"${id}","n":1}`, `{"reqId":"${id}","n":2}`]);
  watch.end();
  appendFileSync(path, `${id} after\n`);
  t.equal(await watch.changed(100), false);
  t.equal(watch.lines.length, 2);
});

t.test('a watch that begins late sees what came since the source began', async (t) => {
  const { path, source } = await followed(t);
  const witness = source.watch('witness');
  appendFileSync(path, `${id} early\nwitness\n`);
  await linesOf(witness, 1);
  t.strictSame(source.watch(id).lines, [`${id} early`]);
});

t.test('waiting ends with the time, and with its signal', async (t) => {
  const { source } = await followed(t);
  const watch = source.watch(id);
  t.equal(await watch.changed(1), false);
  const leaving = new AbortController();
  const waiting = watch.changed(60_000, leaving.signal);
  leaving.abort();
  t.equal(await waiting, false);
  t.equal(await watch.changed(60_000, leaving.signal), false);
});

t.test('a torn last line waits for its line break, or for the end of the watch', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  const witness = source.watch('witness');
  appendFileSync(path, `witness\n{"reqId":"${id}",`);
  await linesOf(witness, 1);
  t.equal(await watch.changed(60), false, 'not yet');
  appendFileSync(path, '"n":1}\n');
  t.strictSame(await linesOf(watch, 1), [`{"reqId":"${id}","n":1}`]);
  appendFileSync(path, `witness\n${id} last words`);
  await linesOf(witness, 2);
  watch.end();
  t.equal(watch.lines[1], `${id} last words`);
  watch.end();
  t.equal(watch.lines.length, 2);
});

t.test('a JSON line of 1 MB is whole, a longer one is cut and says so', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  const whole = JSON.stringify({ reqId: id, padding: 'ü'.repeat(500_000) });
  appendFileSync(path, `${whole}\n`);
  t.equal((await linesOf(watch, 1))[0], whole);
  appendFileSync(path, `${id}${'x'.repeat(3_000_000)}\n${id} next\n`);
  const [, long = '', next] = await linesOf(watch, 3);
  t.match(long.slice(-40), /x… \[cut after 1048576 bytes\]$/);
  t.equal(next, `${id} next`);
});

t.test(
  'the file is renamed and made anew during a run: both ends are read, to the last word of the old one',
  async (t) => {
    const { path, source } = await followed(t);
    const watch = source.watch(id);
    const old = openSync(path, 'a');
    writeSync(old, `${id} one\n`);
    renameSync(path, `${path}.1`);
    writeSync(old, `${id} two\n${id} torn`);
    writeFileSync(path, `${id} three\n`);
    t.strictSame([...(await linesOf(watch, 3))].sort(), [`${id} one`, `${id} three`, `${id} two`]);
    writeSync(old, ' and mended\n');
    closeSync(old);
    appendFileSync(path, `${id} four\n`);
    const lines = [...(await linesOf(watch, 5))];
    t.ok(lines.includes(`${id} torn and mended`));
    t.ok(lines.includes(`${id} four`));
    t.equal(source.trouble(), undefined);
  },
);

t.test('the file is copied and emptied during a run', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  appendFileSync(path, `${id} one, which is rather long, so that the file shrinks\n`);
  await linesOf(watch, 1);
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
  appendFileSync(path, `${id} two\n`);
  t.equal((await linesOf(watch, 2))[1], `${id} two`);
});

t.test('the file is emptied and grows past its former size before anyone looks', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  const size = statSync(path).size;
  writeFileSync(path, `${'noise\n'.repeat(size)}${id} one\n`);
  t.strictSame(await linesOf(watch, 1), [`${id} one`]);
});

t.test('the file is emptied under a writer that goes on where it was', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  const writer = openSync(path, 'r+');
  writeSync(writer, `${'noise\n'.repeat(1000)}${id} one\n`);
  await linesOf(watch, 1);
  truncateSync(path);
  writeSync(writer, `${id} two\n`);
  closeSync(writer);
  t.equal((await linesOf(watch, 2))[1], `${id} two`);
});

t.test('a file that is not there yet is trouble with a cure, and read from its beginning when it comes', async (t) => {
  const folder = join(folderFor(t), 'later');
  const path = join(folder, 'app.log');
  const source = closedWith(t, fileSource({ path, clock: systemClock }));
  t.match(source.trouble(), { cure: /./ });
  await source.ready(300);
  t.match(source.trouble(), { problem: `there is no log file ${path}`, cure: /--log/ }, 'LOG_FILE_MISSING');
  const watch = source.watch(id);
  mkdirSync(folder);
  writeFileSync(path, `${id} first\n`);
  t.strictSame(await linesOf(watch, 1), [`${id} first`]);
  t.ok(await until(() => source.trouble() === undefined));
});

t.test('nobody waits for a file that will be read from its start', async (t) => {
  const source = closedWith(t, fileSource({ path: join(folderFor(t), 'later.log'), clock: systemClock }));
  const startMs = performance.now();
  await source.ready(20_000);
  t.ok(performance.now() - startMs < 10_000);
});

t.test('a file that vanished is trouble when it stays away', async (t) => {
  const path = join(folderFor(t), 'app.log');
  writeFileSync(path, '');
  const clock = fakeClock();
  const source = closedWith(t, fileSource({ path, clock }));
  const step = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((done) => setTimeout(done, 50));
  };
  await step(0);
  t.equal(source.trouble(), undefined);
  rmSync(path);
  for (let seconds = 0; seconds < 4; seconds += 1) await step(1000);
  t.equal(source.trouble(), undefined, 'a moment of rotation');
  for (let seconds = 0; seconds < 4; seconds += 1) await step(1000);
  t.match(source.trouble()?.problem, 'there is no log file');
});

t.test('what cannot be read is trouble that says why', async (t) => {
  const folder = folderFor(t);
  const source = closedWith(t, fileSource({ path: folder, clock: systemClock }));
  await source.ready(200);
  t.match(source.trouble()?.problem, /cannot be read: it is a folder/, 'LOG_FILE_UNREADABLE');
  const path = join(folder, 'secret.log');
  writeFileSync(path, 'x\n');
  chmodSync(path, 0);
  const closed = closedWith(t, fileSource({ path, clock: systemClock }));
  await closed.ready(200);
  if (process.getuid?.() !== 0) t.match(closed.trouble()?.problem, /this user may not/);
});

t.test('two programs write at the same time, and every line is whole', async (t) => {
  const { path, source } = await followed(t);
  const watch = source.watch(id);
  const program = `
    const { appendFileSync } = require('node:fs');
    for (let n = 0; n < 2000; n += 1) appendFileSync(${JSON.stringify(path)},
      JSON.stringify({ who: process.argv[1], reqId: n % 100 === 0 ? ${JSON.stringify(id)} : 'other', n, pad: 'x'.repeat(n) }) + '\\n');`;
  const writers = ['one', 'two'].map((who) => spawn(process.execPath, ['-e', program, who]));
  await Promise.all(writers.map((writer) => once(writer, 'close')));
  const lines = await linesOf(watch, 40);
  t.equal(lines.length, 40);
  for (const who of ['one', 'two']) {
    const own = lines.map((line) => JSON.parse(line)).filter((line) => line.who === who);
    t.strictSame(
      own.map(({ n }) => n),
      Array.from({ length: 20 }, (_, at) => at * 100),
    );
  }
});

t.test('the right line is found among 200,000 others', async (t) => {
  const { path, source } = await followed(t);
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
  t.strictSame(await linesOf(watch, 2), [`{"level":30,"reqId":"${id}"}`, `{"level":50,"reqId":"${id}"}`]);
});

t.test('looking by the clock alone is enough', async (t) => {
  const folder = folderFor(t);
  const path = join(folder, 'app.log');
  const source = closedWith(t, fileSource({ path: join(folder, 'link.log'), clock: systemClock }));
  writeFileSync(path, '');
  const { symlinkSync } = await import('node:fs');
  mkdirSync(join(folder, 'elsewhere'));
  const real = join(folder, 'elsewhere', 'real.log');
  writeFileSync(real, '');
  symlinkSync(real, join(folder, 'link.log'));
  await source.ready(5000);
  const watch = source.watch(id);
  appendFileSync(real, `${id}\n`);
  t.strictSame(await linesOf(watch, 1), [id]);
  t.ok(await until(() => source.trouble() === undefined));
});

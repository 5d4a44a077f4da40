import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { openStreamSource } from '../../../src/logs/sources/stream-source.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../log-folder.ts';

const id = 'tr-20261120T143012345-x7';

t.test('lines arrive in pieces of any size', async (t) => {
  createLogFolder(t);
  const stream = new PassThrough();
  const source = closeAfterTest(t, openStreamSource(stream, systemClock));
  await source.ready(1000);
  t.equal(source.getProblem(), undefined);
  const watch = source.watch(id);
  const bytes = Buffer.from(`app-1  | {"reqId":"${id}","name":"Zoë"}\r\nnoise\n`);
  for (const byte of bytes) stream.write(Buffer.of(byte));
  t.strictSame(await waitForLines(watch, 1), [`app-1  | {"reqId":"${id}","name":"Zoë"}`]);
});

t.test('at the end the last line counts, and the source reports that no more lines will arrive', async (t) => {
  createLogFolder(t);
  const stream = new PassThrough();
  const source = closeAfterTest(t, openStreamSource(stream, systemClock));
  const watch = source.watch(id);
  stream.end(`one ${id}`);
  t.strictSame(await waitForLines(watch, 1), [`one ${id}`]);
  await eventually(() => source.getProblem() !== undefined);
  t.match(
    source.getProblem(),
    { problem: /standard input has ended/, cure: /docker compose logs -f/ },
    'LOG_STREAM_ENDED',
  );
  await source.ready(1);
});

t.test('the output of a child is followed, 200,000 lines of noise and all', async (t) => {
  createLogFolder(t);
  const program = `
    let text = '';
    for (let n = 0; n < 200000; n += 1) text += 'noise ' + n + (n === 150000 ? ' ${id}' : '') + '\\n';
    process.stdout.write(text + ${JSON.stringify(id)} + ' last\\n');`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const source = closeAfterTest(t, openStreamSource(child.stdout, systemClock));
  const watch = source.watch(id);
  t.strictSame(await waitForLines(watch, 2), [`noise 150000 ${id}`, `${id} last`]);
});

t.test('closing releases the stream', async (t) => {
  const stream = new PassThrough();
  const source = openStreamSource(stream, systemClock);
  await source.close();
  t.ok(stream.destroyed);
});

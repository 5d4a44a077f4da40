import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const main = fileURLToPath(new URL('../../compose/example/main.ts', import.meta.url));

type Program = { readonly child: ChildProcess; readonly lines: string[]; readonly exitCode: Promise<number | null> };

function program(t: Test, variables: Record<string, string>, args: readonly string[] = []): Program {
  const child = spawn(process.execPath, [main, ...args], { env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const readers = [child.stdout, child.stderr].map((input) => {
    const reader = createInterface({ input });
    reader.on('line', (line) => lines.push(line));
    return new Promise((resolve) => reader.on('close', resolve));
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { child, lines, exitCode: Promise.all([exited, ...readers]).then(([code]) => code) };
}

async function readUrl({ child, lines }: Program): Promise<string> {
  for (;;) {
    const line = lines.find((line) => line.includes('"listening"'));
    if (line !== undefined) return String(JSON.parse(line).url);
    await new Promise((resolve) => child.stdout?.once('data', () => setImmediate(resolve)));
  }
}

t.test('without a token it does not start and names the variable to set', async (t) => {
  const { lines, exitCode } = program(t, {});
  t.equal(await exitCode, 2);
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 60,
    msg: 'cannot start: API_TOKEN is missing; set it to the bearer token that callers of /api/v2 must send',
  });
});

t.test('it listens, answers health checks, and exits with 0 on SIGTERM', async (t) => {
  const running = program(t, { API_TOKEN: 'a', PORT: '0' });
  const url = await readUrl(running);
  t.equal((await fetch(`${url}/api/health`)).status, 200);
  const probe = program(t, { PORT: new URL(url).port }, ['--health']);
  t.equal(await probe.exitCode, 0);
  t.same(probe.lines, []);
  running.child.kill('SIGTERM');
  t.equal(await running.exitCode, 0);
  t.match(JSON.parse(running.lines.at(-1) ?? ''), { level: 30, msg: 'stopped' });
  t.ok(
    running.lines.every((line) => JSON.parse(line).level === 30),
    'nothing but its log is printed',
  );
});

const expectRefusal = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

t.test('SIGTERM lets a request in progress finish', async (t) => {
  const running = program(t, { API_TOKEN: 'a', PORT: '0' });
  const url = await readUrl(running);
  const headers = { Authorization: 'Bearer a', Expect: '100-continue', 'Transfer-Encoding': 'chunked' };
  const sending = request(`${url}/api/v2/folder`, { method: 'POST', headers });
  sending.flushHeaders();
  // The server asks for the body, so the request is in progress.
  await once(sending, 'continue');
  running.child.kill('SIGTERM');
  while (!(await expectRefusal(url))) await new Promise((resolve) => setImmediate(resolve));
  sending.end('{"name":"late"}');
  const [response] = await once(sending, 'response');
  t.equal(response.statusCode, 201);
  response.resume();
  t.equal(await running.exitCode, 0);
});

t.test('the health check fails when nothing responds', async (t) => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const PORT = String(typeof address === 'object' && address ? address.port : 0);
  const hangsUp = program(t, { PORT }, ['--health']);
  t.equal(await hangsUp.exitCode, 1);
  await new Promise((resolve) => server.close(resolve));
  const { lines, exitCode } = program(t, { PORT }, ['--health']);
  t.equal(await exitCode, 1);
  t.match(JSON.parse(lines[0] ?? ''), { level: 50, msg: 'no answer', error: /ECONNREFUSED/ });
});

t.test('a startup error is one line, without the password', async (t) => {
  const DATABASE_URL = 'postgres://signing:hunter2@127.0.0.1:1/signing';
  const away = program(t, { API_TOKEN: 'a', PORT: '0', DATABASE_URL });
  t.equal(await away.exitCode, 1);
  t.match(away.lines, [/"level":60.*cannot start: the database does not answer: .*ECONNREFUSED/]);
  t.notMatch(away.lines.join(), 'hunter2');
  const occupied = program(t, { API_TOKEN: 'a', PORT: '0' });
  const { port } = new URL(await readUrl(occupied));
  const second = program(t, { API_TOKEN: 'a', PORT: port });
  t.equal(await second.exitCode, 1);
  t.match(second.lines.at(-1), /"level":60.*EADDRINUSE/);
  const word = program(t, { API_TOKEN: 'a' }, ['--helth']);
  t.equal(await word.exitCode, 2);
  t.match(word.lines, [/unknown argument --helth; pass none, or --health/]);
});

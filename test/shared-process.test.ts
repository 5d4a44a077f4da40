/** Files that share a process, with the real runner: each has its own result, also where one ends the process or leaves it changed. */
import { executionAsyncId } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';

type Run = { readonly code: number; readonly output: string };

/** Runs files with these texts, which share a process in the order of their names. */
async function runFiles(t: Test, name: string, texts: Readonly<Record<string, string>>): Promise<Run> {
  const folder = `.cache/test/shared-process-${name}-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(texts))
    writeFileSync(`${folder}/${file}.test.ts`, `import t from 'tap';\n${text}\n`);
  // A second attempt of a file that has failed would be one without the others.
  const { VP_TEST_FOLDER: _, TAP_TIMEOUT: __, VP_TEST_ATTEMPTS: ___, ...env } = process.env;
  return new Promise((resolve) =>
    execFile(process.execPath, ['test/run.mjs', folder], { env }, (error, stdout) => {
      const output = stdout.replaceAll(`${folder}/`, '').replaceAll(/, \d+ ms.*/g, '');
      resolve({ code: Number(error?.code ?? 0), output });
    }),
  );
}

const passing = "t.test('passes', async (t) => t.pass());";

t.test('each file has its own tests, hooks, folder and result, in one process', async (t) => {
  const text = `
    import { existsSync, writeFileSync } from 'node:fs';
    t.test('counts', async (t) => {
      globalThis[Symbol.for('count')] = (globalThis[Symbol.for('count')] ?? 0) + 1;
      t.comment('file ' + globalThis[Symbol.for('count')]);
      t.notOk(existsSync(t.testdir() + '/mark'));
      writeFileSync(t.testdir() + '/mark', '');
    });
    t.test('fails in the third', async (t) => t.not(globalThis[Symbol.for('count')], 3));`;
  const { code, output } = await runFiles(t, 'results', { a: text, b: text, c: text, d: text });
  t.equal(code, 1);
  const lines = output.split('\n');
  for (const line of ['✓ a.test.ts: 2 passed', '✓ b.test.ts: 2 passed', '✗ c.test.ts: 1 passed, 1 failed'])
    t.ok(lines.includes(line), line);
  t.ok(lines.includes('✓ d.test.ts: 2 passed'), 'the files behind it run');
  t.match(output, /failed:\n {2}c\.test\.ts: fails in the third\n7 passed, 1 failed\n$/);
});

t.test('a file that ends the process is named, and those behind it run', async (t) => {
  const crash = "t.test('ends', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); });";
  const { output } = await runFiles(t, 'crash', { a: passing, b: crash, c: passing });
  t.match(output, '✓ a.test.ts: 1 passed');
  t.match(output, '✗ b.test.ts: 0 passed, 1 failed');
  t.match(output, 'ended by signal SIGKILL');
  t.match(output, '✓ c.test.ts: 1 passed');
  t.match(output, /\n2 passed, 1 failed\n$/);
});

t.test('a file that cannot be loaded or has no test is named', async (t) => {
  const { output } = await runFiles(t, 'broken', { a: "import './missing.ts';", b: 'void t;', c: passing });
  t.match(output, '✗ a.test.ts: 0 passed, 1 failed');
  t.match(output, '✗ b.test.ts: 0 passed, 1 failed');
  t.match(output, 'no test ran');
  t.match(output, '✓ c.test.ts: 1 passed');
});

t.test('what is to happen at the end of the process does not end it before the files behind', async (t) => {
  const register = `
    import { writeFileSync } from 'node:fs';
    t.test('registers', async (t) => {
      const module = new URL('root.mjs', import.meta.url);
      writeFileSync(module, "export { default } from 'tap';");
      const { default: root } = await import(module.href);
      root.teardown(() => console.log('# all files have ended'));
      setTimeout(() => t.comment('idle'), 50);
      t.pass();
    });`;
  const { code, output } = await runFiles(t, 'end', { a: register, b: passing });
  t.match(output, /✓ a\.test\.ts: 1 passed\n✓ b\.test\.ts: 1 passed\n2 passed, 0 failed\n$/);
  t.equal(code, 0);
});

t.test('a file that leaves the process changed fails with what it changed, and those behind it run', async (t) => {
  const change = `t.test('changes', async (t) => { process['env'].VP_LEFT = '1'; t.pass(); });`;
  const replace = `t.test('replaces', async (t) => { globalThis.fetch = globalThis.document = {}; t.pass(); });`;
  const check = `t.test('sees nothing', async (t) => t.same(
    [process.env.VP_LEFT, typeof fetch, typeof document], [undefined, 'function', 'undefined']));`;
  const { output } = await runFiles(t, 'changed', { a: change, b: check });
  t.match(output, '✗ a.test.ts: 1 passed, 1 failed');
  t.match(output, 'left the process changed: the environment variable VP_LEFT');
  t.match(output, '✓ b.test.ts: 1 passed');
  const globals = await runFiles(t, 'globals', { a: replace, b: check });
  t.match(globals.output, 'left the process changed: the global document, the global fetch');
  t.match(globals.output, '✓ b.test.ts: 1 passed');
});

t.test('an error that is thrown outside of a test fails its file', async (t) => {
  const late = `t.test('throws later', async (t) => { t.pass(); setTimeout(() => { throw new Error('too late'); }, 5); });`;
  const { output } = await runFiles(t, 'late', { a: late, b: passing });
  t.match(output, '✗ a.test.ts');
  t.match(output, 'too late');
  t.match(output, '✓ b.test.ts: 1 passed');
});

t.test('an error that nothing catches fails the test that started what threw it', async (t) => {
  const cases = {
    timer: "setTimeout(() => { throw new Error('x'); }, 1);",
    tick: "process.nextTick(() => { throw new Error('x'); });",
    promise: "void Promise.reject(new Error('x'));",
    async: "void (async () => { await undefined; throw new Error('x'); })();",
    socket: "connect(1, '127.0.0.1');",
    server: `const server = createServer((socket) => { server.close(); socket.destroy(); throw new Error('x'); });
      server.listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1').on('error', () => {}));`,
    late: "resume(); setTimeout(() => { throw new Error('x'); }, 5);",
  };
  const tests = Object.entries(cases).flatMap(([name, code]) => [
    `t.test('${name}', async (t) => { await t.test('within', async (t) => {
      const { promise, resolve: resume } = Promise.withResolvers();
      ${code}
      await promise;
    }); });`,
    `t.test('beside ${name}', async (t) => { await new Promise((resolve) => setTimeout(resolve, 10)); t.pass(); });`,
  ]);
  const text = `import { connect, createServer } from 'node:net';\n${tests.join('\n')}`;
  const { output } = await runFiles(t, 'uncaught', { a: text, b: passing });
  const failed = [...output.matchAll(/^ {2}a\.test\.ts: (.*)$/gm)].map(([, name]) => name);
  t.same(failed, ['timer', 'tick', 'promise', 'async', 'socket', 'server', 'x']);
  t.match(output, '✓ b.test.ts: 1 passed');
});

t.test('tap follows no resource of Node, which would slow each promise down', async (t) => {
  await undefined;
  const id = executionAsyncId();
  await undefined;
  t.equal(executionAsyncId(), id);
});

t.test('a file that waits for what never happens is named, and those behind it run', async (t) => {
  const stuck = "t.test('waits', async () => { await new Promise(() => {}); });";
  const { output } = await runFiles(t, 'stuck', { a: passing, b: stuck, c: passing });
  t.match(output, '✓ a.test.ts: 1 passed');
  t.match(output, '✗ b.test.ts: 0 passed, ');
  t.match(output, 'nothing is left that could end its tests');
  t.match(output, '✓ c.test.ts: 1 passed');
});

t.test('what a file has started may end before the next one starts', async (t) => {
  const server = `
    import { createServer } from 'node:http';
    t.test('listens', (t) => {
      const server = createServer().listen(0, () => {
        t.end();
        setTimeout(() => server.close(() => { globalThis[Symbol.for('closed')] = true; }), 20);
      });
    });`;
  const check = `t.test('sees its end', async (t) => t.equal(globalThis[Symbol.for('closed')], true));`;
  const { output } = await runFiles(t, 'started', { a: server, b: check });
  t.match(output, /\n2 passed, 0 failed\n$/);
});

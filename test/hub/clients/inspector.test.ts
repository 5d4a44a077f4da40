/** The inspector's command line that keeps connections (`mcpdo`), unattended: questions, and a restart in the middle of a call. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const program = join(import.meta.dirname, '../../../node_modules/.bin/mcpdo');

type Outcome = { readonly code: number; readonly output: unknown; readonly text: string };

/** Runs the program with a daemon of this test, whose files are in a folder with a short name: it listens on a socket there. */
function createInspector(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdo-'));
  const env = {
    ...process.env,
    HOME: folder,
    MCP_STORAGE_DIR: folder,
    MCP_INSPECTOR_DAEMON_DIR: folder,
    MCP_INSPECTOR_SECRET_STORE: 'memory',
  };
  const run = (...args: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(program, ['--format', 'json', ...args], { env, timeout: 90_000 }, (error, stdout, stderr) => {
        const text = `${stdout}${stderr}`;
        let output: unknown;
        try {
          output = JSON.parse(stdout);
        } catch {
          output = undefined;
        }
        resolve({ code: Number(error?.code ?? 0), output, text });
      });
    });
  t.teardown(async () => {
    await run('daemon', 'stop');
    rmSync(folder, { recursive: true, force: true });
  });
  return run;
}

for (const era of ['legacy', 'auto'] as const)
  t.test(
    `era ${era}: a question in a call, and a restart in the middle of another`,
    { timeout: 400_000 },
    async (t) => {
      const server = createReferenceServer(era === 'auto' ? 'newest' : 'older');
      const upstream = await startTestServer(t, server.handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const run = createInspector(t);
      const header = 'Authorization: Bearer ann';
      const connected = await run(
        'connect',
        '@hub',
        gateway.server.url,
        '--transport',
        'http',
        '--era',
        era,
        '--header',
        header,
      );
      t.equal(connected.code, 0, connected.text);
      const pending = await run('@hub', 'tools/call', 'good__ask');
      const { elicitationId } = Object(Object(pending.output).elicitationPending);
      t.type(elicitationId, 'string');
      const answered = await run('elicitation/respond', String(elicitationId), 'name:=Ann');
      t.match(answered.text, /hello Ann/);
      const { calls } = server;
      const slow = run('@hub', 'tools/call', 'good__slow', 'ms:=20000');
      await eventually(() => server.calls > calls);
      await upstream.stop();
      t.match((await slow).text, /cannot be reached/);
      const restarted = createReferenceServer(era === 'auto' ? 'newest' : 'older');
      await startTestServer(t, restarted.handle, Number(new URL(upstream.url).port));
      const callAgain = async (): Promise<boolean> =>
        (await run('@hub', 'tools/call', 'good__echo', 'text:=again')).text.includes('again');
      t.ok(await eventually(callAgain, { timeoutMs: 180_000 }));
      t.notOk(restarted.cancelled.includes('slow'));
    },
  );

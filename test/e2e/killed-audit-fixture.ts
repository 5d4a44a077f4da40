/** A control plane with a hub whose calls are answered, killed right after an answer: calls stand in `audit.recent` alone. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Test } from 'tap';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { rawCall } from '../bench/hub-raw-call.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import type { RunningProcess } from './processes.ts';
import { listeningUrl, type Sandbox } from './sandbox.ts';

export type AuditedPlane = {
  readonly data: string;
  /** Rejects unless the call was answered, which it counts. */
  call(): Promise<void>;
  /** The calls that were answered. */
  readonly answered: number;
  serve(): Promise<RunningProcess>;
};

/** A folder, as the test reaches it, and what starts `vp` where the folder is. */
type PlanePlace = { readonly folder?: string; readonly outside?: string; readonly vp?: Sandbox['vp'] };

export function countRecentLines(data: string): number {
  const file = join(data, 'audit.recent');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** Rows of calls of the tool, read from the tables as they are. */
export function countCallRows(auditFile: string): number {
  const sqlite = new Sqlite(auditFile, { readonly: true });
  try {
    return Number(sqlite.prepare(`SELECT count(*) FROM entries WHERE body LIKE '%"tool":"echo"%'`).pluck().get());
  } finally {
    sqlite.close();
  }
}

export async function startAuditedPlane(
  t: Test,
  sandbox: Sandbox,
  { folder = sandbox.folder, outside = folder, vp = sandbox.vp.bind(sandbox) }: PlanePlace = {},
): Promise<AuditedPlane & { readonly running: RunningProcess }> {
  const data = join(folder, 'plane');
  const upstream = await startTestServer(
    t,
    createRawServer({ tools: () => [createTool('echo')], call: () => createTextResult('hello') }),
  );
  let url = '';
  const serve = async (): Promise<RunningProcess> => {
    const running = vp(['serve', '--json', '--port', '0', '--data', data, '--allow-private-upstreams']);
    url = await listeningUrl(running);
    return running;
  };
  const running = await serve();
  const line = running.stdout.split('\n').find((text) => text.includes('"setup_link_file"')) ?? '{}';
  const { setup_link_file: link }: { setup_link_file: string } = JSON.parse(line);
  const startInfo = { setup_link_file: link.replace(folder, outside), url };
  const owner = await ownerAt({ startInfo, readyMs: 0, memoryMb: () => undefined, stop: async () => {} });
  const token = await hubWith(owner, 'acme', [upstream.url]);
  let answered = 0;
  return {
    data: join(outside, 'plane'),
    running,
    serve,
    get answered() {
      return answered;
    },
    async call() {
      const text = await rawCall({ url: `${url}/agent/mcp`, name: 'c0__echo', token })();
      if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
      answered += 1;
    },
  };
}

/** Kills it right after an answer, and again, until calls stand in the file alone. Gives copies of the folder. */
export async function killRightAfterCalls(plane: AuditedPlane & { readonly running: RunningProcess }) {
  let { running } = plane;
  for (;;) {
    for (let count = 0; count < 6; count += 1) await plane.call();
    await running.kill();
    const lines = countRecentLines(plane.data);
    if (lines > 0) break;
    running = await plane.serve();
  }
  let copies = 0;
  return {
    lines: countRecentLines(plane.data),
    copy(): string {
      copies += 1;
      const folder = `${plane.data}-${copies}`;
      cpSync(plane.data, folder, { recursive: true });
      return folder;
    },
  };
}

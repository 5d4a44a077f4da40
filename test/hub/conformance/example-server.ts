/** The example server of the conformance suite as it is published, in a process of its own. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { transformSync } from 'esbuild';
import type { Test } from 'tap';

const sourceFile = join(import.meta.dirname, 'example/everything-server.ts.txt');
const sourceSha256 = '488ddabf5573078dbc4c21d980701ba05033ad83316bdbde20005228151a5205';
/** Below the project, where the program finds its packages. */
const folder = join(import.meta.dirname, '../../../.cache/conformance');

/** The server prints the port that it was given: this prints the one that it has. */
const portReporter = `
import { subscribe } from 'node:diagnostics_channel';
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => console.log('port', server.address().port));
`;

/** Returns the file of the program; throws if its source is not the published one. */
function compile(): string {
  const source = readFileSync(sourceFile, 'utf8');
  const sha256 = createHash('sha256').update(source).digest('hex');
  if (sha256 !== sourceSha256) throw new Error(`${sourceFile} is not what the suite published: ${sha256}`);
  const file = join(folder, `everything-server-${sha256.slice(0, 16)}.mjs`);
  mkdirSync(folder, { recursive: true });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, transformSync(source, { loader: 'ts', format: 'esm' }).code);
  renameSync(part, file);
  return file;
}

/** Runs as long as the test; resolves with its address. */
export async function startExampleServer(t: Pick<Test, 'teardown'>): Promise<string> {
  const reporter = `data:text/javascript,${encodeURIComponent(portReporter)}`;
  const child = spawn(process.execPath, ['--import', reporter, compile()], {
    env: { ...process.env, PORT: '0', NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.teardown(async () => {
    child.kill();
    await closed;
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-2000);
  });
  const started = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) started.resolve(Number(port));
  });
  void closed.then(() => started.reject(new Error(`the example server has ended: ${stderr}`)));
  return `http://127.0.0.1:${await started.promise}/mcp`;
}

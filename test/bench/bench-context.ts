/** Where the bench works: a folder that is thrown away, the example as target, and the ways to start `vp` there. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packedFile } from '../packed/packed.ts';
import { cleanVariables, type Program, type Service, serve } from './processes.ts';

/** Bearer token of the target. */
export const apiToken = 'bench-token';

/** The running example. */
export type Target = { readonly url: string };

/** A place to measure at. */
export type BenchContext = {
  readonly folder: string;
  /** Fewer repetitions: to see that it works, not to quote. */
  readonly quick: boolean;
  readonly productDir: string;
  readonly testDir: string;
  /** The same target for all parts, in a process of its own; started when it is first asked for. */
  target(): Promise<Target>;
  vp(...args: readonly string[]): Program;
  /** Node, as it is, with a file beside this one or other words. */
  node(...args: readonly string[]): Program;
  /** A name for a new file or folder. */
  fresh(name: string): string;
  close(): Promise<void>;
  /** Where a call takes no time: at the end of the process. */
  remove(): void;
};

const examples = resolve('compose/example');

/** The four scenarios of the example: name of the file and text. */
export function exampleScenarios(): { id: string; text: string }[] {
  const folder = join(examples, 'test/scenarios');
  return readdirSync(folder).map((name) => ({
    id: name.replace(/\.md$/, ''),
    text: readFileSync(join(folder, name), 'utf8'),
  }));
}

/** The product agent's folder, as a team would have it. */
function writeProduct(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const config = readFileSync(join(examples, 'product/platform-config.yaml'));
  writeFileSync(join(folder, 'platform-config.yaml'), config);
  writeFileSync(join(folder, '.env'), `API_TOKEN=${apiToken}\nDATABASE_PASSWORD=not-used-here\n`, { mode: 0o600 });
  return folder;
}

/** Makes the folder; nothing runs yet. */
export function openBenchContext(quick: boolean): BenchContext {
  const folder = mkdtempSync(join(tmpdir(), 'vp-bench-'));
  const env = cleanVariables(folder);
  const vp = (...args: readonly string[]): Program => ({ file: packedFile, args, env, cwd: folder });
  let target: Promise<Service> | undefined;
  let names = 0;
  const fresh = (name: string): string => {
    names += 1;
    return join(folder, `${name}-${names}`);
  };
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  return {
    folder,
    quick,
    productDir: writeProduct(join(folder, 'product')),
    testDir: join(examples, 'test'),
    vp,
    node: (...args) => ({ file: process.execPath, args, env, cwd: import.meta.dirname }),
    fresh,
    async target() {
      const program = vp('example-target');
      target ??= serve({ ...program, env: { ...env, PORT: '0', API_TOKEN: apiToken } }, fresh('target-log'));
      return { url: (await target).startInfo.url };
    },
    async close() {
      await (await target?.catch(() => undefined))?.stop();
      remove();
    },
    remove,
  };
}

/**
 * A second user of the machine, who may use the container engine: a user id without an account, and with a home of its own. Needs root,
 * and leaves nothing.
 */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutcome, TestMachine } from './test-machine.ts';

export type OtherUser = {
  readonly home: string;
  /** Runs `vp` as this user, in the home. */
  vp(args: readonly string[], variables?: Readonly<Record<string, string>>): Promise<CommandOutcome>;
  removeHome(): void;
};

/** Of nobody, on any distribution. */
const userId = 23_790;
const timeoutMs = 240_000;

/** The group that may use the engine's socket; with it as the only group, a user has no other right. */
function readEngineGroup(): number {
  return statSync('/var/run/docker.sock').gid;
}

function changeOwner(folder: string, group: number): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const path of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))])
    chownSync(path, userId, group);
}

/** The user has copies of the program and of the folders `test` and `product` of the first user. */
export function createOtherUser({ pathTo, variables }: TestMachine, program: string): OtherUser {
  if (process.getuid?.() !== 0) throw new Error('a second user can be played by root only');
  const group = readEngineGroup();
  const home = mkdtempSync(join(tmpdir(), 'vp-test-other-'));
  copyFileSync(program, join(home, 'vp'));
  chmodSync(join(home, 'vp'), 0o755);
  for (const folder of ['test', 'product'])
    cpSync(pathTo(folder), join(home, folder), {
      recursive: true,
      // What connects the first user's agents is in files of these names.
      filter: (path) => !/\/(\.mcp\.json|\.claude|vp-(test|product)-agent\.md)$/.test(path),
    });
  changeOwner(home, group);

  function vp(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> {
    const env = { PATH: variables.PATH, HOME: home, NO_COLOR: '1', ...more };
    const options = { env, cwd: home, uid: userId, gid: group, timeout: timeoutMs, maxBuffer: 64_000_000 };
    return new Promise((finished) => {
      execFile(join(home, 'vp'), [...args], options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        finished({ code, stdout, stderr });
      });
    });
  }

  return { home, vp, removeHome: () => rmSync(home, { recursive: true, force: true }) };
}

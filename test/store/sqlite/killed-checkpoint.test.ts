/** A process that is killed while its thread moves the write-ahead log to the file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { getSourceVariables, sourceOptions } from '../../source-program.ts';

const program = join(import.meta.dirname, 'audit-to-kill.ts');

/** Kills it `delayMs` after the start of its third checkpoint, and returns the rows that were committed. */
async function writeAndKill(t: Test, file: string, delayMs: number): Promise<number> {
  const child = spawn(process.execPath, [...sourceOptions, program, file], {
    env: getSourceVariables(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let rows = 0;
  let checkpoints = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^\d+$/.test(line)) rows = Number(line);
    else t.equal(line, 'checkpoint');
    if (line !== 'checkpoint') continue;
    checkpoints += 1;
    if (checkpoints === 3) void sleep(delayMs).then(() => child.kill('SIGKILL'));
  }
  t.equal((await ended)[1], 'SIGKILL');
  return rows;
}

t.test('a kill in the middle of a checkpoint loses no committed row', async (t) => {
  const file = join(t.testdir(), 'audit.db');
  for (const delayMs of [0, 2, 5, 10, 20]) {
    const rows = await writeAndKill(t, file, delayMs);
    const sqlite = new Sqlite(file);
    const count = sqlite.prepare('SELECT count(*) FROM meta WHERE length(value) = 200000').pluck();
    t.ok(rows > 100 && Number(count.get()) >= rows, `${rows} rows, killed after ${delayMs} ms`);
    t.equal(sqlite.pragma('integrity_check', { simple: true }), 'ok');
    sqlite.exec("DELETE FROM meta WHERE name LIKE 'row-%'");
    sqlite.close();
  }
});

/** `vp move`, killed at random moments in both directions: the source stays as it was, and a half-moved target is not served. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { dump, fillFolder, insertRevision, variables } from '../commands/admin/filled-folder.ts';
import { eventually } from '../eventually.ts';
import { skipWithoutPostgres } from '../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database.ts';
import { createSeededRandom } from '../storm/seeded-random.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';

const kills = 6;
const seed = Number(process.env.VP_MOVE_SEED ?? 20_261_123);

/** Enough rows that a kill comes in the middle of them. */
async function fillLargeFolder(folder: string): Promise<void> {
  await fillFolder(folder);
  const sqlite = new Sqlite(join(folder, 'control.db'));
  const text = 'x'.repeat(2_000);
  const insert = (statement: string, ...values: unknown[]): number =>
    Number(sqlite.prepare(statement).run(...values).lastInsertRowid);
  sqlite.transaction(() => {
    for (let count = 0; count < 15_000; count += 1)
      insertRevision({ insert } as unknown as Parameters<typeof insertRevision>[0], text, `more ${count}`);
  })();
  sqlite.close();
}

async function runKilled(sandbox: Sandbox, args: readonly string[], afterMs: number): Promise<number | null> {
  const running = sandbox.vp(args, { variables });
  await Promise.race([sleepFor(afterMs), running.ended]);
  return (await running.kill()).code;
}

/** A killed process leaves its locks for a moment. */
function repeat(sandbox: Sandbox, args: readonly string[]) {
  return eventually(async () => {
    const result = await sandbox.run(args, { variables });
    return /STORE_(DATABASE_)?IN_USE/.test(result.stderr) ? undefined : result;
  });
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

type DatabaseState = 'untouched' | 'marked' | 'filled';

async function readState({ query }: TestDatabase): Promise<DatabaseState> {
  const [tables] = await query("SELECT to_regclass('vp_control.revisions') IS NOT NULL AS here");
  if (!tables?.here) return 'untouched';
  if ((await query("SELECT 1 FROM vp.stores WHERE name = 'copy'")).length > 0) return 'marked';
  return (await query('SELECT 1 FROM vp_control.revisions LIMIT 1')).length > 0 ? 'filled' : 'untouched';
}

if (skipWithoutPostgres === false)
  sandboxTest(`a move to PostgreSQL that is killed leaves nothing or everything (seed ${seed})`, async (t, sandbox) => {
    const random = createSeededRandom(seed);
    const folder = join(sandbox.folder, 'plane');
    await fillLargeFolder(folder);
    const before = dump(folder);
    const first = await createTestDatabase(t);
    const move = (database: TestDatabase) => ['move', '--to', database.url, '--data', folder];
    const wholeMs = await measureMs(async () => t.equal((await sandbox.run(move(first), { variables })).code, 0));
    const states: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const database = await createTestDatabase(t);
      await runKilled(sandbox, move(database), random.integer(100, wholeMs));
      t.equal(dump(folder), before, 'the source is as it was');
      await eventually(async () => {
        const others = `SELECT 1 FROM pg_stat_activity WHERE datname = '${database.name}' AND pid <> pg_backend_pid()`;
        return (await database.query(others)).length === 0;
      });
      const state = await readState(database);
      states.push(state);
      if (state === 'marked') {
        const serve = [
          'serve',
          '--json',
          '--port',
          '0',
          '--data',
          join(sandbox.folder, `other-${round}`),
          '--database',
        ];
        const served = await sandbox.run([...serve, database.url], { variables });
        t.match(JSON.parse(served.stdout), { error: { code: 'STORE_COPY_INCOMPLETE' } });
      }
      const repeated = await repeat(sandbox, move(database));
      if (state === 'filled') t.match(repeated, { code: 2, stderr: /STORE_DATABASE_NOT_EMPTY/ });
      else t.equal(repeated.code, 0, repeated.stderr);
      const back = join(sandbox.folder, `back-${round}`);
      t.equal((await repeat(sandbox, ['move', '--from', database.url, '--data', back])).code, 0);
      t.equal(dump(back), before, 'everything is there');
    }
    t.comment(`killed within ${Math.round(wholeMs)} ms: ${states.join(', ')}`);
  });

if (skipWithoutPostgres === false)
  sandboxTest(
    `a move back into files that is killed leaves nothing or everything (seed ${seed})`,
    async (t, sandbox) => {
      const random = createSeededRandom(seed);
      const folder = join(sandbox.folder, 'plane');
      await fillLargeFolder(folder);
      const before = dump(folder);
      const database = await createTestDatabase(t);
      t.equal((await sandbox.run(['move', '--to', database.url, '--data', folder], { variables })).code, 0);
      const moveInto = (back: string) => ['move', '--from', database.url, '--data', back];
      const wholeMs = await measureMs(() => sandbox.run(moveInto(join(sandbox.folder, 'whole')), { variables }));
      const states: string[] = [];
      for (let round = 0; round < kills; round += 1) {
        const back = join(sandbox.folder, `back-${round}`);
        await runKilled(sandbox, moveInto(back), random.integer(100, wholeMs));
        const isComplete = existsSync(join(back, 'control.db'));
        const hasParts = existsSync(back) && readdirSync(back).some((name) => name.endsWith('.part'));
        states.push(isComplete ? 'complete' : hasParts ? 'parts' : 'untouched');
        if (!isComplete && hasParts) {
          const served = await sandbox.run(['serve', '--json', '--port', '0', '--data', back], { variables });
          t.match(JSON.parse(served.stdout), { error: { code: 'STORE_COPY_INCOMPLETE' } });
        }
        const repeated = await repeat(sandbox, moveInto(back));
        if (isComplete) t.match(repeated, { code: 2, stderr: /STORE_FOLDER_NOT_EMPTY/ });
        else t.equal(repeated.code, 0, repeated.stderr);
        t.equal(dump(back), before, 'everything is there');
      }
      t.comment(`killed within ${Math.round(wholeMs)} ms: ${states.join(', ')}`);
    },
  );

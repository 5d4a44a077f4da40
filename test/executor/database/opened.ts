/** A target's database for a test, closed at its end. */
import type { Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { databaseLimits } from '../../../src/executor/database/limits.ts';
import { openTargetDatabase, type TargetDatabase } from '../../../src/executor/database/target-database.ts';
import type { DatabaseTarget } from '../../../src/project/project-config.ts';
import { Secret } from '../../../src/project/secret.ts';

/** The password of `targetAt`. */
export const password = 'correct horse';

/** The section `targets.database` for a server on this machine. */
export function targetAt(port: number, over: Partial<DatabaseTarget> = {}): DatabaseTarget {
  return {
    ...{ type: 'postgres', host: '127.0.0.1', port, database: 'docs', parameters: { sslmode: 'disable' } },
    ...{ username: 'reader', password: new Secret('READER_PASSWORD', password) },
    ...over,
  };
}

/** Opens it; `limits` differ from the usual ones. */
export function opened(t: Test, target: DatabaseTarget, limits: Partial<typeof databaseLimits> = {}): TargetDatabase {
  const database = openTargetDatabase({
    target,
    clock: systemClock,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    limits: { ...databaseLimits, ...limits },
  });
  t.teardown(() => database.close());
  return database;
}

/** A query without values. */
export function sql(text: string) {
  return { sql: text, values: [] };
}

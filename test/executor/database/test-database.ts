/** A target database that is closed at the end of the test. */
import type { Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { databaseLimits } from '../../../src/executor/database/database-limits.ts';
import { openTargetDatabase, type TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { Secret } from '../../../src/project/env/secret.ts';
import type { DatabaseTarget } from '../../../src/project/project-config.ts';

/** The password of `createDatabaseTarget`. */
export const databasePassword = 'correct horse';

/** The section `targets.database` for a server on this machine. */
export function createDatabaseTarget(port: number, overrides: Partial<DatabaseTarget> = {}): DatabaseTarget {
  return {
    ...{ type: 'postgres', host: '127.0.0.1', port, database: 'docs', parameters: { sslmode: 'disable' } },
    ...{ username: 'reader', databasePassword: new Secret('READER_PASSWORD', databasePassword) },
    ...overrides,
  };
}

/** `limits` override the defaults. */
export function openTestDatabase(
  t: Test,
  target: DatabaseTarget,
  limits: Partial<typeof databaseLimits> = {},
): TargetDatabase {
  const database = openTargetDatabase({
    target,
    clock: systemClock,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    limits: { ...databaseLimits, ...limits },
  });
  t.teardown(() => database.close());
  return database;
}

export function createQuery(text: string) {
  return { sql: text, values: [] };
}

import { resources } from '../resources/resources.ts';
import type { Database, Session } from './database.ts';
import { insertRow } from './rows.ts';
import { schemaFor } from './schema.ts';

/** Any number that nothing else uses on the same database. */
const preparationLock = 3100;

async function seedOnce(session: Session, doneAt: string): Promise<boolean> {
  if ((await session.query('SELECT done_at FROM seeding')).length > 0) return false;
  await session.query('INSERT INTO seeding (done_at) VALUES ($1)', [doneAt]);
  for (const resource of resources) {
    for (const row of resource.seeds) await insertRow(session, resource, row);
  }
  return true;
}

/**
 * Creates the tables and, at the first start only, the seeds: deleted rows stay deleted. Several processes may start at once.
 * Returns true if it inserted the seeds.
 */
export async function prepareDatabase(database: Database, options: { seed: boolean; now: string }): Promise<boolean> {
  return await database.transaction(async (session) => {
    if (database.kind === 'postgres') await session.query('SELECT pg_advisory_xact_lock($1)::text', [preparationLock]);
    for (const statement of schemaFor(database.kind)) await session.query(statement);
    return options.seed ? await seedOnce(session, options.now) : false;
  });
}

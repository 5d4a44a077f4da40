import type { Context } from 'hono';
import type { ExampleEnv, Services } from '../http/context.ts';

/** `GET /api/health`: 200 when the database answers a real query, otherwise 503; the reason goes to the log only. */
export function health({ database, events }: Services) {
  return async (c: Context<ExampleEnv>) => {
    try {
      await database.query('SELECT count(*) AS "n" FROM seeding');
      return c.json({ status: 'ok', database: { status: 'ok', kind: database.kind } });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      events('error', 'the database does not answer', { error: reason, requestId: c.get('requestId') });
      return c.json({ status: 'error', database: { status: 'error', kind: database.kind } }, 503);
    }
  };
}

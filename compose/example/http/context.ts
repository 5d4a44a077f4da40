/** What the routes share. */
import type { Database } from '../storage/database.ts';
import type { EventLog, ExampleClock } from './event-log.ts';

/** Values that middleware leaves for the routes. */
export type ExampleEnv = { Variables: { requestId: string } };

/** What a route needs to work. `newId` gives a new unique text of lowercase letters, digits and hyphens. */
export type Services = {
  readonly database: Database;
  readonly events: EventLog;
  readonly clock: ExampleClock;
  readonly newId: () => string;
};

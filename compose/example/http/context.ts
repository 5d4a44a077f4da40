/** Dependencies of the routes. */
import type { Database } from '../storage/database.ts';
import type { EventLog, ExampleClock } from './event-log.ts';

/** Values that middleware sets for the routes. */
export type ExampleEnv = { Variables: { requestId: string } };

/** `newId` returns a new unique id of lowercase letters, digits and hyphens. */
export type Services = {
  readonly database: Database;
  readonly events: EventLog;
  readonly clock: ExampleClock;
  readonly newId: () => string;
};

/** The position of the journal, as it is stored with every change. */
import { type InstanceRunTotals, JournalPosition } from '../../contract/executor-api.ts';
import { createValidator } from '../../http/schema/validator.ts';
import { readOutboxMeta } from '../../store/outbox/outbox-store.ts';
import type { Sql } from '../../store/sql.ts';

export const firstPosition: JournalPosition = { seq: 0, registered_at_ms: 0, epoch: 0, fence: 0, finished_runs: 0 };
const positionValidator = createValidator<JournalPosition>(JournalPosition);

/** That of a new store, also for a store of 0.4.0. */
function parsePosition(text: string | undefined): JournalPosition {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return positionValidator.isValid(value) ? value : firstPosition;
}

/** Every change reads what the one before has written, which is then parsed already. */
export function createPositionReader() {
  let last: { readonly text: string; readonly position: JournalPosition } | undefined;
  return {
    read(sql: Sql): JournalPosition {
      const text = readOutboxMeta(sql, 'position');
      return text !== undefined && text === last?.text ? last.position : parsePosition(text);
    },
    format(position: JournalPosition): string {
      const text = JSON.stringify(position);
      last = { text, position };
      return text;
    },
  };
}

export function countFinished(totals: InstanceRunTotals | undefined): number {
  return totals ? totals.passed + totals.failed + totals.not_judged + totals.cancelled : 0;
}

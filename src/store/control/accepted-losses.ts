/** What the stores of a control plane have lost, as an operator accepted it. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const AcceptedLossShape = Type.Object({
  at_ms: Type.Integer(),
  store: Type.String(),
  problem: Type.String(),
});
export type AcceptedLoss = Static<typeof AcceptedLossShape>;

const losses = Type.Array(AcceptedLossShape);
const reader = createRowReader(Type.Object({ value: Type.String() }));

/** Oldest first. */
export function listAcceptedLosses(sql: Sql): AcceptedLoss[] {
  const row = reader.first(sql, "SELECT value FROM meta WHERE name = 'accepted_losses'");
  return row ? Value.Decode(losses, JSON.parse(row.value)) : [];
}

export function saveAcceptedLosses(sql: Sql, added: readonly AcceptedLoss[]): void {
  const text = JSON.stringify([...listAcceptedLosses(sql), ...added]);
  const statement =
    "INSERT INTO meta VALUES ('accepted_losses', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  sql.execute(statement, text);
}

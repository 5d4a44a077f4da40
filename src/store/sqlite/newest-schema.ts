/**
 * The schema of a store's newest version, with which a new store begins: SQLite compares the whole schema at each column that a step
 * adds, so that the control plane's 38 steps take 20 ms of processor time, and what they come to 5 (measured).
 */
import { createHash } from 'node:crypto';
import type { Migration, StoreKind } from '../database.ts';

export function hashSteps(steps: readonly Migration[]): string {
  return createHash('sha256').update(steps.join('\0')).digest('hex');
}

/** The SQL of a new store: the steps, where the schema was generated from others or is not there. */
export function listNewStoreStatements({ migrations, newestSchema }: StoreKind): readonly string[] {
  const isNewest = newestSchema !== undefined && newestSchema.stepsSha256 === hashSteps(migrations);
  return isNewest ? newestSchema.statements : migrations;
}

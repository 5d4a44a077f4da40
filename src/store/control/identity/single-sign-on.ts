/** Links between accounts of external providers (issuer and subject) and people. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const LinkShape = Type.Object({
  /** Null when the person's account was removed: this provider account is barred. */
  person_id: Type.Union([Type.String(), Type.Null()]),
});
const linkReader = createRowReader(LinkShape);

export type ProviderAccount = { readonly issuer: string; readonly subject: string };

/** Undefined when this account has never signed in here. */
export function findSingleSignOnLink(
  sql: Sql,
  { issuer, subject }: ProviderAccount,
): Static<typeof LinkShape> | undefined {
  return linkReader.first(
    sql,
    'SELECT person_id FROM single_sign_on WHERE issuer = ? AND subject = ?',
    issuer,
    subject,
  );
}

/** Links a provider account to a person, also one that was barred. */
export function saveSingleSignOnLink(
  sql: Sql,
  { issuer, subject }: ProviderAccount,
  personId: string,
  nowMs: number,
): void {
  sql.execute(
    `INSERT INTO single_sign_on (issuer, subject, person_id, linked_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (issuer, subject) DO UPDATE SET person_id = excluded.person_id, linked_at_ms = excluded.linked_at_ms`,
    issuer,
    subject,
    personId,
    nowMs,
  );
}

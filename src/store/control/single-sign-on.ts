/** Accounts of outside providers (issuer and subject), and the people they stand for. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const LinkShape = Type.Object({
  /** Null for one whose account here was removed. */
  person_id: Type.Union([Type.String(), Type.Null()]),
});
const links = rowReader(LinkShape);

/** An account of a provider. */
export type OutsideAccount = { readonly issuer: string; readonly subject: string };

/** Whom it stands for; undefined when it never came here. */
export function findSingleSignOn(sql: Sql, { issuer, subject }: OutsideAccount): Static<typeof LinkShape> | undefined {
  return links.one(
    sql.prepare('SELECT person_id FROM single_sign_on WHERE issuer = ? AND subject = ?'),
    issuer,
    subject,
  );
}

/** Ties it to a person, also one that was barred. */
export function keepSingleSignOn(sql: Sql, { issuer, subject }: OutsideAccount, personId: string, nowMs: number): void {
  sql
    .prepare(
      `INSERT INTO single_sign_on (issuer, subject, person_id, linked_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (issuer, subject) DO UPDATE SET person_id = excluded.person_id, linked_at_ms = excluded.linked_at_ms`,
    )
    .run(issuer, subject, personId, nowMs);
}

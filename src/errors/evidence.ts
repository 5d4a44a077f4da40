/** Unavailable evidence of the log and the database; it becomes part of the report and is never thrown. */
import { unready, warning } from './row.ts';

/** Area: evidence. */
export const evidenceErrors = {
  EVIDENCE_LOG_ABSENT: unready(
    'no log of the target is read here',
    'start the executor with --log: a file, `-` for standard input, or `unix:<socket>` of a log reader',
  ),
  EVIDENCE_DATABASE_ABSENT: unready(
    'the config names no database',
    'add `targets.database` with a read-only user to platform-config.yaml, then start the executor again',
  ),
  EVIDENCE_QUERIES_SLOW: unready(
    'the queries of VERIFY took longer in total than the scenario’s TIMEOUT of {{seconds}} s, and this one had no result by then',
    'add a database index for their conditions, query less data, or raise TIMEOUT',
  ),
  EVIDENCE_DATABASE_WRITABLE: warning(
    'the database user {{user}} has permission to write: {{tables}}',
    'give it SELECT only: `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public FROM {{user}}`',
  ),
  EVIDENCE_DATABASE_POWERFUL: warning(
    'the database user {{user}} may do more than read: {{privileges}}',
    'create a separate read-only user: `CREATE ROLE … LOGIN`, then `GRANT SELECT ON ALL TABLES IN SCHEMA public`',
  ),
  EVIDENCE_DATABASE_UNREADABLE: warning(
    'the database user {{user}} cannot read: {{tables}}',
    'run `GRANT SELECT ON ALL TABLES IN SCHEMA public TO {{user}}` as the owner of the tables',
  ),
} as const;

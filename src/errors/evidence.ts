/** Unavailable evidence of the log and the database; it becomes part of the report and is never thrown. */
import { notReady, warning } from './row.ts';

export const evidenceErrors = {
  EVIDENCE_LOG_ABSENT: notReady(
    'no log of the target is read here',
    'name the log with --log, which `vp run --local` and `vp executor` have: a file, `-` for standard input, or `unix:<socket>` of a log reader',
  ),
  EVIDENCE_DATABASE_ABSENT: notReady(
    'the config names no database',
    'add `targets.database` with a read-only user to platform-config.yaml, which is read when a local run or the executor starts',
  ),
  EVIDENCE_QUERIES_SLOW: notReady(
    'the queries of VERIFY took longer in total than the scenario’s TIMEOUT of {{seconds}} s, and this one had no result by then',
    'add a database index for their conditions, query less data, or raise TIMEOUT',
  ),
  EVIDENCE_VERSION_UNREAD: warning(
    'the version of the target could not be read: {{problem}}',
    'let the target name it there, or correct `observability.version` in platform-config.yaml',
  ),
  EVIDENCE_LOG_SILENT: notReady(
    'no line at all has come from the log since it is read here, so nothing shows that it is the log of the target',
    'check that the running target writes the log that `--log` names, with a scenario whose request is logged',
  ),
  EVIDENCE_ERRORS_UNDEFINED: notReady(
    'the config does not say which lines are errors: {{members}} missing',
    'add below `observability.logstore` in platform-config.yaml, with the values of this log: {{example}}',
  ),
  EVIDENCE_SAGA_UNDEFINED: notReady(
    'the config does not say which lines are saga events: {{members}} missing',
    'add below `observability.logstore` in platform-config.yaml, with the values of this log: {{example}}',
  ),
  EVIDENCE_LINE_NOT_JSON: notReady(
    'there is no JSON object in {{lines}}, as in `{{example}}`',
    'let the target write its lines as JSON objects, or name the services that do in `observability.logstore.services`; ' +
      '`log lines` works without JSON',
  ),
  EVIDENCE_LEVEL_ABSENT: notReady(
    'the field `{{field}}` (`observability.logstore.level_field`) is missing in {{lines}}',
    'set `observability.logstore.level_field` to the field that holds the level{{seen}}, and let each line of a request have it',
  ),
  EVIDENCE_LEVEL_UNMATCHED: notReady(
    'the level is written like `{{level}}` in {{lines}}, and `observability.logstore.error_match` matches no error written that way',
    'set `observability.logstore.error_match` to the error levels of this log as it writes them, such as `{{example}}`',
  ),
  EVIDENCE_RESPONSE_SURPLUS: warning(
    'the target sent at least {{bytes}} bytes behind the end of its response, which were not judged',
    'correct its Content-Length, which counts bytes and not characters, and send no body with 204, 304 or to HEAD',
  ),
  EVIDENCE_FIELD_UNSEEN: warning(
    '`observability.logstore.{{member}}` is `{{field}}`, and no line of the run {{missing}}',
    'set it to the field that the target writes{{instead}}',
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
  EVIDENCE_DATABASE_HIDDEN: warning(
    'row-level security may hide rows from the database user {{user}}, so queries of these tables cannot be judged: {{tables}}',
    'as the owner run `{{policy}}` for each of them',
  ),
} as const;

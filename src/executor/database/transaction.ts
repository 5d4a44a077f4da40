/** What every query runs in. */
import type { Connection } from './connection.ts';
import type { DatabaseLimits } from './limits.ts';

/**
 * Begins a transaction that cannot write and whose times are bounded by the server. The settings end with it, so that a
 * pooler between us and the server does no harm. Texts of values are fixed: ISO dates, UTC, bytea in hex.
 */
export async function begin({ client }: Connection, limits: DatabaseLimits): Promise<void> {
  const settings: Readonly<Record<string, string | number>> = {
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    idle_in_transaction_session_timeout: limits.statementTimeoutMs * 2,
    search_path: 'public',
    standard_conforming_strings: 'on',
    client_encoding: "'UTF8'",
    datestyle: "'ISO, YMD'",
    intervalstyle: "'postgres'",
    timezone: "'UTC'",
    bytea_output: "'hex'",
    extra_float_digits: 1,
  };
  const set = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  await client.query(['BEGIN READ ONLY', ...set].join('; '));
}

/** Ends it; nothing was written. */
export async function rollBack({ client }: Connection): Promise<void> {
  await client.query('ROLLBACK');
}

/** Limits on what a query may cost the database and the executor. */
export type DatabaseLimits = {
  readonly connectTimeoutMs: number;
  /** Set on the server as `statement_timeout`. */
  readonly statementTimeoutMs: number;
  /** Additional time before the connection is closed. */
  readonly graceMs: number;
  readonly lockTimeoutMs: number;
  /** Bytes of the protocol that the server may send for one query. */
  readonly responseBytes: number;
  /** Rows read when the caller specifies no number. */
  readonly maxRows: number;
  /** Queries that may wait for the current one. */
  readonly maxWaiting: number;
};

export const databaseLimits: DatabaseLimits = {
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  graceMs: 3_000,
  lockTimeoutMs: 2_000,
  responseBytes: 10 * 1024 * 1024,
  maxRows: 1_000,
  maxWaiting: 16,
};

/** Bounds of what a query may cost the database and the executor. */
export type DatabaseLimits = {
  readonly connectTimeoutMs: number;
  /** Told to the server. */
  readonly statementTimeoutMs: number;
  /** How much longer the server gets before the connection is closed. */
  readonly graceMs: number;
  readonly lockTimeoutMs: number;
  /** What the server may send for one query, in bytes of the protocol. */
  readonly answerBytes: number;
  /** Rows, where the caller names no number. */
  readonly maxRows: number;
  /** Queries that may wait for the one that runs. */
  readonly waiting: number;
};

/** The bounds in use. */
export const databaseLimits: DatabaseLimits = {
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  graceMs: 3_000,
  lockTimeoutMs: 2_000,
  answerBytes: 10 * 1024 * 1024,
  maxRows: 1_000,
  waiting: 16,
};

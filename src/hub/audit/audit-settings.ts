export type AuditSettings = {
  /** How often committed rows are made safe against a power cut. */
  readonly syncIntervalMs: number;
  /** If true, a response waits until its row is safe against a power cut. */
  readonly strict: boolean;
  /** If true, a row `started` is written before a call is sent. */
  readonly intents: boolean;
  /** Older rows are deleted. */
  readonly maxAgeMs: number;
  /** Older stored arguments are erased. */
  readonly argumentsMaxAgeMs: number;
  /** The oldest rows are deleted while the file is larger. */
  readonly maxBytes: number;
  /** The audit stops writing when less disk space is free. */
  readonly minFreeBytes: number;
  /** `refuse` rejects calls while rows cannot be written; `continue` lets them pass and records the gap later. */
  readonly whenUnwritable: 'refuse' | 'continue';
};

const dayMs = 86_400_000;

export const defaultAuditSettings: AuditSettings = {
  syncIntervalMs: 50,
  strict: false,
  intents: false,
  maxAgeMs: 400 * dayMs,
  argumentsMaxAgeMs: 30 * dayMs,
  maxBytes: 4_294_967_296,
  minFreeBytes: 67_108_864,
  whenUnwritable: 'refuse',
};

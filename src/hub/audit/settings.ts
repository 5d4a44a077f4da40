/** What may be set about the audit by whoever starts a control plane. */
export type AuditSettings = {
  /** How often what was committed is made safe against a power cut. */
  readonly secureEveryMs: number;
  /** A call's answer waits until its row is safe against a power cut. */
  readonly strict: boolean;
  /** Rows are deleted when older. */
  readonly maxAgeMs: number;
  /** What is kept of arguments is erased when older. */
  readonly argumentsMaxAgeMs: number;
  /** Oldest rows are deleted while the file holds more. */
  readonly maxBytes: number;
  /** The audit does not grow into the last bytes of the disk. */
  readonly leaveFreeBytes: number;
  /** What becomes of calls while rows cannot be written: they are refused, or they go on and the gap is noted later. */
  readonly whenUnwritable: 'refuse' | 'continue';
};

const dayMs = 86_400_000;

/** Used unless set otherwise. */
export const defaultAuditSettings: AuditSettings = {
  secureEveryMs: 50,
  strict: false,
  maxAgeMs: 400 * dayMs,
  argumentsMaxAgeMs: 30 * dayMs,
  maxBytes: 4_294_967_296,
  leaveFreeBytes: 67_108_864,
  whenUnwritable: 'refuse',
};

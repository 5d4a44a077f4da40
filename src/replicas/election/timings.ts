/** How fast replicas notice each other. Milliseconds. */
export type ElectionTimings = {
  /** A standby looks at the election. */
  readonly pollMs: number;
  /** The active replica says that it lives. */
  readonly renewMs: number;
  /** It loses its role when it has not said so for this time, as it sees it. */
  readonly expiryMs: number;
  /** It stops serving this much earlier, for clocks that run at different rates. */
  readonly guardMs: number;
  /** A lost connection must still be lost after this time: the active replica may have opened another one. */
  readonly confirmMs: number;
  /** Each replica says that it lives. */
  readonly heartbeatMs: number;
  /** A replica without a heartbeat for this time is not listed. */
  readonly silentMs: number;
  /** Longest step of the election; then its connection is closed and opened again. */
  readonly stepMs: number;
  /** A standby that cannot connect for this time is not ready: it would not see that another replica took over. */
  readonly unreadyMs: number;
};

export const defaultElectionTimings: ElectionTimings = {
  pollMs: 250,
  renewMs: 500,
  expiryMs: 5_000,
  guardMs: 500,
  confirmMs: 100,
  heartbeatMs: 1_000,
  silentMs: 5_000,
  stepMs: 2_000,
  unreadyMs: 1_000,
};

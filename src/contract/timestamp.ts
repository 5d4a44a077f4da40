/** RFC 3339 in UTC. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function formatTimestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatTimestamp(epochMs);
}

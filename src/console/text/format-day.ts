const dayMs = 86_400_000;

/** The day that is so many days ahead, in UTC. */
export function formatDayAhead(atMs: number, days: number): string {
  return new Date(atMs + days * dayMs).toISOString().slice(0, 10);
}

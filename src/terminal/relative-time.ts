/** Relative time for lists: `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`. Never in the future. */
export function formatRelativeTime(moment: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(moment)) / 1000));
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

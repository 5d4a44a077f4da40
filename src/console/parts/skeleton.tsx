/** Rows that are on their way, in the size they will have. */
export function Skeleton({ rows, label = 'Loading' }: { rows: number; label?: string }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never change places
        <div key={index} className="skeleton-row" />
      ))}
    </div>
  );
}

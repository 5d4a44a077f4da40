import { lazy, Suspense, useState, useSyncExternalStore } from 'react';

const Charts = lazy(() => import('./charts.tsx'));

const wide = '(min-width: 1400px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(wide);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Beside the list where there is room, else above it, folded: what failed comes first. */
export function ChartsPlace({ instance }: { instance: string }) {
  const beside = useSyncExternalStore(subscribe, () => matchMedia(wide).matches);
  const [open, setOpen] = useState(false);
  const charts = (
    <Suspense>
      <Charts instance={instance} />
    </Suspense>
  );
  if (beside) return <aside aria-label="Charts">{charts}</aside>;
  return (
    <details className="charts-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Charts of the last 24 hours</summary>
      {open ? charts : null}
    </details>
  );
}

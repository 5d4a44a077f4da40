import { lazy, Suspense, useState, useSyncExternalStore } from 'react';

const Charts = lazy(() => import('./charts.tsx'));

const wideQuery = '(min-width: 1400px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(wideQuery);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Next to the list on wide screens, otherwise collapsed above it, so that the list comes first. */
export function ChartsPanel({ instance }: { instance: string }) {
  const isWide = useSyncExternalStore(subscribe, () => matchMedia(wideQuery).matches);
  const [isOpen, setIsOpen] = useState(false);
  const charts = (
    <Suspense>
      <Charts instance={instance} />
    </Suspense>
  );
  if (isWide) return <aside aria-label="Charts">{charts}</aside>;
  return (
    <details className="charts-fold" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Charts of the last 24 hours</summary>
      {isOpen ? charts : null}
    </details>
  );
}

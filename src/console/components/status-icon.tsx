import type { ReactNode } from 'react';
import { type RunStatus, runStatusLabels } from '../text/run-status.ts';

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round' } as const;

/** Each status has its own shape, so that it does not depend on colour. */
const shapes: Readonly<Record<RunStatus, ReactNode>> = {
  passed: <path d="m3 8.5 3.5 3.5L13 4.5" {...stroke} />,
  failed: <path d="m4 4 8 8M12 4l-8 8" {...stroke} />,
  broken: (
    <>
      <path d="M8 2 15 14H1Z" {...stroke} strokeWidth={1.5} strokeLinejoin="round" />
      <path d="M8 6.5v3.5M8 12v.01" {...stroke} strokeWidth={1.8} />
    </>
  ),
  running: <circle cx="8" cy="8" r="5.5" {...stroke} strokeDasharray="6 5.5" className="turns" />,
  queued: <circle cx="8" cy="8" r="5" {...stroke} strokeWidth={1.5} />,
  cancelled: <path d="M3.5 8h9" {...stroke} />,
};

type StatusIconProps = { readonly status: RunStatus; readonly decorative?: boolean; readonly title?: string };

/** A status as a coloured shape. Set `decorative` when the status is also written next to it. */
export function StatusIcon({ status, decorative = false, title = runStatusLabels[status] }: StatusIconProps) {
  return (
    <span className={`mark is-${status}`} title={title}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {shapes[status]}
      </svg>
      {decorative ? null : <span className="visually-hidden">{title}</span>}
    </span>
  );
}

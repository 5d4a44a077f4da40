import type { ReactNode } from 'react';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';

/** Why something is not there, and what to do about it. */
export function Shortcoming({ problem, cure }: { problem: string | null; cure: string | null }) {
  if (problem === null) return null;
  return (
    <div className="shortcoming" role="note">
      <p>
        <b>{problem}</b>
      </p>
      {cure === null ? null : <p className="faint">{cure}</p>}
    </div>
  );
}

/** Nobody looked, and how somebody would; `lines` is what to write, and where. */
export function NotLooked({ title, lines, children }: { title: string; lines?: string; children: ReactNode }) {
  return (
    <Empty title={title}>
      {children}
      {lines === undefined ? null : <Command text={lines} />}
    </Empty>
  );
}

import type { ReactNode } from 'react';
import { AlternativeCommand } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { InlineCode } from '../../components/error-notice.tsx';

/** Says why evidence is incomplete and how to fix it. */
export function EvidenceProblem({ problem, cure }: { problem: string | null; cure: string | null }) {
  if (problem === null) return null;
  return (
    <div className="shortcoming" role="note">
      <p>
        <b>
          <InlineCode text={problem} />
        </b>
      </p>
      {cure === null ? null : (
        <p className="faint">
          <InlineCode text={cure} />
        </p>
      )}
    </div>
  );
}

/** Says that evidence was not collected and how to collect it; `command` does the same as an action in `children`. */
export function MissingEvidenceNotice({
  title,
  command,
  children,
}: {
  title: string;
  command?: string;
  children: ReactNode;
}) {
  return (
    <EmptyState title={title}>
      {children}
      {command === undefined ? null : <AlternativeCommand text={command} />}
    </EmptyState>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { HubApproval } from '../../../contract/hubs/approvals-api.ts';
import { markHiddenCharacters } from '../../../json/visible-text.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { useClient } from '../../session/client.ts';
import { QueryContent } from '../query-content.tsx';
import { ApprovalDetails } from './approval-details.tsx';

type ApprovalCardProps = {
  readonly hub: string;
  readonly approval: HubApproval;
  readonly isOpenAtFirst: boolean;
  /** Of a card among those that wait. A card that is removed is closed. */
  readonly onOpenChange?: (approval: string, isOpen: boolean) => void;
};

const approvalStateLabels: Readonly<Record<HubApproval['state'], string>> = {
  pending: 'waiting',
  approved: 'approved, not used yet',
  denied: 'denied',
  used: 'approved and used',
  expired: 'expired',
  withdrawn: 'withdrawn by the caller',
  void: 'no longer valid',
};

const icons = {
  pending: 'broken',
  approved: 'passed',
  used: 'passed',
  denied: 'failed',
  expired: 'cancelled',
  withdrawn: 'cancelled',
  void: 'cancelled',
} as const;

/** One held call; the call itself is loaded when the card is opened. */
export function ApprovalCard({ hub, approval, isOpenAtFirst, onOpenChange }: ApprovalCardProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { connection, tool, person, state, requested_at: requestedAt, decided_by: decidedBy, client } = approval;
  const { approval: id } = approval;
  useEffect(() => {
    if (!isOpen) return undefined;
    onOpenChange?.(id, true);
    return () => onOpenChange?.(id, false);
  }, [id, isOpen, onOpenChange]);
  const name = `${connection}__${tool}`;
  return (
    <section className="tool-row" aria-label={`${name} by ${person}`}>
      <header>
        <h3>
          <code>{markHiddenCharacters(name)}</code>
        </h3>
        <span>
          by {markHiddenCharacters(person)}
          {client === null ? '' : `, with ${markHiddenCharacters(client)}`}
        </span>
        <span className="grow" />
        <span>
          <StatusIcon status={icons[state]} decorative title={approvalStateLabels[state]} />{' '}
          {approvalStateLabels[state]}
          <span className="faint">
            {decidedBy === null ? '' : ` (${markHiddenCharacters(decidedBy)})`},{' '}
            <RelativeTime timestamp={requestedAt} />
          </span>
        </span>
      </header>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{formatCall(approval)}</summary>
        {isOpen && onOpenChange && state !== 'pending' ? <EndedMeanwhile approval={approval} /> : null}
        {isOpen ? <LoadedApproval hub={hub} approval={approval} onDecided={() => onOpenChange?.(id, false)} /> : null}
      </details>
    </section>
  );
}

/** What tells several calls of one tool apart: their arguments, or the id where the audit stores none. */
function formatCall({ approval: id, connection, tool, arguments_preview: preview }: HubApproval): ReactNode {
  if (preview === null) return `Call of ${markHiddenCharacters(`${connection}__${tool}`)} (${id})`;
  return (
    <>
      Call with <code>{preview}</code>
    </>
  );
}

function EndedMeanwhile({ approval: { state, decided_by: decidedBy } }: Pick<ApprovalCardProps, 'approval'>) {
  return (
    <p className="help" role="status">
      <span>
        This call no longer waits: {approvalStateLabels[state]}
        {decidedBy === null ? '' : ` (${markHiddenCharacters(decidedBy)})`}.
      </span>
    </p>
  );
}

type LoadedApprovalProps = Pick<ApprovalCardProps, 'hub' | 'approval'> & { readonly onDecided: () => void };

function LoadedApproval({ hub, approval: { approval: id, state }, onDecided }: LoadedApprovalProps) {
  const { hubApprovals } = useClient();
  const query = useQuery({
    queryKey: ['hub-approvals', hub, id, state],
    queryFn: ({ signal }) => hubApprovals.get(hub, id, { signal }),
  });
  return (
    <QueryContent query={query}>
      {(details) => <ApprovalDetails hub={hub} approval={details} onDecided={onDecided} />}
    </QueryContent>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { HubApproval } from '../../../contract/hubs/approvals-api.ts';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount } from '../../text/format.ts';
import { QueryContent } from '../query-content.tsx';
import { ApprovalCard } from './approval-card.tsx';

const refetchMs = 2000;
const listLimit = 200;

/** Calls that wait for an approval, and those that were decided. A link to one of them has it in the address. */
export function ApprovalsPage({ hub }: { hub: Hub }) {
  const { hubApprovals } = useClient();
  const [search] = useSearchParams();
  const query = useQuery({
    queryKey: ['hub-approvals', hub.slug],
    queryFn: ({ signal }) => hubApprovals.list(hub.slug, { state: 'all', limit: listLimit, signal }),
    refetchInterval: refetchMs,
  });
  return (
    <>
      <p className="faint">
        The policy holds these calls until a person approves them. An approval is valid once, for exactly the displayed
        call. People cannot approve their own calls.
      </p>
      <QueryContent query={query}>
        {(approvals) => <ApprovalLists hub={hub} approvals={approvals} selected={search.get('approval')} />}
      </QueryContent>
    </>
  );
}

type ApprovalListsProps = {
  readonly hub: Hub;
  readonly approvals: readonly HubApproval[];
  readonly selected: string | null;
};

function ApprovalLists({ hub, approvals, selected }: ApprovalListsProps) {
  const { isInPlace, onOpenChange } = useOpenCards();
  const open = approvals.filter(({ state }) => state === 'pending');
  const waiting = approvals.filter((approval) => approval.state === 'pending' || isInPlace(approval));
  const decided = approvals.filter((approval) => !waiting.includes(approval));
  // The oldest waits longest.
  const first = open.toReversed().find(({ may_decide: mayDecide }) => mayDecide)?.approval;
  return (
    <>
      <section aria-labelledby="approvals-open">
        <h2 id="approvals-open">Waiting</h2>
        <p className="faint" role="status">
          {open.length === 0 ? 'No call waits for an approval.' : `${formatCount(open.length, 'call')} waiting.`}
        </p>
        {waiting.toReversed().map((approval) => (
          <ApprovalCard
            key={approval.approval}
            hub={hub.slug}
            approval={approval}
            isOpenAtFirst={approval.approval === (selected ?? first)}
            onOpenChange={onOpenChange}
          />
        ))}
      </section>
      <section aria-labelledby="approvals-decided">
        <h2 id="approvals-decided">Decided</h2>
        {approvals.length === open.length ? (
          <EmptyState title="Nothing was decided yet">
            <p>Owners of the hub choose in its policy which calls need an approval.</p>
          </EmptyState>
        ) : (
          decided.map((approval) => (
            <ApprovalCard
              key={approval.approval}
              hub={hub.slug}
              approval={approval}
              isOpenAtFirst={approval.approval === selected}
            />
          ))
        )}
      </section>
    </>
  );
}

/**
 * A waiting call that this person has open stays where it is when somebody else decides it or its caller gives up: the buttons of
 * another call must not move under the pointer, and what became of the call must be read.
 */
function useOpenCards() {
  const [openCards, setOpenCards] = useState<ReadonlySet<string>>(new Set());
  const onOpenChange = useCallback(
    (approval: string, isOpen: boolean): void =>
      setOpenCards((previous) => {
        if (previous.has(approval) === isOpen) return previous;
        const next = new Set(previous);
        if (isOpen) next.add(approval);
        else next.delete(approval);
        return next;
      }),
    [],
  );
  return { isInPlace: ({ approval }: HubApproval) => openCards.has(approval), onOpenChange };
}

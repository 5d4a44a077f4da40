/** What a card of a waiting call reports to its page, which keeps open cards in their place. */
import t from 'tap';
import type { HubApproval } from '../../../../src/contract/hubs/approvals-api.ts';
import { renderComponent } from '../../render-component.ts';

const approval: HubApproval = {
  approval: 'a-1',
  state: 'pending',
  connection: 'docs',
  tool: 'search',
  person_id: 'p-1',
  person: 'Ana',
  role: 'member',
  via: 'token',
  via_name: null,
  client: null,
  requested_at: '2026-11-20T14:30:12.345Z',
  expires_at: '2026-11-20T15:30:12.345Z',
  decided_at: null,
  decided_by: null,
  comment: null,
  ended_at: null,
  may_decide: true,
};

/** Returns the reports of the card before and after it was removed. */
async function renderCard(t: Parameters<typeof renderComponent>[0], isOpenAtFirst: boolean) {
  const reports: [string, boolean][] = [];
  const { unmount } = await renderComponent(t, null, async () => {
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query');
    const { ConsoleClientContext } = await import('../../../../src/console/session/client.ts');
    const { ApprovalCard } = await import('../../../../src/console/hub/approvals/approval-card.tsx');
    const client = { hubApprovals: { get: () => new Promise(() => {}) } };
    const onOpenChange = (id: string, isOpen: boolean): void => void reports.push([id, isOpen]);
    return (
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { gcTime: 0 } } })}>
        <ConsoleClientContext value={client as never}>
          <ApprovalCard hub="acme" approval={approval} isOpenAtFirst={isOpenAtFirst} onOpenChange={onOpenChange} />
        </ConsoleClientContext>
      </QueryClientProvider>
    );
  });
  const before = [...reports];
  await unmount();
  return { before, after: reports.slice(before.length) };
}

t.test('a closed card reports nothing', async (t) => {
  t.same(await renderCard(t, false), { before: [], after: [] });
});

t.test('an open card reports that it is open, and that it is not when it is removed', async (t) => {
  t.same(await renderCard(t, true), { before: [['a-1', true]], after: [['a-1', false]] });
});

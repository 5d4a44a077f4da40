/** What a card of a waiting call shows while it is closed, and what it reports to its page, which keeps open cards in their place. */
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
  arguments_preview: 'query: invoices, limit: 5',
  requested_at: '2026-11-20T14:30:12.345Z',
  expires_at: '2026-11-20T15:30:12.345Z',
  decided_at: null,
  decided_by: null,
  comment: null,
  ended_at: null,
  may_decide: true,
};

/** Returns the reports of the card before and after it was removed. */
async function renderCard(
  t: Parameters<typeof renderComponent>[0],
  isOpenAtFirst: boolean,
  displayed: HubApproval = approval,
) {
  const reports: [string, boolean][] = [];
  const { container, unmount } = await renderComponent(t, null, async () => {
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query');
    const { ConsoleClientContext } = await import('../../../../src/console/session/client.ts');
    const { ApprovalCard } = await import('../../../../src/console/hub/approvals/approval-card.tsx');
    const client = { hubApprovals: { get: () => new Promise(() => {}) } };
    const onOpenChange = (id: string, isOpen: boolean): void => void reports.push([id, isOpen]);
    return (
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { gcTime: 0 } } })}>
        <ConsoleClientContext value={client as never}>
          <ApprovalCard hub="acme" approval={displayed} isOpenAtFirst={isOpenAtFirst} onOpenChange={onOpenChange} />
        </ConsoleClientContext>
      </QueryClientProvider>
    );
  });
  const before = [...reports];
  const summary = container.querySelector('summary')?.textContent;
  await unmount();
  return { summary, reports: { before, after: reports.slice(before.length) } };
}

t.test('a closed card reports nothing', async (t) => {
  t.same((await renderCard(t, false)).reports, { before: [], after: [] });
});

t.test('an open card reports that it is open, and that it is not when it is removed', async (t) => {
  t.same((await renderCard(t, true)).reports, { before: [['a-1', true]], after: [['a-1', false]] });
});

t.test('a closed card tells its call from others of the same tool', async (t) => {
  t.equal((await renderCard(t, false)).summary, 'Call with query: invoices, limit: 5');
  const unstored = await renderCard(t, false, { ...approval, arguments_preview: null });
  t.equal(unstored.summary, 'Call of docs__search (a-1)', 'where the audit stores no arguments');
});

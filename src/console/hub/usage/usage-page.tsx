import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import type { HubUsage, HubUsageItem, UsageGrouping } from '../../../contract/hubs/usage-api.ts';
import { formatUsageCsv } from '../../../contract/hubs/usage-csv.ts';
import { markHiddenCharacters } from '../../../json/visible-text.ts';
import { nowMs, saveFile } from '../../browser.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount, formatExactTime } from '../../text/format.ts';
import { QueryContent } from '../query-content.tsx';
import { BudgetList } from './budget-list.tsx';

const groupings = [
  ['tool', 'tool'],
  ['person', 'person'],
  ['client', 'client'],
  ['connection', 'connection'],
  ['token', 'token or OAuth client'],
  ['day', 'day (UTC)'],
] as const satisfies readonly (readonly [UsageGrouping, string])[];
const periods = [
  ['1', 'the last day'],
  ['7', 'the last 7 days'],
  ['30', 'the last 30 days'],
] as const;
const exportFormats = [
  ['', 'Export…'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
] as const;

const dayMs = 86_400_000;

/** What is counted is stored in the address bar. */
export function UsagePage({ hub }: { hub: Hub }) {
  const { hubUsage } = useClient();
  const [search, setSearch] = useSearchParams();
  const by = groupings.find(([name]) => name === search.get('by'))?.[0] ?? 'tool';
  const days = periods.find(([count]) => count === search.get('days'))?.[0] ?? '7';
  const query = useQuery({
    queryKey: ['hub-usage', hub.slug, by, days],
    queryFn: ({ signal }) =>
      hubUsage.get(hub.slug, { by, from: new Date(nowMs() - Number(days) * dayMs).toISOString(), signal }),
    staleTime: 30_000,
  });
  const update = (changes: Readonly<Record<string, string>>): void =>
    setSearch({ by, days, ...changes }, { replace: true });
  return (
    <>
      {hub.role === 'owner' ? null : <p className="faint">Your own calls. Owners of the hub see all calls.</p>}
      <BudgetList hub={hub.slug} />
      <div className="bar">
        <Select label="By" value={by} options={groupings} onSelect={(next) => update({ by: next })} />
        <Select label="Time" value={days} options={periods} onSelect={(next) => update({ days: next })} />
        <span className="grow" />
        {query.data ? <UsageExport hub={hub.slug} usage={query.data} /> : null}
      </div>
      <QueryContent query={query}>{(usage) => <UsageTable usage={usage} />}</QueryContent>
    </>
  );
}

function UsageExport({ hub, usage }: { hub: string; usage: HubUsage }) {
  return (
    <Select
      hideLabel
      label="Export"
      value=""
      options={exportFormats}
      onSelect={(format) => {
        if (format === 'csv') saveFile(`${hub}-usage.csv`, formatUsageCsv(usage));
        if (format === 'json') saveFile(`${hub}-usage.json`, JSON.stringify(usage, null, 2));
      }}
    />
  );
}

const headings = ['Calls', 'Errors', 'Denied', 'Median', '95th percentile', 'Requests', 'Answers', 'Tokens, estimated'];

function UsageTable({ usage }: { usage: HubUsage }) {
  const { items, total, from, is_partial: isPartial } = usage;
  if (items.length === 0)
    return (
      <EmptyState title="No calls in this time">
        <p>Calls through this hub are counted here.</p>
      </EmptyState>
    );
  return (
    <>
      <p className="faint" role="status">
        {formatCount(total.calls, 'call')} since {formatExactTime(from)}
        {isPartial ? '. There are more: only the newest are counted' : ''}. Tokens are an estimate: one for four bytes.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <section className="table-scroll" aria-label="Usage" tabIndex={0}>
        <table className="table people usage">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {headings.map((heading) => (
                <th key={heading} scope="col" className="number">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...items, { ...total, id: ' total', name: 'All calls' }].map((item) => (
              <UsageRow key={item.id} item={item} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

const formatMs = (value: number | null): string => (value === null ? '–' : `${Math.round(value)} ms`);
const formatKb = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`;

function UsageRow({ item }: { item: HubUsageItem }) {
  const cells = [
    ...[String(item.calls), String(item.errors), String(item.denied), formatMs(item.p50_ms), formatMs(item.p95_ms)],
    ...[formatKb(item.request_bytes), formatKb(item.answer_bytes), String(item.estimated_tokens)],
  ];
  return (
    <tr>
      <th scope="row">{markHiddenCharacters(item.name)}</th>
      {cells.map((text, index) => (
        <td key={headings[index]} data-label={headings[index]} className="number">
          {text}
        </td>
      ))}
    </tr>
  );
}

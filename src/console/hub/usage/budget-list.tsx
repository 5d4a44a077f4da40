import { useQuery } from '@tanstack/react-query';
import { describeBudgetAmounts, describeBudgetPart } from '../../../contract/hubs/budget-text.ts';
import type { HubBudget } from '../../../contract/hubs/usage-api.ts';
import { markHiddenCharacters } from '../../../json/visible-text.ts';
import { useClient } from '../../session/client.ts';
import { formatExactTime } from '../../text/format.ts';
import { QueryContent } from '../query-content.tsx';

const stateNames = { ok: 'within', warning: 'nearly used up', used_up: 'used up' } as const;
const stateClasses = { ok: '', warning: 'is-warning', used_up: 'is-failed' } as const;
const maxVisible = 20;

/** Nothing where the hub has no budgets. */
export function BudgetList({ hub }: { hub: string }) {
  const { hubUsage } = useClient();
  const query = useQuery({
    queryKey: ['hub-budgets', hub],
    queryFn: ({ signal }) => hubUsage.listBudgets(hub, { signal }),
    staleTime: 10_000,
  });
  return (
    <QueryContent query={query}>
      {({ budgets, items }) =>
        budgets.length === 0 ? null : (
          <section aria-labelledby="hub-budgets">
            <h2 id="hub-budgets">Budgets</h2>
            {items.length === 0 ? <p className="faint">Nothing was used of the {budgets.length} budgets yet.</p> : null}
            {items.length === 0 ? null : <BudgetTable items={items.slice(0, maxVisible)} />}
            {items.length > maxVisible ? <p className="faint">Those nearest to their end, of {items.length}.</p> : null}
          </section>
        )
      }
    </QueryContent>
  );
}

function BudgetTable({ items }: { items: readonly HubBudget[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="table-scroll" aria-label="Budgets" tabIndex={0}>
      <table className="table people usage">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col">Budget</th>
            <th scope="col" className="number">
              Used
            </th>
            <th scope="col">State</th>
            <th scope="col">Begins anew</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={`${item.position} ${item.subject}`}>
              <th scope="row">{markHiddenCharacters(item.name)}</th>
              <td data-label="Budget">{describeBudgetPart(item.budget)}</td>
              <td data-label="Used" className="number">
                {describeBudgetAmounts(item)} ({item.used_percent} %)
              </td>
              <td data-label="State">
                <span className={stateClasses[item.state]}>{stateNames[item.state]}</span>
              </td>
              <td data-label="Begins anew">{formatExactTime(item.resets_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

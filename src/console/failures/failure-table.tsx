import { Link } from 'wouter';
import type { FailureGroup } from '../../contract/failures-api.ts';
import { DataTable } from '../components/data-table.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { failurePath } from '../paths.ts';
import { FailureDays } from './failure-days.tsx';
import { FailureState, SightingVersion } from './failure-state.tsx';

type FailureTableProps = { readonly instance: string; readonly failures: readonly FailureGroup[] };

export function FailureTable({ instance, failures }: FailureTableProps) {
  return (
    <DataTable
      className="attention"
      columns={['Failure', 'State', 'Since', 'Last seen', { label: 'Runs', isNumber: true }, '14 days', 'Assigned to']}
    >
      {failures.map((failure) => (
        <FailureRow key={failure.failure_id} instance={instance} failure={failure} />
      ))}
    </DataTable>
  );
}

function FailureRow({ instance, failure }: { instance: string; failure: FailureGroup }) {
  const { first_seen: first, last_seen: last, reopened } = failure;
  const since = reopened ?? first;
  return (
    <tr>
      <td className="wrap">
        <Link href={failurePath(instance, failure.failure_id)} className="run-name" data-row>
          {failure.scenario_id}
        </Link>
        <span className="failure-check">{failure.summary}</span>
      </td>
      <td data-label="State">
        <FailureState failure={failure} />
      </td>
      <td data-label="Since">
        <RelativeTime timestamp={since.at} />
        <SightingVersion version={since.target_version} />
      </td>
      <td data-label="Last seen">
        <RelativeTime timestamp={last.at} />
      </td>
      <td data-label="Runs" className="number">
        {failure.runs.toLocaleString('en')}
      </td>
      <td data-label="14 days">
        <FailureDays days={failure.days} />
      </td>
      <td data-label="Assigned to" className="wrap">
        {failure.assignee ?? <span className="faint">nobody</span>}
      </td>
    </tr>
  );
}

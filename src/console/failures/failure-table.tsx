import { Link } from 'wouter';
import type { FailureGroup } from '../../contract/failures-api.ts';
import { SelectAllCell, SelectCell } from '../bulk/select-cells.tsx';
import type { RowSelection } from '../bulk/use-selection.ts';
import { DataTable } from '../components/data-table.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { failurePath } from '../paths.ts';
import { FailureDays } from './failure-days.tsx';
import { FailureState, SightingVersion } from './failure-state.tsx';

type FailureTableProps = {
  readonly instance: string;
  readonly failures: readonly FailureGroup[];
  /** Undefined for readers who change nothing. */
  readonly selection: RowSelection | undefined;
};

export function FailureTable({ instance, failures, selection }: FailureTableProps) {
  return (
    <DataTable
      className="attention"
      selectAll={selection ? <SelectAllCell selection={selection} /> : null}
      columns={['Failure', 'State', 'Since', 'Last seen', { label: 'Runs', isNumber: true }, '14 days', 'Assigned to']}
    >
      {failures.map((failure) => (
        <FailureRow key={failure.failure_id} instance={instance} failure={failure} selection={selection} />
      ))}
    </DataTable>
  );
}

type FailureRowProps = Omit<FailureTableProps, 'failures'> & { readonly failure: FailureGroup };

function FailureRow({ instance, failure, selection }: FailureRowProps) {
  const { failure_id: id, first_seen: first, last_seen: last, reopened } = failure;
  const since = reopened ?? first;
  const isSelected = selection?.ids.has(id) ?? false;
  return (
    <tr className={isSelected ? 'is-selected' : undefined} data-select={selection && id}>
      {selection ? (
        <SelectCell
          id={id}
          label={`failure of ${failure.scenario_id}: ${failure.summary}`}
          isSelected={isSelected}
          onToggle={selection.toggle}
        />
      ) : null}
      <td className="wrap">
        <Link href={failurePath(instance, id)} className="run-name" data-row>
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

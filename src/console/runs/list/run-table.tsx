import type { Run } from '../../../contract/api.ts';
import { SelectAllCell } from '../../bulk/select-cells.tsx';
import type { RowSelection } from '../../bulk/use-selection.ts';
import { RunTableRow } from './run-row.tsx';

const columns = [
  ['run-scenario', 'Scenario'],
  ['run-title', 'Title'],
  ['run-status', 'Status'],
  ['run-summary', 'Result'],
  ['run-duration', 'Duration'],
  ['run-time', 'Requested'],
  ['run-by', 'By'],
] as const;

type RunTableProps = {
  readonly runs: readonly Run[];
  readonly label: string;
  /** Without it rows have no check boxes. */
  readonly selection?: RowSelection | undefined;
};

export function RunTable({ runs, label, selection }: RunTableProps) {
  return (
    <table className="run-table" aria-label={label}>
      <thead>
        <tr>
          {selection ? <SelectAllCell selection={selection} /> : null}
          <th scope="col" className="run-mark">
            <span className="visually-hidden">Outcome</span>
          </th>
          {columns.map(([name, text]) => (
            <th key={name} scope="col" className={name}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunTableRow
            key={run.run_id}
            run={run}
            isSelected={selection?.ids.has(run.run_id) ?? false}
            onToggle={selection?.toggle}
          />
        ))}
      </tbody>
    </table>
  );
}

import type { Run } from '../../../contract/api.ts';
import { RunTableRow } from './run-row.tsx';

const columns = [
  ['run-scenario', 'Scenario'],
  ['run-title', 'Request'],
  ['run-status', 'Status'],
  ['run-summary', 'Result'],
  ['run-duration', 'Duration'],
  ['run-time', 'Requested'],
  ['run-by', 'By'],
] as const;

export function RunTable({ runs, label }: { runs: readonly Run[]; label: string }) {
  return (
    <table className="run-table" aria-label={label}>
      <thead>
        <tr>
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
          <RunTableRow key={run.run_id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

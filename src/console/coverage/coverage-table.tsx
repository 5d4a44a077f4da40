import { useState } from 'react';
import { Link } from 'wouter';
import { type CoverageState, getCoverageState, type OperationCoverage } from '../../import/openapi/coverage.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { Select } from '../components/select.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { scenarioPath } from '../paths.ts';
import { formatCount } from '../text/format.ts';

const pageLength = 100;

const stateLabels: Readonly<Record<CoverageState, string>> = {
  none: 'No scenario',
  partial: 'Partly checked',
  complete: 'Checked',
};
const stateOrder = Object.keys(stateLabels);
const filterOptions = [['all', 'All operations'], ...Object.entries(stateLabels)] as const;

/** What no scenario sends comes first, then what is checked in part; each in the order of the document. */
function sortByState(operations: readonly OperationCoverage[]) {
  return operations
    .map((operation) => ({ operation, state: getCoverageState(operation) }))
    .sort((a, b) => stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state));
}

type CoverageTableProps = { readonly instance: string; readonly operations: readonly OperationCoverage[] };

export function CoverageTable({ instance, operations }: CoverageTableProps) {
  const [searchText, setSearchText] = useState('');
  const [filter, setFilter] = useState<string>('all');
  const [length, setLength] = useState(pageLength);
  const matches = sortByState(operations).filter(
    ({ operation: { method, path, id }, state }) =>
      (filter === 'all' || filter === state) &&
      `${method} ${path} ${id}`.toLowerCase().includes(searchText.toLowerCase()),
  );
  return (
    <section aria-label="Operations">
      <div className="bar">
        <h2>Operations</h2>
        <SearchInput label="Find operations" placeholder="method or path" value={searchText} onSearch={setSearchText} />
        <Select label="Show" hideLabel value={filter} options={filterOptions} onSelect={setFilter} />
        <span className="faint">{formatCount(matches.length, 'operation')}</span>
      </div>
      {matches.length === 0 ? (
        <EmptyState title="No operation matches" />
      ) : (
        <DataTable className="attention" columns={['Operation', 'Statuses', 'Fields', 'Scenarios']}>
          {matches.slice(0, length).map(({ operation, state }) => (
            <OperationRow
              key={`${operation.method} ${operation.path}`}
              instance={instance}
              operation={operation}
              state={state}
            />
          ))}
        </DataTable>
      )}
      {matches.length > length ? (
        <p>
          <button type="button" onClick={() => setLength(length + pageLength)}>
            Show more: {matches.length - length} left
          </button>
        </p>
      ) : null}
    </section>
  );
}

type OperationRowProps = {
  readonly instance: string;
  readonly operation: OperationCoverage;
  readonly state: CoverageState;
};

const stateIcons = { none: 'broken', partial: 'queued', complete: 'passed' } as const;

function OperationRow({ instance, operation, state }: OperationRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { method, path, isDeprecated, statuses, fields, scenarios } = operation;
  const checkedCount = fields.filter(({ isChecked }) => isChecked).length;
  return (
    <>
      <tr>
        <td className="wrap">
          <StatusIcon status={stateIcons[state]} decorative />{' '}
          <span className="mono">
            {method} {path}
          </span>
          {isDeprecated ? <span className="faint"> deprecated</span> : null}{' '}
          <button
            type="button"
            className="quiet"
            data-row
            aria-expanded={isOpen}
            aria-label={`Details of ${method} ${path}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            details {isOpen ? '▴' : '▾'}
          </button>
        </td>
        <td data-label="Statuses" className="wrap">
          {statuses.length === 0 ? <span className="faint">none documented</span> : null}
          {statuses.map(({ status, scenarios: own }) => (
            <span key={status} className={own.length > 0 ? 'coverage-status is-covered' : 'coverage-status'}>
              {own.length > 0 ? '✓' : '✕'} {status}
              <span className="visually-hidden">{own.length > 0 ? ' expected' : ' not expected'}</span>{' '}
            </span>
          ))}
        </td>
        <td data-label="Fields">
          {fields.length === 0 ? <span className="faint">–</span> : `${checkedCount} of ${fields.length}`}
        </td>
        <td data-label="Scenarios">{state === 'none' ? <b>{stateLabels.none}</b> : scenarios.length}</td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={4}>
            <OperationDetails instance={instance} operation={operation} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function OperationDetails({ instance, operation }: { instance: string; operation: OperationCoverage }) {
  const { method, path, statuses, fields, scenarios } = operation;
  const unchecked = fields.filter(({ isChecked }) => !isChecked);
  const checked = fields.filter(({ isChecked }) => isChecked);
  const expected = statuses.filter((status) => status.scenarios.length > 0);
  const missing = statuses.filter((status) => status.scenarios.length === 0);
  return (
    <dl className="failure-facts" aria-label={`Coverage of ${method} ${path}`}>
      <dt>Sent by</dt>
      <dd>{scenarios.length === 0 ? 'no scenario' : <ScenarioLinks instance={instance} ids={scenarios} />}</dd>
      {expected.map(({ status, scenarios: own }) => (
        <StatusFact key={status} status={status} instance={instance} ids={own} />
      ))}
      {missing.length === 0 ? null : (
        <>
          <dt>Not expected</dt>
          <dd className="mono">{missing.map(({ status }) => status).join(', ')}</dd>
        </>
      )}
      {unchecked.length === 0 ? null : (
        <>
          <dt>Not checked</dt>
          <dd className="mono">{unchecked.map(({ field }) => field).join(', ')}</dd>
        </>
      )}
      {checked.length === 0 ? null : (
        <>
          <dt>Checked</dt>
          <dd className="mono">{checked.map(({ field }) => field).join(', ')}</dd>
        </>
      )}
    </dl>
  );
}

type StatusFactProps = { readonly status: string; readonly instance: string; readonly ids: readonly string[] };

function StatusFact({ status, instance, ids }: StatusFactProps) {
  return (
    <>
      <dt>{status} expected by</dt>
      <dd>
        <ScenarioLinks instance={instance} ids={ids} />
      </dd>
    </>
  );
}

function ScenarioLinks({ instance, ids }: { instance: string; ids: readonly string[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      {index === 0 ? '' : ', '}
      <Link href={scenarioPath(instance, id)} className="mono">
        {id}
      </Link>
    </span>
  ));
}

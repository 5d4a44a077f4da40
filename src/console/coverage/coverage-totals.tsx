import { type CoverageTotals, type DocumentCoverage, toPercent } from '../../import/openapi/coverage.ts';

const names = [
  ['operations', 'Operations'],
  ['statuses', 'Statuses'],
  ['fields', 'Fields'],
] as const;

export function CoverageTotalList({ totals }: Pick<DocumentCoverage, 'totals'>) {
  return (
    <dl className="coverage-totals">
      {names.map(([key, name]) => (
        <CoverageTotal key={key} name={name} total={totals[key]} />
      ))}
    </dl>
  );
}

function CoverageTotal({ name, total }: { name: string; total: CoverageTotals }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{toPercent(total)}%</b>{' '}
        <span className="faint">
          {total.covered.toLocaleString('en')} of {total.total.toLocaleString('en')}
        </span>
        <progress aria-label={`${name} covered`} value={total.covered} max={Math.max(total.total, 1)} />
      </dd>
    </div>
  );
}

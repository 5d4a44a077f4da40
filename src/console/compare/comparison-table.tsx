import { Link } from 'wouter';
import { changeLabels, isFailingAddition, listSpeedChanges } from '../../contract/change-labels.ts';
import type { ComparedScenario } from '../../contract/comparison-api.ts';
import { formatDuration, formatPValue } from '../../report/measures.ts';
import { DataTable } from '../components/data-table.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { useLongList } from '../components/use-long-list.ts';
import { runPath } from '../paths.ts';
import type { RunStatus } from '../text/run-status.ts';

type Change = ComparedScenario['change'];

const changeIcons: Readonly<Record<Change, RunStatus>> = {
  newly_failing: 'failed',
  flaky: 'broken',
  not_judged: 'broken',
  failing_before: 'failed',
  fixed: 'passed',
  added: 'queued',
  removed: 'cancelled',
  unchanged: 'passed',
};

/** `flaky, fails more often`. */
function describeChange(scenario: ComparedScenario): string {
  return `${nameChange(scenario)}${scenario.quarantined ? ', in quarantine' : ''}`;
}

function nameChange(scenario: ComparedScenario): string {
  const { change, fails_more_often: more, new_failures: failures } = scenario;
  if (isFailingAddition(scenario)) return `${changeLabels.added}, failing`;
  if (change === 'flaky' && more) return `${changeLabels.flaky}, fails more often`;
  if (change === 'failing_before' && failures.length > 0) return `${changeLabels.failing_before}, in another way`;
  return changeLabels[change];
}

function chooseIcon(scenario: ComparedScenario): RunStatus {
  if (scenario.quarantined) return 'broken';
  return isFailingAddition(scenario) ? 'failed' : changeIcons[scenario.change];
}

export function ComparisonTable({ scenarios }: { scenarios: readonly ComparedScenario[] }) {
  const listed = useLongList(scenarios);
  return (
    <DataTable className="attention" columns={['Scenario', 'Change', 'Base', 'Head', 'Duration']}>
      {listed.map((scenario) => (
        <ComparisonRow key={scenario.scenario_id} scenario={scenario} />
      ))}
    </DataTable>
  );
}

function ComparisonRow({ scenario }: { scenario: ComparedScenario }) {
  const { scenario_id: id, base, head } = scenario;
  const newest = (head ?? base)?.newest_run;
  return (
    <tr>
      <td className="wrap">
        {newest === undefined ? (
          id
        ) : (
          <Link href={runPath(newest)} className="run-name" data-row>
            {id}
          </Link>
        )}
      </td>
      <td data-label="Change">
        <StatusIcon status={chooseIcon(scenario)} decorative /> {describeChange(scenario)}
      </td>
      <td data-label="Base">
        <SideResults side={base} />
      </td>
      <td data-label="Head">
        <SideResults side={head} />
      </td>
      <td data-label="Duration">
        <Duration scenario={scenario} />
      </td>
    </tr>
  );
}

function SideResults({ side }: { side: ComparedScenario['base'] }) {
  if (!side) return <span className="faint">not run</span>;
  const { passed, failed, not_judged: notJudged, newest_run: run } = side;
  return (
    <>
      <Link href={runPath(run)}>
        {passed} of {passed + failed} passed
      </Link>
      {notJudged > 0 ? <span className="faint">, {notJudged} not judged</span> : null}
    </>
  );
}

function Duration({ scenario }: { scenario: ComparedScenario }) {
  const { base, head, speed_p: p, median_p: medianP } = scenario;
  if (base?.p50_ms == null && head?.p50_ms == null) return <span className="faint">–</span>;
  const changes = listSpeedChanges(scenario);
  const isWorse = changes.some((change) => change.startsWith('slower'));
  return (
    <>
      {changes.length > 0 ? (
        <>
          <StatusIcon status={isWorse ? 'broken' : 'passed'} decorative /> <b>{changes.join(', ')}</b>:{' '}
        </>
      ) : null}
      <span className={changes.length > 0 ? undefined : 'faint'}>
        <Percentile name="p95" test="Exact test of percentiles" base={base} head={head} p={p} />,{' '}
        <Percentile name="p50" test="Mann-Whitney U test" base={base} head={head} p={medianP} />
      </span>
    </>
  );
}

type Side = ComparedScenario['base'];
type PercentileProps = {
  readonly name: 'p95' | 'p50';
  readonly test: string;
  readonly base: Side;
  readonly head: Side;
  /** Null where it was not tested. */
  readonly p: number | null;
};

function Percentile({ name, test, base, head, p }: PercentileProps) {
  const [before, after] = [base, head].map((side) => {
    const ms = side?.[`${name}_ms`];
    return ms == null ? '–' : formatDuration(ms);
  });
  return (
    <span title={p === null ? 'Too few passed runs to compare' : test}>
      {name} {before} → {after}
      {p === null ? null : <span className="faint"> ({formatPValue(p)})</span>}
    </span>
  );
}

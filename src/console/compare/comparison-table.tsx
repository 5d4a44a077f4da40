import { Link } from 'wouter';
import { changeLabels, isFailingAddition } from '../../contract/change-labels.ts';
import type { ComparedScenario } from '../../contract/comparison-api.ts';
import { formatDuration } from '../../report/measures.ts';
import { DataTable } from '../components/data-table.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
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
  return (
    <DataTable className="attention" columns={['Scenario', 'Change', 'Base', 'Head', 'Duration']}>
      {scenarios.map((scenario) => (
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

function Duration({ scenario: { base, head, speed, speed_p: p } }: { scenario: ComparedScenario }) {
  if (base?.p50_ms == null && head?.p50_ms == null) return <span className="faint">–</span>;
  const times = [base?.p50_ms, base?.p95_ms, head?.p50_ms, head?.p95_ms].map((ms) =>
    ms == null ? '–' : formatDuration(ms),
  );
  const [baseP50, baseP95, headP50, headP95] = times;
  const isChanged = speed === 'slower' || speed === 'faster';
  const certainty = p === null ? 'too few passed runs to compare' : `Mann-Whitney U test: p = ${p.toPrecision(2)}`;
  return (
    <span title={certainty}>
      {isChanged ? (
        <>
          <StatusIcon status={speed === 'slower' ? 'broken' : 'passed'} decorative /> <b>{speed}</b>:{' '}
        </>
      ) : null}
      <span className={isChanged ? undefined : 'faint'}>
        p50 {baseP50} → {headP50}, p95 {baseP95} → {headP95}
      </span>
    </span>
  );
}

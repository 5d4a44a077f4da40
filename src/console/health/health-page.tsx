import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { CheckHealth, ScenarioHealth, ScenarioHealthList } from '../../contract/health-api.ts';
import { formatDuration } from '../../report/measures.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { useLongList } from '../components/use-long-list.ts';
import { QueryContent } from '../hub/query-content.tsx';
import { instancePath, scenarioPath } from '../paths.ts';
import { QuarantineButton } from '../quarantines/quarantine-actions.tsx';
import { QuarantineList } from '../quarantines/quarantine-list.tsx';
import { QuarantineMark } from '../quarantines/quarantine-mark.tsx';
import { NoScenarios } from '../scenarios/no-scenarios.tsx';
import { useClient } from '../session/client.ts';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';

/** How far the results of each scenario, and of its checks, can be relied on. */
export default function HealthPage({ instance }: { instance: string }) {
  const { health } = useClient();
  const query = useQuery({
    queryKey: ['health', instance],
    queryFn: ({ signal }) => health.list(instance, { signal }),
    refetchInterval: 60_000,
  });
  useRememberInstance(instance);
  const canWrite = useCanEditInstance(useInstance(instance));
  return (
    <div className="landing">
      <title>{`Health · ${instance} · vp`}</title>
      <p>
        <Link href={instancePath(instance)}>‹ What needs a look</Link>
      </p>
      <h1>
        Health <span className="faint">{instance}</span>
      </h1>
      <QuarantineList instance={instance} canWrite={canWrite} />
      <QueryContent query={query}>
        {(data) =>
          data.scenarios.length === 0 ? (
            <NoScenarios instance={instance} />
          ) : (
            <HealthTable instance={instance} health={data} canWrite={canWrite} />
          )
        }
      </QueryContent>
    </div>
  );
}

type HealthTableProps = {
  readonly instance: string;
  readonly health: ScenarioHealthList;
  readonly canWrite: boolean;
};

function HealthTable({ instance, health, canWrite }: HealthTableProps) {
  const listed = useLongList(health.scenarios);
  return (
    <>
      <h2>All scenarios</h2>
      <p className="hint">
        Pass rate × (1 − share of results that differ from the one before), over the newest {health.window_runs} runs of
        at most 30 days.
      </p>
      <div className="table-scroll">
        <table className="table attention">
          <thead>
            <tr>
              <th scope="col">Scenario</th>
              <RateHeads />
              <th scope="col">Remark</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((scenario) => (
              <HealthRow key={scenario.scenario_id} instance={instance} scenario={scenario} canWrite={canWrite} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const rateNames = ['Health', 'Passed', 'Flips', 'Runs'] as const;

function RateHeads() {
  return rateNames.map((name) => (
    <th key={name} scope="col" className="number">
      {name}
    </th>
  ));
}

type Rates = Pick<ScenarioHealth, 'passed' | 'failed' | 'not_judged' | 'health' | 'pass_rate' | 'flip_rate'>;

function RateCells({ rates }: { rates: Rates }) {
  const share = (value: number | null): string => (value === null ? '–' : `${Math.round(value * 100)}%`);
  const texts = [share(rates.health), share(rates.pass_rate), share(rates.flip_rate)];
  const all = [...texts, String(rates.passed + rates.failed + rates.not_judged)];
  return rateNames.map((name, index) => (
    <td key={name} data-label={name} className="number">
      {all[index]}
    </td>
  ));
}

type HealthRowProps = { readonly instance: string; readonly scenario: ScenarioHealth; readonly canWrite: boolean };

function HealthRow({ instance, scenario, canWrite }: HealthRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = scenario.scenario_id;
  return (
    <>
      <tr>
        <td className="wrap">
          <Link href={scenarioPath(instance, id)} className="run-name" data-row>
            {id}
          </Link>{' '}
          <button
            type="button"
            className="quiet"
            aria-expanded={isOpen}
            aria-label={`Checks of ${id}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            checks {isOpen ? '▴' : '▾'}
          </button>{' '}
          {canWrite && !scenario.quarantine ? (
            <QuarantineButton instance={instance} scenario={id} label={`Quarantine ${id}`} />
          ) : null}
        </td>
        <RateCells rates={scenario} />
        <td data-label={hasRemark(scenario) ? 'Remark' : undefined} className="wrap">
          <Remark scenario={scenario} /> <QuarantineMark quarantine={scenario.quarantine} />
        </td>
      </tr>
      {isOpen ? <CheckRows instance={instance} scenario={id} /> : null}
    </>
  );
}

function hasSpeedChange({ speed }: ScenarioHealth): boolean {
  return speed === 'slower' || speed === 'faster';
}

function hasRemark(scenario: ScenarioHealth): boolean {
  return scenario.flaky || scenario.quarantine !== undefined || hasSpeedChange(scenario);
}

function Remark({ scenario }: { scenario: ScenarioHealth }) {
  const { flaky, flaky_version: version, speed, earlier_p50_ms: earlier, recent_p50_ms: recent } = scenario;
  const isChanged = hasSpeedChange(scenario) && earlier !== null && recent !== null;
  return (
    <>
      {flaky ? (
        <span title="One version of the target and one revision of the scenario both passed and failed">
          <StatusIcon status="broken" decorative /> <b>flaky</b>
          {version === null ? null : (
            <>
              {' '}
              in <span className="mono">{version}</span>
            </>
          )}
        </span>
      ) : null}
      {flaky && isChanged ? ', ' : null}
      {isChanged ? (
        <span title="The last two days against the 14 days before">
          <StatusIcon status={speed === 'slower' ? 'broken' : 'passed'} decorative /> <b>{speed}</b>: p50{' '}
          {formatDuration(earlier)} → {formatDuration(recent)}
        </span>
      ) : null}
    </>
  );
}

function CheckRows({ instance, scenario }: { instance: string; scenario: string }) {
  const { health } = useClient();
  const query = useQuery({
    queryKey: ['health', instance, scenario],
    queryFn: ({ signal }) => health.get(instance, scenario, { signal }),
  });
  return (
    <tr>
      <td colSpan={rateNames.length + 2}>
        <QueryContent query={query}>{({ checks }) => <CheckTable scenario={scenario} checks={checks} />}</QueryContent>
      </td>
    </tr>
  );
}

function CheckTable({ scenario, checks }: { scenario: string; checks: readonly CheckHealth[] }) {
  if (checks.length === 0) return <EmptyState title="No run of the last 30 days has a report" />;
  return (
    <table className="table attention" aria-label={`Checks of ${scenario}`}>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <RateHeads />
        </tr>
      </thead>
      <tbody>
        {checks.map((check) => (
          <tr key={`${check.step} ${check.check}`}>
            <td className="mono wrap">
              {check.step === null ? '' : `${check.step}: `}
              {check.check}
            </td>
            <RateCells rates={check} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

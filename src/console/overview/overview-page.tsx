import { Link } from 'wouter';
import type { Instance } from '../../contract/api.ts';
import { DataTable } from '../components/data-table.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { useNow } from '../components/use-now.ts';
import { hubPath, instancePath, runPath } from '../paths.ts';
import { QuarantineMark } from '../quarantines/quarantine-mark.tsx';
import { InstanceStatus } from '../settings/environments/instance-status.tsx';
import { useInstances } from '../shell/current-instance.ts';
import { formatCount, formatExactTime, formatFailedRuns, formatTimeUntil } from '../text/format.ts';
import { getRunStatus } from '../text/run-status.ts';
import { FirstSteps, listMissingSteps } from './first-steps.tsx';
import {
  type ExpiringCredential,
  type InstanceResults,
  useExpiringCredentials,
  useInstanceResults,
  useWaitingTools,
  type WaitingTools,
} from './use-attention.ts';

/** What needs a look, over all environments and hubs. Before the first run it shows what is still to do. */
export function OverviewPage() {
  const { data, error, refetch } = useInstances();
  return (
    <div className="overview">
      <title>Overview · vp</title>
      <h1>Overview</h1>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {data ? <Attention instances={data} /> : error ? null : <Skeleton rows={6} />}
    </div>
  );
}

function Attention({ instances }: { instances: readonly Instance[] }) {
  const environments = useInstanceResults(instances);
  const offline = instances.filter(({ executor_status: status }) => status === 'AWAY');
  const allFailing = listFailing(environments);
  const failing = allFailing.filter(({ result }) => !result.last_run?.quarantine);
  const quarantined = allFailing.filter(({ result }) => result.last_run?.quarantine);
  const waiting = useWaitingTools();
  const expiring = useExpiringCredentials();
  const isLoading = environments.some(({ results }) => results === undefined);
  if (isLoading) return <Skeleton rows={6} />;
  const missingSteps = listMissingSteps(environments);
  const count = failing.length + offline.length + waiting.length + expiring.length;
  return (
    <>
      {missingSteps.length > 0 ? <FirstSteps environments={environments} /> : null}
      {count === 0 && missingSteps.length === 0 ? (
        <AllClear environments={environments} quarantined={quarantined.length} />
      ) : null}
      {failing.length > 0 ? (
        <FailingScenarios failing={failing} id="failing" title={formatCount(failing.length, 'failing scenario')} />
      ) : null}
      {offline.length > 0 ? <OfflineEnvironments instances={offline} /> : null}
      {waiting.length > 0 ? <ToolsToApprove waiting={waiting} /> : null}
      {expiring.length > 0 ? <ExpiringCredentials credentials={expiring} /> : null}
      {instances.length > 0 ? <EnvironmentTable environments={environments} /> : null}
      {quarantined.length > 0 ? (
        <FailingScenarios failing={quarantined} id="quarantined" title="Failing in quarantine, which does not count" />
      ) : null}
    </>
  );
}

type FailingScenario = InstanceResults & { readonly result: NonNullable<InstanceResults['results']>[number] };

/** The longest failing first. */
function listFailing(environments: readonly InstanceResults[]): readonly FailingScenario[] {
  return environments
    .flatMap((environment) => (environment.results ?? []).map((result) => ({ ...environment, result })))
    .filter(({ result }) => result.failing_since !== null)
    .sort((a, b) => (a.result.failing_since ?? '').localeCompare(b.result.failing_since ?? ''));
}

type FailingScenariosProps = {
  readonly failing: readonly FailingScenario[];
  readonly id: string;
  readonly title: string;
};

function FailingScenarios({ failing, id: headingId, title }: FailingScenariosProps) {
  return (
    <section aria-labelledby={headingId}>
      <h2 id={headingId}>{title}</h2>
      <DataTable className="attention" columns={['Scenario', 'Environment', 'Last result', 'Failing since']}>
        {failing.map(({ instance: { instance_id: id }, result }) => (
          <FailingRow key={`${id} ${result.scenario_id}`} instance={id} result={result} />
        ))}
      </DataTable>
    </section>
  );
}

function FailingRow({ instance, result }: { instance: string; result: FailingScenario['result'] }) {
  const { scenario_id: scenario, last_run: run, failing_since: since, failed_runs: count } = result;
  if (!run || since === null) return null;
  return (
    <tr>
      <td>
        <StatusIcon status={getRunStatus(run)} />{' '}
        <Link href={runPath(run.run_id)} className="run-name" data-row>
          {scenario}
        </Link>{' '}
        <QuarantineMark quarantine={run.quarantine} />
      </td>
      <td data-label="Environment">{instance}</td>
      <td data-label="Last result" className="wrap">
        {run.failure_summary ?? run.failure_message}
      </td>
      <td data-label="Failing since">
        <RelativeTime timestamp={since} />
        <span className="faint">, {formatFailedRuns(count)}</span>
      </td>
    </tr>
  );
}

function OfflineEnvironments({ instances }: { instances: readonly Instance[] }) {
  return (
    <section aria-labelledby="offline">
      <h2 id="offline">{formatCount(instances.length, 'environment')} offline</h2>
      <ul className="plain-list">
        {instances.map((instance) => (
          <li key={instance.instance_id}>
            <Link href="/settings/environments">{instance.instance_id}</Link>
            <span>
              <InstanceStatus instance={instance} />
              {instance.queued > 0 ? (
                <span className="faint">, {formatCount(instance.queued, 'run')} waiting</span>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ToolsToApprove({ waiting }: { waiting: readonly WaitingTools[] }) {
  return (
    <section aria-labelledby="waiting-tools">
      <h2 id="waiting-tools">Tools and other definitions waiting for approval</h2>
      <ul className="plain-list">
        {waiting.map(({ hub, hubName, tools }) => (
          <li key={hub}>
            <Link href={`${hubPath(hub, 'tools')}?kind=any`}>{hubName}</Link>
            <span>
              {tools
                .slice(0, 3)
                .map(({ connection, tool }) => `${connection}__${tool}`)
                .join(', ')}
              {tools.length > 3 ? ` and ${tools.length - 3} more` : ''}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExpiringCredentials({ credentials }: { credentials: readonly ExpiringCredential[] }) {
  return (
    <section aria-labelledby="expiring">
      <h2 id="expiring">Tokens and keys that expire</h2>
      <ul className="plain-list">
        {credentials.map(({ name, hub, expiresAt }) => (
          <li key={`${hub} ${name} ${expiresAt}`}>
            <span>
              <Link href={hub === null ? '/settings/account' : hubPath(hub)}>{name}</Link>{' '}
              <span className="faint">{hub === null ? 'API key' : `token of ${hub}`}</span>
            </span>
            <Expiry expiresAt={expiresAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Expiry({ expiresAt }: { expiresAt: string }) {
  const text = useNow((nowMs) => formatTimeUntil(expiresAt, nowMs));
  return (
    <span className="soon" title={formatExactTime(expiresAt)}>
      {text === 'expired' ? text : `expires ${text}`}
    </span>
  );
}

type AllClearProps = { readonly environments: readonly InstanceResults[]; readonly quarantined: number };

function AllClear({ environments, quarantined }: AllClearProps) {
  const count = environments.reduce((sum, { results = [] }) => sum + results.length, 0);
  return (
    <p className="all-clear">
      <StatusIcon status="passed" decorative /> <strong>Nothing needs a look.</strong>{' '}
      <span className="faint">
        {formatCount(count, 'scenario')} in {formatCount(environments.length, 'environment')},{' '}
        {quarantined === 0 ? 'none failing' : `${quarantined} failing in quarantine, no other`}.
      </span>
    </p>
  );
}

function EnvironmentTable({ environments }: { environments: readonly InstanceResults[] }) {
  return (
    <section aria-labelledby="environments">
      <h2 id="environments">Environments</h2>
      <DataTable className="attention" columns={['Environment', 'Executor', 'Scenarios', 'Now']}>
        {environments.map(({ instance, results = [] }) => (
          <tr key={instance.instance_id}>
            <td>
              <Link href={instancePath(instance.instance_id)} data-row>
                {instance.instance_id}
              </Link>
            </td>
            <td data-label="Executor">
              <InstanceStatus instance={instance} />
            </td>
            <td data-label="Scenarios">{formatResults(results)}</td>
            <td data-label="Now">
              {instance.running === null ? 'idle' : <Link href={runPath(instance.running)}>running</Link>}
              {instance.queued > 0 ? `, ${instance.queued} queued` : ''}
            </td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function formatResults(results: NonNullable<InstanceResults['results']>): string {
  const passing = results.filter(({ last_run: run }) => run?.state === 'passed').length;
  const notRun = results.filter(({ last_run: run }) => run === null).length;
  if (results.length === 0) return 'none';
  return `${passing} of ${results.length} passing${notRun > 0 ? `, ${notRun} not run yet` : ''}`;
}

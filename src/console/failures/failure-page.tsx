import { Link } from 'wouter';
import type { FailureDocument } from '../../contract/failures-api.ts';
import { DataTable } from '../components/data-table.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { instancePath, scenarioPath } from '../paths.ts';
import { RunTable } from '../runs/list/run-table.tsx';
import { useHasRole } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { FailureActions } from './failure-actions.tsx';
import { FailureDays } from './failure-days.tsx';
import { FailureState, SightingVersion } from './failure-state.tsx';
import { useFailure } from './use-failures.ts';

type FailureProps = { readonly instance: string; readonly failure: FailureDocument };

/** One failure: since when, in which versions of the target, in which runs, and what people say about it. */
export default function FailurePage({ instance, failureId }: { instance: string; failureId: string }) {
  const query = useFailure(instance, failureId);
  const mayChange = useHasRole('member');
  useRememberInstance(instance);
  return (
    <div className="landing">
      <title>{`Failure of ${query.data?.scenario_id ?? instance} · vp`}</title>
      <p>
        <Link href={instancePath(instance)}>‹ What needs a look</Link>
      </p>
      <QueryContent query={query}>
        {(failure) => (
          <>
            <FailureHead failure={failure} />
            <FailureFacts instance={instance} failure={failure} />
            {mayChange ? <FailureActions instance={instance} failure={failure} /> : null}
            <VersionTable failure={failure} />
            <section aria-labelledby="newest-runs">
              <h2 id="newest-runs">Newest runs</h2>
              <RunTable runs={failure.newest_runs} label="Newest runs" />
            </section>
          </>
        )}
      </QueryContent>
    </div>
  );
}

function FailureHead({ failure }: { failure: FailureDocument }) {
  return (
    <section aria-label="Failure">
      <h1>{failure.scenario_id}</h1>
      <p className="mono failure-check">{failure.summary}</p>
      <p>
        <FailureState failure={failure} />
      </p>
    </section>
  );
}

function Sighting({ sighting }: { sighting: FailureDocument['first_seen'] }) {
  return (
    <>
      <RelativeTime timestamp={sighting.at} />
      <SightingVersion version={sighting.target_version} />
    </>
  );
}

function FailureFacts({ instance, failure }: FailureProps) {
  const { check, line, step, reopened, resolved_at: resolvedAt, resolved_by: resolvedBy } = failure;
  return (
    <dl className="failure-facts">
      {check === null ? null : (
        <>
          <dt>Check</dt>
          <dd>
            <Link href={scenarioPath(instance, failure.scenario_id)} className="mono">
              {check}
            </Link>
            {line === null ? null : <span className="faint"> line {line}</span>}
            {step === null ? null : <span className="faint">, step {step}</span>}
          </dd>
        </>
      )}
      <dt>First seen</dt>
      <dd>
        <Sighting sighting={failure.first_seen} />
      </dd>
      {reopened === null ? null : (
        <>
          <dt>Came back</dt>
          <dd>
            <Sighting sighting={reopened} />
            <span className="faint"> after {resolvedBy ?? 'someone'} had resolved it</span>
          </dd>
        </>
      )}
      <dt>Last seen</dt>
      <dd>
        <Sighting sighting={failure.last_seen} />
      </dd>
      <dt>Runs</dt>
      <dd>
        {formatCount(failure.runs, 'run')} <FailureDays days={failure.days} />
      </dd>
      {resolvedAt === null ? null : (
        <>
          <dt>Resolved</dt>
          <dd>
            <RelativeTime timestamp={resolvedAt} /> by {resolvedBy ?? 'someone'}
          </dd>
        </>
      )}
      {failure.newest_runs[0]?.owner === undefined ? null : (
        <>
          <dt>Owner</dt>
          <dd>{failure.newest_runs[0].owner}</dd>
        </>
      )}
      <dt>Assigned to</dt>
      <dd>{failure.assignee ?? <span className="faint">nobody</span>}</dd>
      {failure.note === null ? null : (
        <>
          <dt>Note</dt>
          <dd>{failure.note}</dd>
        </>
      )}
    </dl>
  );
}

function VersionTable({ failure: { versions } }: { failure: FailureDocument }) {
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions of the target</h2>
      <DataTable
        className="attention"
        columns={['Version', { label: 'Runs', isNumber: true }, 'First seen', 'Last seen']}
      >
        {versions.map(({ target_version: version, runs, first_seen_at: from, last_seen_at: to }) => (
          <tr key={version ?? ''}>
            <td className="mono wrap">{version ?? <span className="faint">not known</span>}</td>
            <td data-label="Runs" className="number">
              {runs}
            </td>
            <td data-label="First seen">
              <RelativeTime timestamp={from} />
            </td>
            <td data-label="Last seen">
              <RelativeTime timestamp={to} />
            </td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

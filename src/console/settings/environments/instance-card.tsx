import { Link } from 'wouter';
import type { Instance } from '../../../contract/api.ts';
import { addControlPlane, CommandLine } from '../../components/command-line.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { runPath, runsPath, statusPagesPath } from '../../paths.ts';
import { useCanEditInstance } from '../../session/use-session.ts';
import { InstanceStatus } from './instance-status.tsx';
import { RemoveInstance } from './remove-instance.tsx';
import { RotateExecutorKey } from './rotate-executor-key.tsx';

export function InstanceCard({ instance }: { instance: Instance }) {
  const { instance_id: id, executor_version: version, recommended_version: recommended } = instance;
  const mayChange = useCanEditInstance(instance);
  return (
    <section className="card-box" aria-labelledby={`instance-${id}`}>
      <header>
        <h2 id={`instance-${id}`}>
          <Link href={runsPath(id)}>{id}</Link>
        </h2>
        <InstanceStatus instance={instance} showLastSeen />
      </header>
      <InstanceHelp instance={instance} />
      <dl className="facts-list">
        <dt>Version</dt>
        <dd>{formatVersion(version, recommended)}</dd>
        <dt>Target</dt>
        <dd className="mono">{instance.target ?? 'not known yet'}</dd>
        <dt>Port</dt>
        <dd>{instance.executor_port ?? 'none published'}</dd>
        <dt>Executor</dt>
        <dd>{instance.tier === 'embedded' ? 'in vp serve' : 'a process or a container of its own'}</dd>
        <dt>Now</dt>
        <dd>
          {instance.running === null ? 'idle' : <Link href={runPath(instance.running)}>running</Link>},{' '}
          {instance.queued} queued
        </dd>
        <dt>Owner</dt>
        <dd>{instance.owner?.name ?? 'none'}</dd>
        <dt>Registered</dt>
        <dd>
          <RelativeTime timestamp={instance.created_at} />
        </dd>
      </dl>
      <footer className="actions">
        <Link href={statusPagesPath(id)}>Status pages</Link>
        {mayChange ? (
          <>
            <RotateExecutorKey instance={id} />
            <RemoveInstance instance={id} />
          </>
        ) : null}
      </footer>
    </section>
  );
}

function formatVersion(version: string | null, recommended: string): string {
  if (version === null) return 'not seen yet';
  return version === recommended
    ? `${version}, as the control plane`
    : `${version}; the control plane is ${recommended}, use the same`;
}

function InstanceHelp({ instance }: { instance: Instance }) {
  const { instance_id: id, executor_status: status, tier, executor_project: project } = instance;
  if (status === 'REGISTERED') return null;
  if (status === 'NEVER_SEEN')
    return (
      <div className="help">
        <p>
          The executor has not connected yet. Save the key from its registration as <code>{id}.key</code>, and start it
          next to the application:
        </p>
        <CommandLine
          text={`vp executor --key-file ${id}.key --product-dir product --control-plane ${location.origin}`}
        />
      </div>
    );
  return (
    <div className="help">
      <p>
        A running executor connects every few seconds. Until then runs wait in the queue. Is{' '}
        <code>{tier === 'compose' ? 'vp executor' : 'vp serve --embedded'}</code>
        {tier === 'compose' ? (
          <>
            {' '}
            or the compose project <code>{project}</code>
          </>
        ) : null}{' '}
        running?
      </p>
      {tier === 'compose' ? (
        <>
          <p>On its machine, this says why not, and starts containers that are stopped:</p>
          <CommandLine text={addControlPlane(`vp doctor --instance ${id} --fix`)} />
        </>
      ) : null}
    </div>
  );
}

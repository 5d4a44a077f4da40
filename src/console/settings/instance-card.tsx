import { Link } from 'wouter';
import type { Instance } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { useMayChange } from '../session/use-session.ts';
import { runPath, runsPath } from '../shell/paths.ts';
import { InstanceHelp } from './instance-help.tsx';
import { RemoveInstance } from './remove-instance.tsx';
import { RotateKey } from './rotate-key.tsx';
import { StatusWords } from './status-words.tsx';

/** One instance: whether it is there, and if not, what to do. */
export function InstanceCard({ instance }: { instance: Instance }) {
  const { instance_id: id, executor_version: version, recommended_version: recommended } = instance;
  const mayChange = useMayChange(instance);
  return (
    <section className="card-box" aria-labelledby={`instance-${id}`}>
      <header>
        <h2 id={`instance-${id}`}>
          <Link href={runsPath(id)}>{id}</Link>
        </h2>
        <StatusWords instance={instance} seen />
      </header>
      <InstanceHelp instance={instance} />
      <dl className="facts-list">
        <dt>Version</dt>
        <dd>{versionText(version, recommended)}</dd>
        <dt>Target</dt>
        <dd className="mono">{instance.target ?? 'not told yet'}</dd>
        <dt>Port</dt>
        <dd>{instance.executor_port ?? 'none published'}</dd>
        <dt>Tier</dt>
        <dd>
          {instance.tier}
          {instance.tier === 'compose' ? <span className="mono"> {instance.executor_project}</span> : null}
        </dd>
        <dt>Now</dt>
        <dd>
          {instance.running === null ? 'idle' : <Link href={runPath(instance.running)}>running</Link>},{' '}
          {instance.queued} queued
        </dd>
        <dt>Belongs to</dt>
        <dd>{instance.owner?.name ?? 'nobody in particular'}</dd>
        <dt>Registered</dt>
        <dd>
          <Ago at={instance.created_at} />
        </dd>
      </dl>
      {mayChange ? (
        <footer className="actions">
          <RotateKey instance={id} />
          <RemoveInstance instance={id} />
        </footer>
      ) : null}
    </section>
  );
}

function versionText(version: string | null, recommended: string): string {
  if (version === null) return 'not seen yet';
  return version === recommended ? `${version}, the recommended one` : `${version}; ${recommended} is recommended`;
}

import type { Instance } from '../../contract/api.ts';
import { Command } from '../parts/command.tsx';

/** What to do about an executor that is not there. */
export function InstanceHelp({ instance }: { instance: Instance }) {
  const { executor_status: status, tier, executor_project: project } = instance;
  if (status === 'REGISTERED') return null;
  if (status === 'NEVER_SEEN') {
    return (
      <div className="help">
        <p>Its executor has not called yet. Start it beside the application, with the key from its registration:</p>
        <Command text={`VP_EXECUTOR_KEY=… vp executor --control-plane ${location.origin}`} />
      </div>
    );
  }
  return (
    <div className="help">
      <p>
        It calls every few seconds while it runs. Runs wait for it in the queue. Is{' '}
        <code>{tier === 'compose' ? project : 'vp serve --embedded'}</code> running?
      </p>
      {tier === 'compose' ? <Command text={`docker compose -p ${project} ps`} /> : null}
    </div>
  );
}

import { Link } from 'wouter';
import { Problem } from '../../parts/problem.tsx';
import { useConnection } from '../../session/connection.ts';
import { hubPath } from '../../shell/paths.ts';
import { isSwitchedOff, rolesThatMay, switched } from '../tool-rules.ts';
import { useChange } from '../use-change.ts';
import { usePolicy } from '../use-policy.ts';

type CallersProps = {
  readonly hub: string;
  readonly name: string;
  readonly isReading: boolean;
  readonly mayChange: boolean;
};

/** Who may call a tool by the policy, and the switch that keeps it from everybody. */
export function ToolCallers({ hub, name, isReading, mayChange }: CallersProps) {
  const { hubPolicy } = useConnection();
  const { data: policy } = usePolicy(hub);
  const isOn = !policy || !isSwitchedOff(policy.document, name);
  const toggle = useChange('hub-policy', async () => {
    const { document, revision } = policy ?? (await hubPolicy.policy(hub));
    return hubPolicy.setPolicy(hub, { document: switched(document, name, !isOn), if_revision: revision });
  });
  if (!policy) return null;
  const roles = rolesThatMay(policy.document, name, isReading);
  return (
    <>
      <footer className="actions">
        <span className="faint">
          {!isOn ? 'Switched off: nobody may call it.' : ''}
          {isOn && roles.length === 0 ? 'The policy lets nobody call it.' : ''}
          {isOn && roles.length > 0 ? `May be called by: ${roles.join(', ')}.` : ''}
        </span>
        {mayChange ? (
          <button type="button" className="quiet" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
            Switch {isOn ? 'off' : 'on'}
            <span className="unseen"> {name}</span>
          </button>
        ) : null}
        {roles.length > 0 ? (
          <Link className="faint" href={`${hubPath(hub, 'try')}?tool=${encodeURIComponent(name)}`}>
            Try it<span className="unseen"> {name}</span>
          </Link>
        ) : null}
      </footer>
      {toggle.error ? <Problem error={toggle.error} /> : null}
    </>
  );
}

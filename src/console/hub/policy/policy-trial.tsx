import type { HubPolicyTrialResult } from '../../../contract/hubs/policy-api.ts';
import { formatCount, formatExactTime } from '../../text/format.ts';

/** The effect a policy would have had on recorded calls. */
export function PolicyTrial({ trial }: { trial: HubPolicyTrialResult }) {
  const { calls, is_partial: isPartial, refused, allowed, held, unknown, since } = trial;
  return (
    <section aria-label="Trial" role="status">
      <h2>
        {formatCount(calls, 'call')} since {formatExactTime(since)}
        {isPartial ? ', most recent calls only' : ''}
      </h2>
      {refused.length + allowed.length + held.length === 0 ? <p>The outcome of every call stays the same.</p> : null}
      <TrialGroups title="Allowed calls that this policy refuses" groups={refused} />
      <TrialGroups title="Refused calls that this policy allows" groups={allowed} />
      <TrialGroups title="Allowed calls that this policy holds until they are approved" groups={held} />
      {unknown > 0 ? (
        <p className="faint">
          {formatCount(unknown, 'call')} cannot be evaluated because the arguments that a rule checks are not stored.
        </p>
      ) : null}
    </section>
  );
}

function TrialGroups({ title, groups }: { title: string; groups: HubPolicyTrialResult['refused'] }) {
  if (groups.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="plain-list">
        {groups.map(({ tool, person, reason, calls }) => (
          <li key={`${tool} ${person} ${reason}`}>
            <span>
              <code>{tool}</code> by {person}: {reason}
            </span>
            <span className="faint">{formatCount(calls, 'call')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

import type { HubPolicyTrial } from '../../../contract/hub-policy-api.ts';
import { countText, exactText } from '../../words/moments.ts';

/** What a policy would have made of calls that were made. */
export function PolicyTrial({ trial }: { trial: HubPolicyTrial }) {
  const { calls, is_partial: isPartial, refused, allowed, unknown, since } = trial;
  return (
    <section aria-label="Trial" role="status">
      <h2>
        {countText(calls, 'call')} since {exactText(since)}
        {isPartial ? ', the newest of more' : ''}
      </h2>
      {refused.length + allowed.length === 0 ? <p>All of them would have ended as they did.</p> : null}
      <Groups title="It would refuse, though they were let through" groups={refused} />
      <Groups title="It would let through, though they were refused" groups={allowed} />
      {unknown > 0 ? (
        <p className="faint">
          {countText(unknown, 'call')} cannot be judged: nothing of the arguments is kept that a rule looks at.
        </p>
      ) : null}
    </section>
  );
}

function Groups({ title, groups }: { title: string; groups: HubPolicyTrial['refused'] }) {
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
            <span className="faint">{countText(calls, 'call')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

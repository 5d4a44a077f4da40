import { Fragment, useState } from 'react';
import type { DecideHubApprovalRequest, HubApprovalDetails } from '../../../contract/hubs/approvals-api.ts';
import { markHiddenCharacters } from '../../../json/visible-text.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount, formatExactTime } from '../../text/format.ts';
import { DefinitionLines } from '../tools/tool-approval.tsx';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';

type ApprovalDetailsProps = {
  readonly hub: string;
  readonly approval: HubApprovalDetails;
  readonly onDecided: () => void;
};

/** More do not fit into the box without scrolling. */
const maxUncountedLines = 10;

export function ApprovalDetails({ hub, approval, onDecided }: ApprovalDetailsProps) {
  const { connection, tool, lines, marks, is_complete: isComplete, earlier, may_decide: mayDecide } = approval;
  const name = `${connection}__${tool}`;
  return (
    <>
      <ApprovalFacts approval={approval} />
      {marks.length === 0 ? null : (
        <p className="help">
          Characters that cannot be seen, or look like others, are marked:{' '}
          {marks.map(({ character, count }) => `${character} ${formatCount(count, 'time')}`).join(', ')}.
        </p>
      )}
      <p>
        {isComplete ? 'The server would get' : 'What the audit stores of the call'}
        {lines.length > maxUncountedLines ? `, ${formatCount(lines.length, 'line')}:` : ':'}
      </p>
      {lines.length === 0 ? (
        <p className="faint">The policy lets the audit store no arguments.</p>
      ) : (
        <DefinitionLines label={`Call of ${name}`} lines={lines.map((line) => `  ${line}`)} />
      )}
      {earlier.length === 0 ? (
        <p className="faint">No earlier call of this tool by this person was decided.</p>
      ) : (
        <EarlierDecisions earlier={earlier} />
      )}
      {mayDecide ? <DecisionForm hub={hub} approval={approval} name={name} onDecided={onDecided} /> : null}
    </>
  );
}

function ApprovalFacts({ approval }: { approval: HubApprovalDetails }) {
  const { person, role, via, via_name: viaName, client, expires_at: expiresAt, comment, pin } = approval;
  const { policy_revision: revision, approval: id } = approval;
  const facts = [
    ['Person', `${person} (${role})`],
    ['Signed in with', viaName === null ? via : `${via} ${viaName}`],
    ['Client, as it says', client ?? 'not stated'],
    ['Expires', formatExactTime(expiresAt)],
    ['Definition', pin],
    ['Policy', `revision ${revision}`],
    ['Approval', id],
    ...(comment === null || comment === '' ? [] : [['Comment', comment]]),
  ];
  return (
    <dl className="facts-list">
      {facts.map(([label = '', text = '']) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{markHiddenCharacters(text)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function EarlierDecisions({ earlier }: Pick<HubApprovalDetails, 'earlier'>) {
  return (
    <>
      <p>Earlier calls of this tool by this person:</p>
      <ul className="plain-list">
        {earlier.map(({ approval, state, decided_at: decidedAt, decided_by: name, is_same_call: isSame }) => (
          <li key={approval}>
            <span>
              {state}, decided by {markHiddenCharacters(name ?? '')}
              {isSame ? ', the same arguments' : ''}
            </span>
            <span className="faint">{decidedAt === null ? '' : formatExactTime(decidedAt)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The decision names the digest of the call that is displayed. */
function DecisionForm({ hub, approval, name, onDecided }: ApprovalDetailsProps & { readonly name: string }) {
  const { hubApprovals } = useClient();
  const [comment, setComment] = useState('');
  const { approval: id, digest, state } = approval;
  const decide = useInvalidatingMutation(
    'hub-approvals',
    (decision: DecideHubApprovalRequest['decision']) =>
      hubApprovals.decide(hub, id, { decision, digest, ...(comment === '' ? {} : { comment }) }),
    onDecided,
  );
  const isPending = state === 'pending';
  return (
    <>
      <Field
        label="Comment for the caller"
        maxLength={300}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      <footer className="actions">
        {isPending ? (
          <button type="button" className="strong" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
            Approve this call once<span className="visually-hidden"> {name}</span>
          </button>
        ) : null}
        <button type="button" className="destructive" disabled={decide.isPending} onClick={() => decide.mutate('deny')}>
          {isPending ? 'Deny' : 'Take the approval back'}
          <span className="visually-hidden"> {name}</span>
        </button>
      </footer>
      {decide.error ? <ErrorNotice error={decide.error} /> : null}
    </>
  );
}

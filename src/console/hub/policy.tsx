import { useId, useState } from 'react';
import type { Hub } from '../../contract/hub-api.ts';
import type { HubPolicy, HubPolicyDocument } from '../../contract/hub-policy-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Problem } from '../parts/problem.tsx';
import { Loaded } from './loaded.tsx';
import { PolicyTrial } from './policy-trial.tsx';
import { readPolicy } from './read-policy.ts';
import { useChange } from './use-change.ts';
import { usePolicy, usePolicyClient } from './use-policy.ts';

/** What a hub allows; owners change it, and try a change on what was called before. */
export function Policy({ hub }: { hub: Hub }) {
  const query = usePolicy(hub.slug);
  return (
    <Loaded query={query}>
      {(policy) => <Editor key={policy.revision} hub={hub.slug} policy={policy} mayChange={hub.role === 'owner'} />}
    </Loaded>
  );
}

type EditorProps = { readonly hub: string; readonly policy: HubPolicy; readonly mayChange: boolean };

function Editor({ hub, policy, mayChange }: EditorProps) {
  const client = usePolicyClient();
  const id = useId();
  const before = JSON.stringify(policy.document, undefined, 2);
  const [text, setText] = useState(before);
  const read = readPolicy(text);
  const save = useChange('hub-policy', (document: HubPolicyDocument) =>
    client.setPolicy(hub, { document, if_revision: policy.revision }),
  );
  const trial = useChange('hub-policy-trial', (document: HubPolicyDocument) => client.tryPolicy(hub, document));
  const { document } = read;
  return (
    <>
      <p className="faint">
        {policy.changed_at === null ? (
          'The default policy: viewers call what only reads.'
        ) : (
          <>
            Revision {policy.revision}, by {policy.changed_by} <Ago at={policy.changed_at} />.
          </>
        )}{' '}
        In lists of tools * stands for any characters.
      </p>
      <div className="field">
        <label htmlFor={id}>Policy</label>
        <textarea
          id={id}
          className="policy-text"
          spellCheck={false}
          readOnly={!mayChange}
          rows={Math.min(32, text.split('\n').length + 1)}
          aria-describedby={`${id}-hint`}
          aria-invalid={!document}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <p id={`${id}-hint`} className={document ? 'hint' : 'hint soon'} role="status">
          {read.problem ?? (text === before ? 'As it is in force.' : 'Not in force yet.')}
        </p>
      </div>
      {mayChange ? (
        <p className="actions">
          <button
            type="button"
            disabled={!document || trial.isPending}
            onClick={() => document && trial.mutate(document)}
          >
            {trial.isPending ? 'Trying…' : 'Try on the calls of the last day'}
          </button>
          <button
            type="button"
            className="strong"
            disabled={!document || text === before || save.isPending}
            onClick={() => document && save.mutate(document)}
          >
            Put in force
          </button>
          <button type="button" disabled={text === before} onClick={() => setText(before)}>
            Discard
          </button>
        </p>
      ) : (
        <p className="faint">Owners of the hub change it.</p>
      )}
      {save.error ? <Problem error={save.error} /> : null}
      {trial.error ? <Problem error={trial.error} /> : null}
      {trial.data ? <PolicyTrial trial={trial.data} /> : null}
    </>
  );
}

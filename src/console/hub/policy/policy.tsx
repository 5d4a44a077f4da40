import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Hub } from '../../../contract/hub-api.ts';
import type { HubPolicy, HubPolicyDocument } from '../../../contract/hub-policy-api.ts';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { WrittenField } from '../../parts/written-field.tsx';
import { useConnection } from '../../session/connection.ts';
import { Loaded } from '../loaded.tsx';
import { useChange } from '../use-change.ts';
import { usePolicy } from '../use-policy.ts';
import { PolicyForm } from './policy-form.tsx';
import { PolicyTrial } from './policy-trial.tsx';
import { type PolicyEditor, usePolicyEditor } from './use-policy-editor.ts';

const views = [
  { name: 'form', label: 'Form' },
  { name: 'text', label: 'Text' },
] as const;

/** What a hub allows; owners change it, and try a change on what was called before. */
export function Policy({ hub }: { hub: Hub }) {
  const query = usePolicy(hub.slug);
  return (
    <Loaded query={query}>
      {(policy) => <Known hub={hub.slug} policy={policy} mayChange={hub.role === 'owner'} />}
    </Loaded>
  );
}

type KnownProps = { readonly hub: string; readonly policy: HubPolicy; readonly mayChange: boolean };

/** What somebody writes is about the revision that it began with, until they take over another. */
function Known({ policy, ...rest }: KnownProps) {
  const [base, setBase] = useState(policy);
  const newer = policy.revision > base.revision ? policy : undefined;
  return <Editor key={base.revision} policy={base} newer={newer} onTake={setBase} {...rest} />;
}

type EditorProps = KnownProps & {
  /** Put in force by somebody else since. */
  readonly newer: HubPolicy | undefined;
  readonly onTake: (policy: HubPolicy) => void;
};

function Editor({ hub, policy, newer, mayChange, onTake }: EditorProps) {
  const editor = usePolicyEditor(policy.document);
  const { view, draft, text, read, isChanged } = editor;
  useEffect(() => {
    if (newer && !isChanged) onTake(newer);
  }, [newer, isChanged, onTake]);
  return (
    <>
      {newer && isChanged ? (
        <p className="help" role="status">
          <span>
            {newer.changed_by} has put revision {newer.revision} in force meanwhile, and yours cannot take its place.
            Copy what you need of yours.
          </span>
          <button type="button" onClick={() => onTake(newer)}>
            Discard mine, show revision {newer.revision}
          </button>
        </p>
      ) : null}
      <p className="faint">
        {policy.changed_at === null ? (
          'The default policy: viewers call what only reads.'
        ) : (
          <>
            Revision {policy.revision}, by {policy.changed_by} <Ago at={policy.changed_at} />.
          </>
        )}{' '}
        {mayChange ? '' : 'Owners of the hub change it.'}
      </p>
      <Tabs label="Policy as" tabs={views} chosen={view} onChoose={editor.show}>
        {view === 'form' ? (
          <PolicyForm draft={draft} readOnly={!mayChange} set={editor.write} />
        ) : (
          <WrittenField
            label="Policy"
            rows={[2, 32]}
            readOnly={!mayChange}
            aria-describedby="policy-state"
            aria-invalid={read.document === undefined}
            value={text}
            onWrite={editor.write}
          />
        )}
      </Tabs>
      <div className="policy-foot">
        <p id="policy-state" className={read.document ? 'faint' : 'soon'} role="status">
          {read.problem ?? (isChanged ? 'Not in force yet.' : 'As it is in force.')}
        </p>
        {mayChange ? <Actions hub={hub} revision={policy.revision} editor={editor} onSaved={onTake} /> : null}
      </div>
    </>
  );
}

type ActionsProps = {
  readonly hub: string;
  readonly revision: number;
  readonly editor: PolicyEditor;
  readonly onSaved: (policy: HubPolicy) => void;
};

function Actions({ hub, revision, editor, onSaved }: ActionsProps) {
  const { hubPolicy: client } = useConnection();
  const { document } = editor.read;
  const queries = useQueryClient();
  const save = useChange(
    'hub-policy',
    (wanted: HubPolicyDocument) => client.setPolicy(hub, { document: wanted, if_revision: revision }),
    onSaved,
  );
  // A refusal may mean that there is a newer one.
  const readAgain = (): void => void queries.invalidateQueries({ queryKey: ['hub-policy', hub] });
  const trial = useChange('hub-policy-trial', (wanted: HubPolicyDocument) => client.tryPolicy(hub, wanted));
  return (
    <>
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
          disabled={!document || !editor.isChanged || save.isPending}
          onClick={() => document && save.mutate(document, { onError: readAgain })}
        >
          Put in force
        </button>
        <button type="button" disabled={!editor.isChanged} onClick={editor.discard}>
          Discard
        </button>
      </p>
      {save.error ? <Problem error={save.error} /> : null}
      {trial.error ? <Problem error={trial.error} /> : null}
      {trial.data ? <PolicyTrial trial={trial.data} /> : null}
    </>
  );
}

import type { Hub } from '../../../contract/hub-api.ts';
import type { HubPolicy, HubPolicyDocument } from '../../../contract/hub-policy-api.ts';
import { Ago } from '../../parts/ago.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useConnection } from '../../session/connection.ts';
import { Loaded } from '../loaded.tsx';
import { useChange } from '../use-change.ts';
import { usePolicy } from '../use-policy.ts';
import { PolicyForm } from './policy-form.tsx';
import { PolicyText } from './policy-text.tsx';
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
      {(policy) => <Editor key={policy.revision} hub={hub.slug} policy={policy} mayChange={hub.role === 'owner'} />}
    </Loaded>
  );
}

type EditorProps = { readonly hub: string; readonly policy: HubPolicy; readonly mayChange: boolean };

function Editor({ hub, policy, mayChange }: EditorProps) {
  const editor = usePolicyEditor(policy.document);
  const { view, draft, text, read, isChanged } = editor;
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
        {mayChange ? '' : 'Owners of the hub change it.'}
      </p>
      <Tabs label="Policy as" tabs={views} chosen={view} onChoose={editor.show}>
        {view === 'form' ? (
          <PolicyForm draft={draft} readOnly={!mayChange} set={editor.write} />
        ) : (
          <PolicyText text={text} readOnly={!mayChange} isValid={read.document !== undefined} onWrite={editor.write} />
        )}
      </Tabs>
      <div className="policy-foot">
        <p id="policy-state" className={read.document ? 'faint' : 'soon'} role="status">
          {read.problem ?? (isChanged ? 'Not in force yet.' : 'As it is in force.')}
        </p>
        {mayChange ? <Actions hub={hub} revision={policy.revision} editor={editor} /> : null}
      </div>
    </>
  );
}

function Actions({ hub, revision, editor }: { hub: string; revision: number; editor: PolicyEditor }) {
  const { hubPolicy: client } = useConnection();
  const { document } = editor.read;
  const save = useChange('hub-policy', (wanted: HubPolicyDocument) =>
    client.setPolicy(hub, { document: wanted, if_revision: revision }),
  );
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
          onClick={() => document && save.mutate(document)}
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

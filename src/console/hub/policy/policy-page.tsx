import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import type { HubPolicy, HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import { VpError } from '../../../errors/vp-error.ts';
import { ErrorNotice, toSentence } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { TextAreaField } from '../../components/text-area-field.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraftStorage } from '../../drafts/draft-storage.ts';
import { useClient } from '../../session/client.ts';
import { QueryContent } from '../query-content.tsx';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { PolicyConflict } from './policy-conflict.tsx';
import { PolicyForm } from './policy-form.tsx';
import { PolicyTrial } from './policy-trial.tsx';
import { usePolicy } from './use-policy.ts';
import { formatEditorContent, type PolicyEditor, usePolicyEditor } from './use-policy-editor.ts';

const views = [
  { name: 'form', label: 'Form' },
  { name: 'text', label: 'Text' },
] as const;

export function PolicyPage({ hub }: { hub: Hub }) {
  const query = usePolicy(hub.slug);
  return (
    <QueryContent query={query}>
      {(policy) => <PolicyRevision hub={hub.slug} policy={policy} mayChange={hub.role === 'owner'} />}
    </QueryContent>
  );
}

type PolicyRevisionProps = { readonly hub: string; readonly policy: HubPolicy; readonly mayChange: boolean };

/** Edits are based on one revision until the person replaces it with a newer one. */
function PolicyRevision({ policy, ...rest }: PolicyRevisionProps) {
  const [base, setBase] = useState(policy);
  const newer = policy.revision > base.revision ? policy : undefined;
  return <PolicyEditorView key={base.revision} policy={base} newer={newer} onReplace={setBase} {...rest} />;
}

type PolicyEditorViewProps = PolicyRevisionProps & {
  /** A revision that someone else has applied meanwhile. */
  readonly newer: HubPolicy | undefined;
  readonly onReplace: (policy: HubPolicy) => void;
};

function PolicyEditorView({ hub, policy, newer, mayChange, onReplace }: PolicyEditorViewProps) {
  const storage = useDraftStorage('policy', hub);
  const editor = usePolicyEditor(policy, storage);
  const { view, draft, text, parsed, isChanged, restored } = editor;
  useEffect(() => {
    if (newer && !isChanged) onReplace(newer);
  }, [newer, isChanged, onReplace]);
  return (
    <>
      {newer && isChanged ? (
        <PolicyConflict
          base={policy}
          newer={newer}
          mine={parsed.document}
          onMerge={(document) => {
            storage.write(formatEditorContent(view, document), newer.revision);
            onReplace(newer);
          }}
          onDiscard={() => {
            storage.remove();
            onReplace(newer);
          }}
        />
      ) : null}
      <DraftNote
        restoredAtMs={isChanged ? restored?.savedAtMs : undefined}
        isStored={editor.isStored}
        onDiscard={editor.discard}
      />
      {isChanged && restored && restored.revision < policy.revision ? (
        <p className="help" role="alert">
          Your changes began with revision {restored.revision}. {policy.changed_by} has applied revision{' '}
          {policy.revision} since: applying yours replaces it.
        </p>
      ) : null}
      <p className="faint">
        {policy.changed_at === null ? (
          'The default policy: viewers can call read-only tools.'
        ) : (
          <>
            Revision {policy.revision}, by {policy.changed_by} <RelativeTime timestamp={policy.changed_at} />.
          </>
        )}{' '}
        {mayChange ? '' : 'Only owners of the hub can change it.'}
      </p>
      <Tabs label="Policy format" tabs={views} selected={view} onSelect={editor.switchView}>
        {view === 'form' ? (
          <PolicyForm draft={draft} readOnly={!mayChange} onChange={editor.write} />
        ) : (
          <TextAreaField
            label="Policy"
            rows={[8, 32]}
            readOnly={!mayChange}
            aria-describedby="policy-state"
            aria-invalid={parsed.document === undefined}
            value={text}
            onTextChange={editor.write}
          />
        )}
      </Tabs>
      <div className="policy-foot">
        <p id="policy-state" className={parsed.document ? 'faint' : 'soon'} role="status">
          {parsed.problem ?? (isChanged ? 'Not applied yet.' : 'No changes.')}
        </p>
        {mayChange ? <PolicyActions hub={hub} revision={policy.revision} editor={editor} onSaved={onReplace} /> : null}
      </div>
    </>
  );
}

type PolicySave = {
  readonly newDocument: HubPolicyDocument;
  readonly isConfirmed: boolean;
  readonly snapshot: string;
};

const unknownNameErrors: Readonly<Record<string, string>> = {
  POLICY_TOOL_UNKNOWN: 'tools',
  POLICY_CALLER_UNKNOWN: 'callers',
};

type PolicyActionsProps = {
  readonly hub: string;
  readonly revision: number;
  readonly editor: PolicyEditor;
  readonly onSaved: (policy: HubPolicy) => void;
};

function PolicyActions({ hub, revision, editor, onSaved }: PolicyActionsProps) {
  const { hubPolicy } = useClient();
  const { document } = editor.parsed;
  const queries = useQueryClient();
  const save = useInvalidatingMutation(
    'hub-policy',
    async ({ newDocument, isConfirmed, snapshot: submitted }: PolicySave) => {
      const input = { document: newDocument, if_revision: revision };
      const confirmation = { accept_unknown_tools: true, accept_unknown_callers: true };
      const saved = await hubPolicy.setPolicy(hub, isConfirmed ? { ...input, ...confirmation } : input);
      editor.settle(submitted);
      return saved;
    },
    onSaved,
  );
  const { snapshot } = editor;
  const unknownNames = save.error instanceof VpError ? unknownNameErrors[save.error.code] : undefined;
  const apply = (isConfirmed: boolean): void =>
    document && save.mutate({ newDocument: document, isConfirmed, snapshot }, { onError: refetchPolicy });
  // A refusal may mean that there is a newer revision.
  const refetchPolicy = (): void => void queries.invalidateQueries({ queryKey: ['hub-policy', hub] });
  const trial = useInvalidatingMutation('hub-policy-trial', (newDocument: HubPolicyDocument) =>
    hubPolicy.tryPolicy(hub, newDocument),
  );
  return (
    <>
      <p className="actions">
        <button
          type="button"
          disabled={!document || trial.isPending}
          onClick={() => document && trial.mutate(document)}
        >
          {trial.isPending ? 'Testing…' : 'Test on the calls of the last day'}
        </button>
        <button
          type="button"
          className="strong"
          disabled={!document || !editor.isChanged || save.isPending}
          onClick={() => apply(false)}
        >
          Apply policy
        </button>
        <button type="button" disabled={!editor.isChanged} onClick={editor.discard}>
          Discard
        </button>
      </p>
      {save.error && !unknownNames ? <ErrorNotice error={save.error} /> : null}
      {unknownNames && save.error && document ? (
        <div className="problem" role="alert">
          <p>
            <strong>{toSentence(save.error.message)}</strong>
          </p>
          <p>Check the spelling. Apply it as it is only if these {unknownNames} are still to come.</p>
          <button type="button" disabled={save.isPending} onClick={() => apply(true)}>
            Apply with unknown {unknownNames}
          </button>
        </div>
      ) : null}
      {trial.error ? <ErrorNotice error={trial.error} /> : null}
      {trial.data ? <PolicyTrial trial={trial.data} /> : null}
    </>
  );
}

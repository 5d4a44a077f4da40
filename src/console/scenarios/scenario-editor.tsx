import { useEffect, useMemo, useRef } from 'react';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { DiagnosticList } from './diagnostic-list.tsx';
import { CodeEditor, type CodeEditorHandle } from './editor/code-editor.tsx';
import { NewScenarioSources } from './new-scenario-sources.tsx';
import { SaveConflict } from './save-conflict.tsx';
import { useResponseFields } from './use-response-fields.ts';
import { isSaveConflict } from './use-save-scenario.ts';
import { type EditedScenario, useScenarioDraft } from './use-scenario-draft.ts';

/** Loaded by itself: with the code editor it is a third of all scripts of the console. */
export default function ScenarioEditor(editedScenario: EditedScenario) {
  const { instance, id } = editedScenario;
  const draft = useScenarioDraft(editedScenario);
  const editor = useRef<CodeEditorHandle>(null);
  const instanceRecord = useInstance(instance);
  const canWrite = useCanEditInstance(instanceRecord);
  const variables = instanceRecord?.scenario_variables;
  const { text, diagnostics, error, tags } = draft;
  const fields = useResponseFields(instance, id);
  const facts = useMemo(() => ({ tags, fields, variables: variables ?? [] }), [tags, fields, variables]);
  const save = (): void => {
    if (canWrite && draft.isSavable() && (draft.isChanged || id === undefined)) draft.saveOver();
  };
  const run = (): void => {
    if (canWrite && draft.isRunnable()) draft.run();
  };
  useEditorKeys(save, run);
  return (
    <div className="editing">
      {id === undefined && canWrite ? <NewScenarioSources takenIds={draft.takenIds} onText={draft.changeText} /> : null}
      <DraftNote restoredAtMs={draft.restoredAtMs} isStored={draft.isStored} onDiscard={draft.discardChanges} />
      <CodeEditor
        ref={editor}
        label="Source"
        describedBy="editor-status editor-keys"
        text={text}
        diagnostics={diagnostics}
        facts={facts}
        readOnly={!canWrite}
        onChange={draft.changeText}
        onSave={save}
        onRun={run}
      />
      <p
        id="editor-status"
        role="status"
        className={diagnostics.length > 0 ? 'editor-status is-failed' : 'editor-status'}
      >
        {describeStatus(diagnostics)}
      </p>
      <DiagnosticList
        text={text}
        diagnostics={diagnostics}
        canFix={canWrite}
        onSelect={({ range }) => editor.current?.select(range.start.offset, range.end.offset)}
        onFix={(edit) => editor.current?.applyEdit(edit)}
      />
      {id !== undefined && (draft.isOutdated || isSaveConflict(error)) ? (
        <SaveConflict
          instance={instance}
          id={id}
          ownText={text}
          onOverwrite={draft.saveOver}
          onTakeSaved={draft.loadRevision}
        />
      ) : error ? (
        <ErrorNotice error={error} />
      ) : null}
      {canWrite ? (
        <SaveBar draft={draft} isNew={id === undefined} onSave={save} onRun={run} />
      ) : (
        <p className="faint">Only owners and the person this environment belongs to can edit its scenarios.</p>
      )}
      <p id="editor-keys" className="hint">
        Ctrl-Space completes, Ctrl-. applies a fix, F8 goes to the next problem, Ctrl-S saves, Ctrl-Enter runs. Tab
        indents: press Esc, then Tab to leave the editor.
      </p>
    </div>
  );
}

/** Ctrl-S and Ctrl-Enter anywhere on the page. The editor handles them itself while it has the focus. */
function useEditorKeys(save: () => void, run: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
      const action = event.key === 's' ? save : event.key === 'Enter' ? run : undefined;
      if (!action || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

type SaveBarProps = {
  readonly draft: ReturnType<typeof useScenarioDraft>;
  readonly isNew: boolean;
  readonly onSave: () => void;
  readonly onRun: () => void;
};

function SaveBar({ draft, isNew, onSave, onRun }: SaveBarProps) {
  const { isChanged, isSaving, canSave, canRun, isSaved, revision } = draft;
  return (
    <div className="actions">
      <button type="button" disabled={!isChanged || isSaving} onClick={draft.discardChanges}>
        Discard changes
      </button>
      <button type="button" disabled={!canRun} onClick={onRun}>
        {isChanged || isNew ? 'Run draft' : 'Run this revision'}
      </button>
      <button type="button" className="strong" disabled={!canSave || (!isChanged && !isNew)} onClick={onSave}>
        {isSaving ? 'Saving…' : 'Save'}
      </button>
      {isSaved ? <span role="status">Saved as revision {revision}.</span> : null}
    </div>
  );
}

function describeStatus(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (diagnostics.length === 0) return 'No problems.';
  return errors > 0 ? formatCount(errors, 'error') : formatCount(diagnostics.length, 'warning');
}

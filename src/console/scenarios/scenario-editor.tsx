import { useRef } from 'react';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { DiagnosticList } from './diagnostic-list.tsx';
import { SaveConflict } from './save-conflict.tsx';
import { SourceArea } from './source-area.tsx';
import { isSaveConflict } from './use-save-scenario.ts';
import { type EditedScenario, useScenarioDraft } from './use-scenario-draft.ts';

export function ScenarioEditor(editedScenario: EditedScenario) {
  const { instance, id } = editedScenario;
  const draft = useScenarioDraft(editedScenario);
  const textArea = useRef<HTMLTextAreaElement>(null);
  const canWrite = useCanEditInstance(useInstance(instance));
  const { text, diagnostics, error } = draft;
  return (
    <div className="editing">
      <SourceArea
        text={text}
        diagnostics={diagnostics}
        textArea={textArea}
        readOnly={!canWrite}
        onChange={draft.changeText}
      />
      <p
        id="editor-status"
        role="status"
        className={diagnostics.length > 0 ? 'editor-status is-failed' : 'editor-status'}
      >
        {describeStatus(diagnostics)}
      </p>
      <DiagnosticList diagnostics={diagnostics} onSelect={(diagnostic) => selectRange(textArea.current, diagnostic)} />
      {isSaveConflict(error) && id !== undefined ? (
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
        <SaveBar draft={draft} isNew={id === undefined} />
      ) : (
        <p className="faint">Only owners and the person this environment belongs to can edit its scenarios.</p>
      )}
    </div>
  );
}

function SaveBar({ draft, isNew }: { draft: ReturnType<typeof useScenarioDraft>; isNew: boolean }) {
  const { isChanged, isSaving, scenario, isSaved, revision } = draft;
  const canSave = (isChanged || isNew) && scenario !== undefined && !isSaving;
  return (
    <div className="actions">
      <button type="button" disabled={!isChanged || isSaving} onClick={draft.discardChanges}>
        Discard changes
      </button>
      <button type="button" className="strong" disabled={!canSave} onClick={() => draft.saveOver()}>
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

function selectRange(textArea: HTMLTextAreaElement | null, { range }: Diagnostic): void {
  textArea?.focus();
  textArea?.setSelectionRange(range.start.offset, Math.max(range.start.offset, range.end.offset));
}

import { useRef } from 'react';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { Problem } from '../parts/problem.tsx';
import { useMayChange } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { countText } from '../words/moments.ts';
import { Conflict } from './conflict.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { SourceArea } from './source-area.tsx';
import { type Edited, useDraft } from './use-draft.ts';
import { isConflict } from './use-save.ts';

/** The source with what is wrong at its line, and the ways to save it. */
export function Editor(edited: Edited) {
  const { instance, id } = edited;
  const draft = useDraft(edited);
  const area = useRef<HTMLTextAreaElement>(null);
  const mayWrite = useMayChange(useInstance(instance));
  const { text, diagnostics, error } = draft;
  return (
    <div className="editing">
      <SourceArea text={text} diagnostics={diagnostics} area={area} readOnly={!mayWrite} onChange={draft.change} />
      <p
        id="editor-status"
        role="status"
        className={diagnostics.length > 0 ? 'editor-status is-failed' : 'editor-status'}
      >
        {statusText(diagnostics)}
      </p>
      <DiagnosticList diagnostics={diagnostics} onGo={(diagnostic) => select(area.current, diagnostic)} />
      {isConflict(error) && id !== undefined ? (
        <Conflict instance={instance} id={id} mine={text} onOverwrite={draft.write} onTheirs={draft.take} />
      ) : error ? (
        <Problem error={error} />
      ) : null}
      {mayWrite ? (
        <SaveBar draft={draft} fresh={id === undefined} />
      ) : (
        <p className="faint">Only whom this environment belongs to, and owners, write its scenarios.</p>
      )}
    </div>
  );
}

function SaveBar({ draft, fresh }: { draft: ReturnType<typeof useDraft>; fresh: boolean }) {
  const { changed, saving, scenario, saved, revision } = draft;
  const ready = (changed || fresh) && scenario !== undefined && !saving;
  return (
    <div className="actions">
      <button type="button" disabled={!changed || saving} onClick={draft.undo}>
        Undo all
      </button>
      <button type="button" className="strong" disabled={!ready} onClick={() => draft.write()}>
        {saving ? 'Saving…' : 'Save'}
      </button>
      {saved ? <span role="status">Saved as revision {revision}.</span> : null}
    </div>
  );
}

function statusText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (diagnostics.length === 0) return 'No problems.';
  return errors > 0 ? countText(errors, 'error') : countText(diagnostics.length, 'warning');
}

function select(area: HTMLTextAreaElement | null, { range }: Diagnostic): void {
  area?.focus();
  area?.setSelectionRange(range.start.offset, Math.max(range.start.offset, range.end.offset));
}

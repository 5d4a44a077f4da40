import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { Problem } from '../parts/problem.tsx';
import { useMayChange } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { scenarioPath } from '../shell/paths.ts';
import { countText } from '../words/moments.ts';
import { Conflict } from './conflict.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { readScenario } from './read.ts';
import { SourceArea } from './source-area.tsx';
import { isConflict, useSave } from './use-save.ts';

type EditorProps = {
  readonly instance: string;
  readonly id: string | undefined;
  readonly text: string;
  readonly revision: number;
};

/** The source, judged as it is typed. What was typed is kept when the catalogue changes meanwhile. */
export function Editor({ instance, id, text: saved, revision }: EditorProps) {
  const [text, setText] = useState(saved);
  const [base, setBase] = useState({ text: saved, revision });
  const area = useRef<HTMLTextAreaElement>(null);
  const save = useSave(instance);
  const [, go] = useLocation();
  const mayWrite = useMayChange(useInstance(instance));
  const changed = text !== base.text;
  if (!changed && base.revision !== revision) {
    setBase({ text: saved, revision });
    setText(saved);
  }
  const deferred = useDeferredValue(text);
  const { scenario, diagnostics } = useMemo(() => readScenario(deferred), [deferred]);
  const refusals = refused(save.error);
  const told = refusals.length > 0 ? refusals : diagnostics;
  const target = id ?? scenario?.id;
  const write = (over = base.revision): void => {
    if (target === undefined) return;
    save.mutate(
      { id: target, text, revision: over },
      {
        onSuccess: (document) => {
          setBase({ text: document.text, revision: document.revision });
          if (id === undefined) go(scenarioPath(instance, document.scenario_id));
        },
      },
    );
  };
  useLeaveGuard(changed);
  return (
    <div className="editing">
      <SourceArea
        text={text}
        diagnostics={told}
        area={area}
        readOnly={!mayWrite}
        onChange={(next) => {
          setText(next);
          if (save.error) save.reset();
        }}
      />
      <p id="editor-status" role="status" className={told.length > 0 ? 'editor-status is-failed' : 'editor-status'}>
        {statusText(told)}
      </p>
      <DiagnosticList diagnostics={told} onGo={(diagnostic) => select(area.current, diagnostic)} />
      {isConflict(save.error) && id !== undefined ? (
        <Conflict
          instance={instance}
          id={id}
          mine={text}
          onOverwrite={write}
          onTheirs={(theirs) => {
            setBase({ text: theirs.text, revision: theirs.revision });
            setText(theirs.text);
            save.reset();
          }}
        />
      ) : save.error && refusals.length === 0 ? (
        <Problem error={save.error} />
      ) : null}
      {mayWrite ? (
        <div className="actions">
          <button type="button" disabled={!changed || save.isPending} onClick={() => setText(base.text)}>
            Undo all
          </button>
          <button
            type="button"
            className="strong"
            disabled={(!changed && id !== undefined) || !scenario || save.isPending}
            onClick={() => write()}
          >
            {save.isPending ? 'Saving…' : 'Save'}
          </button>
          {save.isSuccess && !changed ? <span role="status">Saved as revision {base.revision}.</span> : null}
        </div>
      ) : (
        <p className="faint">Only whom this environment belongs to, and owners, write its scenarios.</p>
      )}
    </div>
  );
}

function statusText(told: readonly Diagnostic[]): string {
  const errors = told.filter(({ severity }) => severity === 'error').length;
  if (told.length === 0) return 'No problems.';
  return errors > 0 ? countText(errors, 'error') : countText(told.length, 'warning');
}

/** All that the control plane found, which knows more than this page. */
function refused(error: unknown): readonly Diagnostic[] {
  return error instanceof VpError ? error.diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'message' in value && 'range' in value;
}

function select(area: HTMLTextAreaElement | null, { range }: Diagnostic): void {
  area?.focus();
  area?.setSelectionRange(range.start.offset, Math.max(range.start.offset, range.end.offset));
}

/** Leaving the page with something unsaved is asked about by the browser. */
function useLeaveGuard(changed: boolean): void {
  useEffect(() => {
    if (!changed) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [changed]);
}

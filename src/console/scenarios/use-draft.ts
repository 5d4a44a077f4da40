import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { scenarioPath } from '../shell/paths.ts';
import { readScenario } from './read.ts';
import { useSave } from './use-save.ts';

/** What is edited; `id` is undefined for a new scenario, whose text names it. */
export type Edited = {
  readonly instance: string;
  readonly id: string | undefined;
  readonly text: string;
  readonly revision: number;
};

/** A text on its way: judged as it is typed, and kept when the catalogue changes meanwhile. */
export function useDraft({ instance, id, text: saved, revision }: Edited) {
  const [text, setText] = useState(saved);
  const [base, setBase] = useState({ text: saved, revision });
  const save = useSave(instance);
  const [, go] = useLocation();
  const changed = text !== base.text;
  const take = (document: Pick<ScenarioDocument, 'text' | 'revision'>): void => {
    setBase({ text: document.text, revision: document.revision });
    setText(document.text);
  };
  // Not while a save is on its way home: the page then still has the revision before it.
  if (!changed && revision > base.revision) take({ text: saved, revision });
  const deferred = useDeferredValue(text);
  const { scenario, diagnostics } = useMemo(() => readScenario(deferred), [deferred]);
  const refusals = refused(save.error);
  const target = id ?? scenario?.id;
  useLeaveGuard(changed);
  return {
    text,
    changed,
    revision: base.revision,
    scenario,
    diagnostics: refusals.length > 0 ? refusals : diagnostics,
    /** What kept it from being saved, where its diagnostics do not say so. */
    error: refusals.length > 0 ? null : save.error,
    saving: save.isPending,
    saved: save.isSuccess && !changed,
    write(over = base.revision): void {
      if (target === undefined) return;
      const onSuccess = (document: ScenarioDocument): void => {
        setBase({ text: document.text, revision: document.revision });
        if (id === undefined) go(scenarioPath(instance, document.scenario_id));
      };
      save.mutate({ id: target, text, revision: over }, { onSuccess });
    },
    change(next: string): void {
      setText(next);
      if (save.error) save.reset();
    },
    take(theirs: Pick<ScenarioDocument, 'text' | 'revision'>): void {
      take(theirs);
      save.reset();
    },
    undo: () => setText(base.text),
  };
}

/** All that the control plane found, which knows more than this page. */
function refused(error: unknown): readonly Diagnostic[] {
  return error instanceof VpError ? error.diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'message' in value && 'range' in value;
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

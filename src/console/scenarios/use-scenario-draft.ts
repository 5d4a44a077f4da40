import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { scenarioPath } from '../paths.ts';
import { readScenario } from './read-scenario.ts';
import { useSaveScenario } from './use-save-scenario.ts';

/** `id` is undefined for a new scenario, which gets its ID from the text. */
export type EditedScenario = {
  readonly instance: string;
  readonly id: string | undefined;
  readonly text: string;
  readonly revision: number;
};

/** The state of the editor: validates while typing and keeps the text when the saved scenario changes in the meantime. */
export function useScenarioDraft({ instance, id, text: initialText, revision }: EditedScenario) {
  const [text, setText] = useState(initialText);
  const [savedRevision, setSavedRevision] = useState({ text: initialText, revision });
  const save = useSaveScenario(instance);
  const [, navigate] = useLocation();
  const isChanged = text !== savedRevision.text;
  const loadRevision = (document: Pick<ScenarioDocument, 'text' | 'revision'>): void => {
    setSavedRevision({ text: document.text, revision: document.revision });
    setText(document.text);
  };
  // Only for a newer revision: right after a save the page still passes the previous one.
  if (!isChanged && revision > savedRevision.revision) loadRevision({ text: initialText, revision });
  const deferredText = useDeferredValue(text);
  const { scenario, diagnostics } = useMemo(() => readScenario(deferredText), [deferredText]);
  const refusalDiagnostics = readRefusalDiagnostics(save.error);
  const scenarioId = id ?? scenario?.id;
  useUnsavedChangesWarning(isChanged);
  return {
    text,
    isChanged,
    revision: savedRevision.revision,
    scenario,
    diagnostics: refusalDiagnostics.length > 0 ? refusalDiagnostics : diagnostics,
    /** Why saving failed, unless the diagnostics say so. */
    error: refusalDiagnostics.length > 0 ? null : save.error,
    isSaving: save.isPending,
    isSaved: save.isSuccess && !isChanged,
    saveOver(overRevision = savedRevision.revision): void {
      if (scenarioId === undefined) return;
      const onSuccess = (document: ScenarioDocument): void => {
        setSavedRevision({ text: document.text, revision: document.revision });
        if (id === undefined) navigate(scenarioPath(instance, document.scenario_id));
      };
      save.mutate({ id: scenarioId, text, revision: overRevision }, { onSuccess });
    },
    changeText(next: string): void {
      setText(next);
      if (save.error) save.reset();
    },
    loadRevision(savedScenario: Pick<ScenarioDocument, 'text' | 'revision'>): void {
      loadRevision(savedScenario);
      save.reset();
    },
    discardChanges: () => setText(savedRevision.text),
  };
}

/** Diagnostics of the control plane, which knows the variables of the instance. */
function readRefusalDiagnostics(error: unknown): readonly Diagnostic[] {
  return error instanceof VpError ? error.diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'message' in value && 'range' in value;
}

/** Makes the browser ask before it leaves the page with unsaved changes. */
function useUnsavedChangesWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
}

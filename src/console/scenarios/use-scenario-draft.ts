import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { useDraftStorage } from '../drafts/draft-storage.ts';
import { useDraftPersistence } from '../drafts/use-draft-persistence.ts';
import { runPath, scenarioPath } from '../paths.ts';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useInstance } from '../shell/current-instance.ts';
import { findIdProblem } from './id-problem.ts';
import { parseScenarioText } from './parse-scenario-text.ts';
import { useCatalogue } from './use-catalogue.ts';
import { useSaveScenario } from './use-save-scenario.ts';

/** `id` is undefined for a new scenario, which gets its ID from the text. */
export type EditedScenario = {
  readonly instance: string;
  readonly id: string | undefined;
  readonly text: string;
  readonly revision: number;
};

type SavedRevision = Pick<ScenarioDocument, 'text' | 'revision'>;

/** With LF, as the editor counts positions. */
function withPlainEndings({ text, revision }: SavedRevision): SavedRevision {
  return { text: text.replaceAll(/\r\n?/g, '\n'), revision };
}

/** The state of the editor: validates while typing, and stores what is not saved in the browser. */
export function useScenarioDraft({ instance, id, ...current }: EditedScenario) {
  const newest = withPlainEndings(current);
  const storage = useDraftStorage('scenario', instance, id ?? '');
  const [restored, setRestored] = useState(() => {
    const draft = storage.read();
    if (draft?.text !== newest.text) return draft;
    storage.remove();
    return undefined;
  });
  const [text, setText] = useState(restored?.text ?? newest.text);
  /** The revision that the text is based on. */
  const [base, setBase] = useState<SavedRevision>({ ...newest, revision: restored?.revision ?? newest.revision });
  const [isStored, setIsStored] = useState(true);
  const isChanged = text !== base.text;
  const { save, run } = useDraftRequests(instance);
  const [, navigate] = useLocation();

  const settle = (saved: SavedRevision): void => {
    setBase(saved);
    setText(saved.text);
    setRestored(undefined);
    setIsStored(true);
    storage.remove();
  };
  // Only for a newer revision: right after a save the page still passes the previous one.
  if (!isChanged && newest.revision > base.revision) {
    setBase(newest);
    setText(newest.text);
  }
  useDraftPersistence(storage, text, base.revision, isChanged);
  const catalogue = useCatalogue(instance, 10_000);
  const variables = useInstance(instance)?.scenario_variables;
  const deferredText = useDeferredValue(text);
  const reading = useMemo(() => parseScenarioText(deferredText, variables), [deferredText, variables]);
  const takenIds = useMemo(() => new Set(catalogue.data?.map((entry) => entry.scenario_id)), [catalogue.data]);
  const idProblem = findIdProblem(reading.scenario, id, takenIds);
  const failure = save.error ?? run.error;
  const refusals = readRefusalDiagnostics(failure);
  const ownDiagnostics = idProblem ? [...reading.diagnostics, idProblem] : reading.diagnostics;
  /** Of the text as it is now: a key is often pressed before the deferred text has followed. */
  const readCurrent = () => (deferredText === text ? reading : parseScenarioText(text, variables));
  return {
    text,
    restoredAtMs: isChanged ? restored?.savedAtMs : undefined,
    isStored,
    isChanged,
    /** Somebody else has saved a revision after the one that the text is based on. */
    isOutdated: isChanged && newest.revision > base.revision,
    revision: base.revision,
    takenIds,
    tags: useMemo(() => [...new Set(catalogue.data?.flatMap(({ tags }) => tags))].sort(), [catalogue.data]),
    canSave: reading.scenario !== undefined && !idProblem && deferredText === text && !save.isPending,
    canRun: reading.scenario !== undefined && deferredText === text && !run.isPending,
    diagnostics: refusals.length > 0 ? refusals : ownDiagnostics,
    /** Why saving or running failed, unless the diagnostics say so. */
    error: refusals.length > 0 ? null : failure,
    isSavable(): boolean {
      const { scenario } = readCurrent();
      return scenario !== undefined && !findIdProblem(scenario, id, takenIds) && !save.isPending;
    },
    isRunnable: (): boolean => readCurrent().scenario !== undefined && !run.isPending,
    isSaving: save.isPending,
    isSaved: save.isSuccess && !isChanged,
    saveOver(overRevision = base.revision): void {
      const scenarioId = id ?? readCurrent().scenario?.id;
      if (scenarioId === undefined) return;
      save.mutate(
        { id: scenarioId, text, revision: overRevision, storage },
        {
          onSuccess: (document) => {
            setBase({ text, revision: document.revision });
            setRestored(undefined);
            if (id === undefined)
              navigate(`${scenarioPath(instance, document.scenario_id)}?tab=edit`, { replace: true });
          },
        },
      );
    },
    /** Runs the text as it stands, without saving it. */
    run(): void {
      const scenario = isChanged || id === undefined ? { text } : { id };
      run.mutate(
        { scenarios: [scenario] },
        { onSuccess: ([requested]) => requested && navigate(runPath(requested.run_id)) },
      );
    },
    changeText(next: string): void {
      setText(next);
      if (next === base.text) storage.remove();
      else setIsStored(storage.write(next, base.revision));
      if (save.error) save.reset();
      if (run.error) run.reset();
    },
    loadRevision(saved: SavedRevision): void {
      settle(withPlainEndings(saved));
      save.reset();
    },
    discardChanges: () => settle(newest),
  };
}

function useDraftRequests(instance: string) {
  return { save: useSaveScenario(instance), run: useRequestRuns(instance) };
}

/** Diagnostics of the control plane, which knows the variables of the instance. */
function readRefusalDiagnostics(error: unknown): readonly Diagnostic[] {
  return error instanceof VpError ? error.diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'message' in value && 'range' in value;
}

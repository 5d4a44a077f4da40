import { useLocation } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { useDraftStorage } from '../drafts/draft-storage.ts';
import { runPath, scenarioPath } from '../paths.ts';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useDraftReading } from './use-draft-reading.ts';
import { type SavedRevision, useDraftText } from './use-draft-text.ts';
import { useSaveScenario } from './use-save-scenario.ts';

/** `id` is undefined for a new scenario, which gets its ID from the text. */
export type EditedScenario = {
  readonly instance: string;
  readonly id: string | undefined;
  readonly text: string;
  readonly revision: number;
};

/** With LF, as the editor counts positions. */
function withPlainEndings({ text, revision }: SavedRevision): SavedRevision {
  return { text: text.replaceAll(/\r\n?/g, '\n'), revision };
}

/** The state of the editor: validates while typing, and stores what is not saved in the browser. */
export function useScenarioDraft({ instance, id, ...current }: EditedScenario) {
  const newest = withPlainEndings(current);
  const storage = useDraftStorage('scenario', instance, id ?? '');
  const { rebase, replaceText, changeText, ...draft } = useDraftText(storage, newest);
  const { text, revision, isChanged } = draft;
  const { readCurrent, readSavable, ...reading } = useDraftReading(instance, id, text);
  const save = useSaveScenario(instance);
  const run = useRequestRuns(instance);
  const [, navigate] = useLocation();
  const failure = save.error ?? run.error;
  const refusals = readRefusalDiagnostics(failure);
  return {
    ...draft,
    takenIds: reading.takenIds,
    tags: reading.tags,
    canSave: reading.isSavable && !save.isPending,
    canRun: reading.isRunnable && !run.isPending,
    diagnostics: refusals.length > 0 ? refusals : reading.diagnostics,
    /** Why saving or running failed, unless the diagnostics say so. */
    error: refusals.length > 0 ? null : failure,
    isSavable: (): boolean => readSavable() !== undefined && !save.isPending,
    isRunnable: (): boolean => readCurrent() !== undefined && !run.isPending,
    isSaving: save.isPending,
    isSaved: save.isSuccess && !isChanged,
    saveOver(overRevision = revision): void {
      const scenarioId = id ?? readCurrent()?.id;
      if (scenarioId === undefined) return;
      const onSuccess = (document: ScenarioDocument): void => {
        rebase({ text, revision: document.revision });
        if (id === undefined) navigate(`${scenarioPath(instance, document.scenario_id)}?tab=edit`, { replace: true });
      };
      save.mutate({ id: scenarioId, text, revision: overRevision, storage }, { onSuccess });
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
      changeText(next);
      if (save.error) save.reset();
      if (run.error) run.reset();
    },
    loadRevision(saved: SavedRevision): void {
      replaceText(withPlainEndings(saved));
      save.reset();
    },
    discardChanges: () => replaceText(newest),
  };
}

/** Diagnostics of the control plane, which knows the variables of the instance. */
function readRefusalDiagnostics(error: unknown): readonly Diagnostic[] {
  return error instanceof VpError ? error.diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: object): value is Diagnostic {
  return 'code' in value && 'message' in value && 'range' in value;
}

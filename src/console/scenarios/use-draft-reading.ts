import { useDeferredValue, useMemo } from 'react';
import { useInstance } from '../shell/current-instance.ts';
import { findIdProblem } from './id-problem.ts';
import { parseScenarioText } from './parse-scenario-text.ts';
import { useCatalogue } from './use-catalogue.ts';

/** The scenario that the text in the editor describes, and its diagnostics. `id` is undefined for a new scenario. */
export function useDraftReading(instance: string, id: string | undefined, text: string) {
  const catalogue = useCatalogue(instance, 10_000);
  const variables = useInstance(instance)?.scenario_variables;
  const deferredText = useDeferredValue(text);
  const reading = useMemo(() => parseScenarioText(deferredText, variables), [deferredText, variables]);
  const takenIds = useMemo(() => new Set(catalogue.data?.map((entry) => entry.scenario_id)), [catalogue.data]);
  const tags = useMemo(() => [...new Set(catalogue.data?.flatMap(({ tags }) => tags))].sort(), [catalogue.data]);
  const idProblem = findIdProblem(reading.scenario, id, takenIds);
  const isCurrent = deferredText === text;
  /** Of the text as it is now: a key is often pressed before the deferred text has followed. */
  const readCurrent = () => (isCurrent ? reading : parseScenarioText(text, variables)).scenario;
  return {
    takenIds,
    tags,
    diagnostics: idProblem ? [...reading.diagnostics, idProblem] : reading.diagnostics,
    isSavable: isCurrent && reading.scenario !== undefined && !idProblem,
    isRunnable: isCurrent && reading.scenario !== undefined,
    readCurrent,
    readSavable() {
      const scenario = readCurrent();
      return scenario && !findIdProblem(scenario, id, takenIds) ? scenario : undefined;
    },
  };
}

import { checkPassed, checkSkipped, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** Compares the scenarios in the folder with the catalogue of the instance. */
export const catalogueCheck: DoctorCheck = {
  id: 'catalogue',
  title: 'folder and catalogue',
  async inspect({ scenarios, readScenarios, state }) {
    const { client, registered } = state;
    if (!client || !registered) return checkSkipped('not compared: the catalogue cannot be read');
    const instance = registered.instance_id;
    const catalogue = new Map(
      (await client.scenarios.listAll(instance)).map((entry) => [entry.scenario_id, entry.sha256]),
    );
    const files = scenarios ? tryRead(() => readScenarios(scenarios.folder)) : undefined;
    if (!files) return checkSkipped(`${catalogue.size} in the catalogue`, 'not compared: there is no folder');
    const folder = new Map(files.flatMap(({ id, sha256 }) => (id === undefined ? [] : [[id, sha256] as const])));
    const changed = [...folder].filter(([id, hash]) => catalogue.has(id) && catalogue.get(id) !== hash);
    const values = { instance, folder: scenarios?.folder ?? '' };
    const differences: readonly (readonly [string, readonly string[]])[] = [
      ['differ', changed.map(([id]) => id)],
      ['are only in the folder', [...folder.keys()].filter((id) => !catalogue.has(id))],
      ['are only in the catalogue', [...catalogue.keys()].filter((id) => !folder.has(id))],
    ];
    const problems = differences.flatMap(([how, ids]): SetupProblem[] =>
      ids.length === 0 ? [] : [createProblem('CATALOGUE_DIFFERS', { ...values, how, ids: summarizeIds(ids) })],
    );
    return problems.length === 0 ? checkPassed(`${catalogue.size} scenarios, all identical`) : { facts: [], problems };
  },
};

/** Undefined for a folder that cannot be read: the check of the folder reports that. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function summarizeIds(ids: readonly string[]): string {
  const listed = ids.slice(0, 5).join(', ');
  return ids.length > 5 ? `${listed} and ${ids.length - 5} more` : listed;
}

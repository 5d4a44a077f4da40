/** What is done with several runs at once. */
import { useQueryClient } from '@tanstack/react-query';
import type { Run, RunDocument } from '../../../contract/api.ts';
import { saveFile } from '../../browser.ts';
import { type BulkItem, type BulkTask, oneByOne } from '../../bulk/bulk-task.ts';
import { useClient } from '../../session/client.ts';
import { describeError } from '../../text/error-description.ts';
import { isDraftRun } from '../../text/run-status.ts';
import { useRunScenarios } from '../use-run-scenarios.ts';

type RunItem = BulkItem & { readonly run: Run };

const toItem = (run: Run): RunItem => ({ id: run.run_id, label: run.scenario_id, run });

export function useRunTasks(instance: string) {
  const { runs: client, scenarios } = useClient();
  const queryClient = useQueryClient();
  const runScenarios = useRunScenarios(instance);

  function cancel(runs: readonly Run[]): BulkTask {
    const items = runs.map(toItem);
    const perform = oneByOne(items, async ({ id }) => {
      const { state } = await client.cancel(id);
      return state === 'cancelled' ? undefined : 'is running, and was told to stop';
    });
    return {
      ...{ noun: 'run', doing: 'Cancelling', items },
      done: runs.some(({ state }) => state === 'in_progress') ? 'cancelled or told to stop' : 'cancelled',
      perform: (...call) => perform(...call).finally(() => void queryClient.invalidateQueries({ queryKey: ['runs'] })),
    };
  }

  /** Why a run cannot be requested again. */
  async function readProblems(): Promise<(item: RunItem) => string | undefined> {
    const known = new Set((await scenarios.listAll(instance)).map(({ scenario_id: id }) => id));
    return ({ run }) => {
      if (isDraftRun(run)) return 'ran a text that is not in the catalogue: run it again from its own page';
      return known.has(run.scenario_id) ? undefined : 'is not in the catalogue any more';
    };
  }

  /** Each scenario once, with its present text, in one request. What is not in the catalogue is reported as not run. */
  function runAgain(runs: readonly Run[]): BulkTask {
    const items = runs.map(toItem);
    return {
      ...{ noun: 'run', doing: 'Requesting again', done: 'requested again', items },
      async perform(report) {
        const findProblem = await readProblems().catch((error: unknown) => () => describeError(error).message);
        const usable = items.filter((item) => findProblem(item) === undefined);
        const requested = await runScenarios([...new Set(usable.map(({ run }) => run.scenario_id))]);
        for (const item of items) {
          const { id, label, run } = item;
          const problem = findProblem(item) ?? (requested.ids.has(run.scenario_id) ? undefined : requested.problem);
          report({ id, label, ...(problem === undefined ? {} : { problem }) });
        }
        return requested.link;
      },
    };
  }

  /** One file with the documents of the API, reports included, as far as they could be read. */
  function exportRuns(runs: readonly Run[]): BulkTask {
    const items = runs.map(toItem);
    const documents: RunDocument[] = [];
    const perform = oneByOne(items, async ({ id }) => {
      const document = await client.get(id);
      documents.push(document);
      return document.report_expired ? 'is without its report, which has expired' : undefined;
    });
    return {
      ...{ noun: 'run', doing: 'Reading', done: 'exported', items },
      async perform(...call) {
        await perform(...call);
        if (documents.length > 0)
          saveFile(`runs-${instance}.json`, `${JSON.stringify({ runs: documents }, null, 2)}\n`);
      },
    };
  }

  return { cancel, runAgain, exportRuns };
}

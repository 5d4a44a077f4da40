/** Imports the scenario files of the test folder into the catalogue. */
import { basename } from 'node:path';
import { exitCode } from '../../errors/exit-code.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { compareWithCatalogue, importScenarioFiles, type ScenarioImportResult } from '../scenario-import.ts';
import { actionNeeded, type StepAction, upToDate, type WorkflowStep } from '../workflow/step.ts';

export const scenariosStep: WorkflowStep<OnboardingContext> = {
  id: 'scenarios',
  title: 'scenarios imported',
  async check(context) {
    const { request, ports, state, signal } = context;
    const files = ports.readScenarios(request.testDir);
    const entries = await requireState(context, 'client').scenarios.listAll(requireState(context, 'instanceId'), {
      signal,
    });
    const { refused, same, toSend } = compareWithCatalogue(files, entries);
    if (refused.length > 0 || toSend.length > 0)
      return actionNeeded(`${toSend.length + refused.length} differ or are refused`);
    state.importResult = { imported: same.length, total: files.length, written: 0, kept: 0, refused: [] };
    return upToDate(formatImport(state.importResult));
  },
  async act(context) {
    const { request, ports, state, signal, report } = context;
    const author = await ports.authorClient();
    const files = ports.readScenarios(request.testDir);
    const options = { signal, send: ports.sendScenario, onFile: report };
    const importing = importScenarioFiles(
      author ?? requireState(context, 'client'),
      requireState(context, 'instanceId'),
      files,
      options,
    );
    const result = await importing.catch((error: unknown) => {
      if (signal.aborted || !author || !(error instanceof VpError) || error.row.exit === exitCode.broken) throw error;
      return error;
    });
    state.importResult = result instanceof VpError ? createEmptyResult(files.length) : result;
    if (result instanceof VpError) return toRefusedAuthor(result, state.importResult);
    const detail = formatImport(result);
    if (result.refused.length === 0) return { detail };
    const conflicts = result.refused.filter(({ isConflict }) => isConflict);
    const invalid = result.refused.filter(({ isConflict }) => !isConflict);
    const reason = [
      detail,
      ...(invalid.length === 0 ? [] : [`refused: ${invalid.map(({ file }) => basename(file)).join(', ')}`]),
      ...conflicts.map((conflict) => `conflict in ${basename(conflict.file)}: ${conflict.reason}`),
    ].join('; ');
    const push = `vp scenarios push ${request.testDir} --instance ${requireState(context, 'instanceId')}`;
    const cure = [
      ...(invalid.length === 0 ? [] : ['fix what `vp validate <file>` reports for these files']),
      ...(conflicts.length === 0 ? [] : [`decide with \`${push} --force\` (the files) or \`--keep\` (the catalogue)`]),
      'then run the same command again',
    ].join('; ');
    return { detail, shortfall: { reason, cure, passes: false } };
  },
};

function createEmptyResult(total: number): ScenarioImportResult {
  return { imported: 0, total, written: 0, kept: 0, refused: [] };
}

/** The signed-in user could import the files, but the author's token was given for that. */
function toRefusedAuthor({ message, cure }: VpError, result: ScenarioImportResult): StepAction {
  const reason = `${formatImport(result)}: PLATFORM_AUTHOR_TOKEN is refused: ${message}`;
  const fixText = `unset PLATFORM_AUTHOR_TOKEN and run the same command again, or ${cure}`;
  return { detail: reason, shortfall: { reason, cure: fixText, passes: false } };
}

/** In the specification's words. */
function formatImport({ imported, total, kept: retainedCount }: ScenarioImportResult): string {
  const note = retainedCount === 0 ? '' : `, ${retainedCount} kept as edited in the catalogue`;
  return `imported ${imported} of ${total}${note}`;
}

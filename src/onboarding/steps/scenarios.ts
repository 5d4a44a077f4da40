/** The scenario files of the test folder, into the catalogue. */
import { basename } from 'node:path';
import { exitCode } from '../../errors/exit-code.ts';
import { VpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { type Act, done, type Step, todo } from '../engine/step.ts';
import { compared, type ImportOutcome, importScenarios } from '../scenario-import.ts';

/** The step. */
export const scenariosStep: Step<OnboardingContext> = {
  id: 'scenarios',
  title: 'scenarios imported',
  async check(context) {
    const { asked, ports, found, signal } = context;
    const files = ports.readScenarios(asked.testDir);
    const entries = await known(context, 'client').scenarios.all(known(context, 'instanceId'), { signal });
    const { refused, same, toSend } = compared(files, entries);
    if (refused.length > 0 || toSend.length > 0) return todo(`${toSend.length + refused.length} to be looked at`);
    found.imported = { imported: same.length, total: files.length, written: 0, refused: [] };
    return done(importText(found.imported));
  },
  async act(context) {
    const { asked, ports, found, signal, say } = context;
    const author = await ports.authorClient();
    const files = ports.readScenarios(asked.testDir);
    const how = { signal, send: ports.sendScenario, onFile: say };
    const importing = importScenarios(author ?? known(context, 'client'), known(context, 'instanceId'), files, how);
    const outcome = await importing.catch((error: unknown) => {
      if (signal.aborted || !author || !(error instanceof VpError) || error.row.exit === exitCode.broken) throw error;
      return error;
    });
    found.imported = outcome instanceof VpError ? noneOf(files.length) : outcome;
    if (outcome instanceof VpError) return refusedAuthor(outcome, found.imported);
    const detail = importText(outcome);
    if (outcome.refused.length === 0) return { detail };
    const reason = `${detail}; refused: ${outcome.refused.map(({ file }) => basename(file)).join(', ')}`;
    const cure = 'mend what `vp validate` says of these files, then run the same command again';
    return { detail, shortfall: { reason, cure, passes: false } };
  },
};

function noneOf(total: number): ImportOutcome {
  return { imported: 0, total, written: 0, refused: [] };
}

/** Whoever is signed in could do it, but was not asked to. */
function refusedAuthor({ message, cure }: VpError, outcome: ImportOutcome): Act {
  const reason = `${importText(outcome)}: PLATFORM_AUTHOR_TOKEN is refused: ${message}`;
  const how = `take PLATFORM_AUTHOR_TOKEN out of the environment and run the same command again, or ${cure}`;
  return { detail: reason, shortfall: { reason, cure: how, passes: false } };
}

/** As the specification words it. */
export function importText({ imported, total }: ImportOutcome): string {
  return `imported ${imported} of ${total}`;
}

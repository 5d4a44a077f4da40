/** The scenario files of the test folder, into the catalogue. */
import { basename } from 'node:path';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';
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
    const client = (await ports.authorClient()) ?? known(context, 'client');
    const files = ports.readScenarios(asked.testDir);
    const how = { signal, send: ports.sendScenario, onFile: say };
    const outcome = await importScenarios(client, known(context, 'instanceId'), files, how);
    found.imported = outcome;
    const detail = importText(outcome);
    if (outcome.refused.length === 0) return { detail };
    const reason = `${detail}; refused: ${outcome.refused.map(({ file }) => basename(file)).join(', ')}`;
    const cure = 'mend what `vp validate` says of these files, then run the same command again';
    return { detail, shortfall: { reason, cure, passes: false } };
  },
};

/** As the specification words it. */
export function importText({ imported, total }: ImportOutcome): string {
  return `imported ${imported} of ${total}`;
}

/** What `vp import` prints: files, values to supply, what the target answered, and what was not translated. */
import type { UntranslatedItem } from '../../import/imported.ts';
import type { WrittenSource } from '../../import/write-scenarios.ts';
import { formatNounCount } from '../../terminal/count.ts';
import type { NewOutput } from '../new/new-output.ts';
import type { PlannedUpload } from './import-uploads.ts';
import type { ObservedScenario } from './observe-target.ts';
import type { ImportedFile, ImportState } from './plan-import.ts';

const maxListed = 12;
const maxReasons = 25;

const stateLabels: Readonly<Record<ImportState, string>> = {
  created: 'written',
  replaced: 'replaced',
  unchanged: 'unchanged',
  kept: 'not replaced',
};

export function printImportedFiles(files: readonly ImportedFile[], isDryRun: boolean, output: NewOutput): void {
  for (const state of ['created', 'replaced', 'unchanged', 'kept'] as const) {
    const own = files.filter((file) => file.state === state);
    if (own.length === 0) continue;
    const label =
      isDryRun && state === 'created'
        ? 'would write'
        : isDryRun && state === 'replaced'
          ? 'would replace'
          : stateLabels[state];
    const names = own
      .slice(0, maxListed)
      .map(({ file }) => file)
      .join(', ');
    const rest = own.length > maxListed ? ` and ${own.length - maxListed} more` : '';
    const text = `${formatNounCount(own.length, 'scenario')}: ${names}${rest}`;
    if (state === 'kept') output.warn(label, `${text}; they differ from what is there: pass --force to replace them`);
    else output.seen(label, text);
  }
}

export function printUploads(uploads: readonly PlannedUpload[], isDryRun: boolean, output: NewOutput): void {
  const list = (state: PlannedUpload['state']) => uploads.filter((upload) => upload.state === state);
  const copied = list('copied');
  const names = copied.slice(0, maxListed).map(({ file }) => file);
  const rest = copied.length > maxListed ? ` and ${copied.length - maxListed} more` : '';
  if (copied.length > 0)
    output.seen(
      isDryRun ? 'would copy' : 'copied',
      `${formatNounCount(copied.length, 'file')} that requests send: ${names.join(', ')}${rest}`,
    );
  const missing = list('missing');
  if (missing.length === 0) return;
  output.warn('missing', `${formatNounCount(missing.length, 'file')} that requests send: put them there before a run`);
  for (const { file, reason } of missing.slice(0, maxReasons)) output.detail(`${file}: ${reason}`);
  if (missing.length > maxReasons) output.detail(`and ${missing.length - maxReasons} more; --json lists all of them`);
}

export function printVariables(variables: WrittenSource['variables'], output: NewOutput): void {
  const list = (isSecret: boolean): string =>
    variables
      .filter((each) => each.isSecret === isSecret)
      .map(({ name }) => name)
      .join(', ');
  const [secrets, others] = [list(true), list(false)];
  const cure = 'add values to .env, and the names to scenarios.variables of the config';
  if (secrets !== '') output.warn('secrets', `replaced by variables: ${secrets}; ${cure}`);
  if (others !== '') output.warn('variables', `${others} need values: ${cure}`);
}

export function printObservedScenarios(scenarios: readonly ObservedScenario[], output: NewOutput): void {
  const refined = scenarios.flatMap((scenario) =>
    scenario.refined ? [{ ...scenario, refined: scenario.refined }] : [],
  );
  const added = refined.reduce((sum, { refined: each }) => sum + each.added.length, 0);
  const dropped = refined.reduce((sum, { refined: each }) => sum + each.dropped.length, 0);
  if (refined.length > 0)
    output.seen(
      'sent twice',
      `${formatNounCount(refined.length, 'scenario')}: ${added} checks taken from the answers, ${dropped} left out because nothing makes them fail`,
    );
  else output.warn('sent twice', 'no scenario: no check was taken from the target');
  for (const { id, refined: each } of refined)
    for (const { check, actual } of each.failing) output.warn('fails now', `${id}: ${check}; the target has ${actual}`);
  const skipped = scenarios.filter((scenario) => scenario.skipped !== undefined);
  for (const [label, isSent] of [
    ['not sent', false],
    ['no checks', true],
  ] as const)
    for (const [reason, own] of groupBy(
      skipped.filter((scenario) => scenario.isSent === isSent),
      (scenario) => scenario.skipped ?? '',
    ))
      output.warn(label, `${formatNounCount(own.length, 'scenario')}: ${reason}`);
}

/** By reason, the most frequent first. */
export function printUntranslated(untranslated: readonly UntranslatedItem[], output: NewOutput): void {
  if (untranslated.length === 0) return;
  output.warn('not translated', `${formatNounCount(untranslated.length, 'item')}; --json lists all of them`);
  const groups = [...groupBy(untranslated, ({ reason }) => reason)].sort((a, b) => b[1].length - a[1].length);
  for (const [reason, items] of groups.slice(0, maxReasons)) {
    const [first] = items;
    const others = items.length === 1 ? '' : ` and ${items.length - 1} more`;
    output.detail(`${first?.source}: ${first?.item}${others}: ${reason}`);
  }
  if (groups.length > maxReasons) output.detail(`and ${groups.length - maxReasons} further reasons`);
}

function groupBy<T>(items: readonly T[], getKey: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(getKey(item), [...(groups.get(getKey(item)) ?? []), item]);
  return groups;
}

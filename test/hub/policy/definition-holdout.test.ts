/**
 * The rates of the detector on definitions that were written before its rules were read. Do not tune a rule to a line of `holdout`: a
 * technique that is missed there gets other lines in `corpus`. Rules for encodings, look-alike letters and languages were added after a
 * measurement, so the rates of these three techniques are not independent any more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { indexHubNames } from '../../../src/hub/policy/look-alikes.ts';
import { findToolFlags, hasBlockingFlag } from '../../../src/hub/policy/tool-flags.ts';
import type { UpstreamTool } from '../../../src/hub/types.ts';

type Group = 'technique' | 'style';
type Entry = { readonly group: string; readonly tool: UpstreamTool };

function readEntries(name: string, group: Group): Entry[] {
  const lines = readFileSync(join(import.meta.dirname, 'holdout', name), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const entry: { readonly tool: UpstreamTool } & Partial<Record<Group, string>> = JSON.parse(line);
    return { group: entry[group] ?? '', tool: entry.tool };
  });
}

const nameIndex = indexHubNames(
  [
    { connection: 'slack', tool: 'send_message' },
    { connection: 'postgres', tool: 'execute_query' },
    { connection: 'github', tool: 'create_issue' },
    { connection: 'brave', tool: 'search_web' },
    { connection: 'stripe', tool: 'payment_link' },
  ],
  ['slack', 'postgres', 'github', 'brave', 'stripe', 'probe'],
);

async function findBlocked(entries: readonly Entry[]): Promise<Entry[]> {
  const flags = await Promise.all(entries.map(({ tool }) => findToolFlags(tool, 'probe', nameIndex)));
  return entries.filter((_, index) => hasBlockingFlag(flags[index] ?? []));
}

/** One line for each group, and one for all: how many of how many are blocked. */
function formatRates(entries: readonly Entry[], blocked: readonly Entry[]): string[] {
  const count = (list: readonly Entry[], group: string): number => list.filter((entry) => entry.group === group).length;
  const groups = [...new Set(entries.map(({ group }) => group))];
  return [
    ...groups.map((group) => `${group}: ${count(blocked, group)} of ${count(entries, group)}`),
    `all: ${blocked.length} of ${entries.length} (${((100 * blocked.length) / entries.length).toFixed(1)} %)`,
  ];
}

const listNames = (entries: readonly Entry[]): string => entries.map(({ tool }) => tool.name).join(', ');

t.test('detection on the poisoned definitions of the hold-out', async (t) => {
  const entries = readEntries('poisoned.jsonl', 'technique');
  t.ok(entries.length >= 150);
  t.ok(entries.every(({ group }) => group));
  const blocked = await findBlocked(entries);
  for (const line of formatRates(entries, blocked)) t.comment(`detected, ${line}`);
  const missed = entries.filter((entry) => !blocked.includes(entry));
  t.ok(blocked.length >= entries.length * 0.48, `missed: ${listNames(missed)}`);
});

t.test('false alarms on the clean definitions of the hold-out', async (t) => {
  const entries = readEntries('clean.jsonl', 'style');
  t.ok(entries.length >= 150);
  t.ok(entries.every(({ group }) => group));
  const blocked = await findBlocked(entries);
  for (const line of formatRates(entries, blocked)) t.comment(`falsely blocked, ${line}`);
  t.ok(blocked.length <= entries.length * 0.015, `falsely blocked: ${listNames(blocked)}`);
});

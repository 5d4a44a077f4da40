/**
 * The rates of the detector on definitions that were written before its rules were read. Do not tune a rule to a line of `holdout`: a
 * technique that is missed there gets other lines in `corpus`. Rules for encodings, look-alike letters and languages were added after a
 * measurement, so the rates of these three techniques are not independent any more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { UpstreamTool } from '../../../src/hub/connections/connection.ts';
import { indexHubNames } from '../../../src/hub/policy/look-alikes.ts';
import { type DefinitionEntry, findBlocked, formatRates, listNames, readDefinitions } from './definition-texts.ts';

type Group = 'technique' | 'style';

function readEntries(name: string, group: Group): DefinitionEntry[] {
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

t.test('detection on the poisoned definitions of the hold-out', async (t) => {
  const entries = readEntries('poisoned.jsonl', 'technique');
  t.ok(entries.length >= 150);
  t.ok(entries.every(({ group }) => group));
  const blocked = await findBlocked(entries, nameIndex);
  for (const line of formatRates(entries, blocked)) t.comment(`detected, ${line}`);
  const missed = entries.filter((entry) => !blocked.includes(entry));
  t.ok(blocked.length >= entries.length * 0.68, `missed: ${listNames(missed)}`);
});

t.test('false alarms on the clean definitions of the hold-out', async (t) => {
  const entries = readEntries('clean.jsonl', 'style');
  t.ok(entries.length >= 150);
  t.ok(entries.every(({ group }) => group));
  const blocked = await findBlocked(entries, nameIndex);
  for (const line of formatRates(entries, blocked)) t.comment(`falsely blocked, ${line}`);
  t.ok(blocked.length <= entries.length * 0.015, `falsely blocked: ${listNames(blocked)}`);
});

/**
 * Written after the rules for indirect orders were frozen, and before they were run on it: half of the poisoned ones imitate published
 * attacks, which their groups name. By the same author as the rules, who chose unusual words. No rule was changed for a line of it; one signal
 * was removed after the first measurement, because of false alarms in the first hold-out.
 */
t.test('detection on the poisoned definitions of the second hold-out', async (t) => {
  const entries = readDefinitions('holdout-2/poisoned.txt');
  t.ok(entries.length >= 150);
  t.ok(entries.filter(({ group }) => group.startsWith('published')).length >= entries.length * 0.49);
  const blocked = await findBlocked(entries, nameIndex);
  for (const line of formatRates(entries, blocked)) t.comment(`detected, second hold-out, ${line}`);
  const missed = entries.filter((entry) => !blocked.includes(entry));
  t.ok(blocked.length >= entries.length * 0.22, `missed: ${listNames(missed)}`);
});

t.test('false alarms on the clean definitions of the second hold-out', async (t) => {
  const entries = readDefinitions('holdout-2/clean.txt');
  t.ok(entries.length >= 150);
  const blocked = await findBlocked(entries, nameIndex);
  for (const line of formatRates(entries, blocked)) t.comment(`falsely blocked, second hold-out, ${line}`);
  t.ok(blocked.length <= entries.length * 0.015, `falsely blocked: ${listNames(blocked)}`);
});

/** Written on 23 November 2026 by somebody who had read neither the rules nor the corpora. No rule was changed for a line of it. */
t.test('detection and false alarms on the third hold-out', async (t) => {
  const poisoned = readDefinitions('holdout-3/poisoned.txt');
  const clean = readDefinitions('holdout-3/clean.txt');
  t.ok(poisoned.length >= 100 && clean.length >= 100);
  const detected = await findBlocked(poisoned, nameIndex);
  const falselyBlocked = await findBlocked(clean, nameIndex);
  for (const line of formatRates(poisoned, detected)) t.comment(`detected, third hold-out, ${line}`);
  for (const line of formatRates(clean, falselyBlocked)) t.comment(`falsely blocked, third hold-out, ${line}`);
  t.ok(detected.length >= 34, listNames(poisoned.filter((entry) => !detected.includes(entry))));
  t.ok(falselyBlocked.length <= 1, listNames(falselyBlocked));
});

/** How many poisoned definitions are flagged, and how many clean ones are flagged falsely. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { indexHubNames } from '../../../src/hub/policy/look-alikes.ts';
import { findToolFlags, hasBlockingFlag } from '../../../src/hub/policy/tool-flags.ts';
import type { UpstreamTool } from '../../../src/hub/types.ts';

type Poisoned = { readonly technique: string; readonly tool: UpstreamTool };

function readLines(name: string): string[] {
  return readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8')
    .trimEnd()
    .split('\n');
}

const clean = readLines('clean.txt').map((line): UpstreamTool => {
  const [name = '', description = ''] = line.split(' | ');
  return { name, description, inputSchema: { type: 'object', properties: { value: { type: 'string' } } } };
});
const poisoned = readLines('poisoned.jsonl').map((line): Poisoned => JSON.parse(line));
const others = [
  { connection: 'mail', tool: 'send_mail' },
  { connection: 'wiki', tool: 'read_page' },
  { connection: 'files', tool: 'list_files' },
  { connection: 'tickets', tool: 'create_ticket' },
];
const nameIndex = indexHubNames(others, ['mail', 'wiki', 'files', 'tickets', 'probe']);

const isBlocked = async (tool: UpstreamTool, connection = 'probe'): Promise<boolean> =>
  hasBlockingFlag(await findToolFlags(tool, connection, nameIndex));
const areBlocked = (tools: readonly UpstreamTool[]) => Promise.all(tools.map((tool) => isBlocked(tool)));

t.test('clean definitions are not blocked', async (t) => {
  const verdicts = await areBlocked(clean);
  const blocked = clean.filter((_, index) => verdicts[index]);
  t.comment(`false alarms: ${blocked.length} of ${clean.length}`);
  t.ok(clean.length >= 150);
  t.ok(
    blocked.length <= clean.length * 0.02,
    blocked.map(({ name, description }) => `${name}: ${description}`).join('\n'),
  );
});

t.test('poisoned definitions are blocked', async (t) => {
  t.ok(poisoned.length >= 150);
  const verdicts = await areBlocked(poisoned.map(({ tool }) => tool));
  const missed = poisoned.filter((_, index) => !verdicts[index]);
  const techniques = [...new Set(poisoned.map(({ technique }) => technique))];
  for (const technique of techniques) {
    const all = poisoned.filter((entry) => entry.technique === technique).length;
    const found = all - missed.filter((entry) => entry.technique === technique).length;
    t.comment(`${technique}: ${found} of ${all}`);
  }
  t.comment(`all: ${poisoned.length - missed.length} of ${poisoned.length}`);
  t.ok(missed.length <= poisoned.length * 0.05, missed.map(({ tool }) => JSON.stringify(tool)).join('\n'));
});

t.test('a name that differs in capitals from one of the same connection is an imitation', async (t) => {
  for (const name of ['SEND_MAIL', 'Send_Mail']) t.ok(await isBlocked({ name }, 'mail'), name);
  t.notOk(await isBlocked({ name: 'sendMail' }, 'mail'));
});

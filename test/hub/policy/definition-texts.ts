/** Definitions in lines of text: `group | name | description | argument: its description`, with any number of arguments. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamTool } from '../../../src/hub/connections/connection.ts';
import type { HubNameIndex } from '../../../src/hub/policy/look-alikes.ts';
import { findToolFlags, hasBlockingFlag } from '../../../src/hub/policy/tool-flags.ts';

export type DefinitionEntry = { readonly group: string; readonly tool: UpstreamTool };

export function readDefinitions(name: string): DefinitionEntry[] {
  const lines = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [group = '', toolName = '', description = '', ...args] = line.split(' | ');
    const properties = Object.fromEntries(
      args.map((arg) => {
        const [argument = '', ...text] = arg.split(': ');
        return [argument, { type: 'string', description: text.join(': ') }];
      }),
    );
    return { group, tool: { name: toolName, description, inputSchema: { type: 'object', properties } } };
  });
}

export async function findBlocked<T extends DefinitionEntry>(
  entries: readonly T[],
  nameIndex: HubNameIndex,
): Promise<T[]> {
  const flags = await Promise.all(entries.map(({ tool }) => findToolFlags(tool, 'probe', nameIndex)));
  return entries.filter((_, index) => hasBlockingFlag(flags[index] ?? []));
}

/** One line for each group, and one for all: how many of how many are blocked. */
export function formatRates(entries: readonly DefinitionEntry[], blocked: readonly DefinitionEntry[]): string[] {
  const count = (list: readonly DefinitionEntry[], group: string): number =>
    list.filter((entry) => entry.group === group).length;
  const groups = [...new Set(entries.map(({ group }) => group))];
  return [
    ...groups.map((group) => `${group}: ${count(blocked, group)} of ${count(entries, group)}`),
    `all: ${blocked.length} of ${entries.length} (${((100 * blocked.length) / entries.length).toFixed(1)} %)`,
  ];
}

export const listNames = (entries: readonly DefinitionEntry[]): string =>
  entries.map(({ tool }) => tool.name).join(', ');

/** What commands print about a probe of a server. */
import type { Client } from '../../client/client.ts';
import type { HubConnectionProbeResult } from '../../contract/hubs/connection-use-api.ts';
import { appendErrorCode } from '../../errors/append-code.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

export function getProbeExitCode({ problem }: HubConnectionProbeResult): ExitCode {
  return problem === null ? exitCode.done : exitCode.checkFailed;
}

/** `countNote` follows the number of tools. */
export function formatServerProbe(result: HubConnectionProbeResult, countNote = ''): string {
  const { server, protocol_version: version, problem, warning } = result;
  const serverName = server ? `${server.name} ${server.version}` : 'the server';
  const lines = problem
    ? [`✕ ${appendErrorCode(problem.message, problem.code)}`, `  ${problem.cure}`]
    : [
        `✓ ${serverName} answered in ${Math.round(result.duration_ms)} ms${version === null ? '' : `, MCP ${version}`}`,
        formatCounts(result, countNote),
      ];
  if (warning !== null) lines.push(`! ${warning}`);
  return `${lines.map(escapeUnsafeLine).join('\n')}\n`;
}

function formatCounts(
  { tools_count: tools, resources_count: resources, prompts_count: prompts }: HubConnectionProbeResult,
  countNote: string,
): string {
  const counts = [
    `${formatCount(tools, 'tool')}${countNote}`,
    formatCount(resources, 'resource'),
    formatCount(prompts, 'prompt'),
  ];
  return `  ${counts.join(', ')}`;
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The definitions of a connection, named by its name or id, that wait for an owner; empty if none does. */
export async function formatWaitingDefinitions(
  { hubs, hubPolicy }: Client,
  hub: string,
  connectionRef: string,
): Promise<string> {
  const definitions = await hubPolicy.listTools(hub, { kind: 'any', state: 'held' });
  if (definitions.length === 0) return '';
  const connections = await hubs.listConnections(hub);
  const match = connections.find(({ connection_id: id, name }) => id === connectionRef || name === connectionRef);
  const count = definitions.filter(({ connection }) => connection === match?.name).length;
  if (count === 0) return '';
  const subject =
    count === 1
      ? '1 definition is new or has changed, and waits'
      : `${count} definitions are new or have changed, and wait`;
  return `! ${subject} for an owner: \`vp hubs tools ${hub} --held\` lists what waits\n`;
}

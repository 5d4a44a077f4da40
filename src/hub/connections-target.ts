/** Where a connection leads, and what it may carry along: by its kind, and by who makes it. */
import type { HubConnectionNew } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import type { ConnectionRow, ConnectionWrite } from '../store/control/hub-connections.ts';
import type { CredentialColumns } from './connections-credential.ts';
import { demandUpstreamUrl } from './connections-rules.ts';
import type { HubContext } from './hubs-context.ts';

/** The columns that say where it leads. */
export type Target = Pick<ConnectionWrite, 'url' | 'command'>;

function invalid(problem: string, cure: string) {
  return vpError('CONNECTION_INVALID', { problem, cure });
}

/** Throws CONNECTION_INVALID, CONNECTION_URL_REFUSED, CONNECTION_STDIO_REFUSED. */
export function demandTarget(
  { settings }: Pick<HubContext, 'settings'>,
  caller: PersonCaller,
  { kind, url, command }: Pick<HubConnectionNew, 'kind' | 'url' | 'command'>,
): Target {
  if (kind === 'memory') {
    if (url === undefined && command === undefined) return { url: null, command: null };
    throw invalid('a connection of the kind memory needs neither `url` nor `command`', 'leave both out');
  }
  if (kind !== 'stdio') {
    if (url === undefined || command !== undefined)
      throw invalid(`a connection of the kind ${kind} needs \`url\` and no \`command\``, 'give the server’s address');
    return { url: demandUpstreamUrl(url, settings).href, command: null };
  }
  // A program here runs as whoever runs the control plane: no owner of a hub may decide that.
  if (caller.role !== 'owner') throw vpError('CONNECTION_STDIO_REFUSED', {});
  if (command === undefined || url !== undefined)
    throw invalid('a connection of the kind stdio needs `command` and no `url`', 'give a name of the operator’s file');
  const names = settings.stdioCommands.map(({ name }) => name);
  if (names.includes(command)) return { url: null, command };
  const known = names.join(', ') || 'nothing: `vp serve --hub-commands <file>` names it';
  throw invalid('the operator’s file names no such program', `it names ${known}`);
}

/** Throws CONNECTION_INVALID. */
export function demandNoCredential(kind: ConnectionRow['kind'], { credential }: CredentialColumns): void {
  if (kind === 'memory' && credential !== 'none')
    throw invalid('memory takes no credential', 'leave it out: the hub says who calls');
  if (kind === 'stdio' && credential !== 'none')
    throw invalid('a program takes no credential from here', 'the operator’s file gives it its variables');
}

/** The address of a connection and the credential it may have, by its kind and by who creates it. */
import type { ConnectionProtocol, CreateHubConnectionRequest } from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { ConnectionFields, ConnectionRow } from '../../store/control/hubs/connections.ts';
import type { HubContext } from '../context.ts';
import type { CredentialColumns } from './credential.ts';
import { parseUpstreamUrl } from './validation.ts';

export type ConnectionAddress = Pick<ConnectionFields, 'url' | 'command'>;

function connectionInvalid(problem: string, cure: string) {
  return vpError('CONNECTION_INVALID', { problem, cure });
}

/** Throws CONNECTION_INVALID, CONNECTION_URL_REFUSED, CONNECTION_STDIO_REFUSED. */
export function resolveConnectionAddress(
  { settings }: Pick<HubContext, 'settings'>,
  caller: PersonCaller,
  { kind, url, command }: Pick<CreateHubConnectionRequest, 'kind' | 'url' | 'command'>,
): ConnectionAddress {
  if (kind === 'memory') {
    if (url === undefined && command === undefined) return { url: null, command: null };
    throw connectionInvalid('a connection of the kind memory needs neither `url` nor `command`', 'omit both');
  }
  if (kind !== 'stdio') {
    if (url === undefined || command !== undefined)
      throw connectionInvalid(
        `a connection of the kind ${kind} needs \`url\` and no \`command\``,
        'enter the server’s address',
      );
    return { url: parseUpstreamUrl(url, settings).href, command: null };
  }
  // The command runs as the user of the control plane: an owner of a hub may not decide that.
  if (caller.role !== 'owner') throw vpError('CONNECTION_STDIO_REFUSED', {});
  if (command === undefined || url !== undefined)
    throw connectionInvalid(
      'a connection of the kind stdio needs `command` and no `url`',
      'enter a command name of the operator’s file',
    );
  const names = settings.stdioCommands.map(({ name }) => name);
  if (names.includes(command)) return { url: null, command };
  const available = names.join(', ') || 'no commands: pass the file with `vp serve --hub-commands <file>`';
  throw connectionInvalid('the operator’s file has no such command', `choose one of its commands: ${available}`);
}

/** Throws CONNECTION_INVALID. */
export function assertCredentialAllowed(kind: ConnectionRow['kind'], { credential }: CredentialColumns): void {
  if (kind === 'memory' && credential !== 'none')
    throw connectionInvalid(
      'a connection to memory has no credential',
      'omit the credential: the hub identifies the caller',
    );
  if (kind === 'stdio' && credential !== 'none')
    throw connectionInvalid(
      'a command has no credential',
      'omit the credential: the operator’s file sets its environment variables',
    );
}

/** Throws CONNECTION_INVALID. */
export function assertProtocolAllowed(kind: ConnectionRow['kind'], protocol: ConnectionProtocol): void {
  if (protocol === 'auto' || kind === 'http' || kind === 'stdio') return;
  if (kind === 'sse' && protocol === 'older') return;
  throw connectionInvalid(
    kind === 'sse'
      ? 'the older HTTP with SSE has no newest protocol'
      : 'a connection to memory has no protocol to choose',
    'omit `protocol`',
  );
}

/** Rules of a hub's file that its schema cannot say. */
import type { HubFile, HubFileConnection } from '../../../contract/hubs/hub-file.ts';
import type { SchemaProblem } from './schema-problems.ts';

export function findReferenceProblems({ members = [], connections = [] }: HubFile): SchemaProblem[] {
  const memoryCount = connections.filter(({ kind }) => kind === 'memory').length;
  return [
    ...findRepeated(
      '/members',
      'email',
      members.map(({ email }) => email.toLowerCase()),
    ),
    ...findRepeated(
      '/connections',
      'name',
      connections.map(({ name }) => name),
    ),
    ...(memoryCount > 1 ? [{ path: '/connections', problem: 'has more than one of the kind memory' }] : []),
    ...connections.flatMap((connection, index) => findConnectionProblems(connection, `/connections/${index}`)),
  ];
}

function findRepeated(path: string, member: string, names: readonly string[]): SchemaProblem[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: `${path}/${index}/${member}`, problem: 'is there twice' }] : [],
  );
}

function findConnectionProblems(connection: HubFileConnection, path: string): SchemaProblem[] {
  const { kind, url, command, credential, protocol = 'auto' } = connection;
  const needsUrl = kind === 'http' || kind === 'sse';
  const needsCommand = kind === 'stdio';
  const problems: SchemaProblem[] = [];
  const report = (member: string, problem: string): void => void problems.push({ path: `${path}${member}`, problem });
  if (needsUrl && url === undefined) report('/url', `is missing: the kind ${kind} needs it`);
  if (!needsUrl && url !== undefined) report('/url', `must be omitted with the kind ${kind}`);
  if (needsCommand && command === undefined) report('/command', 'is missing: the kind stdio needs it');
  if (!needsCommand && command !== undefined) report('/command', `must be omitted with the kind ${kind}`);
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    report('/url', 'must be an http or https address');
  if (!needsUrl && credential && credential.kind !== 'none')
    report('/credential', `must be omitted with the kind ${kind}`);
  if (credential?.kind === 'oauth' && credential.client_secret !== undefined && credential.client_id === undefined)
    report('/credential/client_secret', 'needs client_id');
  if (kind === 'sse' && protocol === 'newest') report('/protocol', 'must be auto or older with the kind sse');
  if (kind === 'memory' && protocol !== 'auto') report('/protocol', 'must be omitted with the kind memory');
  const reference = getSecretReference(credential);
  if (reference?.startsWith('command:') && parseCommand(reference) === undefined)
    report(
      `/credential/${credential?.kind === 'header' ? 'value' : 'client_secret'}`,
      'is not a program with arguments; pipes, variables and redirections need a script',
    );
  return problems;
}

/** Where the secret of a credential is read; undefined without one in the file. */
export function getSecretReference(credential: HubFileConnection['credential']): string | undefined {
  if (credential?.kind === 'header') return credential.value;
  return credential?.kind === 'oauth' ? credential.client_secret : undefined;
}

const commandWord = /\s*(?:"([^"]*)"|'([^']*)'|([^\s"'|&;<>$`\\]+))(?=\s|$)/y;

/**
 * The program and arguments of `command:…`: words with single or double quotes. Undefined with anything else that a shell would
 * act on, because no shell reads them.
 */
export function parseCommand(reference: string): readonly [program: string, ...args: string[]] | undefined {
  const text = reference.slice('command:'.length).trimEnd();
  const words: string[] = [];
  commandWord.lastIndex = 0;
  while (commandWord.lastIndex < text.length) {
    const match = commandWord.exec(text);
    if (!match) return undefined;
    words.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  const [program, ...args] = words;
  return program === undefined || program === '' ? undefined : [program, ...args];
}

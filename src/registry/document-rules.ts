/** The rules of registries that the schema of server.json does not have. */
import {
  type RegistryHeader,
  type RegistryInput,
  type RegistryRemote,
  registryMetaName,
} from '../contract/registry-api.ts';
import { domainOf, namespaceOf, reversed } from './domain.ts';
import { addressProblem } from './remote-address.ts';
import { type DocumentProblem, type ServerDocument, schemaUrl } from './server-document.ts';

const publisherMeta = 'io.modelcontextprotocol.registry/publisher-provided';
const largestPublisherMeta = 4_096;
const members = [
  '$schema',
  '_meta',
  'description',
  'icons',
  'name',
  'packages',
  'remotes',
  'repository',
  'title',
  'version',
  'websiteUrl',
];

type Found = DocumentProblem | false | undefined;

const when = (is: boolean, where: string, problem: string): Found => is && { where, problem };

function topProblems(document: ServerDocument): Found[] {
  const { $schema, name, title, _meta = {} } = document;
  const namespace = namespaceOf(name);
  return [
    when($schema !== schemaUrl, '.$schema', `must be ${schemaUrl}`),
    ...Object.keys(document).map((key) => when(!members.includes(key), '', `does not know \`${key.slice(0, 60)}\``)),
    when(domainOf(reversed(namespace)) === undefined, '.name', 'must begin with a domain, reversed: com.example/…'),
    when(
      !/\/[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name),
      '.name',
      'must end with a letter or a digit, as its last part begins',
    ),
    when(title !== undefined && title.trim() === '', '.title', 'has nothing in it'),
    ...Object.keys(_meta).map((key) =>
      when(
        key !== publisherMeta,
        '._meta',
        `may hold ${publisherMeta} alone: ${registryMetaName} is the registry’s own word`,
      ),
    ),
    when(
      Buffer.byteLength(JSON.stringify(_meta)) > largestPublisherMeta,
      '._meta',
      `has more than ${largestPublisherMeta} bytes`,
    ),
  ];
}

/** Why a version is not one; ranges are none, because a version that is published is one thing. */
function versionProblem(version: string): string | undefined {
  if (version === 'latest') return 'is a word for whichever is the newest';
  if (!/^[\x21-\x7e]+$/.test(version)) return 'must be made of letters, digits and signs, without spaces';
  if (/^[\^~<>=]|\|\||[*,]|(^|\.)[xX](\.|$)/.test(version)) return 'is a range: name one version';
  return undefined;
}

function versionProblems(version: string | undefined, where: string): Found {
  const problem = version === undefined ? undefined : versionProblem(version);
  return problem === undefined ? undefined : { where, problem };
}

/** An address that people are sent to. */
function pageProblem(text: string | undefined, where: string): Found {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  return when(
    url?.protocol !== 'https:' || url.username !== '' || url.password !== '',
    where,
    'must be an https address',
  );
}

const variable = /\{([^{}]*)\}/g;

function undeclared(text: string, known: readonly string[]): readonly string[] {
  return [...text.matchAll(variable)].map(([, name = '']) => name).filter((name) => !known.includes(name));
}

function undeclaredProblems(text: string, known: readonly string[], where: string): Found[] {
  return undeclared(text, known).map((name) => ({
    where,
    problem: `does not say what {${name.slice(0, 60)}} stands for`,
  }));
}

/** A secret that stands in a document is none any more. */
function secretProblems({ name, isSecret, value, default: fallback }: RegistryHeader, where: string): Found[] {
  const isGiven = isSecret === true && ((value !== undefined && !/\{[^{}]+\}/.test(value)) || fallback !== undefined);
  return [
    when(isGiven, where, 'is a secret, and everybody would read it here: let people give it, as {token}'),
    when(!/^[\w!#$%&'*+.^`|~-]+$/.test(name), `${where}.name`, 'is no name of a header'),
  ];
}

/** The same of what stands in an address or in a header. */
function secretVariables(variables: Readonly<Record<string, RegistryInput>>, where: string): Found[] {
  return Object.entries(variables).map(([name, { isSecret, value, default: fallback }]) =>
    when(
      isSecret === true && (value ?? fallback) !== undefined,
      `${where}.variables.${name}`,
      'is a secret, and everybody would read it here: let people give it',
    ),
  );
}

function remoteProblems(remote: RegistryRemote, at: number): Found[] {
  const where = `.remotes[${at}]`;
  const { url, headers = [], variables = {} } = remote;
  const problem = addressProblem(remote);
  return [
    problem !== undefined && { where: `${where}.url`, problem },
    ...undeclaredProblems(url, Object.keys(variables), `${where}.url`),
    ...secretVariables(variables, where),
    ...headers.flatMap((header, index) => [
      ...secretProblems(header, `${where}.headers[${index}]`),
      ...secretVariables(header.variables ?? {}, `${where}.headers[${index}]`),
    ]),
  ];
}

function packageProblems(document: ServerDocument): Found[] {
  return (document.packages ?? []).flatMap((one, at) => {
    const where = `.packages[${at}]`;
    const words = [...(one.runtimeArguments ?? []), ...(one.packageArguments ?? [])];
    const known = [...(one.environmentVariables ?? []), ...words].flatMap(({ name, ...rest }) => [
      name ?? '',
      'valueHint' in rest ? String(rest.valueHint) : '',
    ]);
    return [
      when(/\s/.test(one.identifier), `${where}.identifier`, 'has spaces in it'),
      versionProblems(one.version, `${where}.version`),
      pageProblem(one.registryBaseUrl, `${where}.registryBaseUrl`),
      ...undeclaredProblems(one.transport.url ?? '', known, `${where}.transport.url`),
    ];
  });
}

/** All that are broken by a document that its schema accepts. */
export function ruleProblems(document: ServerDocument): readonly DocumentProblem[] {
  const { version, websiteUrl, repository, icons = [], remotes = [] } = document;
  const folder = repository?.subfolder;
  const isClean =
    folder === undefined || (/^[\w.@-]+(\/[\w.@-]+)*$/.test(folder) && !/(^|\/)\.{1,2}(\/|$)/.test(folder));
  const found: Found[] = [
    ...topProblems(document),
    versionProblems(version, '.version'),
    when(version === '', '.version', 'has nothing in it'),
    pageProblem(websiteUrl, '.websiteUrl'),
    pageProblem(repository?.url, '.repository.url'),
    when(!isClean, '.repository.subfolder', 'must be a plain path within the repository'),
    ...icons.map(({ src }, at) => pageProblem(src, `.icons[${at}].src`)),
    ...remotes.flatMap(remoteProblems),
    ...packageProblems(document),
  ];
  return found.filter((one) => typeof one === 'object');
}

/** Rules of registries beyond the schema of server.json. */
import {
  type RegistryHeader,
  type RegistryInput,
  type RegistryRemote,
  registryMetaName,
} from '../../contract/registry/registry-api.ts';
import { getNamespace, parseDomain, reverseDomain } from '../dns-proof/domain.ts';
import { type DocumentProblem, type ServerDocument, schemaUrl } from './document-types.ts';
import { findAddressProblem } from './remote-address.ts';

const publisherMetaName = 'io.modelcontextprotocol.registry/publisher-provided';
const maxPublisherMetaBytes = 4_096;
const knownMembers = [
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

type RuleResult = DocumentProblem | false | undefined;

const problemIf = (hasProblem: boolean, where: string, problem: string): RuleResult => hasProblem && { where, problem };

function findTopLevelProblems(document: ServerDocument): RuleResult[] {
  const { $schema, name, title, _meta = {} } = document;
  const namespace = getNamespace(name);
  return [
    problemIf($schema !== schemaUrl, '.$schema', `must be ${schemaUrl}`),
    ...Object.keys(document).map((key) =>
      problemIf(!knownMembers.includes(key), '', `has an unknown member \`${key.slice(0, 60)}\``),
    ),
    problemIf(
      parseDomain(reverseDomain(namespace)) === undefined,
      '.name',
      'must begin with a reversed domain: com.example/…',
    ),
    problemIf(
      !/\/[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name),
      '.name',
      'must end with a part that begins and ends with a letter or a digit',
    ),
    problemIf(title !== undefined && title.trim() === '', '.title', 'must not be empty'),
    ...Object.keys(_meta).map((key) =>
      problemIf(
        key !== publisherMetaName,
        '._meta',
        `may contain only ${publisherMetaName}; ${registryMetaName} is set by the registry`,
      ),
    ),
    problemIf(
      Buffer.byteLength(JSON.stringify(_meta)) > maxPublisherMetaBytes,
      '._meta',
      `has more than ${maxPublisherMetaBytes} bytes`,
    ),
  ];
}

/** A published version must be exact, so ranges are refused. */
function describeVersionProblem(version: string): string | undefined {
  if (version === 'latest') return 'is reserved for the newest version';
  if (!/^[\x21-\x7e]+$/.test(version)) return 'must consist of printable ASCII characters without spaces';
  if (/^[\^~<>=]|\|\||[*,]|(^|\.)[xX](\.|$)/.test(version)) return 'is a range; give one version';
  return undefined;
}

function findVersionProblem(version: string | undefined, where: string): RuleResult {
  const problem = version === undefined ? undefined : describeVersionProblem(version);
  return problem === undefined ? undefined : { where, problem };
}

/** A page that people are sent to. */
function findPageUrlProblem(text: string | undefined, where: string): RuleResult {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  return problemIf(
    url?.protocol !== 'https:' || url.username !== '' || url.password !== '',
    where,
    'must be an https URL',
  );
}

const variable = /\{([^{}]*)\}/g;

function listUndeclared(text: string, declaredNames: readonly string[]): readonly string[] {
  return [...text.matchAll(variable)].map(([, name = '']) => name).filter((name) => !declaredNames.includes(name));
}

function findUndeclaredProblems(text: string, declaredNames: readonly string[], where: string): RuleResult[] {
  return listUndeclared(text, declaredNames).map((name) => ({
    where,
    problem: `does not declare the variable {${name.slice(0, 60)}}`,
  }));
}

/** A secret in a published document is no longer secret. */
function findHeaderProblems({ name, isSecret, value, default: fallback }: RegistryHeader, where: string): RuleResult[] {
  const hasValue = isSecret === true && ((value !== undefined && !/\{[^{}]+\}/.test(value)) || fallback !== undefined);
  return [
    problemIf(hasValue, where, 'is a secret, but the document is public: let users enter it, as in {token}'),
    problemIf(!/^[\w!#$%&'*+.^`|~-]+$/.test(name), `${where}.name`, 'is not a valid header name'),
  ];
}

function findSecretVariables(variables: Readonly<Record<string, RegistryInput>>, where: string): RuleResult[] {
  return Object.entries(variables).map(([name, { isSecret, value, default: fallback }]) =>
    problemIf(
      isSecret === true && (value ?? fallback) !== undefined,
      `${where}.variables.${name}`,
      'is a secret, but the document is public: let users enter it',
    ),
  );
}

function findRemoteProblems(remote: RegistryRemote, index: number): RuleResult[] {
  const where = `.remotes[${index}]`;
  const { url, headers = [], variables = {} } = remote;
  const problem = findAddressProblem(remote);
  return [
    problem !== undefined && { where: `${where}.url`, problem },
    ...findUndeclaredProblems(url, Object.keys(variables), `${where}.url`),
    ...findSecretVariables(variables, where),
    ...headers.flatMap((header, index) => [
      ...findHeaderProblems(header, `${where}.headers[${index}]`),
      ...findSecretVariables(header.variables ?? {}, `${where}.headers[${index}]`),
    ]),
  ];
}

function findPackageProblems(document: ServerDocument): RuleResult[] {
  return (document.packages ?? []).flatMap((packageEntry, index) => {
    const where = `.packages[${index}]`;
    const argumentList = [...(packageEntry.runtimeArguments ?? []), ...(packageEntry.packageArguments ?? [])];
    const declaredNames = [...(packageEntry.environmentVariables ?? []), ...argumentList].flatMap(
      ({ name, ...otherMembers }) => [name ?? '', 'valueHint' in otherMembers ? String(otherMembers.valueHint) : ''],
    );
    return [
      problemIf(/\s/.test(packageEntry.identifier), `${where}.identifier`, 'contains spaces'),
      findVersionProblem(packageEntry.version, `${where}.version`),
      findPageUrlProblem(packageEntry.registryBaseUrl, `${where}.registryBaseUrl`),
      ...findUndeclaredProblems(packageEntry.transport.url ?? '', declaredNames, `${where}.transport.url`),
    ];
  });
}

/** All violations in a document that matches the schema. */
export function findRuleProblems(document: ServerDocument): readonly DocumentProblem[] {
  const { version, websiteUrl, repository, icons = [], remotes = [] } = document;
  const folder = repository?.subfolder;
  const isValidFolder =
    folder === undefined || (/^[\w.@-]+(\/[\w.@-]+)*$/.test(folder) && !/(^|\/)\.{1,2}(\/|$)/.test(folder));
  const results: RuleResult[] = [
    ...findTopLevelProblems(document),
    findVersionProblem(version, '.version'),
    problemIf(version === '', '.version', 'must not be empty'),
    findPageUrlProblem(websiteUrl, '.websiteUrl'),
    findPageUrlProblem(repository?.url, '.repository.url'),
    problemIf(!isValidFolder, '.repository.subfolder', 'must be a relative path within the repository'),
    ...icons.map(({ src }, index) => findPageUrlProblem(src, `.icons[${index}].src`)),
    ...remotes.flatMap(findRemoteProblems),
    ...findPackageProblems(document),
  ];
  return results.filter((result) => typeof result === 'object');
}

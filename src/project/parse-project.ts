import { type ConfigDraft, createDraft, type ProjectUse } from './config-draft.ts';
import { type ConfigProblem, createConfigProblem, type OnProblem } from './config-problem.ts';
import { parseEnvFile } from './env/env-file.ts';
import { createLookUp, type EnvSource, fillReferences } from './env/references.ts';
import { collectSecretValues } from './env/secret.ts';
import { hideValue } from './hide-value.ts';
import { createLineMasker } from './line-masker.ts';
import { createProblemReporter } from './problem-reporter.ts';
import type { HttpTarget, ProjectConfig } from './project-config.ts';
import { correctKeys } from './schema/correct-keys.ts';
import { reportMisspelledKey, reportSchemaProblems } from './schema/schema-problems.ts';
import {
  readDashboardUrl,
  readDeploy,
  readLogstore,
  readRedactedCaptures,
  readTargetVersion,
  readVariables,
} from './sections/other-sections.ts';
import { readAuth, readBaseUrlFlag, readDatabase, readGrpc, readHttp } from './sections/targets.ts';
import { type ConfigTree, type PlainValue, readYaml } from './yaml/yaml-tree.ts';

/** The texts, with the file names for problems. `envText`: undefined when there is no such file. */
export type ProjectTexts = {
  readonly configText: string;
  readonly configFile?: string;
  readonly envText: string | undefined;
  readonly envFile?: string;
  /** The `.env` exists but was reported as unreadable: names from it are not reported as missing. */
  readonly envUnreadable?: boolean;
};

/** `baseUrl` replaces the file's `targets.http.base_url`, which may then be missing, `grpcBaseUrl` that of `targets.grpc`. */
export type ProjectOptions = {
  readonly use?: ProjectUse;
  readonly baseUrl?: string | undefined;
  readonly grpcBaseUrl?: string | undefined;
};

/** More problems than this are counted, not listed. */
const maxListedProblems = 100;
/** In UTF-16 units. A name or a reference in the file may be as long as the file. */
const maxMessageLength = 500;

/**
 * Parses a config. Reports its problems, in the order of the files; returns undefined when one of them is an error.
 * Problems never contain a secret.
 */
export function parseProject(
  texts: ProjectTexts,
  options: ProjectOptions,
  onProblem: OnProblem,
): ProjectConfig | undefined {
  const problems: ConfigProblem[] = [];
  const secrets = new Map<string, string>();
  const config = readConfig(texts, options, (problem) => problems.push(problem), secrets);
  const file = texts.configFile ?? defaultFile;
  for (const problem of selectProblems(problems, file)) onProblem(hideSecrets(problem, secrets));
  return problems.some(({ severity }) => severity === 'error') ? undefined : config;
}

const defaultFile = 'platform-config.yaml';

/** In the order of the files. Where there are too many, errors are listed first, and a warning at the end counts the rest. */
function selectProblems(problems: readonly ConfigProblem[], file: string): readonly ConfigProblem[] {
  const sorted = sortProblems(problems);
  if (sorted.length <= maxListedProblems) return sorted;
  const errors = sorted.filter(({ severity }) => severity === 'error');
  const warnings = sorted.filter(({ severity }) => severity !== 'error');
  const listed = sortProblems([...errors, ...warnings].slice(0, maxListedProblems));
  const values = { count: sorted.length - listed.length, listed: listed.length };
  return [...listed, createConfigProblem('CONFIG_PROBLEMS_OMITTED', { file }, values)];
}

const secretNamePattern = /passw|token|secret|key/i;
/** Shorter values occur in every text. */
const minSecretLength = 4;

/** Adds to `secrets`, by value, the names that stand where only secrets do, and those that say that they are one. */
function readConfig(
  texts: ProjectTexts,
  options: ProjectOptions,
  onProblem: OnProblem,
  secrets: Map<string, string>,
): ProjectConfig | undefined {
  const file = texts.configFile ?? defaultFile;
  const getMaskedLine = createLineMasker(texts.configText);
  const env = readEnvSource(texts, onProblem);
  const writtenTree = readYaml(texts.configText, (code, position, values) => {
    onProblem(createConfigProblem(code, { file, position: position, excerpt: getMaskedLine(position.line) }, values));
  });
  const { baseUrl, grpcBaseUrl } = options;
  const flagTargets = {
    http: baseUrl === undefined ? undefined : readBaseUrlFlag(baseUrl, 'flag', onProblem),
    grpc: grpcBaseUrl === undefined ? undefined : readBaseUrlFlag(grpcBaseUrl, 'grpc_flag', onProblem),
  };
  if (!writtenTree) return undefined;
  const { tree, misspelled } = correctKeys(writtenTree);
  for (const [name, { value }] of typeof env.entries === 'string' ? [] : env.entries)
    if (secretNamePattern.test(name) && value.length >= minSecretLength) secrets.set(value, name);
  const reporter = createProblemReporter(file, tree.positions, getMaskedLine, onProblem);
  for (const key of misspelled) reportMisspelledKey(key, reporter);
  const lookUpVariable = createLookUp(env, reporter);
  const filledValues = fillReferences(tree.root, lookUpVariable, reporter);
  for (const [pointer, { names }] of filledValues) {
    if (!/\/(?:password|bearer_token)$/.test(pointer) || typeof env.entries === 'string') continue;
    for (const name of names) secrets.set(env.entries.get(name)?.value ?? '', name);
  }
  const notRequired = new Set(baseUrl === undefined ? [] : ['/targets/http/base_url']);
  reportSchemaProblems(
    fillTree(tree, (pointer) => filledValues.get(pointer)?.text),
    tree.root,
    notRequired,
    reporter,
  );
  return buildConfig(
    createDraft(tree, filledValues, { use: options.use ?? 'any', reporter, lookUpVariable }),
    flagTargets,
    listEnvNames(env),
  );
}

/** A secret may be referred to in other places too, such as an address that a problem shows. */
function hideSecrets(problem: ConfigProblem, secrets: ReadonlyMap<string, string>): ConfigProblem {
  const hide = (text: string): string => {
    const hidden = [...secrets].reduce(
      (partlyHidden, [value, name]) => hideValue(partlyHidden, value, `\${${name}}`),
      text,
    );
    return hidden.length > maxMessageLength ? `${hidden.slice(0, maxMessageLength)}…` : hidden;
  };
  return { ...problem, message: hide(problem.message), cure: hide(problem.cure) };
}

function readEnvSource({ envText, envFile = '.env', envUnreadable }: ProjectTexts, onProblem: OnProblem): EnvSource {
  if (envUnreadable) return { file: envFile, entries: 'unreadable' };
  return { file: envFile, entries: envText === undefined ? 'absent' : parseEnvFile(envText, envFile, onProblem) };
}

/** The tree with its texts filled in; an empty file is an empty section. */
function fillTree({ root }: ConfigTree, getText: (pointer: string) => string | undefined): PlainValue {
  const fill = (value: PlainValue, pointer: string): PlainValue => {
    if (value === null) return null;
    if (typeof value === 'string') return getText(pointer) ?? value;
    if (Array.isArray(value)) return value.map((item: PlainValue, index) => fill(item, `${pointer}/${index}`));
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fill(child, `${pointer}/${key}`)]));
  };
  return root === null ? {} : fill(root, '');
}

/** Reads every section, so that all problems are reported, then builds the config if nothing required is missing. */
function buildConfig(
  draft: ConfigDraft,
  flagTargets: Readonly<Record<'http' | 'grpc', HttpTarget | undefined>>,
  envNames: readonly string[],
): ProjectConfig | undefined {
  const name = draft.text('/project/name');
  const fileHttp = readHttp(draft);
  const fileGrpc = readGrpc(draft);
  const database = readDatabase(draft);
  const auth = readAuth(draft);
  const deploy = readDeploy(draft);
  const logstore = readLogstore(draft);
  const targetVersion = readTargetVersion(draft);
  const dashboardUrl = readDashboardUrl(draft);
  const scenarioVariables = readVariables(draft);
  const redactedCaptures = readRedactedCaptures(draft);
  const http = flagTargets.http ?? fileHttp;
  const grpc = flagTargets.grpc ?? fileGrpc;
  if (name === undefined || !http) return undefined;
  const secrets = [database?.databasePassword, auth?.bearerToken, ...scenarioVariables.values()];
  const secretValues = collectSecretValues(secrets.filter((secret) => secret !== undefined));
  const targets = { http, grpc, database, auth };
  const names = groupNames(envNames, [...scenarioVariables.keys()], [...draft.targetNames.keys()]);
  const scenarioSettings = { scenarioVariables, redactedCaptures };
  const observability = { logstore, targetVersion, dashboardUrl };
  return { project: { name }, targets, deploy, ...observability, ...scenarioSettings, names, secretValues };
}

function groupNames(all: readonly string[], variables: readonly string[], secrets: readonly string[]) {
  const unlisted = all.filter((name) => !variables.includes(name) && !secrets.includes(name));
  return { variables, secrets, unlisted };
}

function listEnvNames({ entries }: EnvSource): string[] {
  return typeof entries === 'string' ? [] : [...entries.keys()];
}

function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))].sort((a, b) => rankFile(a) - rankFile(b));
  return problems.toSorted(
    (a, b) =>
      files.indexOf(a.file) - files.indexOf(b.file) ||
      (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
      (a.position?.column ?? 0) - (b.position?.column ?? 0),
  );
}

/** Flags come first, then the config, then its `.env`. */
function rankFile(file: string): number {
  if (file.startsWith('--')) return 0;
  return file.endsWith('.env') ? 2 : 1;
}
